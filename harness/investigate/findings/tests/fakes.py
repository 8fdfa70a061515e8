"""Engines for scripts that import them as the module `misbehaves`; each function's name says what it does."""

import os
import time


def reads(_file):
    """Return nothing at all, which is fine."""


def refuses(_file):
    """Refuse, which is fine."""
    raise ValueError("no")


class PanicException(BaseException):
    """The exception by which PyO3 reports a Rust panic."""


def panics(_file):
    """Raise the exception of a Rust panic."""
    raise PanicException("called `Option::unwrap()` on a `None` value")


def dies(_file):
    """Kill the process by a signal."""
    os.kill(os.getpid(), 9)


def exits(_file):
    """End the process with a status of its own."""
    os._exit(7)


def hangs(_file):
    """Come to no end."""
    time.sleep(600)


def swells(_file):
    """Allocate 300 MB."""
    held = bytearray(300 << 20)
    held[::4096] = b"x" * len(held[::4096])
    return held


def burns(_file):
    """Take one and a half seconds of CPU time."""
    end = time.process_time() + 1.5
    while time.process_time() < end:
        pass


def runs_out(_file):
    """Raise MemoryError."""
    raise MemoryError


def wavers(_file):
    """Return a value that differs from call to call."""
    return [], [], [str(time.monotonic_ns())]
