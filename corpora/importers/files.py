"""Listing folders, and detecting by magic number and name which files become cases."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from corpora.formats import BY_SUFFIX, MAGICS, ORC, PARQUET
from corpora.problem import UserError

_SUMMARIES = ("_metadata", "_common_metadata")


class ImportProblem(UserError, ValueError):  # noqa: N818 - a problem of the caller's argument, shown as one line
    """An importer cannot use a given path; the message has one line."""


class Skipped(NamedTuple):
    """A file that is not a case: its id in the results, its path, and the reason.

    `unusable`: by its name or content it was to be one, so that leaving it out is no answer. `quarantined`:
    it is one of ours that turned out wrong. `is_read`: it is a read of a folder whose result nothing defines.
    """

    id: str
    file: Path
    reason: str
    unusable: bool = False
    quarantined: bool = False
    is_read: bool = False


class Listed(NamedTuple):
    """A file at or below `root`, the path that the user gave."""

    file: Path
    root: Path

    @property
    def named(self) -> bool:
        """Return whether the user gave the file itself, not one of its folders."""
        return self.file == self.root

    @property
    def folder(self) -> Path:
        """Return the folder that the user gave, or that of the file that the user gave."""
        return (self.root.parent if self.named else self.root).absolute()

    @property
    def segments(self) -> tuple[str, ...]:
        """Return the path below `root`, from which the id is built."""
        return (self.file.absolute().name,) if self.named else self.file.relative_to(self.root).parts


class Detected(NamedTuple):
    """The detected format of a file; `has_footer` is true if its last bytes are those of a footer."""

    format: str
    has_footer: bool


def walk(path: Path) -> Iterator[Listed]:
    """Yield the files at or below `path`, in sorted order; raises ImportProblem without a file."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        if path.is_symlink():  # to nothing: it is named, and stops no run
            yield Listed(path, path)
            return
        raise ImportProblem(f"{path}: {error.strerror}") from error
    if not is_folder:
        yield Listed(path, path)
        return
    empty = True
    for file in _below(path, set()):
        empty = False
        yield Listed(file, path)
    if empty:
        raise ImportProblem(f"{path}: a folder without files")


def _below(folder: Path, entered: set[tuple[int, int]]) -> Iterator[Path]:
    try:
        status = folder.stat()
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, without an object for each
    except OSError:
        yield folder  # reading the folder will raise the error
        return
    if (status.st_dev, status.st_ino) in entered:
        return
    entered.add((status.st_dev, status.st_ino))
    for name in names:
        if name.startswith("."):
            continue
        entry = folder / name
        if entry.is_dir():
            yield from _below(entry, entered)
        else:
            yield entry


def classify(file: Path) -> Detected | str:
    """Return the detected format of a file, or why it is skipped; raises OSError.

    Of a file without a magic number the name counts.
    """
    mode = file.stat().st_mode
    if not stat.S_ISREG(mode):
        return "not a regular file"
    if file.name in _SUMMARIES:
        return "a summary file: its column chunks are in other files"
    return _detected(file) or "neither Parquet nor ORC"


def _detected(file: Path) -> Detected | None:
    head, tail, size = _ends(file)
    if head in MAGICS[PARQUET] or tail in MAGICS[PARQUET]:
        return Detected(PARQUET, has_footer=tail in MAGICS[PARQUET] and size >= 12)
    if head.startswith(MAGICS[ORC]):
        return Detected(ORC, has_footer=True)
    name = file.name.lower()
    formats = [format_ for suffix, format_ in BY_SUFFIX.items() if name.endswith(suffix)]
    return Detected(formats[0], has_footer=False) if formats else None


def _ends(file: Path) -> tuple[bytes, bytes, int]:
    """Return the first and last four bytes, and the size."""
    with file.open("rb") as opened:
        head = opened.read(4)
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 4))
        return head, opened.read(4), size
