"""A run that was killed goes on where it was; a folder that holds something else is left alone."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace

import pytest

from harness.judging.results import ResultsError, load
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.folder import CONTINUED, prepare
from harness.runs.pipeline.sheets import sheets
from harness.tests.events import wait_for
from harness.tests.pipelines import Quiet, comparable, files, go, ours, process

COUNT = 60  # files of no schema: each is a sheet of its own


@pytest.fixture
def imported(tmp_path):
    """Make files for the slow engine; return them as imported."""
    return files(tmp_path / "in", [f"{number:03}" for number in range(COUNT)])


def test_a_killed_run_is_continued(tmp_path, imported, monkeypatch):
    """SIGKILL to the whole run, twice: what was committed is not read again, and the results are the same."""
    out = tmp_path / "killed" / "out"
    notes = tmp_path / "reads"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [sys.executable, "-m", "harness.tests.pipelines", str(tmp_path / "in"), str(out)]
    for committed in (10, 30):
        child = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)})
        wait_for(lambda least=committed: count_parts(out) >= least)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert json.loads((out / "run.json").read_text())["finished"] is None
        with pytest.raises(ResultsError, match="not finished"):
            load(out)
    kept = count_parts(out)
    before = len(notes.read_text().splitlines())
    progress = Quiet()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    go(out, imported, ours("Slow"), process("Healthy"), progress=progress)
    assert "continuing the run" in progress.notes[0]
    assert len(notes.read_text().splitlines()) - before == COUNT - kept
    assert kept >= 30
    go(tmp_path / "whole" / "out", imported, ours("Slow"), process("Healthy"))
    assert comparable(out) == comparable(tmp_path / "whole" / "out")
    assert list(temporary.iterdir()) == []  # what killed runs leave, the next one removes
    assert not any((out / name).exists() for name in ("parts", "spill"))


def count_parts(out):
    """Return how many sheets the slow engine has done."""
    return len(list((out / "parts").glob("execute/slow@1/*/*.ndjson")))


def test_files_that_changed_are_read_again(tmp_path):
    """Parts are found by what is in the files, not by their names alone."""
    before = [sheet.id for sheet in sheets(files(tmp_path / "in", ["a", "b"]).cases)]
    same = [sheet.id for sheet in sheets(files(tmp_path / "in", ["a", "b"]).cases)]
    (changed,) = files(tmp_path / "in", ["a"]).cases
    changed = replace(changed, sha256="0" * 64)
    assert same == before
    assert [sheet.id for sheet in sheets([changed])] != before[:1]


def unfinish(out):
    """Make a finished run look as if it had been killed."""
    run = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps({**run, "finished": None}))


def test_a_run_asked_otherwise_is_refused(tmp_path):
    """Other arguments in the same folder are one line, finished or not, unless it is to be overwritten."""
    imported = files(tmp_path / "in", ["a"])
    out = tmp_path / "out"
    go(out, imported, process("Healthy"))
    (out / "written").mkdir()
    other = {"files": "those"}
    for _ in range(2):
        with pytest.raises(PipelineError, match="holds a run with other files; give another --out, or"):
            go(out, imported, process("Healthy"), settings=other)
        unfinish(out)
    results = go(out, imported, process("Healthy"), settings=other, overwrite=True)
    assert results.run.settings == other
    assert not (out / "written").exists()


def test_settings_of_any_form_are_the_same_again(tmp_path):
    """What is stored of a request to generate is a list of lists; the gate gives tuples."""
    out = tmp_path / "out"
    settings = {"generate": list(Generate(10, 0))}
    go(out, files(tmp_path / "in", ["a"]), process("Healthy"), settings=settings)
    unfinish(out)
    how, _ = prepare(out, settings, overwrite=False)
    assert how == CONTINUED


def test_a_finished_run_is_run_again(tmp_path):
    """The same command in the same folder replaces the results, and says so."""
    imported = files(tmp_path / "in", ["a"])
    first = go(tmp_path / "out", imported, ours("Slow"))
    progress = Quiet()
    second = go(tmp_path / "out", imported, ours("Slow"), progress=progress)
    assert "running again" in progress.notes[0]
    assert first.run.id != second.run.id
    assert len((tmp_path / "reads").read_text().splitlines()) == 2


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_of_others_is_left_alone(tmp_path, overwrite):
    """A folder with anything else in it is neither used nor emptied."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(PipelineError, match="holds other files"):
        go(out, files(tmp_path / "in", ["a"]), process("Healthy"), overwrite=overwrite)
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_two_runs_do_not_share_a_folder(tmp_path, imported):
    """A folder in which a run is writing is refused."""
    out = tmp_path / "killed" / "out"
    command = [sys.executable, "-m", "harness.tests.pipelines", str(tmp_path / "in"), str(out)]
    child = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)})
    try:
        wait_for((out / "parts").exists)
        child.send_signal(signal.SIGSTOP)  # however slow this process is, that one is still running
        with pytest.raises(PipelineError, match="another run is writing here"):
            go(out, imported, ours("Slow"), process("Healthy"))
    finally:
        child.kill()
        child.wait()


def test_a_folder_that_cannot_be_made(tmp_path):
    """A folder that cannot be is one line."""
    imported = files(tmp_path / "in", ["a"])
    with pytest.raises(PipelineError, match="cannot be written: Not a directory"):
        go(tmp_path / "in" / "a" / "out", imported, process("Healthy"), known=tmp_path)
