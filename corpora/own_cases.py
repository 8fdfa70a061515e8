"""The cases that colconf brings along, by name: `parquet/…`, `orc/…`, and tables `evolved/…`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from corpora import packed
from corpora.cache import folder as cache_folder

CHECKED_IN = Path(__file__).parent  # in a checkout
TABLES = "evolved"


def is_packed() -> bool:
    """Return whether the cases came in a wheel, as one archive."""
    return (CHECKED_IN / packed.ARCHIVE).is_file()


@cache
def folder() -> Path:
    """Return the folder of the cases, which are unpacked first if they came in a wheel; raises UserError."""
    if not is_packed():
        return CHECKED_IN
    return packed.unpacked(CHECKED_IN / packed.ARCHIVE, _cache())


def place() -> Path:
    """Return the folder that cases which came in a wheel are unpacked into; raises OSError."""
    return packed.place(CHECKED_IN / packed.ARCHIVE, _cache())


def _cache() -> Path:
    return cache_folder() / "corpora"


def records(globs: Sequence[str], root: Path | None = None) -> Iterator[Path]:
    """Yield the JSON file of each case below `root`, or of colconf, whose id matches one of the globs.

    The id of a case is its path below the corpora, as `colconf corpus build` writes it: nothing is opened.
    Raises UserError.
    """
    root = root or folder()
    for name in packed.FOLDERS:
        for path in sorted((root / name).rglob("*.json")):
            if matches(path.relative_to(root).with_suffix("").as_posix(), globs):
                yield path


def matches(identity: str, globs: Sequence[str]) -> bool:
    """Return whether the id of a case matches one of the globs; `*` also matches `/`."""
    return any(fnmatchcase(identity, glob) for glob in globs)
