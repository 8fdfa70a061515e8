"""Threads that do tasks: how many there are, and that each task is done once."""

import errno
import threading
from types import SimpleNamespace

import pytest

from harness.runs.pipeline import local
from harness.runs.pipeline.plan import SheetAt, Task

CONTEXT = SimpleNamespace(processes=(SimpleNamespace(heavy=True), SimpleNamespace(heavy=False)))
PLACE = SheetAt("s", 0, 1)


@pytest.mark.parametrize(
    ("kind", "process", "count", "threads", "jobs"),
    [
        ("execute", 0, 16, 6, None),
        ("execute", 0, 15, 4, None),
        ("execute", 1, 40, 6, None),
        ("again", 1, 5, 5, None),
        ("again", 0, 40, 4, None),
        ("judge", -1, 40, 4, None),
        ("judge", -1, 2, 2, None),
        ("execute", 1, 40, 3, 3),
        ("execute", 0, 40, 3, 3),
    ],
)
def test_threads(monkeypatch, kind, process, count, *, threads, jobs):
    """There is a thread for each core, and half as many more for tasks of engines, of heavy ones if many.

    With `--jobs`, there are as many as it says.
    """
    started, done, units = [], [], []

    class Counted(threading.Thread):
        def start(self):
            started.append(self)
            super().start()

    def perform(context, task):
        assert context is CONTEXT
        done.append(task)
        yield 1

    monkeypatch.setattr(local.threading, "Thread", Counted)
    monkeypatch.setattr(local, "perform", perform)
    monkeypatch.setattr(local.processes, "cores", lambda: 4)
    local.LocalRunner(jobs).run(CONTEXT, [Task(kind, process)] * count, units.append)
    assert len(started) == threads
    assert len(done) == sum(units) == count


class TaskProcess:
    """A task process that is none, and counts its tasks."""

    def __init__(self):
        self.tasks = []
        self.is_closed = False

    def perform(self, _, task):
        """Do a task."""
        self.tasks.append(task)
        yield len(task.sheets)

    def close(self):
        """End."""
        self.is_closed = True


@pytest.fixture
def threads(monkeypatch):
    """Have tasks be done on four cores, and return the threads that start for it."""
    started = []

    class Counted(threading.Thread):
        def start(self):
            started.append(self)
            super().start()

    def perform(_, task):
        yield len(task.sheets)

    monkeypatch.setattr(local.threading, "Thread", Counted)
    monkeypatch.setattr(local, "TaskProcess", TaskProcess)
    monkeypatch.setattr(local, "perform", perform)
    monkeypatch.setattr(local.processes, "cores", lambda: 4)
    return started


@pytest.mark.parametrize(
    ("kind", "sheets", "processes", "jobs"),
    [
        ("judge", 31, 0, None),
        ("judge", 64, 2, None),
        ("pair", 400, 3, None),
        ("judge", 400, 1, 2),
        ("again", 400, 0, None),
    ],
)
def test_task_processes(threads, kind, sheets, processes, *, jobs):
    """There is a process instead of a thread for each core but one, and for some sheets each."""
    runner, units = local.LocalRunner(jobs), []
    runner.run(CONTEXT, [Task(kind, sheets=(PLACE,))] * sheets, units.append)
    assert sum(units) == sheets
    assert len(threads) == (jobs or 4)
    assert len(runner._task_processes) == processes
    runner.close()
    assert all(each.is_closed for each in runner._task_processes)


def test_task_processes_are_kept_for_the_next_stage(threads):
    """A second stage of a run starts no process anew; one of other tasks has none."""
    runner = local.LocalRunner(None)
    for _ in range(2):
        runner.run(CONTEXT, [Task("judge", sheets=(PLACE,) * 50)] * 2, lambda _: None)
    (process,) = runner._task_processes
    before = list(process.tasks)
    runner.run(CONTEXT, [Task("judge", sheets=(PLACE,))], lambda _: None)
    runner.run(CONTEXT, [Task("again", 0, sheets=(PLACE,))] * 64, lambda _: None)
    assert process.tasks == before
    assert len(threads) == 2 + 2 + 1 + 4


def test_a_process_that_cannot_start_costs_no_task(threads, monkeypatch):
    """Where the system has no room for one more process, threads do all tasks."""

    def none_left():
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(local, "TaskProcess", none_left)
    units = []
    local.LocalRunner(None).run(CONTEXT, [Task("judge", sheets=(PLACE,))] * 64, units.append)
    assert sum(units) == 64
    assert len(threads) == 4
