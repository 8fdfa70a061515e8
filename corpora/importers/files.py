"""Walking folders, and telling by magic and name whether a file is to be judged."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES = {".parquet": "parquet", ".parq": "parquet", ".parquet.encrypted": "parquet", ".orc": "orc"}
PARQUET_MAGICS = (b"PAR1", b"PARE")  # PARE: encrypted footer (Encryption.md, 5.3)
_SUMMARIES = ("_metadata", "_common_metadata")


class ImportProblem(ValueError):  # noqa: N818 - a problem of the caller's argument, shown as one line
    """A path given to an importer cannot be used; the message is one line."""


class Skipped(NamedTuple):
    """A file that is no case: its id in the results, where it is, and why."""

    id: str
    file: Path
    reason: str


class Found(NamedTuple):
    """A file met below `root`, the path that was given."""

    file: Path
    root: Path

    @property
    def named(self) -> bool:
        """Return whether the file itself was given, rather than a folder it is in."""
        return self.file == self.root

    @property
    def segments(self) -> tuple[str, ...]:
        """Return the path below `root`, which is what its id is made of."""
        return (self.file.absolute().name,) if self.named else self.file.relative_to(self.root).parts


class Kind(NamedTuple):
    """What a file seems to be; `has_footer` says that it ends as a file with a footer must."""

    format: str
    has_footer: bool


def walk(path: Path) -> Iterator[Found]:
    """Yield the files at or below `path`, in sorted order; raises ImportProblem if there are none."""
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise ImportProblem(f"{path}: {error.strerror}") from error
    if not is_folder:
        yield Found(path, path)
        return
    empty = True
    for file in _below(path, set()):
        empty = False
        yield Found(file, path)
    if empty:
        raise ImportProblem(f"{path}: a folder without files")


def _below(folder: Path, entered: set[tuple[int, int]]) -> Iterator[Path]:
    try:
        status = folder.stat()
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, without an object for each
    except OSError:
        yield folder  # reading it will say why
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


def classify(found: Found) -> Kind | str:
    """Return what the file seems to be, or why it is not judged; raises OSError and ImportProblem.

    The name counts only inside a folder: a file that was itself given must have a magic number.
    """
    mode = found.file.stat().st_mode
    if not stat.S_ISREG(mode):
        reason = "not a regular file"
    elif found.file.name in _SUMMARIES:
        reason = "a summary file: its column chunks are in other files"
    else:
        kind = _kind(found)
        if kind is not None:
            return kind
        reason = "neither Parquet nor ORC"
    if found.named:
        raise ImportProblem(f"{found.file}: {reason}")
    return reason


def _kind(found: Found) -> Kind | None:
    head, tail, size = _ends(found.file)
    if head in PARQUET_MAGICS or tail in PARQUET_MAGICS:
        return Kind("parquet", has_footer=tail in PARQUET_MAGICS and size >= 12)
    if head[:3] == b"ORC":
        return Kind("orc", has_footer=True)
    name = found.file.name.lower()
    formats = [format_ for suffix, format_ in SUFFIXES.items() if name.endswith(suffix)]
    return Kind(formats[0], has_footer=False) if formats and not found.named else None


def _ends(file: Path) -> tuple[bytes, bytes, int]:
    """Return the first and last four bytes, and the size."""
    with file.open("rb") as opened:
        head = opened.read(4)
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 4))
        return head, opened.read(4), size


def digest(file: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
