"""Whatever write, sync or rename fails while a run is taken into a history: nothing is lost in silence.

A run that is done again ends with a history of the same findings, or the history is refused by name.
"""

import shutil
from dataclasses import replace

import pytest

from harness.judging.results import ResultsError, read_findings, verify
from harness.runs.history.confirm import remember
from harness.runs.history.store import FILE, HistoryError, load
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.request import Request
from harness.tests.faulty_disk import Killed, disk
from harness.tests.pipelines import LIMITS, Quiet, files, go, process
from harness.tests.test_faults_run import connections, in_order, one_line, points

__all__ = ["connections", "in_order"]
STRIDE = 37


def request_of(folder):
    """Return the request of a run with findings, its files and its history's folder beside it."""
    known = folder / "known"
    known.mkdir(exist_ok=True)
    imported = files(folder / "in", ["000", "001"], together=True)
    asked = {"files": "these"}
    processes = (process("WrongValue"),)
    return Request(folder / "out", processes, LIMITS, imported, 2, asked, ["run"], known=known)


def done(folder, request, progress):
    """Run, and take the run into the history; the run alone is done where that is all that is left to do."""
    go(request.out, request.imported, *request.processes, overwrite=request.overwrite)
    remember(folder / "history", request, progress)


def attempted(folder, request, progress):
    """Return why it was refused or killed, "" if it was not."""
    try:
        done(folder, request, progress)
    except Killed:
        return "killed"
    except (PipelineError, ResultsError, HistoryError, OSError) as error:
        return one_line(error)
    return ""


def survives(folder, fault, at):
    """Have one fault, then do it again, until the history is whole; say how it was refused before."""
    folder.mkdir()
    request = request_of(folder)
    with disk(fault, at) as faulty:
        why = attempted(folder, request, Quiet())
    where = f"{fault} at {at}: {faulty.log[min(at, len(faulty.log)) - 1]}: {why}"
    for _ in range(2):
        progress = Quiet()
        why = attempted(folder, request, progress)
        if not why:
            break
    else:
        assert str(folder) in why, where  # what is damaged is named; its owner moves it away
        shutil.rmtree(folder / "history", ignore_errors=True)  # the run may be what is refused
        progress = Quiet()
        assert not attempted(folder, replace(request, overwrite=True), progress), where
    verify(request.out)
    history = load(folder / "history")
    findings = list(read_findings(request.out))
    assert history.records.keys() == {one.signature for one in findings} != set(), where
    assert all(one.state for one in findings), where
    missing = [one for one in history.records.values() if history.case(one) is None]
    assert len(missing) == len(list(history.damaged())), where
    assert not missing or any("not replayed" in text for text in progress.notes), where


def all_survive(folder, stride):
    """Have every fault at the places of a stride."""
    whole = folder / "whole"
    whole.mkdir()
    with disk() as counting:
        done(whole, request_of(whole), Quiet())
    assert any(FILE in what for what in counting.log)
    for fault, at in points(counting.count, stride):
        survives(folder / f"{fault}-{at}", fault, at)


@pytest.mark.heavy
def test_a_history_survives_some_faults(tmp_path):
    """A sample of the places."""
    all_survive(tmp_path, STRIDE)


@pytest.mark.heavy
def test_a_history_survives_every_fault(tmp_path):
    """Each fault at each write, sync and rename, the third look's among them."""
    all_survive(tmp_path, 1)
