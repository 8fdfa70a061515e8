"""The parent's side: tables of any size, measurements, cleaning up, and what happens when the parent dies."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import psutil
import pytest

from corpora.queries import Compare, Filter, IsNull
from corpora.tagged import STRING, Table, integer
from harness.children import spills
from harness.children.connection import Connection, Limits, worker_command
from harness.children.leash import LEASH
from harness.children.outcomes import Outcome, OutcomeKind
from harness.children.processes import MARK, Family
from harness.engines.registry import Entry
from harness.judging.root_cause import panic_in
from harness.tests.events import PATIENCE, wait_for


def fake(name):
    """Return the command of a fake engine."""
    return worker_command(Entry(name, "harness.tests.fakes", name))


def test_command():
    """The command of a registry entry names its module and class."""
    assert fake("Healthy") == [sys.executable, "-m", "harness.children.worker", "harness.tests.fakes:Healthy"]


def test_description():
    """A description is what the engine says about itself."""
    with Connection(fake("Healthy")) as connection:
        assert connection.describe()["name"] == "fake"
        assert connection.describe()["equivalences"] == []
        assert connection.starts == 1


def test_starts_lazily(tmp_path):
    """A connection that is never used starts nothing, and leaves no folder of its own."""
    with Connection(fake("NeverStarts"), spill=tmp_path) as connection:
        folder = connection._folder
        assert folder.is_dir()
    assert not folder.exists()
    assert connection.starts == 0


def test_relative_files(tmp_path, monkeypatch):
    """A relative path means the same in the child, whose working folder is another."""
    monkeypatch.chdir(tmp_path)
    with Connection(fake("Healthy")) as connection:
        outcome = connection.write("out.json", "parquet", {}, Table.of([("a", STRING)], [["x"]]), {})
        assert (outcome.kind, outcome.table) == (OutcomeKind.TABLE, None)
    assert (tmp_path / "out.json").is_file()


def test_large_request(tmp_path):
    """A request larger than any pipe gets through."""
    table = Table.of([("a", STRING)], [["x" * 100_000] * 100])
    with Connection(fake("Healthy")) as connection:
        assert connection.write(tmp_path / "f", "parquet", {}, table, {}).kind is OutcomeKind.TABLE
    assert (tmp_path / "f").stat().st_size > 10_000_000


def test_spilled_table_outlives_the_connection(tmp_path):
    """A large table is a file in the caller's folder, and whole."""
    with Connection(fake("AnswersMuch"), spill=tmp_path) as connection:
        outcome = connection.read("f", "parquet", {})
    assert outcome.table.spill.startswith(str(tmp_path))
    assert outcome.table.num_rows == 200_000
    assert outcome.table.column(0)[-1] == f"{199_999:050}"


def test_large_tables_go_where_the_next_run_wants_them(tmp_path):
    """A connection that serves another run writes its large tables into that run's folder."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with Connection(fake("AnswersMuch"), spill=tmp_path / "first") as connection:
        connection.read("f", "parquet", {})
        for _ in range(2):
            connection.spill_into(tmp_path / "second")
        outcome = connection.read("f", "parquet", {})
    assert outcome.table.spill.startswith(str(tmp_path / "second"))
    assert [len(list((tmp_path / name).iterdir())) for name in ("first", "second")] == [1, 1]
    assert connection.starts == 1


def test_spilled_sheet(tmp_path):
    """The tables of a sheet that are too large together have files of their own."""
    with Connection(fake("AnswersMuch"), spill=tmp_path) as connection:
        outcomes = connection.read_many(["a", "b"], "parquet", {})
    assert len({outcome.table.spill for outcome in outcomes}) == 2


def test_queries():
    """A query has an outcome per file, or one if it failed as a whole; lost rows are seen against `off`."""
    two = Filter(Compare(("number",), "<", integer(32), "6"))
    with Connection(fake("LosesRows")) as connection:
        whole, lost = (
            [one.table.column(1) for one in connection.query(["a", "b"], "parquet", {"pushdown": how}, two)]
            for how in ("off", "on")
        )
        assert whole == [["1", "2", "3", "5"]] * 2
        assert lost == [["1", "2", "3"]] * 2
        assert (
            connection.query(["a", "b"], "parquet", {}, Filter(IsNull(("x",)))).kind is OutcomeKind.MISSPOKE
        )
    with Connection(fake("Segfaults")) as connection:
        assert connection.query(["a"], "parquet", {}, two).kind is OutcomeKind.UNSUPPORTED


def test_memory_and_time_are_measured():
    """The peak of a request is its own, not that of an earlier one."""
    with Connection(fake("AllocatesForAMoment")) as connection:
        heavy, light = connection.read("bad", "parquet", {}), connection.read("good", "parquet", {})
    assert heavy.peak_rss_bytes > heavy.idle_rss_bytes + (70 << 20)
    assert 0 < light.idle_rss_bytes <= light.peak_rss_bytes < light.idle_rss_bytes + (5 << 20)
    assert light.seconds > 0


def test_overhead_of_a_request():
    """A request costs little CPU time on either side: half a millisecond here, and never ten."""
    with Connection(fake("Healthy")) as connection:
        connection.describe()
        child = psutil.Process(connection._child.family.pid)

        def used():
            times = child.cpu_times()
            return time.process_time() + times.user + times.system

        before = used()
        for _ in range(100):
            connection.read("f", "parquet", {})
        assert (used() - before) / 100 < 0.01


def test_environment_is_the_callers():
    """A given environment is the whole environment of the child."""
    path = str(Path(__file__).parents[2])
    with Connection(fake("Healthy"), env={"PYTHONPATH": path}) as connection:
        connection.describe()
        given = set(psutil.Process(connection._child.family.pid).environ())
    assert given - {"LC_CTYPE"} == {"PYTHONPATH", "TMPDIR", MARK, LEASH}


_PARENT = """
import sys, threading
from harness.children.connection import Connection, worker_command
from harness.engines.registry import Entry
connection = Connection(worker_command(Entry("x", "harness.tests.fakes", sys.argv[1])))
connection.describe()
print(connection._child.family.pid, flush=True)
threading.Thread(target=connection.read, args=("bad", "parquet", {})).start()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the leash is Linux's")
@pytest.mark.parametrize("name", ["Hangs", "HangsHoldingTheInterpreter", "HangsIgnoringSignals"])
def test_parent_dies(name, tmp_path):
    """When the run itself is killed, its children go with it, whatever they are at."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # who is killed leaves a folder behind
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, name], stdout=subprocess.PIPE, env=environment)
    child = psutil.Process(int(parent.stdout.readline()))
    time.sleep(0.2)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


_CLOSES_INPUT = """
import os, sys, time
from harness.children.worker import Worker

worker = Worker("harness.tests.fakes:Healthy")
for _ in range(2):
    sys.stdout.buffer.write(worker.answer(sys.stdin.buffer.readline()))
    sys.stdout.buffer.flush()
os.close(0)
time.sleep(3600)
"""


@pytest.mark.heavy
def test_a_closed_input_is_no_file_s_fault(tmp_path):
    """A child that reads no further request is replaced, and the next file does not wait for it."""
    with Connection([sys.executable, "-c", _CLOSES_INPUT]) as connection:
        assert connection.read(tmp_path / "a", "parquet", {}).kind is OutcomeKind.TABLE
        wait_for(connection._child.fault)
        assert connection.read(tmp_path / "b", "parquet", {}).kind is OutcomeKind.TABLE
        assert connection.incidents == ["closed its input after it had answered"]
        assert connection.starts == 2


def test_family_finds_those_that_left():
    """A process that left the session is still a member by its mark, and is ended."""
    leaves = " if os.fork()==0: os.write(1, b'.'); time.sleep(100)"
    code = f"import os,time\nif os.fork()==0:\n os.setsid()\n{leaves}\n os._exit(0)"
    mark = uuid.uuid4().hex
    environment = {**os.environ, MARK: mark}
    child = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, start_new_session=True, stdout=subprocess.PIPE
    )
    family, other = Family(child.pid, mark), Family(child.pid, "another")
    child.wait()
    assert child.stdout.read(1)  # the one that stays is there
    child.stdout.close()
    wait_for(lambda: len(family.alive()) == 1)
    assert other.alive() == []
    family.kill()
    assert family.alive() == []


@pytest.mark.sweep(6)
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody adopts orphans")
@pytest.mark.parametrize("end", ["closed", "hang", "killed"])
def test_a_daemon_without_session_and_variables_is_ended(tmp_path, end):
    """Whether its engine ends, hangs or is killed by somebody, no daemon outlives it."""
    file = tmp_path / end
    with Connection(
        fake("LeavesHiddenDaemon"), Limits(seconds=2 if end == "hang" else PATIENCE)
    ) as connection:
        outcome = connection.read(file, "parquet", {})
        daemon = psutil.Process(int(file.read_text()))
        assert end == "hang" or daemon.environ() == {}
        assert outcome.kind is (OutcomeKind.HUNG if end == "hang" else OutcomeKind.TABLE)
        if end == "killed":
            os.kill(connection._child.family.pid, signal.SIGKILL)
            wait_for(connection._child.fault)
    assert not daemon.is_running() or daemon.status() == psutil.STATUS_ZOMBIE


def test_limits_are_per_file_of_a_sheet(monkeypatch):
    """A sheet has the time of one file, and a little more for each further one."""
    with Connection(fake("Healthy"), Limits(seconds=10, sheet_file_seconds=2)) as connection:
        asked = []
        talk = connection._talk
        monkeypatch.setattr(
            connection,
            "_talk",
            lambda child, op, limit, fields: asked.append(limit.seconds) or talk(child, op, limit, fields),
        )
        connection.read_many(["a", "b", "c"], "parquet", {})
    assert asked == [120, 14]


def test_signals_are_named(tmp_path):
    """A child that somebody else kills is a crash that names the signal."""
    begun = tmp_path / "begun"

    def kill():
        wait_for(begun.exists)
        os.kill(pid, signal.SIGKILL)

    with Connection(fake("HangsNoted"), Limits(seconds=PATIENCE)) as connection:
        connection.describe()
        pid = connection._child.family.pid
        killer = threading.Thread(target=kill)
        killer.start()
        outcome = connection.read(tmp_path / "bad", "parquet", {})
        killer.join()
    assert (outcome.kind, outcome.detail.signal) == (OutcomeKind.CRASHED, signal.SIGKILL)


def test_both_ends_of_long_errors_are_kept(tmp_path):
    """Of what a process that dies says, the beginning is there, where a panic has its reason, and the end."""
    with Connection(fake("AbortsTalking")) as connection:
        outcome = connection.read(tmp_path / "bad", "parquet", {})
    stderr = outcome.detail.stderr
    assert panic_in(stderr) == "Array too large"
    assert "\n...\n" in stderr
    assert "aborting.\n" in stderr
    assert len(stderr) < 5000


def limits_of_hangs(connection, monkeypatch):
    """Let each request hang at once; return the list of their time limits."""
    limits = []

    def hang(_child, _op, limit, _fields):
        limits.append(limit)
        return None, Outcome(OutcomeKind.HUNG), False

    connection.describe()
    monkeypatch.setattr(connection, "_talk", hang)
    return limits


def test_small_files_have_less_time_once_some_have_hung(tmp_path, monkeypatch):
    """The fourth hang of an engine costs a quarter of the limit; a large file keeps all of it."""
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"PAR1")
    with large.open("wb") as file:
        file.truncate(2 << 20)
    with Connection(fake("Healthy"), Limits(seconds=200)) as connection:
        limits = limits_of_hangs(connection, monkeypatch)
        for file in (small, small, large, small, large, tmp_path):
            assert connection.read(file, "parquet", {}).kind is OutcomeKind.HUNG
    seconds = [limit.seconds for limit in limits]
    assert seconds == pytest.approx([200, 200, 204, 50, 204, 206], abs=1)  # 2 s for each MB


@pytest.mark.parametrize(
    ("name", "size", "kind"),
    [
        ("WaitsASecond", 4, OutcomeKind.HUNG),
        ("WaitsASecond", 2 << 20, OutcomeKind.TABLE),
        ("ComputesForASecond", 4, OutcomeKind.TABLE),
    ],
)
def test_a_deadlock_is_not_waited_for(tmp_path, name, size, kind):
    """Who waits for nothing while it should read a small file has hung; who computes has all its time."""
    with (tmp_path / "bad").open("wb") as file:
        file.truncate(size)
    with Connection(fake(name), Limits(seconds=PATIENCE, idle_seconds=0.3)) as connection:
        assert connection.read(tmp_path / "bad", "parquet", {}).kind is kind


def test_the_second_deadlock_is_ended_sooner(tmp_path, monkeypatch):
    """An engine that hung before may wait for a fifth of the time; a foreign one has no such limit."""
    small = tmp_path / "small"
    small.write_bytes(b"PAR1")
    with Connection(fake("Healthy"), Limits(idle_seconds=20)) as connection:
        limits = limits_of_hangs(connection, monkeypatch)
        for foreign in (None, None, "another"):
            monkeypatch.setattr(connection, "foreign", foreign)
            connection.read(small, "parquet", {})
    assert [limit.idle_seconds for limit in limits] == [20, 4, math.inf]


def test_tables_may_not_fill_the_disk(tmp_path):
    """Whose tables have more text than its file allows is ended, and nothing of them stays."""
    file = tmp_path / "bad"
    file.write_bytes(b"PAR1")
    with Connection(fake("ReturnsWithoutEnd"), Limits(seconds=PATIENCE, table_bytes=1 << 20)) as connection:
        outcome = connection.read(file, "parquet", {})
        assert not list(connection.spill.iterdir())
    assert outcome.kind is OutcomeKind.LIMITED
    assert outcome.detail.message == "tables of more than 1 MiB as text"


def test_a_table_that_the_engine_removes_ends_no_run(tmp_path):
    """A file of a table may be gone before its size is asked for: the engine writes and removes it."""
    (tmp_path / "1-0.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "1-1.jsonl").write_text("[[1]]")
    assert spills.Spills(tmp_path, 1, 5).excess() == ""
    assert spills.Spills(tmp_path, 1, 4).excess() == "tables of more than 0 MiB as text"


def test_a_disk_that_fills_is_nobodys_fault(tmp_path, monkeypatch):
    """Tables leave a part of the disk to the run, which goes on; what is not there cannot be blamed."""
    monkeypatch.setattr(spills, "_LEFT", 1 << 62)
    file = tmp_path / "bad"
    file.write_bytes(b"PAR1")
    with Connection(fake("ReturnsWithoutEnd"), Limits(seconds=PATIENCE)) as connection:
        outcome = connection.read(file, "parquet", {})
        assert connection.read(tmp_path / "good", "parquet", {}).kind is OutcomeKind.TABLE
    assert outcome.kind is OutcomeKind.LIMITED


@pytest.mark.parametrize(("seconds", "short"), [(600, 150), (20, 10), (5, 5)])
def test_the_shorter_time_is_no_instant(seconds, short):
    """Ten seconds are left, on a busy machine, unless the limit itself is shorter."""
    assert Limits(seconds=seconds).short_seconds == short


def test_what_a_killed_parent_leaves_is_removed(tmp_path, monkeypatch):
    """The next connection removes the folder of one whose process was killed, and no other one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    program = (
        "import os, signal; from harness.children.connection import Connection; "
        "kept = Connection(['engine']); kept.spill.joinpath('0-0.jsonl').write_text('a table'); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    (left,) = tmp_path.rglob("0-0.jsonl")
    with Connection(fake("Healthy")) as first, Connection(fake("Healthy")) as second:
        assert not left.exists()
        assert first.spill.is_dir()
        assert second.spill.is_dir()
    assert not list(tmp_path.iterdir())
