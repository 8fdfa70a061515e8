"""Folders of files that are one table: which files belong to it, and the digest of all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from corpora.importers.files import digest as digest_of_file


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, in the order of their paths.

    Names that begin with `_` or `.` are left out, as Hadoop, Arrow and Spark do.
    """
    for path in sorted(folder.rglob("*")):
        hidden = any(part[0] in "_." for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def digest(folder: Path) -> str:
    """Return the SHA-256 of a folder: of the paths and the digests of its files; raises OSError."""
    total = hashlib.sha256()
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        total.update(f"{name}\0{digest_of_file(path)}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()
