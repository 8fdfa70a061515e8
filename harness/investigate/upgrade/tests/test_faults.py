"""Whatever write, sync or rename of the upgrade gate fails: the same account, or a refusal by name."""

import json
import shutil

import pytest

from harness.engines.naming import EngineName
from harness.investigate.upgrade import account, gate, output
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.investigate.upgrade.tests.test_gate import HEALTHY, HERE, LIMITS, MODES, versions
from harness.judging.results import ResultsError
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.selection import SelectionError
from harness.tests.faulty_disk import Killed, disk
from harness.tests.pipelines import Quiet, files
from harness.tests.test_faults_run import connections, in_order, one_line, points

__all__ = ["connections", "in_order"]
STRIDE = 61


@pytest.fixture(autouse=True)
def two_versions(monkeypatch):
    """Have the gate compare fakes."""
    made = versions(HEALTHY, ("Modern", HERE), MODES)
    monkeypatch.setattr(gate, "processes", lambda *_: made)


def attempted(folder):
    """Return why the gate was refused or killed, "" if it was not."""
    cases = files(folder / "in", ["a", "wide1", "no1", "no2"]).cases
    engines = EngineName("spark", "1.0"), EngineName("spark", "2.0")
    inputs = (Input("files", "parquet", cases),)
    asked = UpgradeRequest(*engines, inputs, folder / "out", LIMITS, 1, ("upgrade",))
    try:
        upgrade(asked, Quiet())
    except Killed:
        return "killed"
    except (PipelineError, ResultsError, SelectionError, OSError) as error:
        return one_line(error)
    return ""


def results_of(folder):
    """Return what must be the same; raises what a reader does."""
    out = folder / "out"
    told = account.load(out)
    groups = json.dumps(told["groups"]).replace(str(folder), "FOLDER")
    counts = [{name: one[name] for name in ("cases", "places", "differing")} for one in told["inputs"]]
    lines = (out / output.DIFFERENCES).read_text().replace(str(folder), "FOLDER").splitlines()
    kept = {path.name: path.read_bytes() for path in (out / output.CASES).glob("*/file.parquet")}
    return told["passed"], groups, counts, lines, kept


def refusal(folder, wanted):
    """Return why the account cannot be read, "" if it is the same."""
    try:
        assert results_of(folder) == wanted
    except ResultsError as error:
        return str(error)
    return ""


def survives(folder, fault, at, wanted):
    """Have one fault, then do it again: the same account, or a refusal that names what to move away."""
    folder.mkdir()
    with disk(fault, at) as faulty:
        why = attempted(folder)
    where = f"{fault} at {at}: {faulty.log[min(at, len(faulty.log)) - 1]}: {why}"
    if not why:
        assert str(folder) in (refusal(folder, wanted) or str(folder)), where
    for _ in range(2):
        why = attempted(folder)
        if not why:
            break
    else:
        assert str(folder) in why, f"{where}; then {why}"
        shutil.rmtree(folder / "out")
        assert not attempted(folder), where
    assert results_of(folder) == wanted, where


def all_survive(folder, stride):
    """Have every fault at the places of a stride."""
    whole = folder / "whole"
    whole.mkdir()
    with disk() as counting:
        assert not attempted(whole)
    wanted = results_of(whole)
    assert not wanted[0]
    for fault, at in points(counting.count, stride):
        survives(folder / f"{fault}-{at}", fault, at, wanted)


@pytest.mark.heavy
def test_a_gate_survives_some_faults(tmp_path):
    """A sample of the places."""
    all_survive(tmp_path, STRIDE)


@pytest.mark.heavy
def test_a_gate_survives_every_fault(tmp_path):
    """Each fault at each write, sync and rename."""
    all_survive(tmp_path, 1)
