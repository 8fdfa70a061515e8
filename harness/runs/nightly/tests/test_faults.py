"""Whatever write, sync or rename of a night fails: it ends with the same findings, or is refused by name."""

import shutil
from dataclasses import replace

import pytest

from corpora.cases import CaseError
from harness.judging.results import ResultsError, read_findings, read_rows, verify
from harness.runs.history.store import HistoryError
from harness.runs.history.store import load as load_history
from harness.runs.nightly.night import night
from harness.runs.nightly.tests.test_night import MODULE, Clock, Fakes, asked, pretend
from harness.runs.pipeline.errors import PipelineError
from harness.tests.faulty_disk import Killed, disk
from harness.tests.pipelines import Quiet, files, process
from harness.tests.test_faults_run import connections, in_order, one_line, points

__all__ = ["connections", "in_order"]
STRIDE = 89


def request_of(folder):
    """Return a night of one round over two files, one of them with a finding, and of generated files."""
    folder.mkdir(exist_ok=True)
    clock = Clock()
    cases = files(folder / "in", ["good", "bad"]).cases
    sources = Fakes(folder, (process("ByContent", "engine", MODULE),), cases)
    return asked(folder, sources, 100, clock=clock, go=pretend(clock, 10, 1))


def attempted(request):
    """Return why a night was refused or killed, "" if it was not."""
    try:
        night(request, Quiet())
    except Killed:
        return "killed"
    except (PipelineError, ResultsError, HistoryError, CaseError, OSError) as error:
        return one_line(error)
    return ""


def results_of(folder):
    """Return what must be the same, whether or not findings were replayed; raises what a reader does."""
    out = folder / "night1"
    verify(out)
    rows = {(row.case, row.engine, row.verdict) for row in read_rows(out)}
    found = {one.signature: one.verdict for one in read_findings(out)}
    assert load_history(folder / "history").records.keys() == found.keys()
    return rows, found


def refusal(folder, wanted):
    """Return why the results cannot be read, "" if they are the same."""
    try:
        assert results_of(folder) == wanted
    except (ResultsError, HistoryError) as error:
        return str(error)
    return ""


def survives(folder, fault, at, wanted):
    """Have one fault, then go on: the same results, or a refusal that names what to move away."""
    request = request_of(folder)
    with disk(fault, at) as faulty:
        why = attempted(request) or refusal(folder, wanted)
    where = f"{fault} at {at}: {faulty.log[min(at, len(faulty.log)) - 1]}: {why}"
    for _ in range(2):  # a night that has ended is not done again: it would replay, and be another one
        if not why:
            break
        why = attempted(request_of(folder)) or refusal(folder, wanted)
    if why:
        assert str(folder) in why, f"{where}; then {why}"
        shutil.rmtree(folder / "history", ignore_errors=True)
        fresh = request_of(folder)
        assert not attempted(replace(fresh, request=replace(fresh.request, overwrite=True))), where
    assert results_of(folder) == wanted, where


def all_survive(folder, stride):
    """Have every fault at the places of a stride."""
    whole = folder / "whole"
    with disk() as counting:
        assert not attempted(request_of(whole))
    wanted = results_of(whole)
    assert wanted[1]
    for fault, at in points(counting.count, stride):
        survives(folder / f"{fault}-{at}", fault, at, wanted)


@pytest.mark.heavy
def test_a_night_survives_some_faults(tmp_path):
    """A sample of the places."""
    all_survive(tmp_path, STRIDE)


@pytest.mark.heavy
def test_a_night_survives_every_fault(tmp_path):
    """Each fault at each write, sync and rename, those of its rounds and third looks among them."""
    all_survive(tmp_path, 1)
