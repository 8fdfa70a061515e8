"""The cases of a wheel: one archive beside this module, unpacked into the cache when they are first used.

A checkout has the cases as files. A wheel with twelve thousand files more takes long to install and to
remove, so that its build (`hatch_build.py`, which imports this module) packs them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from corpora.archives import ArchiveError, opened, write
from corpora.files import digest, open_raw, whole_path

ARCHIVE = "cases.tar.gz"
FOLDERS = ("parquet", "orc", "evolved")  # below `corpora`
_TOP = "corpora"


def contents_of(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of all cases below `root`, with their paths in it; raises OSError."""
    for folder in FOLDERS:
        for file in sorted(path for path in (root / folder).rglob("*") if path.is_file()):
            yield file.relative_to(root).as_posix(), file.read_bytes()


def pack(root: Path, archive: Path) -> None:
    """Write the archive of the cases below `root`; raises OSError."""
    write(archive, _TOP, dict(contents_of(root)))


def place(archive: Path, cache: Path) -> Path:
    """Return the folder in `cache` that an archive belongs into, named by its digest; raises OSError.

    So another version of colconf has its own.
    """
    return cache / digest(archive)[:16]


def unpacked(archive: Path, cache: Path) -> Path:
    """Return the folder in `cache` with the files of an archive, unpacked if absent; raises ArchiveError."""
    try:
        target = place(archive, cache)
        if not target.is_dir():
            _unpack(archive, target)
    except OSError as error:
        where = f"{error.filename or cache}: {error.strerror}"
        mend = "colconf unpacks its cases there: let COLCONF_CACHE name a folder that can be written"
        raise ArchiveError(f"{where}; {mend}") from error
    return target


def _unpack(archive: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with whole_path(target, durable=False) as unfinished, opened(archive) as members:
            for path, data in members:
                file = unfinished / path
                file.parent.mkdir(parents=True, exist_ok=True)
                with open_raw(file) as out:
                    out.write(data)
            os.sync()  # once: to bring each of twelve thousand files to the disk by itself takes a minute
    except OSError:
        if not target.is_dir():  # else another process was faster: no rename replaces a folder with files
            raise
