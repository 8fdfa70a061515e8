"""Files and queries for the tests of ORC's engines: stripes, row groups that differ, and Bloom filters."""

from __future__ import annotations

from unittest.mock import patch

from corpora.tagged import STRING, Table, timestamp
from harness.tests import query_files
from harness.tests.query_files import ID

STRIPE, ROWS = 1_200, 3_600
_ALIKE = 300  # rows in a row that hold one value, so that row groups differ
LAYOUT = {"codec": "ZLIB", "dictionary": True, "row_group_rows": STRIPE, "indexed": True}


def _as_orc(type_, values):
    if type_.kind == "timestamp":  # ORC counts nanoseconds; about moments before 1970 its pushdown errs
        return timestamp("ns", utc=bool(type_.utc)), [str(1_000 * int(one) + 5_000_000_000) for one in values]
    return type_, values


COLUMNS = {
    name: _as_orc(type_, values)
    for name, (type_, values) in query_files.COLUMNS.items()
    if type_.signed is not False
}


def table_of(name):
    """Return a table of an `id`, and a column of which every seventh row is null, and a whole row group.

    The text is there for ORC C++ to end stripes by: it does not count numbers that it has yet to encode.
    """
    type_, given = COLUMNS[name]
    values = [given[row // _ALIKE % len(given)] if row % 7 and row >= 40 else None for row in range(ROWS)]
    ids = [str(row) for row in range(ROWS)]
    return Table.of([("id", ID), (name, type_), ("pad", STRING)], [ids, values, ids])


def queries(name):
    """Return queries of `table_of(name)`, those of flat columns that are asked of Parquet files too."""
    with patch.dict(query_files.COLUMNS, COLUMNS):
        return query_files.queries(name, nested=False)


def rows_of(query):
    """Return the rows of a stripe, which a table does not know."""
    if query.kind != "row_group":
        return None
    return range(STRIPE * query.number, STRIPE * (query.number + 1))
