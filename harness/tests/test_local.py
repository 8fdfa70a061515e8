"""Threads that do tasks: how many there are, and that each task is done once."""

import threading
from types import SimpleNamespace

import pytest

from harness.runs.pipeline import local
from harness.runs.pipeline.plan import Task

CONTEXT = SimpleNamespace(processes=(SimpleNamespace(heavy=True), SimpleNamespace(heavy=False)))


@pytest.mark.parametrize(
    ("kind", "process", "count", "threads"),
    [
        ("execute", 0, 16, 6),
        ("execute", 0, 15, 4),
        ("execute", 1, 40, 6),
        ("again", 1, 5, 5),
        ("again", 0, 40, 4),
        ("judge", -1, 40, 4),
        ("judge", -1, 2, 2),
    ],
)
def test_threads(monkeypatch, kind, process, count, threads):
    """There is a thread for each core, and half as many more for tasks of engines, of heavy ones if many."""
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
    local.LocalRunner(4).run(CONTEXT, [Task(kind, process)] * count, units.append)
    assert len(started) == threads
    assert len(done) == sum(units) == count
