"""The folder of temporary files of a command and its engines, which is removed with the command.

The command's process holds a lock on it, which the system releases if the process is killed: the next command
removes folders without a lock.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "colconf-scratch-"  # not that of older versions, which hold no lock


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new folder in the system's folder of temporary files; those of killed runs are removed."""
    _sweep()
    path, lock = _locked()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _locked() -> tuple[Path, int]:
    """Return a new folder and the descriptor that holds its lock; another run may sweep before it has one."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_dir():
            return path, lock
        os.close(lock)


def _sweep() -> None:
    """Remove our folders that no process holds."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another user's, or gone
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass  # a run is using it
        finally:
            os.close(lock)
