"""A process that dies."""

import os
import signal

NAME = __name__


def seeds():
    """Return inputs without the byte that does it."""
    return [b"seed", b"other"]


def check(data):
    """Do it."""
    if b"!" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
