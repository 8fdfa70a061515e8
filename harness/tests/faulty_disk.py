"""A disk that fails, tears, loses or skips the n-th thing asked of it, for tests of what is left then.

What SQLite's tests call fault injection: a scenario is done once on a disk that only counts, then for each n
on one with a fault there; after that it is done again, or continued, on a disk without faults.

| fault  | the n-th write, sync or rename …                                                          |
|--------|-------------------------------------------------------------------------------------------|
| EIO    | is an OSError, and the program goes on as it likes                                        |
| ENOSPC | is an OSError, as of a full disk                                                          |
| tear   | is done by half, as far as a write has halves, and the process is killed                  |
| lose   | is not done: the machine loses its power, and with it all that was not synchronised       |
| skip   | is said to be done, and is not: the disk lies                                             |

After a kill nothing is written any more: what the program does on its way out does not reach the disk.
"""

# ruff: noqa: D102 - the methods are those of Disk

from __future__ import annotations

import errno
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from corpora.files import HOOKS, Disk

EIO, ENOSPC, TEAR, LOSE, SKIP = "EIO", "ENOSPC", "tear", "lose", "skip"
FAULTS = (EIO, ENOSPC, TEAR, LOSE, SKIP)


class Killed(BaseException):
    """The process is no more."""


class FaultyDisk(Disk):
    """Counts what it is asked; `fault` comes at the `at`-th (from 1), none of 0."""

    def __init__(self, fault="", at=0):
        self.fault = fault
        self.at = at
        self.count = 0
        self.dead = False
        self.log = []
        self._lock = threading.RLock()
        self._unsynced = set()  # inodes of files with content that is not on the disk
        self._renames = []  # (name, what had it before) that are not on the disk, the newest last

    def write(self, write, data):
        with self._lock:
            file = write.__self__
            if self._strikes(f"write {file.name}"):
                if self.fault == TEAR:
                    write(data[: len(data) // 2])
                self._strike()
                return len(data)
            self._unsynced.add(_inode(file.name))
            return write(data)

    def sync(self, path):
        with self._lock:
            if self._strikes(f"sync {path}"):
                self._strike()
                return
            super().sync(path)
            if path.is_dir():
                self._renames = [one for one in self._renames if one[0].parent != path]
            else:
                self._unsynced.discard(_inode(path))

    def rename(self, old, new):
        with self._lock:
            if self._strikes(f"rename {new}"):
                self._strike()
                return
            before = new.read_bytes() if new.is_file() else None
            super().rename(old, new)
            self._renames.append((new, before))

    def remove(self, path):
        with self._lock:
            if not self.dead:
                super().remove(path)

    def _strikes(self, what):
        if self.dead:
            raise Killed
        self.count += 1
        self.log.append(what)
        return bool(self.fault) and self.count == self.at

    def _strike(self):
        """Do what comes of the fault, once the thing itself was done or not."""
        if self.fault in {EIO, ENOSPC}:
            raise OSError(getattr(errno, self.fault), f"injected {self.fault}")
        if self.fault in {TEAR, LOSE}:
            self.dead = True
            if self.fault == LOSE:
                self._power_cut()
            raise Killed

    def _power_cut(self):
        """Leave of each file what was synchronised."""
        for name, before in reversed(self._renames):
            with suppress(FileNotFoundError):
                if name.is_file() and _inode(name) in self._unsynced:
                    name.write_bytes(b"")  # the name came first, which ext4 calls a zero-length file
                elif name.is_file() and before is None:
                    name.unlink()
                elif name.is_file():
                    name.write_bytes(before)


def _inode(path):
    status = Path(path).stat()
    return status.st_dev, status.st_ino


@contextmanager
def disk(fault="", at=0):
    """Put such a disk in place; yields it."""
    before, HOOKS.disk = HOOKS.disk, FaultyDisk(fault, at)
    try:
        yield HOOKS.disk
    finally:
        HOOKS.disk = before
