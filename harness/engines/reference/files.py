"""Files that the reference holds open between queries, and their rows.

A run evaluates each query on all files of a sheet before it turns to the next query. So files stay open,
with the rows that queries left of them: most queries leave the same rows. Rows of many cells are read row
group by row group, or stripe by stripe, whenever they are needed, and never held together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpora.blocks import Blocks
from corpora.build import pushdown_orc, pushdown_parquet, reading
from corpora.build.opening import File, open_bytes
from corpora.build.pushdown_ranges import Ranges
from corpora.build.tagged_columns import tagged_table
from corpora.keys import Keys
from corpora.predicates import Predicate
from corpora.tagged import Field, Table, Value
from harness.engines.reference.cache import Cache
from reference_impl.columns import Table as Columns
from reference_impl.parquet.file import ParquetFile

_LARGEST = 16 << 20  # bytes of a file that stays open
_OPEN = 64 << 20  # bytes of memory, about, of all files that stay open
_OPENED = 96 << 10  # bytes of memory, measured, of a small file's metadata and what its columns keep
_JOINED = 1 << 20  # cells of a table that is in memory
_REMEMBERED = 128 << 20  # bytes of memory, about, of all tables that are kept
_VALUE = 56  # bytes of memory of a value, beside its characters

Parts = tuple[tuple[int, tuple[tuple[int, int], ...] | None], ...]
"""Row groups or stripes by number, each with ranges of its rows, or None for all of it."""


class Opened:
    """An open file, and the rows that were read from it."""

    def __init__(self, file: File, digest: bytes = b"") -> None:
        self.file = file
        self._digest = digest  # of the bytes of a file that stays open; b"" of another one

    def whole(self, columns: Sequence[str] | None = None) -> Table:
        """Return all rows, of some columns."""
        return self._table(tuple((number, None) for number, _ in enumerate(self._rows())), columns)

    def left(self, predicate: Predicate, pushdown: str, float_order: str) -> Table:
        """Return the rows that pushdown leaves."""
        parts: Iterator[tuple[int, Ranges]]
        if isinstance(self.file, ParquetFile):
            parts = pushdown_parquet.scan(self.file, predicate, pushdown, float_order)
        else:
            parts = pushdown_orc.scan(self.file, predicate, pushdown, float_order)
        return self._table(tuple((number, tuple(ranges)) for number, ranges in parts), None)

    def row_group(self, number: int) -> Table:
        """Return the rows of a row group or stripe."""
        return tagged_table(self._read(number, None, None))

    def _table(self, parts: Parts, columns: Sequence[str] | None) -> Table:
        """Return the rows of parts: kept if they are few, and never all in memory if they are many."""
        sizes = self._rows()
        rows = sum(
            sizes[number] if ranges is None else sum(stop - start for start, stop in ranges)
            for number, ranges in parts
        )
        cells = rows * max(len(self._fields(columns)), 1)
        names = None if columns is None else tuple(columns)
        if cells > _JOINED:
            return Table(self._fields(columns), rows, Blocks(rows, lambda: self._blocks(parts, names)))
        if not self._digest:
            return self._joined(parts, names)
        key, size = (self._digest, parts, names), _VALUE * cells + self._bytes(parts)
        return _tables.get(key, size, lambda: self._joined(parts, names))

    def _joined(self, parts: Parts, columns: tuple[str, ...] | None) -> Table:
        fields = self._fields(columns)
        tables = list(self._tables(parts, columns))
        values = [[value for table in tables for value in table.column(at)] for at in range(len(fields))]
        typed = [(field.name, field.type) for field in fields]
        return Table.of(typed, values, sum(table.num_rows for table in tables))

    def _tables(self, parts: Parts, columns: tuple[str, ...] | None) -> Iterator[Table]:
        for number, ranges in parts:
            yield tagged_table(self._read(number, ranges, columns))

    def _blocks(self, parts: Parts, columns: tuple[str, ...] | None) -> Iterator[list[list[Value]]]:
        for table in self._tables(parts, columns):
            yield from table.blocks()

    def _read(
        self, number: int, ranges: tuple[tuple[int, int], ...] | None, columns: Sequence[str] | None
    ) -> Columns:
        if ranges is not None:
            return reading.read_rows(self.file, number, ranges)
        return _parts(self.file, [number], columns)

    def _bytes(self, parts: Parts) -> int:
        """Return the bytes of row groups, decompressed, or of stripes, as the metadata claims; 1 at least."""
        if isinstance(self.file, ParquetFile):
            groups = self.file.metadata.row_groups
            return 1 + sum(max(groups[number].total_byte_size or 0, 0) for number, _ in parts)
        stripes = self.file.footer.stripes
        return 1 + sum(stripes[number].data_length or 0 for number, _ in parts)

    def _fields(self, columns: Sequence[str] | None) -> tuple[Field, ...]:
        return tagged_table(_parts(self.file, [], columns)).columns

    def _rows(self) -> list[int]:
        """Return the number of rows of each row group or stripe."""
        if isinstance(self.file, ParquetFile):
            return [group.num_rows for group in self.file.metadata.row_groups]
        return [stripe.number_of_rows or 0 for stripe in self.file.footer.stripes]


def _weight(table: Table) -> int:
    """Return the bytes of memory of a table, about: what metadata claims may be too little."""
    return sum(_size(value) for block in table.blocks() for column in block for value in column)


def _size(value: Value) -> int:
    if isinstance(value, str):
        return _VALUE + len(value)
    if isinstance(value, list):
        return _VALUE + sum(map(_size, value))
    return _VALUE + (sum(map(_size, value.values())) if isinstance(value, dict) else 0)


_files: Cache[Opened] = Cache(_OPEN)
_tables: Cache[Table] = Cache(_REMEMBERED, _weight)


def open_file(path: str, format: str, keys: Keys | None = None) -> Opened:
    """Return an open file: one that was opened before, if it still has the same bytes."""
    if keys is None and Path(path).stat().st_size <= _LARGEST:
        data = Path(path).read_bytes()
        digest = hashlib.sha256(format.encode() + data).digest()
        return _files.get(digest, len(data) + _OPENED, lambda: Opened(open_bytes(data, format), digest))
    return Opened(reading.open_file(path, format, keys))


def _parts(file: File, numbers: Sequence[int], columns: Sequence[str] | None) -> Columns:
    if isinstance(file, ParquetFile):
        return file.read(columns, row_groups=numbers)
    return file.read(columns, stripes=numbers)
