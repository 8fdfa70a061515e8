"""Counts of rows with pyarrow: of the footer, of a data set, or of a table that was read and filtered."""

from __future__ import annotations

from typing import Any

from corpora.queries import COUNT, CountRows, Filter
from harness.engines.errors import Unsupported
from harness.engines.pyarrow.query import condition, expression, filter_table
from harness.engines.pyarrow.ways import QUERIES, SLICES
from harness.engines.scripts.literals import evaluate

# https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html, count_rows
_OF_DATA_SET = "data.count_rows(filter=wanted, {options})"
OF_FOOTER, OF_ORC_FOOTER = "file.metadata.num_rows", "file.nrows"
_OF_TABLE = "table.num_rows"


def check_way(way: str) -> None:
    """Raise Unsupported for ways that are of other queries."""
    if QUERIES.get(way):
        raise Unsupported("this way is one of filters, slices and projections")
    if way in SLICES and way not in QUERIES:
        raise Unsupported("this way is one of slices")


def of_data_set(pa: Any, data_set: Any, query: CountRows, *, threads: bool) -> Any:
    """Return the count of the rows of a data set, or of those that a filter takes."""
    wanted = None if query.predicate is None else expression(pa, query.predicate, data_set.schema)
    return _table(
        pa, _OF_DATA_SET.format(options=f"use_threads={threads}"), {"data": data_set, "wanted": wanted}
    )


def of_footer(pa: Any, opened: Any, count: str = OF_FOOTER) -> Any:
    """Return the count of all rows of an open file, `count` being the expression of `file`."""
    return _table(pa, count, {"file": opened})


def of_table(pa: Any, table: Any, query: CountRows) -> Any:
    """Return the count of the rows of a table in memory, after its filter."""
    rows = table if query.predicate is None else filter_table(pa, table, Filter(query.predicate))
    return _table(pa, _OF_TABLE, {"table": rows})


def code_of_data_set(query: CountRows, options: str) -> list[str]:
    """Return the statements that count the rows of `data`; `options` are those of reading it."""
    wanted = None if query.predicate is None else condition(query.predicate)
    return [f"wanted = {wanted}", f"table = {_text(_OF_DATA_SET.format(options=options))}"]


def code_of_table() -> str:
    """Return the statement that counts the rows of a filtered `table`."""
    return f"table = {_text(_OF_TABLE)}"


def code_of_footer(count: str = OF_FOOTER) -> str:
    """Return the statement that takes the number of rows of `file`."""
    return f"table = {_text(count)}"


def _text(count: str) -> str:
    return f"pa.table({{{COUNT!a}: pa.array([{count}], pa.int64())}})"


def _table(pa: Any, count: str, names: dict[str, Any]) -> Any:
    return evaluate(_text(count), {"pa": pa, **names})
