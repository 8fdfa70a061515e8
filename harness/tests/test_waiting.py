"""Processes that wait for nothing."""

import os
import subprocess
import sys

from harness.children import waiting as waiting_module
from harness.children.waiting import Waiting
from harness.tests.events import wait_for

READS = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]


def _waited(waiting, pid):
    return [waiting.seconds([pid], now) for now in (1.0, 4.0)]


def test_who_sleeps_has_waited_since_it_was_first_seen():
    """A process whose threads are asleep waits from the first look on, until it ends."""
    with subprocess.Popen(READS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"\n"
        wait_for(lambda: _waited(Waiting(), child.pid) == [0.0, 3.0])
        waiting = Waiting()
        _waited(waiting, child.pid)
        child.stdin.close()
    assert waiting.seconds([child.pid], 9.0) == 0.0


def test_who_runs_does_not_wait():
    """A running thread waits for nothing, whatever CPU time it has had since the last look."""
    waiting = Waiting()
    assert [waiting.seconds([os.getpid()], now) for now in (1.0, 2.0, 3.0)] == [0.0, 0.0, 0.0]


def test_threads_are_looked_at_only_if_no_cpu_time_was_used(monkeypatch):
    """Of a process that has used CPU time since the last look, the hundred threads are not read."""
    looked_at = []
    ticks = iter([5, 6, 6, 7])
    monkeypatch.setattr(waiting_module, "_cpu_ticks", lambda _: next(ticks))
    monkeypatch.setattr(waiting_module, "_is_asleep", lambda pid: looked_at.append(pid) or True)
    waiting = Waiting()
    assert [waiting.seconds([1], now) for now in (1.0, 2.0, 3.0, 4.0)] == [0.0, 0.0, 1.0, 0.0]
    assert looked_at == [1]
