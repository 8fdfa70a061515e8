"""Engines that misbehave: the run survives each, names it, goes on at once, and leaves nothing behind."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import uuid
from dataclasses import replace

import psutil
import pytest

from corpora.cases import Expectation
from harness.children import child
from harness.children.connection import Connection, Limits, StartError
from harness.children.outcomes import OutcomeKind
from harness.children.pipes import unread
from harness.judging.verdicts import Verdict, judge
from harness.tests import fakes
from harness.tests.events import PATIENCE, wait_for

PATIENT = Limits(memory_bytes=200 << 20, reply_bytes=1 << 20, close_seconds=0.3)
QUICK = replace(PATIENT, seconds=0.4)
RIGHT = fakes.Healthy().read("good", "parquet", {})


def command(name):
    """Return the command of a fake."""
    if name in fakes.HOW:
        return [sys.executable, "-m", "harness.tests.fakes", name]
    return [sys.executable, "-m", "harness.children.worker", f"harness.tests.fakes:{name}"]


def left(mark):
    """Return the processes that inherited `mark` and run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("COLCONF_TEST") == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def connect(monkeypatch):
    """Return a function that opens connections; afterwards no process of theirs may be left."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("COLCONF_TEST", mark)
    opened = []

    def connect(name, limits=PATIENT):
        opened.append(Connection(command(name), limits))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()
    assert left(mark) == []


CASES = [
    ("Refuses", OutcomeKind.REFUSED, "no, not this one"),
    ("Lacks", OutcomeKind.UNSUPPORTED, "no such feature"),
    ("Segfaults", OutcomeKind.CRASHED, "signal 11 (SIGSEGV)"),
    ("Aborts", OutcomeKind.CRASHED, "signal 6 (SIGABRT)"),
    ("Exits", OutcomeKind.CRASHED, "exit status 3"),
    ("Hangs", OutcomeKind.HUNG, "no answer after 0.4 s"),
    ("HangsHoldingTheInterpreter", OutcomeKind.HUNG, "no answer after 0.4 s"),
    ("HangsIgnoringSignals", OutcomeKind.HUNG, "no answer after 0.4 s"),
    ("Allocates", OutcomeKind.OUT_OF_MEMORY, "more than 200 MiB"),
    ("GrandchildAllocates", OutcomeKind.OUT_OF_MEMORY, "more than 200 MiB"),
    ("RunsOutOfMemory", OutcomeKind.OUT_OF_MEMORY, "1 TiB"),
    ("Panics", OutcomeKind.PANICKED, "Option::unwrap"),
    ("Recurses", OutcomeKind.REFUSED, "recursion"),
    ("TalksMuch", OutcomeKind.REFUSED, "xxxx"),
    ("TalksNonsense", OutcomeKind.REFUSED, "\ud800"),
    ("CannotSay", OutcomeKind.REFUSED, "cannot be had"),
    ("CannotClassify", OutcomeKind.REFUSED, "plain"),
    ("FloodsStderr", OutcomeKind.CRASHED, "SIGABRT"),
    ("LeavesDaemonAndCrashes", OutcomeKind.CRASHED, "SIGSEGV"),
    ("AnswersNoTable", OutcomeKind.MISSPOKE, "no attribute"),
    ("out-of-step", OutcomeKind.MISSPOKE, "a reply to request"),
    ("other-version", OutcomeKind.MISSPOKE, "not a message of version"),
    ("other-answer", OutcomeKind.MISSPOKE, "fields"),
    ("ragged", OutcomeKind.MISSPOKE, "not 5 values"),
    ("no-columns", OutcomeKind.MISSPOKE, "table"),
    ("elsewhere", OutcomeKind.MISSPOKE, "outside of its folder"),
    ("garbage", OutcomeKind.MISSPOKE, "not JSON"),
    ("deep", OutcomeKind.UNSUPPORTED, "nested deeper than colconf reads"),
    ("twice", OutcomeKind.MISSPOKE, "more than one reply"),
    ("endless", OutcomeKind.MISSPOKE, "longer than 1048576 bytes"),
    ("half", OutcomeKind.CRASHED, "in the middle of a reply of 20 bytes"),
    ("closed", OutcomeKind.MISSPOKE, "closed its output"),
]


@pytest.mark.sweep(8)
@pytest.mark.parametrize(("name", "kind", "message"), CASES, ids=[case[0] for case in CASES])
def test_named_and_survived(connect, monkeypatch, name, kind, message):
    """The outcome is named rightly, and the next file is read at once, if need be by a fresh child."""
    if name == "closed":  # whose process goes on, however long it is waited for
        monkeypatch.setattr(child, "_END_SECONDS", 0.1)
    connection = connect(name, QUICK if kind is OutcomeKind.HUNG else PATIENT)
    connection.describe()
    outcome = connection.read("/bad", "parquet", {})
    assert outcome.kind is kind
    assert message in outcome.detail.message
    assert len(outcome.detail.message) <= 4000
    assert len(outcome.detail.stderr) <= 4096
    connection.limits = PATIENT
    following = connection.read("/good", "parquet", {})
    assert following.kind is OutcomeKind.TABLE
    assert following.table.column(0) == ["good"]
    assert connection.starts <= 2
    assert connection.incidents == []


def test_always_wrong(connect):
    """A wrong value is a difference with its path."""
    outcome = connect("WrongValue").read("good", "parquet", {})
    judgement = judge(Expectation.accept(RIGHT, "spec"), outcome)
    assert judgement.verdict is Verdict.DIFFERENT
    path, *rest = judgement.difference
    assert (str(path), *rest) == ("column 'number', row 0", '"7"', '"8"', "value")


def test_always_refuses(connect):
    """A refusal of a good file is that, one of a bad file is right."""
    outcome = connect("Refuses").read("bad", "parquet", {})
    assert judge(Expectation.accept(RIGHT, "spec"), outcome).verdict is Verdict.REFUSED_VALID
    assert judge(Expectation.refuse(rule="PQ-PAGE-001"), outcome).verdict is Verdict.REFUSED_AS_EXPECTED


def test_details(connect):
    """A crash carries its signal, a clean exit its status, both the phase and the last words."""
    crashed = connect("Segfaults").read("bad", "parquet", {}).detail
    assert (crashed.phase, crashed.signal, crashed.exit_status) == ("read", 11, None)
    assert "in misbehave" in crashed.stderr
    exited = connect("Exits").read("bad", "parquet", {}).detail
    assert (exited.signal, exited.exit_status) == (None, 3)
    flooded = connect("FloodsStderr").read("bad", "parquet", {}).detail
    assert "the last words" in flooded.stderr


def test_says_where_it_hangs(connect):
    """A hang carries the stack of the worker, also when the interpreter has no turn."""
    for name in ("Hangs", "HangsHoldingTheInterpreter"):
        assert "in misbehave" in connect(name, QUICK).read("bad", "parquet", {}).detail.stderr


def test_chatty(connect):
    """What an engine prints, from Python or C, is no reply; what it reads is not our requests."""
    connection = connect("Prints")
    assert connection.read("bad", "parquet", {}).kind is OutcomeKind.TABLE
    assert connection.read("good", "parquet", {}).kind is OutcomeKind.TABLE
    assert connection.starts == 1


@pytest.mark.parametrize("name", ["DiesLater", "late"])
def test_dies_between_cases(connect, name):
    """A death, or a stray word, between two files is nobody's case: noted, and a fresh child reads on."""
    connection = connect(name)
    assert connection.read("/bad", "parquet", {}).kind is OutcomeKind.TABLE
    assert select.select([connection._child._out], [], [], PATIENCE)[0]  # a word, or the end of its output
    assert connection.read("/good", "parquet", {}).kind is OutcomeKind.TABLE
    assert connection.starts == 2
    assert len(connection.incidents) == 1
    assert "after it had answered" in connection.incidents[0]


def test_dies_before_it_reads(connect):
    """A child that is lost before it reads the request is no crash of that file."""
    connection = connect("Healthy")
    connection.describe()
    process = connection._child._process
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    pipe = connection._child._in

    def kill():
        wait_for(lambda: unread(pipe))
        process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    assert connection.read("good", "parquet", {}).kind is OutcomeKind.TABLE
    killer.join()
    assert connection.incidents == ["signal 9 (SIGKILL), before it read the request"]


def test_grandchild(connect):
    """A process that an engine leaves behind does not keep its answers away, and ends with it."""
    connection = connect("LeavesGrandchild")
    assert connection.read("bad", "parquet", {}).kind is OutcomeKind.TABLE
    assert connection.read("good", "parquet", {}).kind is OutcomeKind.TABLE
    assert len(left(os.environ["COLCONF_TEST"])) == 2


def test_slow_start(connect):
    """Starting has a time limit of its own."""
    connection = connect("StartsSlowly", Limits(seconds=0.9))
    assert connection.read("good", "parquet", {}).kind is OutcomeKind.TABLE


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("NeverStarts", OutcomeKind.HUNG, "no answer after 0.3 s"),
        ("CrashesAtStart", OutcomeKind.CRASHED, "SIGABRT"),
        ("NotInstalled", OutcomeKind.UNSUPPORTED, "No module named 'no_such_engine'"),
        ("NoSuchClass", OutcomeKind.UNSUPPORTED, "NoSuchClass"),
    ],
)
def test_does_not_start(connect, name, kind, message):
    """An engine that does not start says why, for every file, and is given up after two attempts."""
    connection = connect(name, Limits(start_seconds=0.3 if kind is OutcomeKind.HUNG else PATIENCE))
    for _ in range(3):
        with pytest.raises(StartError) as caught:
            connection.describe()
        assert caught.value.outcome.kind is kind
        assert message in caught.value.outcome.detail.message
        assert caught.value.outcome.detail.phase == "start"
        outcome = connection.read("good", "parquet", {})
        assert (outcome.kind, outcome.detail.message) == (kind, caught.value.outcome.detail.message)
    assert connection.starts == 2


def test_no_such_command():
    """A Python that is not there is a crash at start, not an exception of the run."""
    with Connection(["/nowhere/python"]) as connection:
        outcome = connection.read("good", "parquet", {})
    assert (outcome.kind, outcome.detail.error_class) == (OutcomeKind.CRASHED, "FileNotFoundError")


def test_sheet_fails_as_a_whole(connect):
    """A sheet that crashes, or that comes back short, is one outcome; a good one is an outcome per file."""
    connection = connect("Segfaults")
    good = connection.read_many(["a", "b", "c"], "parquet", {})
    assert [outcome.table.column(0) for outcome in good] == [["a"], ["b"], ["c"]]
    assert connection.read_many(["a", "bad", "c"], "parquet", {}).kind is OutcomeKind.CRASHED
    assert connect("LosesTable").read_many(["a", "b"], "parquet", {}).kind is OutcomeKind.MISSPOKE
