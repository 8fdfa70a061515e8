"""The reference implementation as an engine. Unlike the other adapters it may use numpy and Python 3.11."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from corpora.answers import answer, take
from corpora.build import reading
from corpora.build.evolution import filters
from corpora.build.evolution.reading import query_folder, read_folder
from corpora.build.questions import derive
from corpora.build.tagged_columns import tagged_table
from corpora.queries import (
    OF_COLUMNS,
    OF_VARIANTS,
    ONE_ROW,
    Project,
    Query,
    RowGroup,
    Slice,
    predicate_of,
)
from corpora.table_files import Undefined
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines.base import Engine
from harness.engines.reference.files import open_file
from harness.version import __version__
from reference_impl.errors import LimitExceeded, Unsupported

# Keys were given, and one is missing, or the AAD prefix: not for want of a feature is the file not read.
_LACKED = ("PQ-CRYPT-001", "PQ-CRYPT-002")


class Reference(Engine):
    """Reads exactly what the specification says is in the file."""

    name = "reference"
    in_python = True
    no_keys = ""
    formats = ("parquet", "orc")
    queries = (
        *("filter", "project", "row_group", *ONE_ROW, "slice", "fields"),
        *(*OF_COLUMNS, *OF_VARIANTS),
    )
    float_order = "ieee"  # what the specification's statistics leave a NaN out for
    aggregate_order = "ieee"
    file_order = True

    def version(self) -> str:
        """Return colconf's own version."""
        return __version__

    def runtime(self) -> str:
        """Return the versions of Python and numpy."""
        return f"{super().runtime()}, numpy {np.__version__}"

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises the errors of `reference_impl.errors`."""
        self.step = OPEN
        opened = reading.open_file(file, format, self.keys)
        self.step = ROWS
        return tagged_table(opened.read())

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder, and return what the read makes of them; raises Unsupported."""
        try:
            return read_folder(Path(folder), format, read)
        except Undefined as error:
            raise Unsupported(str(error)) from error

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; pushdown skips files. Raises Unsupported."""
        try:
            is_on = config.get("pushdown", "on") != "off"
            return query_folder(Path(folder), format, read, query, self.float_order, skips=is_on)
        except Undefined as error:
            raise Unsupported(str(error)) from error

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query; a filter or count is of what pushdown leaves of the file."""
        opened = open_file(file, format, self.keys)
        pushdown = config.get("pushdown", "on")
        predicate = None if isinstance(query, Slice) else predicate_of(query)
        if predicate is not None and pushdown != "off":
            return answer(query, opened.left(predicate, pushdown, self.float_order), self.float_order)
        if isinstance(query, RowGroup):
            return opened.row_group(query.number)
        if isinstance(query, Project):
            whole = opened.whole(query.columns)
            return take(whole, range(whole.num_rows), query.columns)
        return answer(query, opened.whole(), self.float_order)

    def probes(
        self, file: str, format: str, most: int, read: TableRead | None = None
    ) -> tuple[int, list[dict[str, Any]]]:
        """Return how many values to count, and queries with constants from statistics, indexes and values.

        Of a folder, from its values. Raises Unsupported if no specification says what the read returns.
        """
        if read is not None:
            table = self.read_table(file, format, {}, read)
            cells = derive.cells_of(table, table.num_rows)
            probes = filters.queries_of_folder(table, read, most)
        else:
            opened = open_file(file, format, self.keys)
            probes, cells = derive.probes_and_cells(opened.file, most)
        return cells, [probe.to_json() for probe in probes]

    def classify(self, error: BaseException) -> str:
        """Return which kind of protocol error an exception is."""
        if isinstance(error, Unsupported) and error.rule in _LACKED:
            return "refused"
        if isinstance(error, Unsupported) or super().classify(error) == "unsupported":
            return "unsupported"
        if isinstance(error, LimitExceeded):
            return "limited"
        return "out_of_memory" if isinstance(error, MemoryError) else "refused"
