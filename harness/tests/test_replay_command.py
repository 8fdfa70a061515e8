"""`colconf replay`: what it says of verdicts that blame nobody, and the folders that it takes."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora import own_cases
from corpora.build.recipe import leaf, schema
from corpora.cases import Expectation, dump, load
from harness.cli import main
from harness.commands import replay as command
from harness.investigate.findings.replay import named
from reference_impl.parquet.plan import Column, Encryption, FilePlan, Statistics
from reference_impl.parquet.schema import Type
from reference_impl.parquet.writer import write


@pytest.mark.parametrize(
    ("verdict", "certainty", "doubt"),
    [
        ("different", "contested", ", contested: 1 against 1"),
        ("different", "likely", ""),
        ("agree", "contested", ""),
        ("contested", "contested", ", contested: 1 against 1"),
    ],
)
def test_a_contested_verdict_says_so(monkeypatch, verdict, certainty, doubt):
    """A problem that is contested is called so, with the remedy; a finding and a right answer are not."""
    decided = replace(Expectation.by_vote(), certainty=certainty, why="1 against 1")
    row = SimpleNamespace(engine="x", version="1", config="", verdict=verdict)
    row.detail = SimpleNamespace(expectation=decided)
    judged = False, SimpleNamespace(rows=[row]), []
    case = SimpleNamespace(keys=None, file=Path("x.parquet"))
    monkeypatch.setattr(command, "named", lambda *_, **__: SimpleNamespace(case=case))
    monkeypatch.setattr(command, "judge_again", lambda *_: judged)
    result = CliRunner().invoke(command.replay, ["x.parquet"])
    assert result.exit_code == (2 if doubt else 0)  # undecided is not: gone
    first, last = result.stdout.splitlines()
    assert first == f"x@1: {verdict}{doubt}"
    assert last.startswith("undecided: ") if doubt else last == "the finding does not show"


def test_a_folder_of_minimize_is_replayed_with_the_engine_that_it_names(tmp_path):
    """The smallest file is read by the finding's release and configuration, or by the engine given."""
    case = load(own_cases.folder() / "parquet/findings/index-of-deltas.json")
    (tmp_path / "minimal.parquet").write_bytes(case.file.read_bytes())
    dump(replace(case, file=tmp_path / "minimal.parquet"), tmp_path / "minimal.json")
    record = {
        "engine": "polars@1.1.0",
        "signature": "polars | crashed",
        "verdict": "crashed",
        "config": "api=lazy",
    }
    (tmp_path / "minimize.json").write_text(json.dumps(record))
    again = named(str(tmp_path), (), "parquet", tmp_path)
    assert again.engines == ("polars@1.1.0:api=lazy",)
    assert again.entry.signature == "polars | crashed"
    assert again.case.sha256 == case.sha256
    assert named(str(tmp_path), ("pyarrow",), "parquet", tmp_path).engines == ("pyarrow",)
    (tmp_path / "minimize.json").write_text("{}")
    assert CliRunner().invoke(command.replay, [str(tmp_path)]).exit_code == 2


def test_a_file_is_queried(tmp_path):
    """A file that colconf has no case of gets the queries that a run would derive from it."""
    rows = tuple({"x": row} for row in range(20))
    plan = FilePlan(schema(leaf("x", Type.INT32)), rows, (Column(statistics=Statistics()),))
    file = tmp_path / "x.parquet"
    file.write_bytes(write(plan))
    result = CliRunner().invoke(command.replay, [str(file), "--engine", "reference", "--json"])
    (row, *_) = json.loads(result.stdout)["said"]
    assert (result.exit_code, row["verdict"]) == (0, "agree")
    assert row["detail"]["probes"]["asked"] > 10


def test_an_encrypted_file(tmp_path):
    """Without keys, one line says how they are given; with them, the file is read."""
    secret = bytes(range(100, 116))
    plan = FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), encryption=Encryption(secret))
    file, keys = tmp_path / "x.parquet", tmp_path / "keys.json"
    file.write_bytes(write(plan))
    keys.write_text(json.dumps({"footer": secret.hex()}))
    asked = [str(file), "--engine", "reference"]
    assert "--keys FILE" in CliRunner().invoke(command.replay, asked).output
    opened = CliRunner().invoke(command.replay, [*asked, "--keys", str(keys)])
    assert "reference@0.1.0: agree" in opened.output
    assert "--keys FILE" not in opened.output


def test_a_query_of_the_user(tmp_path, capsys):
    """With --query, a file is asked the user's queries alone; a finding has its own query."""
    pq.write_table(pa.table({"n": [1, 2, 3]}), tmp_path / "a.parquet")
    file, engine = str(tmp_path / "a.parquet"), ("--engine", "reference")
    assert main(["replay", file, *engine, "--query", "WHERE n > 1; SELECT COUNT(*)", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["said"]
    assert {row["detail"]["probes"]["asked"] for row in lines if not row["config"]} == {2}
    assert main(["replay", file, *engine, "--query", "WHERE m > 1"]) == 2
    message = "query WHERE m > 1: fits none of 1 case: no column m (files/a.parquet)"
    assert capsys.readouterr().err == f"colconf: {message}\n"
    assert main(["replay", "duckdb-nan-left-out", *engine, "--query", "WHERE n > 1"]) == 2
    assert "a finding has its own query" in capsys.readouterr().err
