"""Tables in files of their own, which the lines of parts refer to."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpora import files

_MOST_DIGESTS = 64
_LOCK = threading.Lock()
_DIGESTS: dict[tuple[int, ...], str] = {}  # by device, inode, size and time of the latest change


def spills_in(value: Any) -> Iterator[str]:
    """Yield the files of tables that a line refers to, wherever in it they stand."""
    if isinstance(value, dict):
        if isinstance(value.get("spill"), str) and {"columns", "rows"} <= value.keys():
            yield value["spill"]
        else:
            for item in value.values():
                yield from spills_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from spills_in(item)


def described(path: Path) -> tuple[str, int, str]:
    """Return name, size and digest of a table's file; -1 and "" if it is not to be had on this machine."""
    try:
        files.HOOKS.disk.sync(path)
        return str(path), path.stat().st_size, _digest_as_written(path)
    except FileNotFoundError:
        return str(path), -1, ""


def store_once(spill: Path, folder: Path) -> None:
    """Make a table's file a link to one of the same bytes in `folder`, if one was stored there before.

    Engines mostly return equal tables. Where the file system has no hard links, each has its own file. One
    that was stored there and is no longer what its name says, after a power cut or a change, is replaced.
    """
    same = folder / "same" / _digest_as_written(spill)
    same.parent.mkdir(exist_ok=True)
    with suppress(OSError):
        try:
            os.link(spill, same)
        except FileExistsError:
            if not same.samefile(spill):  # renaming a link to the same file would leave both names
                if _digest_as_written(same) == same.name:
                    _replace(spill, by=same)
                else:
                    _replace(same, by=spill)


def _replace(path: Path, by: Path) -> None:
    """Make a file a link to another one, which may be in another folder; raises OSError."""
    link = path.with_name(f"{path.name}.{secrets.token_hex(4)}.link")
    os.link(by, link)
    with _LOCK:
        _DIGESTS.pop(_key(path), None)  # the next file may get its inode
    link.replace(path)


def file_digest(path: Path) -> str:
    """Return the digest of a file, which its part states."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _digest_as_written(path: Path) -> str:
    """Return the digest of a table's file that was written lately, computed once for all links to it."""
    key = _key(path)
    with _LOCK:
        digest = _DIGESTS.get(key)
    if digest is None:
        digest = file_digest(path)
        with _LOCK:
            _DIGESTS[key] = digest
            if len(_DIGESTS) > _MOST_DIGESTS:
                del _DIGESTS[next(iter(_DIGESTS))]
    return digest


def _key(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
