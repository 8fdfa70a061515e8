"""Threads that do tasks: how many there are, and that each task is done once."""

import threading
from types import SimpleNamespace

import pytest

from harness.runs.pipeline import local
from harness.runs.pipeline.plan import Task

CONTEXT = SimpleNamespace(processes=(SimpleNamespace(heavy=True), SimpleNamespace(heavy=False)))


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
