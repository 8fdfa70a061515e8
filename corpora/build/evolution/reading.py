"""A folder as one table: its files read by the reference, and put together by the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from corpora.answers import answer
from corpora.build.evolution.own import columns_of
from corpora.build.evolution.skipping import may_match
from corpora.build.field_ids import field_ids
from corpora.build.opening import File, open_bytes
from corpora.build.reading import open_file
from corpora.build.tagged_columns import tagged_table
from corpora.evolution import read_as
from corpora.folders import files_of
from corpora.queries import Query, predicate_of
from corpora.table_files import TableFile
from corpora.table_reads import EXACT, TableRead
from corpora.tagged import Table
from reference_impl.errors import ReferenceError_

# Files of so many bytes, and so many of them, are read once: each query of a table is one of the same files.
_SMALL, _FILES = 64 << 10, 64


def read_folder(folder: Path, format_: str, read: TableRead) -> Table:
    """Return the expected table of a read of a folder; raises Undefined, and as `open_file` does."""
    files = list(_files(folder, format_, read))
    return read_as(files, read).table


def query_folder(
    folder: Path, format_: str, read: TableRead, query: Query, float_order: str, *, skips: bool = True
) -> Table:
    """Return the answer to a query of a folder; raises as `read_folder` does, and QueryError.

    With `skips`, a filter (also of a slice or count) leaves files out of which a constant column decides.
    """
    files = list(_files(folder, format_, read))
    predicate = predicate_of(query) if skips else None
    if predicate is not None:
        files = [file for file in files if may_match(file, read, predicate, float_order)]
    return answer(query, read_as(files, read).table, float_order)


class _Opened:
    """An open file, what it holds, and the ids of its fields."""

    def __init__(self, file: File) -> None:
        self._file = file

    @cached_property
    def table(self) -> Table:
        return tagged_table(self._file.read())

    def table_for(self, read: TableRead) -> Table:
        """Return the table; where not all of it can be read, the columns of a read that go by names."""
        try:
            return self.table
        except ReferenceError_:
            if read.matching != EXACT or read.unified:
                raise
            names = [field.name for field in columns_of(self._file)]
            wanted = [field.name for field in read.columns if field.name in names]
            if any(names.count(name) > 1 for name in wanted):
                raise
            return tagged_table(self._file.read(wanted))

    @cached_property
    def ids(self) -> dict[tuple[str, ...], int]:
        return field_ids(self._file)


@lru_cache(_FILES)
def _small(data: bytes, format_: str) -> _Opened:
    return _Opened(open_bytes(data, format_))


def _files(folder: Path, format_: str, read: TableRead) -> Iterator[TableFile]:
    for path in files_of(folder):
        name, size = path.relative_to(folder).as_posix(), path.stat().st_size
        try:
            if size <= _SMALL:
                opened = _small(path.read_bytes(), format_)
            else:
                opened = _Opened(open_file(str(path), format_))
        except ReferenceError_:
            if read.skips_corrupt:
                continue
            raise
        yield TableFile(name, opened.table_for(read), opened.ids, size)
