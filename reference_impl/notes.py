"""Broken rules that do not stop decoding: they are noted, and the table is still read.

Each format lists these rules (`parquet/noted.py`); a strict reader refuses a file that breaks any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from reference_impl.errors import Malformed, located

MOST = 100


class Notes:
    """The breaches that a reader met, in order of discovery: one per rule and place, at most `MOST`."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.breaches: list[Malformed] = []
        self._known: set[tuple[str | None, int | tuple[str, ...]]] = set()
        self._path: tuple[str, ...] = ()

    def breach(self, error: Malformed) -> None:
        """Note the breach of a rule; a strict reader raises it."""
        if self.strict:
            raise error
        error.path = (*self._path, *error.path)
        key = (error.rule, error.path if error.offset is None else error.offset)
        if key not in self._known and len(self.breaches) < MOST:
            self._known.add(key)
            self.breaches.append(error)

    def breach_all(self, errors: Iterable[Malformed]) -> None:
        """Note every breach that a check yields; a strict reader raises the first."""
        for error in errors:
            self.breach(error)

    @contextmanager
    def located(self, *path: str) -> Iterator[None]:
        """Prefix `path` to what is noted in the block, and to any error that passes through it."""
        outer = self._path
        self._path = (*outer, *path)
        try:
            with located(*path):
                yield
        finally:
            self._path = outer


STRICT = Notes(strict=True)
