"""Files that the reference holds open between queries.

A run evaluates each query on all files of a sheet before it turns to the next query. So small files stay
open, with all their rows and those that pushdown left of them: most queries leave the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from corpora.build import pushdown_orc, pushdown_parquet, reading
from corpora.build.opening import File, open_bytes
from corpora.build.tagged_columns import tagged_table
from corpora.keys import Keys
from corpora.predicates import Predicate
from corpora.tagged import Table
from reference_impl.parquet.file import ParquetFile

_SMALL = 256 << 10  # bytes of a file
_FILES = 32  # as many as a sheet has
_LEFT = 16  # ways to leave rows of a file


class Opened:
    """An open file, and the rows that were read from it."""

    def __init__(self, file: File) -> None:
        self.file = file
        self._rows = lru_cache(_LEFT)(self._read)
        self._whole: Table | None = None

    def whole(self) -> Table:
        """Return all rows, which are read once."""
        if self._whole is None:
            self._whole = tagged_table(self.file.read())
        return self._whole

    def left(self, predicate: Predicate, pushdown: str, float_order: str) -> Iterator[Table]:
        """Yield the rows that pushdown leaves of each row group or stripe."""
        if isinstance(self.file, ParquetFile):
            parts = pushdown_parquet.scan(self.file, predicate, pushdown, float_order)
        else:
            parts = pushdown_orc.scan(self.file, predicate, pushdown, float_order)
        yield from (self._rows(number, tuple(ranges)) for number, ranges in parts)

    def _read(self, number: int, ranges: tuple[tuple[int, int], ...]) -> Table:
        return tagged_table(reading.read_rows(self.file, number, ranges))


def open_file(path: str, format: str, keys: Keys | None = None) -> Opened:
    """Return an open file: one that was opened before, if it still has the same bytes."""
    if keys is None and Path(path).stat().st_size <= _SMALL:
        return _small(Path(path).read_bytes(), format)
    return Opened(reading.open_file(path, format, keys))


@lru_cache(_FILES)
def _small(data: bytes, format: str) -> Opened:
    return Opened(open_bytes(data, format))
