"""Threads of a command: results in order, the first error, and no waiting."""

import subprocess
import sys
import threading

import pytest

from harness.children.threads import in_threads


def test_results_come_in_the_order_of_the_items():
    """Whichever call ends first, each result stands at the place of its item."""
    second_done = threading.Event()

    def later(item):
        if item == "a":
            second_done.wait(10)
        else:
            second_done.set()
        return item.upper()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("harness.children.threads.cores", lambda: 2)
        assert in_threads(later, ["a", "b"]) == ["A", "B"]
    assert in_threads(later, []) == []


def test_an_error_is_raised():
    """The exception of a call ends the whole; the others are not waited for."""

    def failing(item):
        raise ValueError(item)

    with pytest.raises(ValueError, match="x"):
        in_threads(failing, ["x", "y"])


def test_nobody_waits_for_a_thread_at_the_end():
    """A process whose call raised ends, though another call never does."""
    script = """
import threading, harness.children.threads as threads
threads.cores = lambda: 2
def call(item):
    if item: raise KeyboardInterrupt
    threading.Event().wait()
threads.in_threads(call, [0, 1])
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60)
    assert ended.returncode != 0
    assert b"KeyboardInterrupt" in ended.stderr
