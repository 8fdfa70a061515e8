"""Folders of files that are one table: which files belong to it, and the digest of all of them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from corpora.files import copy_whole, whole_path
from corpora.files import digest as digest_of_file


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, in the order of their paths.

    Names that begin with `_` or `.` are left out, as Hadoop, Arrow and Spark do.
    """
    for path in sorted(folder.rglob("*")):
        hidden = any(part[0] in "_." for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def hidden_in(folder: Path) -> list[Path]:
    """Return the files of a folder, and of those in it, that `files_of` leaves out."""
    seen = set(files_of(folder))
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path not in seen]


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file or of a folder; raises OSError."""
    return digest(path) if path.is_dir() else digest_of_file(path)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of the files of a folder; raises OSError."""
    return sum(each.stat().st_size for each in files_of(path)) if path.is_dir() else path.stat().st_size


def copy(path: Path, target: Path) -> None:
    """Copy a file, or the files of a folder, whole or not at all; raises OSError."""
    if not path.is_dir():
        copy_whole(path, target)
        return
    with whole_path(target) as unfinished:
        unfinished.mkdir(parents=True, exist_ok=True)
        for file in files_of(path):
            copied = unfinished / file.relative_to(path)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there; raises OSError."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def digest(folder: Path) -> str:
    """Return the SHA-256 of a folder: of the paths and the digests of its files; raises OSError."""
    total = hashlib.sha256()
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        total.update(f"{name}\0{digest_of_file(path)}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()
