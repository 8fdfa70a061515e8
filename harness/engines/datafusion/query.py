"""Queries as DataFusion's expressions, constants as Arrow scalars of the column's type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import Compare, In, IsNull
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project
from harness.engines.errors import Unsupported
from harness.engines.terms import COMPARE, arrow_array, arrow_type, combine, only, text_of

if TYPE_CHECKING:
    from corpora.queries import Query

_PARQUET = "datafusion.execution.parquet."
_SKIPPING = ("pruning", "enable_page_index", "bloom_filter_on_read", "pushdown_filters", "reorder_filters")


def settings(pushdown: str) -> dict[str, str]:
    """Return the options of a session (https://datafusion.apache.org/user-guide/configs.html).

    `on` is the defaults: row groups and pages are skipped, and rows filtered after they were read; `late`
    filters rows while they are read; `off` skips nothing, and trusts no statistics for aggregates.
    """
    if pushdown == "late":
        return {_PARQUET + "pushdown_filters": "true"}
    if pushdown != "off":
        return {}
    off = {_PARQUET + name: "false" for name in _SKIPPING}
    return {**off, "datafusion.execution.collect_statistics": "false"}


def ask(datafusion: Any, frame: Any, query: Query) -> Any:
    """Return the data frame that is the answer to a query."""
    schema = frame.schema()
    if isinstance(query, Batches):
        return frame
    if isinstance(query, Project):
        return frame.select(*[_column(datafusion, (only(name, schema.names),)) for name in query.columns])
    if isinstance(query, Aggregate):
        return _aggregate(datafusion, frame, query, schema)
    assert isinstance(query, Filter)
    rows = frame.filter(expression(datafusion, query.predicate, schema))
    if query.columns is None:
        return rows
    return rows.select(*[_column(datafusion, (only(name, schema.names),)) for name in query.columns])


def _aggregate(datafusion: Any, frame: Any, query: Aggregate, schema: Any) -> Any:
    import pyarrow as pa

    functions = datafusion.functions
    arrow_type(pa, schema, query.path)
    column = _column(datafusion, query.path)
    parts = (functions.count_star(), functions.count(column), functions.min(column), functions.max(column))
    return frame.aggregate([], [part.alias(name) for part, name in zip(parts, AGGREGATES)])


def expression(datafusion: Any, predicate: Any, schema: Any) -> Any:
    """Return the `datafusion.Expr` of a predicate."""
    import pyarrow as pa

    def leaf(test: Any, _: bool) -> Any:
        type_ = arrow_type(pa, schema, test.path)
        column = _column(datafusion, test.path)
        if isinstance(test, IsNull):
            return column.is_null()
        if isinstance(test, Compare):
            (constant,) = arrow_array(pa, test.type, (test.value,), type_)
            return COMPARE[test.op](column, datafusion.lit(constant))
        if isinstance(test, In):
            values = arrow_array(pa, test.type, test.values, type_)
            return datafusion.functions.in_list(column, [datafusion.lit(value) for value in values])
        if type_ not in (pa.string(), pa.large_string(), pa.string_view()):
            raise Unsupported(f"DataFusion's starts_with takes text, not {type_}")
        return datafusion.functions.starts_with(column, datafusion.lit(text_of(test.prefix)))

    return combine(predicate, leaf)


def _column(datafusion: Any, path: tuple[str, ...]) -> Any:
    column = datafusion.col('"' + path[0].replace('"', '""') + '"')
    for name in path[1:]:
        column = column[name]
    return column
