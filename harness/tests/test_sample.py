"""Tests for `colconf run --profile sample`: some files of every source in both formats, in one run."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.commands.run import run
from harness.commands.sample import sample, with_seed
from harness.judging.results import load_run, read_rows
from harness.runs.exit import of_the_day
from harness.runs.pipeline.profiles import PROFILES, SAMPLE, Mixture

OPTIONS: dict[str, Any] = {
    "files": (),
    "tables": (),
    "generate": None,
    "write_generated": None,
    "time_budget": None,
}
OPTIONS |= {"case": (), "profile": SAMPLE, "format_": (), "seed": None}


@pytest.fixture(name="out", scope="module")
def _out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small sample, which a kill ended once all was written and read."""
    out = tmp_path_factory.mktemp("sample") / "out"
    small = PROFILES[SAMPLE]._replace(mixture=Mixture(tables=4, cases=2, generated=8))
    engines = [f"--engine={name}" for name in ("pyarrow", "pyarrow_orc")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PROFILES, SAMPLE, small)
        arguments = ["--profile", SAMPLE, *engines, "--seed", "5", "--no-spark", "--report", "none"]
        arguments += ["--out", str(out)]
        result = CliRunner().invoke(run, arguments)
        assert result.exit_code == 0, result.output
        before = (out / "results.ndjson").read_bytes()
        record = json.loads((out / "run.json").read_text())
        (out / "run.json").write_text(json.dumps({**record, "finished": None}))
        result = CliRunner().invoke(run, ["--resume", str(out), "--no-spark", "--report", "none"])
        assert result.exit_code == 0, result.output
        assert _plain(before) == _plain((out / "results.ndjson").read_bytes())
    return out


def _plain(results: bytes) -> set[tuple[str, ...]]:
    rows = map(json.loads, results.splitlines())
    return {tuple(row[name] for name in ("case", "engine", "config", "outcome", "verdict")) for row in rows}


@pytest.mark.heavy
def test_reads_every_source_in_both_formats(out: Path) -> None:
    """Files that were written, generated and stored in colconf's corpora have results, in both formats."""
    rows = list(read_rows(out))
    sources = {(row.case.split("/")[0], Path(row.detail.file).suffix) for row in rows}
    assert sources == {
        *(("writers", suffix) for suffix in (".parquet", ".orc")),
        *(("generated", suffix) for suffix in (".parquet", ".orc")),
        ("parquet", ".parquet"),
        ("orc", ".orc"),
    }
    assert len({row.case for row in rows if row.case.startswith("generated/5/")}) == 8
    assert len({row.case for row in rows if row.case.startswith(("parquet/", "orc/"))}) == 4
    tables = {(row.case.split("/")[2], Path(row.detail.file).suffix) for row in rows if row.case[0] == "w"}
    assert {"booleans", "binaries", "deep"} & {table for table, _ in tables}


@pytest.mark.heavy
def test_seed_is_the_date_or_the_one_given(out: Path) -> None:
    """The seed of the generated files is the date, unless one is given; it is recorded."""
    days = [dt.datetime.now().astimezone()]
    seed = with_seed(OPTIONS)["seed"]
    days.append(dt.datetime.now().astimezone())
    assert seed in {int(f"{day:%Y%m%d}") for day in days}
    assert load_run(out).seeds == [5]
    assert with_seed({**OPTIONS, "files": ("a",)})["seed"] is None


@pytest.mark.heavy
def test_summary_tells_findings_of_the_day(out: Path) -> None:
    """Findings in generated files of the day are counted apart, with the option that generates them again."""
    record = load_run(out)
    seed = record.seeds[0]
    note = of_the_day(record, [f"generated/{seed}/0/1", "writers/x/y/z", f"generated/{seed}1/0/1"])
    assert note.startswith("1 finding is in files")
    assert f"--seed {seed} " in note
    assert of_the_day(record, ["writers/x/y/z"]) == ""


def test_cases_are_the_same_each_day() -> None:
    """A sample has its cases by their names: two samples have the same, a format its own alone."""
    first, second = sample({**OPTIONS, "seed": 1}), sample({**OPTIONS, "seed": 2, "format_": ("orc",)})
    assert first
    assert second
    of_orc = [case.id for case in first.imported.cases if case.format == "orc"]
    assert of_orc == [case.id for case in second.imported.cases]
    assert sample({**OPTIONS, "seed": 1, "generate": 5}) is None
