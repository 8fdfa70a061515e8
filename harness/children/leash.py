"""The leash of engine processes: when colconf dies, the kernel ends them.

As a script, `python -I -S leash.py PROGRAM [ARGUMENT...]`, it holds the leash, adopts orphans, forbids core
files and becomes the program, of whatever language: all three outlast `exec`. The program does not see the
variable of the leash.
Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import select
import signal
import sys

LEASH = "COLCONF_LEASH"  # the variable with the number of a descriptor that closes when the parent dies
_SET_CHILD_SUBREAPER = 36
CANNOT_RUN = 127  # the exit status of shells for a program that cannot be run


def hold_leash() -> None:
    """Have the kernel kill this process group when the parent dies, even if this process hangs by then.

    The parent holds the other end of a pipe on which nothing is ever written. Linux can be told to send
    SIGKILL, and to the whole group, when that end is closed, which needs no thread of ours and no turn of
    the interpreter. Elsewhere the end of standard input is what ends an idle child.
    """
    leash = int(os.environ.pop(LEASH, "-1"))
    if leash < 0 or not hasattr(fcntl, "F_SETSIG"):
        return
    fcntl.fcntl(leash, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(leash, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(leash, fcntl.F_SETFL, fcntl.fcntl(leash, fcntl.F_GETFL) | fcntl.FASYNC)
    if select.select([leash], [], [], 0)[0]:  # the parent died before the leash was held
        os._exit(0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends: daemons stay in this process's tree.

    It outlasts `exec` (prctl(2), PR_SET_CHILD_SUBREAPER). Where there is no such call, only the session and
    the mark tell who belongs to this process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def restore_signals() -> None:
    """Undo that Python ignores SIGPIPE and SIGXFSZ, which outlasts `exec`: a program may count on them."""
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)


def forbid_cores() -> None:
    """Have crashes leave no core files: here, they are results."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Become the program of the arguments; ends with CANNOT_RUN if that cannot be."""
    forbid_cores()
    adopt_orphans()
    hold_leash()
    program = sys.argv[1:]
    restore_signals()
    os.environ.pop("LC_CTYPE", None)  # set by Python itself where there is no locale (PEP 538)
    try:
        os.execv(program[0], program)  # noqa: S606 - the command of a manifest
    except OSError as error:
        sys.stderr.write(f"{program[0]}: {error.strerror}\n")
        sys.exit(CANNOT_RUN)


if __name__ == "__main__":
    main()
