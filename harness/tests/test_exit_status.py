"""The exit status of a run: green only if an engine was tested and nothing unexpected was seen."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from harness.commands.exit_status import exit_status, incomplete
from harness.commands.run import run as command
from harness.environments import availability
from harness.judging.run_record import RunRecord

RUN = RunRecord(id="1", started="2026-01-01T00:00:00Z", counts={"findings": 0})


def record(selected, ran, **changes):
    """Return the record of a run of selected engines, some of which ran."""
    engines = [{"name": name, "version": "1", "config": "", "runtime": ""} for name in ran]
    return replace(RUN, settings={"engines": [f"{name}@1" for name in selected]}, engines=engines, **changes)


@pytest.mark.parametrize(
    ("selected", "ran", "status"),
    [
        (["reference", "polars"], ["reference"], 2),
        (["reference", "polars"], ["reference", "polars"], 0),
        (["reference", "polars"], ["polars"], 0),
        (["reference"], ["reference"], 0),  # it was named, alone
    ],
)
def test_a_run_of_the_reference_alone_is_an_error(selected, ran, status):
    """If engines were selected and none but the reference ran, nothing was tested: status 2, in one line."""
    about = record(selected, ran)
    assert exit_status(about) == status
    message = incomplete((), about)
    assert bool(message) == (status == 2)
    assert not message or ("`colconf doctor`" in message and "\n" not in message)


def test_findings_and_regressions_fail_a_run():
    """Without a history every finding counts, with one those that are new or regressed."""
    assert exit_status(record(["polars"], ["polars"], counts={"findings": 1})) == 1
    history = {"new": 0, "regressed": 0, "known": 1, "stale": 0}
    known = record(["polars"], ["polars"], counts={"findings": 1}, history=history)
    assert exit_status(known) == 0
    assert exit_status(replace(known, history={**history, "new": 1})) == 1


def test_an_engine_that_was_named_must_start():
    """The message names the engine that did not start, and why."""
    absent = [{"engine": "polars@1", "reason": "no wheel", "mend": "see `colconf doctor`"}]
    assert incomplete(["polars"], record(["polars"], [], unavailable=absent)) == (
        "polars@1 did not start: no wheel"
    )


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """Return a Parquet file, on a machine without any engine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(availability, "installed", lambda package: "1" if package == "numpy" else "")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_without_an_engine_the_command_ends_with_status_2(bare):
    """Nothing is run: one line says that no engine is there and how to mend it."""
    result = CliRunner().invoke(command, ["--files", str(bare), "--no-spark", "--out", "out"])
    assert result.exit_code == 2
    assert "no engine but the reference can be run" in result.stderr
    assert "`colconf doctor`" in result.stderr
    assert not (bare.parent / "out").exists()


def test_the_reference_alone_may_be_named(bare):
    """Who names the reference asks for its answers, not for those of another engine."""
    arguments = ["--files", str(bare), "--engine", "reference", "--no-spark", "--out", "out", "--json"]
    result = CliRunner().invoke(command, [*arguments, "--queries", "none"])
    assert result.exit_code == 0, result.output
    assert [row["engine"].partition("@")[0] for row in json.loads(result.stdout)["engines"]] == ["reference"]


def test_given_files_that_cannot_be_used_are_an_error(bare):
    """They are named with the reason, the others are read, nothing is said to be as expected: status 2."""
    (bare.parent / "in").mkdir()
    bare.rename(bare.parent / "in" / "a.parquet")
    (bare.parent / "in" / "a.json").write_text("")
    (bare.parent / "in" / "gone.parquet").symlink_to("nowhere")
    arguments = ["--files", "in", "--engine", "reference", "--no-spark", "--out", "out", "--queries", "none"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2, result.output
    assert "in/a.json: Expecting value" in result.stderr
    assert "in/gone.parquet: cannot be read: No such file or directory" in result.stderr
    assert "2 of the given files and folders could not be used" in result.stderr
    assert "1 case, 1 result, 2 other files skipped" in result.stdout
    assert "nothing unexpected" not in result.stdout
    assert json.loads((bare.parent / "out" / "run.json").read_text())["counts"]["unusable_files"] == 2
    (bare.parent / "in" / "y.orc").symlink_to("nowhere")
    (bare.parent / "in" / "a.json").unlink()
    (bare.parent / "in" / "gone.parquet").unlink()
    other = CliRunner().invoke(command, [*arguments, "--format", "parquet", "--out", "other"])
    assert other.exit_code == 0, other.output  # a file of the other format is none of this run
    again = CliRunner().invoke(command, ["--resume", "out"])
    assert again.exit_code == 2


@pytest.mark.parametrize(("level", "status"), [(None, 1), ("must", 0)])
def test_what_only_breaks_a_should_fails_a_run_unless_musts_were_asked_for(level, status):
    """With `--level must`, findings of SHOULDs are allowed, with a history and without; others are not."""
    settings = {"engines": ["polars@1"], **({"level": level} if level else {})}
    about = replace(record(["polars"], ["polars"]), settings=settings)
    assert exit_status(replace(about, counts={"findings": 2, "recommended": 2})) == status
    assert exit_status(replace(about, counts={"findings": 2, "recommended": 1})) == 1
    history = {"new": 1, "regressed": 1, "known": 3, "stale": 0, "recommended": 2}
    counts = {"findings": 5, "recommended": 2}
    assert exit_status(replace(about, counts=counts, history=history)) == status
    assert exit_status(replace(about, counts=counts, history={**history, "new": 2})) == 1


def test_the_level_is_stored_with_the_run(bare):
    """`--level must` stands in the record, so that reports and `--resume` know it; the default does not."""
    arguments = ["--files", str(bare), "--engine", "reference", "--no-spark", "--json", "--report", "none"]
    for out, more in (("default", []), ("must", ["--level", "must"])):
        result = CliRunner().invoke(command, [*arguments, *more, "--out", out])
        assert result.exit_code == 0, result.output
        ran = json.loads(result.stdout)["run"]
        assert ran["asked"].get("level") == (more[1] if more else None)
        assert ("--level" in ran["arguments"]) == bool(more)
        assert CliRunner().invoke(command, ["--resume", out]).exit_code == 0
    refused = CliRunner().invoke(command, ["--resume", "must", "--level", "must"])
    assert (refused.exit_code, "leave out --level" in refused.stderr) == (2, True)


def test_reads_without_a_defined_result_are_counted(bare):
    """Reads of a table for which no specification defines a conversion are counted apart from other files."""
    folder = bare.parent / "table"
    folder.mkdir()
    bare.rename(folder / "a.parquet")
    pq.write_table(pa.table({"a": ["x"]}), folder / "b.parquet")  # no text is a number
    arguments = ["--tables", str(folder), "--engine", "reference", "--no-spark", "--out", "out"]
    result = CliRunner().invoke(command, [*arguments, "--queries", "none"])
    assert result.exit_code == 0, result.output
    counts = json.loads((bare.parent / "out" / "run.json").read_text())["counts"]
    assert counts["skipped_reads"] == counts["skipped_files"] > 0
    text = f"{counts['skipped_reads']} reads of tables not run, as no specification defines the result"
    assert text in " ".join(result.stdout.split())
    assert "other file" not in result.stdout
