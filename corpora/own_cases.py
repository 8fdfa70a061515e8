"""The cases that colconf brings along, by name: `parquet/…`, `orc/…`, and tables `evolved/…`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from corpora.cases import FORMATS

ROOT = Path(__file__).parent
TABLES = "evolved"


def records(globs: Sequence[str], root: Path = ROOT) -> Iterator[Path]:
    """Yield the JSON file of each case whose id matches one of the globs.

    The id of a case is its path below the corpora, as `colconf corpus build` writes it: nothing is opened.
    """
    for folder in (*FORMATS, TABLES):
        for path in sorted((root / folder).rglob("*.json")):
            if matches(path.relative_to(root).with_suffix("").as_posix(), globs):
                yield path


def matches(identity: str, globs: Sequence[str]) -> bool:
    """Return whether the id of a case matches one of the globs; `*` also matches `/`."""
    return any(fnmatchcase(identity, glob) for glob in globs)
