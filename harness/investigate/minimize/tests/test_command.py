"""Wrong arguments of `colconf minimize` are refused in one line, with exit status 2."""

import json
from pathlib import Path

import pytest

from corpora.build.recipe import leaf, schema
from corpora.cases import load
from corpora.known_failures import Entry
from harness.cli import main
from harness.commands import minimize
from harness.engines.naming import parse
from harness.investigate.minimize.tests.files import parquet
from harness.investigate.suspects import Suspect
from reference_impl.parquet.plan import Encryption, FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.writer import write


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-finding", "--engine", "reference"), "no finding is called"),
        (("given.txt", "--engine", "reference"), "neither Parquet nor ORC"),
        (("given.parquet", "--engine", "nobody"), "unknown engine"),
        (("given.parquet", "--engine", "reference", "--config", "pushdown=never"), "is no value of pushdown"),
        (("given.parquet", "--engine", "reference"), "the reference has no findings"),
        (("given.json", "--engine", "reference"), "given.json"),
    ],
)
def test_refused(tmp_path, monkeypatch, capfd, arguments, said):
    """A finding, file, engine or configuration that is none is refused, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given.txt").write_text("text")
    (tmp_path / "given.json").write_text("{")
    (tmp_path / "given.parquet").write_bytes(parquet(3))
    assert main(["minimize", *arguments]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert not (tmp_path / "minimized").exists()


def test_a_named_pushdown_is_compared_with_none():
    """A query is also asked without pushdown: a signature names the value if the answer then differs."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    case = load(Path(__file__).parents[4] / "corpora/parquet/findings/limit-behind-field.json")
    engine, _ = minimize.processes(parse("duckdb:pushdown=on"), case, None)
    assert [config.text for config in engine.configs] == ["pushdown=on", "pushdown=off"]
    engine, _ = minimize.processes(parse("duckdb:pushdown=off"), case, None)
    assert [config.text for config in engine.configs] == ["pushdown=off"]


def test_a_finding_of_a_run_is_asked_as_in_the_run():
    """What the run did not ask, such as a read without pushdown, would give the finding another signature."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    case = load(Path(__file__).parents[4] / "corpora/parquet/findings/limit-behind-field.json")
    entry = Entry("duckdb", "*", "different", "bisected")
    suspect = Suspect(case, entry, configs=("pushdown=on",))
    engine, _ = minimize.processes(parse("duckdb"), case, suspect)
    assert [config.text for config in engine.configs] == ["pushdown=on"]
    engine, _ = minimize.processes(parse("duckdb:pushdown=off"), case, suspect)
    assert [config.text for config in engine.configs] == ["pushdown=off"]  # of the command line
    engine, _ = minimize.processes(parse("duckdb"), case, Suspect(case, entry))
    assert len(engine.configs) > 1


def test_an_encrypted_file_is_minimized_with_its_keys(tmp_path, capfd):
    """Without the keys of a file, a line says how they are given; with them, the file is judged."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    secret = bytes(range(100, 116))
    plan = FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},) * 9, encryption=Encryption(secret))
    file, keys, out = tmp_path / "x.parquet", tmp_path / "keys.json", tmp_path / "out"
    file.write_bytes(write(plan))
    keys.write_text(json.dumps({"footer": secret.hex()}))
    arguments = ["minimize", str(file), "--engine", "pyarrow", "--out", str(out)]
    assert main(arguments) == 2
    printed = capfd.readouterr().err
    assert "--keys FILE" in printed
    assert f"{file}: pyarrow@" in printed
    assert "refused_as_expected: no problem" in printed
    assert main([*arguments, "--keys", str(keys)]) == 2
    printed = capfd.readouterr().err
    assert "--keys" not in printed
    assert "agree: no problem" in printed
