"""Queries as DataFusion's expressions, constants as Arrow scalars of the column's type."""

from __future__ import annotations

from typing import Any

from corpora.predicates import Compare, In, IsNull, Predicate, StartsWith, Test, leaves, unhandled
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project, Query
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import arrow, evaluate, evaluate_arrow, joined, operator
from harness.engines.terms import arrow_type, only, text_of

_TEXTS = ("string", "large_string", "string_view")  # the last since pyarrow 16
_PARQUET = "datafusion.execution.parquet."
_BLOOM, _BLOOM_SINCE = "bloom_filter_on_read", 38
_SKIPPING = ("pruning", "enable_page_index", _BLOOM, "pushdown_filters", "reorder_filters")


def settings(pushdown: str, version: str = "") -> dict[str, str]:
    """Return the options of a session (https://datafusion.apache.org/user-guide/configs.html).

    `on` is the defaults: row groups and pages are skipped, and rows filtered after they were read; `late`
    filters rows while they are read; `off` skips nothing, and trusts no statistics for aggregates. Before 38
    no option concerns reading Bloom filters, and one that is unknown ends in a panic; "" is a new version.
    """
    if pushdown == "late":
        return {_PARQUET + "pushdown_filters": "true"}
    if pushdown != "off":
        return {}
    old = version != "" and int(version.partition(".")[0]) < _BLOOM_SINCE
    off = {_PARQUET + name: "false" for name in _SKIPPING if not (old and name == _BLOOM)}
    return {**off, "datafusion.execution.collect_statistics": "false"}


def ask(datafusion: Any, frame: Any, query: Query) -> Any:
    """Return the data frame that is the answer to a query."""
    schema = frame.schema()
    if isinstance(query, Batches):
        return frame
    if isinstance(query, Aggregate):
        return _aggregate(datafusion, frame, query, schema)
    assert isinstance(query, (Filter, Project))
    rows = (
        frame.filter(expression(datafusion, query.predicate, schema)) if isinstance(query, Filter) else frame
    )
    if query.columns is None:
        return rows
    names = [column_source((only(name, schema.names),)) for name in query.columns]
    return rows.select(*[evaluate(name, {"datafusion": datafusion}) for name in names])


def _aggregate(datafusion: Any, frame: Any, query: Aggregate, schema: Any) -> Any:
    import pyarrow as pa

    arrow_type(pa, schema, query.path)
    return frame.aggregate([], list(evaluate(f"({aggregates(query)})", {"datafusion": datafusion})))


def expression(datafusion: Any, predicate: Predicate, schema: Any) -> Any:
    """Return the `datafusion.Expr` of a predicate."""
    import pyarrow as pa

    for test in leaves(predicate):
        type_ = arrow_type(pa, schema, test.path)
        if isinstance(test, StartsWith) and type_ not in texts(pa):
            raise Unsupported(f"DataFusion's starts_with takes text, not {type_}")
    return evaluate_arrow(condition(predicate), pa, schema, {"datafusion": datafusion})


def texts(pa: Any) -> list[Any]:
    """Return the types of text that this pyarrow has."""
    return [getattr(pa, name)() for name in _TEXTS if hasattr(pa, name)]


def aggregates(query: Aggregate) -> str:
    """Return the expressions of an aggregate, joined by commas."""
    column = column_source(query.path)
    calls = ("count_star()", f"count({column})", f"min({column})", f"max({column})")
    return ", ".join(f"datafusion.functions.{call}.alias({name!a})" for call, name in zip(calls, AGGREGATES))


def condition(predicate: Predicate) -> str:
    """Return a predicate as an expression of DataFusion, of `type_of` and the `schema` of the columns."""
    return joined(predicate, _test)


def _test(test: Test, _: bool) -> str:
    column, target = column_source(test.path), f"type_of(schema, {test.path!a})"
    if isinstance(test, IsNull):
        return f"{column}.is_null()"
    if isinstance(test, StartsWith):
        return f"datafusion.functions.starts_with({column}, datafusion.lit({text_of(test.prefix)!a}))"
    if isinstance(test, Compare):
        constant = f"datafusion.lit({arrow(test.type, (test.value,), target)}[0])"
        return f"{column} {operator(test.op)} {constant}"
    if isinstance(test, In):
        constants = f"[datafusion.lit(value) for value in {arrow(test.type, test.values, target)}]"
        return f"datafusion.functions.in_list({column}, {constants}, False)"
    raise unhandled(test)


def column_source(path: tuple[str, ...]) -> str:
    """Return the expression of a column, or of a field of structs."""
    name = '"' + path[0].replace('"', '""') + '"'
    return f"datafusion.col({name!a})" + "".join(f"[{field!a}]" for field in path[1:])
