"""Engines for scripts that stand beside them as a module `misbehaves`: what it does is in its name."""

import os
import time


def reads(_file):
    """Return nothing at all, which is fine."""


def refuses(_file):
    """Refuse, which is fine."""
    raise ValueError("no")


class PanicException(BaseException):
    """Stands for PyO3's."""


def panics(_file):
    """Panic, as Rust does."""
    raise PanicException("called `Option::unwrap()` on a `None` value")


def dies(_file):
    """Die by a signal."""
    os.kill(os.getpid(), 9)


def exits(_file):
    """End the process with a status of its own."""
    os._exit(7)


def hangs(_file):
    """Come to no end."""
    time.sleep(600)


def swells(_file):
    """Take 300 MB."""
    held = bytearray(300 << 20)
    held[::4096] = b"x" * len(held[::4096])
    return held


def burns(_file):
    """Take one and a half seconds of CPU time."""
    end = time.process_time() + 1.5
    while time.process_time() < end:
        pass


def runs_out(_file):
    """Say that there is no memory."""
    raise MemoryError


def wavers(_file):
    """Return what differs from time to time."""
    return [], [], [str(time.monotonic_ns())]
