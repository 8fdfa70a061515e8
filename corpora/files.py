"""Files that are complete or absent: written under another name, synced to disk, then renamed.

Everything of colconf that writes a file which is read again does so here. It stands in `corpora`, the
leftmost package that writes: `harness` and `reports` use it too. The order prevents an empty file of the
right name after a power cut: the bytes reach the disk before the name does, and the folder that holds the
name after that (fsync(2); rename(2) alone promises neither).
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

UNFINISHED = ".unfinished"
# Folders of some file systems cannot be synchronised, and say so: they have no better promise to give.
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP)


class Disk:
    """The operations of the disk; tests replace them by a disk that fails, tears or loses writes."""

    def write(self, write: Callable[[memoryview], int], data: memoryview) -> int:
        """Write some of the data with the file's own `write`, and return how many bytes."""
        return write(data)

    def sync(self, path: Path) -> None:
        """Return when a file's content, or the names in a folder, would outlive a power cut."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if not (path.is_dir() and error.errno in _NO_SYNC):
                raise
        finally:
            os.close(descriptor)

    def rename(self, old: Path, new: Path) -> None:
        """Rename a file, and replace the file that has the new name."""
        old.replace(new)

    def remove(self, path: Path) -> None:
        """Remove a file or folder if it is there."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


MOST_OF_LINE = 1 << 28  # bytes


class _Hooks:
    """Where the disk in use stands; tests replace it."""

    disk = Disk()


HOOKS = _Hooks()


class _Raw(io.FileIO):
    """A file whose writes go through the disk in use."""

    def write(self, data: ReadableBuffer, /) -> int:
        return HOOKS.disk.write(super().write, memoryview(data).cast("B"))


def unfinished_of(path: Path) -> Path:
    """Return a new name beside a file, for while it is being written; raises OSError if it has no name."""
    if not path.name:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")


@contextmanager
def whole_path(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Yield a path to write to; the file or folder gets its name at the end, and is gone after an exception.

    Not `durable`: after a power cut, the file may be incomplete, which the caller accepts. An OSError names
    the file.
    """
    unfinished = unfinished_of(path)
    try:
        with naming(path):
            yield unfinished
            if durable:
                sync_all(unfinished)
            HOOKS.disk.rename(unfinished, path)
            if durable:
                HOOKS.disk.sync(path.parent)
    except BaseException:
        with suppress(OSError):  # what went wrong first is what to say
            HOOKS.disk.remove(unfinished)
        raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have an OSError that names no file, or an unfinished one, name this one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename and not str(error.filename).endswith(UNFINISHED)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def whole_file(path: Path, *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Yield a binary file that gets its name when it is whole; as `whole_path`."""
    with whole_path(path, durable=durable) as unfinished, open_raw(unfinished) as out:
        yield out
        out.flush()


def open_raw(path: Path) -> io.BufferedWriter:
    """Open a file for writing through the disk in use."""
    return io.BufferedWriter(_Raw(path, "w"))


def write_whole(path: Path, data: bytes | str, *, durable: bool = True) -> None:
    """Write a file, whole or not at all; text as UTF-8, what that cannot hold escaped. Raises OSError."""
    with whole_file(path, durable=durable) as out:
        out.write(data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data)


def copy_whole(source: Path, path: Path) -> None:
    """Copy a file, whole or not at all; raises OSError, also where the copy has lost bytes."""
    with source.open("rb") as opened, whole_file(path) as out:
        shutil.copyfileobj(opened, out)
        out.flush()
        size = os.fstat(opened.fileno()).st_size
        if os.fstat(out.fileno()).st_size != size:
            raise OSError(errno.EIO, "the copy is not as it was written", str(path))
    if not path.exists() or path.stat().st_size != size:  # its rename was lost
        raise OSError(errno.EIO, "the copy is not there", str(path))


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def check_regular(path: Path) -> None:
    """Raise OSError unless the path is a regular file or a folder: opening a FIFO may block forever."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file for reading; raises OSError for what is no regular file."""
    check_regular(path)
    return path.open("rb")


def lines_of(opened: IO[bytes], path: Path) -> Iterator[bytes]:
    """Yield the lines of an open file; raises OSError for a line that no file of ours has."""
    while line := opened.readline(MOST_OF_LINE):
        if len(line) == MOST_OF_LINE and not line.endswith(b"\n"):
            raise OSError(errno.EFBIG, f"a line of more than {MOST_OF_LINE >> 20} MiB", str(path))
        yield line


def move(old: Path, new: Path) -> None:
    """Rename a file or folder for good, in place of what has the name; raises OSError, which names it."""
    with naming(new):
        HOOKS.disk.rename(old, new)
        HOOKS.disk.sync(new.parent)


def sync_all(path: Path) -> None:
    """Bring a file, or a folder with all that is below it, to the disk."""
    if path.is_dir():
        for entry in path.iterdir():
            if not entry.is_symlink():
                sync_all(entry)
    HOOKS.disk.sync(path)


def sweep(folder: Path) -> None:
    """Remove what killed processes left unfinished in a folder."""
    for path in folder.glob(f".*{UNFINISHED}"):
        HOOKS.disk.remove(path)
