"""If any write, sync or rename of the minimizer fails, a second start ends with the same files."""

import hashlib
from types import SimpleNamespace

import pytest

from corpora.cases import Case, CaseError, Expectation, load
from corpora.files import digest
from harness.children.connection import Limits
from harness.investigate.minimize import minimizer
from harness.investigate.minimize.minimizer import MinimizeRequest, minimize
from harness.investigate.minimize.subject import NotShown
from harness.tests.faulty_disk import Killed, disk
from harness.tests.test_faults_run import one_line, points

STRIDE = 11
DATA = b"PAR1" + bytes(range(60)) + b"PAR1"


class Bench:
    """A bench without engines."""

    keys = probe = None
    limits = Limits()
    count = 0
    engine = SimpleNamespace(key="fake@1")

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def renew(self):
        """Do nothing."""

    def limit(self, _):
        """Do nothing."""

    def table(self):
        """Return that the reference reads nothing."""


@pytest.fixture(autouse=True)
def no_engines(monkeypatch):
    """Replace the engines: any file with the bytes 7 and 9 shows the finding."""
    shown = SimpleNamespace(signature="fake | crashed", verdict="crashed", config="")
    aim = SimpleNamespace(observation=shown, allowed=None, original=Expectation.by_vote())
    subject = SimpleNamespace(
        data=DATA, aim=aim, probe=None, names=frozenset(), shown_by=lambda data, _: {7, 9} <= set(data)
    )
    monkeypatch.setattr(minimizer, "CandidateBench", Bench)
    monkeypatch.setattr(minimizer, "find", lambda *_: subject)


def request(folder):
    """Return what is asked."""
    folder.mkdir(exist_ok=True)
    file = folder / "given.parquet"
    file.write_bytes(DATA)
    case = Case("files/given", "parquet", file, hashlib.sha256(DATA).hexdigest(), Expectation.by_vote())
    return MinimizeRequest(case, (), None, folder / "out", Limits(), 60.0)


def attempted(asked):
    """Return why it was refused or killed, "" if it was not."""
    try:
        minimize(asked, lambda _: None)
    except Killed:
        return "killed"
    except (NotShown, OSError) as error:
        return one_line(error)
    return ""


def files_of(out):
    """Return the files that must be the same."""
    return {name: (out / name).read_bytes() for name in ("original.parquet", "minimal.parquet")}


def refusal(out):
    """Return why the minimal case cannot be read, "" if it can; its file is the minimal one."""
    try:
        case = load(out / "minimal.json")
    except (CaseError, OSError) as error:
        return one_line(error)
    assert digest(case.file) == case.sha256
    return ""


def survives(folder, fault, at, wanted):
    """Inject one fault and start again: the files are the same, and a damaged case is never readable."""
    asked = request(folder)
    with disk(fault, at):
        why = attempted(asked)
    where = f"{fault} at {at}: {why}"
    if not why:
        assert "minimal.json" in (refusal(asked.out) or "minimal.json"), where
    assert not attempted(asked), where
    assert files_of(asked.out) == wanted, where
    assert not refusal(asked.out), where


def all_survive(folder, stride):
    """Have every fault at the places of a stride."""
    asked = request(folder / "whole")
    with disk() as counting:
        assert not attempted(asked)
    wanted = files_of(asked.out)
    assert len(wanted["minimal.parquet"]) < len(DATA) / 4
    for fault, at in points(counting.count, stride):
        survives(folder / f"{fault}-{at}", fault, at, wanted)


def test_a_minimizer_survives_some_faults(tmp_path):
    """A sample of the places."""
    all_survive(tmp_path, STRIDE)


@pytest.mark.heavy
def test_a_minimizer_survives_every_fault(tmp_path):
    """Each fault at each write, sync and rename."""
    all_survive(tmp_path, 1)
