"""Whatever write, sync or rename of a run fails or is lost: what follows is the same results, or refused.

The faults are those of `faulty_disk.py`. A refusal is one line that names a file or an engine, and the exit
status 2 of the command (`PipelineError`, `ResultsError`, `OSError` with a file). Less or other results are
never silent.
"""

import json
from itertools import product

import pytest

from harness.children.connection import Connection
from harness.judging.results import ResultsError, load, load_run, verify
from harness.runs.pipeline import late_runner, pool
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.local import LocalRunner
from harness.tests.faulty_disk import FAULTS, Killed, disk
from harness.tests.pipelines import LIMITS, comparable, files, generated, go, process, pushing

STRIDE = 29  # of the sample: no divisor of what a part takes


class Lasting(Connection):
    """A connection that outlives runs: a child is started once for all of them."""

    def close(self):
        """Stay open."""

    def end(self):
        """Close it."""
        super().close()


@pytest.fixture(scope="module")
def connections(tmp_path_factory):
    """Return connections by process, closed at the end."""
    made = {}

    def connection(_, engine, *_scratch):
        if engine.key not in made:
            spill = tmp_path_factory.mktemp("spill")
            made[engine.key] = Lasting(engine.command, LIMITS, spill=spill)
        return made[engine.key]

    yield connection
    for one in made.values():
        one.end()


@pytest.fixture(autouse=True)
def in_order(monkeypatch, connections):
    """Do tasks one after the other, so that the n-th operation is always the same one."""
    monkeypatch.setattr(pool, "connect", connections)
    monkeypatch.setattr(late_runner, "LocalRunner", lambda _: LocalRunner(1))


def results_of(out):
    """Return all that must be the same."""
    texts = [(out / name).read_text() for name in ("findings.ndjson", "cases.ndjson")]
    rows = comparable(out)
    for row in rows:
        row["detail"]["file"] = row["detail"]["file"].replace(str(out), "OUT")
    return rows, [text.replace(str(out), "OUT") for text in texts]


def given(folder):
    """Return a run of files, with findings: rows are judged, seen again and settled."""
    imported = files(folder / "in", ["000", "001", "002"], together=True)

    def begin(out, **more):
        return go(out, imported, process("Healthy"), process("WrongValue"), **more)

    return begin


def made(folder):
    """Return a run of generated files with queries."""
    del folder

    def begin(out, **more):
        return generated(out, 3, pushing("LosesRows"), **more)

    return begin


SCENARIOS = {"given": given, "made": made}


def one_line(error):
    """Return the line that a command would print; it names what it is about."""
    text = explained(error) if isinstance(error, OSError) else str(error)
    assert text
    assert "\n" not in text
    assert not isinstance(error, OSError) or error.filename, text
    return text


def attempted(begin, out, **more):
    """Return why a run was refused, "" if it was not; it is killed, refused or has its results."""
    try:
        begin(out, **more)
    except Killed:
        return "killed"
    except (PipelineError, ResultsError, OSError) as error:
        return one_line(error)
    return ""


def survives(begin, out, fault, at, wanted):
    """Have one fault, then go on: the same results, or a refusal that `--overwrite` mends."""
    with disk(fault, at) as faulty:
        why = attempted(begin, out)
    where = f"{fault} at {at}: {faulty.log[-1] if len(faulty.log) < at else faulty.log[at - 1]}: {why}"
    if not why:
        verify(out)
        assert results_of(out) == wanted, where
    for _ in range(2):  # a part that is seen to be damaged is set aside, and made again by the next
        why = attempted(begin, out)
        if not why:
            break
    else:
        where += f"; then {why}"
        assert not attempted(begin, out, overwrite=True), where
    assert load_run(out).finished, where
    assert load(out).run.counts["results"] == len(wanted[0]), where
    assert results_of(out) == wanted, where
    assert not list(out.rglob("*.unfinished")), where


def whole(begin, out):
    """Return how many operations a run without faults has, and its results."""
    with disk() as counting:
        begin(out)
    return counting.count, results_of(out)


def points(count, stride):
    """Return faults and places: each fault at every place of a stride, beginning elsewhere for each."""
    for number, fault in enumerate(FAULTS):
        yield from product([fault], range(1 + number * 3, count + 1, stride))


def all_survive(folder, name, stride):
    """Have every fault at the places of a stride."""
    begin = SCENARIOS[name](folder)
    count, wanted = whole(begin, folder / "whole")
    assert count > 40
    for fault, at in points(count, stride):
        survives(begin, folder / f"{fault}-{at}", fault, at, wanted)


@pytest.mark.heavy
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_survives_some_faults(tmp_path, name):
    """A sample of the places; all of them are tested in `test_a_run_survives_every_fault`."""
    all_survive(tmp_path, name, STRIDE)


@pytest.mark.heavy
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_survives_every_fault(tmp_path, name):
    """Each fault at each write, sync and rename of a run."""
    all_survive(tmp_path, name, 1)


def test_the_faulty_disk_is_one(tmp_path):
    """The disk does what it says: without synchronising, content or name are lost with the power."""
    begin = given(tmp_path)
    with disk() as counting:
        begin(tmp_path / "out")
    assert {what.split()[0] for what in counting.log} == {"write", "sync", "rename"}
    saves = [what for what in counting.log if what.startswith("rename") and what.endswith("/run.json")]
    assert len(saves) == 2
    assert json.loads((tmp_path / "out" / "run.json").read_text())["digests"]
