"""A target whose process dies on one byte."""

import os
import signal

NAME = __name__


def seeds():
    """Return inputs without the byte that triggers the bug."""
    return [b"seed", b"other"]


def check(data):
    """Kill the process if the input has the byte."""
    if b"!" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
