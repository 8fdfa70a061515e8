"""Queries as Spark's SQL: constants are casts to the column's type, which Spark folds before pushdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from corpora.column_queries import offset_of
from corpora.predicates import (
    Compare,
    Computed,
    In,
    NullSafe,
    Predicate,
    leaves,
)
from corpora.queries import (
    COUNT,
    VALUE,
    Aggregate,
    AntiJoin,
    Batches,
    CountRows,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    Slice,
    Sorted,
    ToJson,
    Top,
    TopRows,
    predicate_of,
)
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted, evaluate, fields_list
from harness.engines.scripts.select import MATCH, SMALL, SOURCE
from harness.engines.spark.builder import Builder
from harness.engines.spark.checks import check_char, check_constant, check_variant, check_zone, type_at
from harness.engines.spark.clocks import instant_of
from harness.engines.spark.variants import column_source, held_condition, held_source, held_type, of_variants
from harness.engines.spark.versions import file_of_row
from harness.engines.spark.ways import WHOLE, Way
from harness.engines.terms import (
    constants_of,
    where,
)

_OF_MOMENTS = ("year", "date_trunc")  # functions of moments
_MOMENTS = ("date", "timestamp")  # kinds of types of moments
_ROWS = f"F.expr('count(1)').alias({COUNT!a})"
NUMBER_OF_ROWS = f"frame.agg({_ROWS})"


class Condition(NamedTuple):
    """A condition as Spark's SQL.

    `text` is a format string of the types `t0`, `t1`, … of the `columns`, and of `values`, which are
    expressions of Python: of those types, and of `moment(type, microseconds)` for wall clocks.
    """

    text: str
    columns: list[tuple[str, ...]]
    values: dict[str, str]


def ask(frame: Any, query: Query, way: Way) -> tuple[Any, list[Any]]:
    """Return the rows of a query that is no aggregate, and the columns to select of them.

    Raises Unsupported in a way of semi-joins for other queries, and where it is not in the plan.
    """
    from pyspark.sql import functions

    columns: list[Any] = ["*"]
    names = getattr(query, "columns", None)
    if names is not None:
        for name in names:
            type_at(frame, (name,))
        columns = evaluate(f"[{select_list(names)}]", {"F": functions})
    if isinstance(query, Filter):
        return frame.filter(functions.expr(_bound(frame, query.predicate))), columns
    if isinstance(query, Join):
        rows = _joined(frame, query, way)
        if way.plan not in rows._jdf.queryExecution().optimizedPlan().toString():
            raise Unsupported(f"no {way.plan} is in the plan")
        return rows, columns
    if way.plan:
        raise Unsupported("this way is one of joins")
    if isinstance(query, Fields):
        for path in query.paths:
            type_at(frame, path)
        return _filtered(frame, query), evaluate(f"[{fields_list(query, column_source)}]", {"F": functions})
    if isinstance(query, Slice):
        _check_offset(frame, query.offset)
        return evaluate(slice_of(query), {"frame": _filtered(frame, query)}), columns
    if isinstance(query, TopRows):
        type_at(frame, query.path)
        _check_offset(frame, offset_of(query))
        return evaluate(first_of(query), {"frame": _filtered(frame, query), "F": functions}), columns
    if isinstance(query, FilterHeld):
        return frame.filter(_held_condition(frame, query)), columns
    if isinstance(query, (Extract, ToJson)):
        check_variant(frame, query.path)
        return frame, [evaluate(of_variants(query), {"F": functions})]
    assert isinstance(query, (Project, Batches))
    return frame, columns


def _filtered(frame: Any, query: Query) -> Any:
    """Return the rows for which a query's predicate is TRUE, all rows if it has none."""
    from pyspark.sql import functions

    predicate = predicate_of(query)
    return frame if predicate is None else frame.filter(functions.expr(_bound(frame, predicate)))


def _check_offset(frame: Any, offset: int) -> None:
    """Raise Unsupported for an offset that this version of Spark does not have."""
    if offset and not hasattr(frame, "offset"):
        raise Unsupported("this Spark has no offset")


def aggregate(frame: Any, query: Aggregate | CountRows | Distinct | Groups | Top, way: str) -> Any:
    """Return the frame that is the answer to a query of the values of a column, or of a number of rows.

    One file at a time. `way` is that of an aggregate, of `frame` and `cells`.
    """
    from pyspark.sql import functions

    if isinstance(query, (Aggregate, CountRows)):
        rows, cells = _cells(frame, query)
        return evaluate(WHOLE if isinstance(query, CountRows) else way, {"frame": rows, "cells": cells})
    type_at(frame, query.path)
    return evaluate(of_column(query), {"frame": frame, "F": functions})


def aggregate_by_file(frame: Any, query: Aggregate | CountRows, name: str) -> Any:
    """Return the answers of several files: rows of a file, in a column `name`, and its answer.

    A file of which no row is left has none.
    """
    rows, cells = _cells(frame, query)
    return rows.groupBy(file_of_row().alias(name)).agg(*cells)


def _cells(frame: Any, query: Aggregate | CountRows) -> tuple[Any, list[Any]]:
    """Return the rows that a query aggregates, and its expressions."""
    from pyspark.sql import functions

    rows = _filtered(frame, query)
    if isinstance(query, CountRows):
        return rows, [evaluate(_ROWS, {"F": functions})]
    type_at(frame, query.path)
    return rows, evaluate(f"[{aggregates(query)}]", {"F": functions})


def _bound(frame: Any, predicate: Predicate) -> str:
    """Return the SQL of a filter's condition; raises Unsupported for columns and constants that are none."""
    for test in leaves(predicate):
        target = type_at(frame, test.path).simpleString()
        if isinstance(test, Computed) and (test.function in _OF_MOMENTS or test.type.kind in _MOMENTS):
            check_zone(frame)
        if isinstance(test, (Compare, In)) or (isinstance(test, NullSafe) and test.value is not None):
            check_char(frame, test)
        for type_, value in constants_of(test) if not isinstance(test, Computed) else ():
            check_constant(type_, value, target)
    text, columns, values = condition(predicate)
    names = {f"t{at}": type_at(frame, path).simpleString() for at, path in enumerate(columns)}
    moment = _moment_of(frame)
    bound = {name: evaluate(value, {**names, "moment": moment}) for name, value in values.items()}
    return text.format(**names, **bound)


def _joined(frame: Any, query: Join, way: Way) -> Any:
    """Return the rows that a semi-join leaves; raises Unsupported for columns and constants that are none."""
    from pyspark.sql import functions

    target = type_at(frame, query.path).simpleString()
    test = In(query.path, query.type, tuple(value for value in query.values if value is not None))
    check_char(frame, test)
    for type_, value in constants_of(test):
        check_constant(type_, value, target)
    text, values = small_table(query)
    moment = _moment_of(frame)
    bound = {name: evaluate(value, {"t0": target, "moment": moment}) for name, value in values.items()}
    session = frame.sparkSession
    small = evaluate(way.small, {"small": session.sql(text.format(t0=target, **bound))})
    return evaluate(join(query), {"frame": frame, "small": small, "session": session, "F": functions})


def _held_condition(frame: Any, query: FilterHeld) -> Any:
    from pyspark.sql import functions

    check_variant(frame, query.path)
    target = held_type(query.type)
    for test in leaves(query.predicate):
        if isinstance(test, Computed) and (test.function in _OF_MOMENTS or test.type.kind in _MOMENTS):
            check_zone(frame)
        for type_, value in constants_of(test) if not isinstance(test, Computed) else ():
            check_constant(type_, value, target)
    held = evaluate(held_source(query), {"F": functions})
    return evaluate(held_condition(query), {"F": functions, "held": held, "moment": _moment_of(frame)})


def _moment_of(frame: Any) -> Callable[[str, int], int]:
    """Return a function of a type and microseconds: of a timestamp's wall clock, it returns the instant.

    A cast to TIMESTAMP_NTZ shows that instant as the same clock.
    """
    return lambda type_, micros: instant_of(frame, micros) if type_.startswith("timestamp") else micros


def condition(predicate: Predicate) -> Condition:
    """Return the condition of a filter."""
    builder = Builder()
    return Condition(where(predicate, builder.test), builder.columns, builder.values)


def small_table(query: Join) -> tuple[str, dict[str, str]]:
    """Return the SQL of the small table of a join, a format string, and its values (`Condition`)."""
    builder = Builder()
    cells = (
        "CAST(NULL AS {t0})" if value is None else builder.constant(query.type, value, "{t0}")
        for value in query.values
    )
    rows = ", ".join(f"({cell})" for cell in cells)
    return f"SELECT * FROM VALUES {rows} AS small({MATCH})", builder.values  # noqa: S608 - literals


def slice_of(query: Slice) -> str:
    """Return the expression of the rows of a slice, of a `frame` that has been filtered."""
    offset = f".offset({query.offset})" if query.offset else ""
    return f"frame{offset}.limit({query.rows})"


def join(query: Join) -> str:
    """Return the expression of a join of `frame` and `small`; NOT IN, of views of them in the `session`."""
    if isinstance(query, AntiJoin) and query.not_in:
        column = dotted(query.path, "`")
        sql = f"SELECT * FROM {SOURCE} WHERE {column} NOT IN (SELECT {MATCH} FROM {SMALL})"  # noqa: S608 - quoted
        views = f"frame.createOrReplaceTempView({SOURCE!a}), small.createOrReplaceTempView({SMALL!a})"
        return f"({views}, session.sql({sql!a}))[2]"
    how = "left_anti" if isinstance(query, AntiJoin) else "left_semi"
    column = f"frame[{dotted(query.path, '`')!a}]"
    return f"frame.join(small, {column} == small[{MATCH!a}], {how!a})"


def of_column(query: Distinct | Groups | Top) -> str:
    """Return the expression of a query of the values of a column, of `frame`."""
    value = f"{column_source(query.path)}.alias({VALUE!a})"
    if isinstance(query, Distinct):
        return f"frame.select({value}).distinct()"
    if isinstance(query, Groups):
        return f"frame.groupBy({value}).agg(F.expr('count(1)').alias({COUNT!a}))"
    return f"frame.select({value}).orderBy(F.col({VALUE!a}).{_order(query)}()).limit({query.rows})"


def first_of(query: TopRows) -> str:
    """Return the expression of the first rows, in the order of a column, of a `frame` that was filtered."""
    offset = f".offset({offset_of(query)})" if offset_of(query) else ""
    return f"frame.orderBy({column_source(query.path)}.{_order(query)}()){offset}.limit({query.rows})"


def _order(query: Sorted) -> str:
    direction = "desc" if query.descending else "asc"
    return f"{direction}_{'nulls_first' if query.nulls_first else 'nulls_last'}"


def select_list(names: Iterable[str]) -> str:
    """Return the expressions of columns, joined by commas."""
    return ", ".join(column_source((name,)) for name in names)


def aggregates(query: Aggregate) -> str:
    """Return the expressions of an aggregate, joined by commas."""
    column = dotted(query.path, "`")
    parts = ("count(1)", f"count({column})", f"min({column})", f"max({column})")
    return ", ".join(f"F.expr({part!a}).alias({name!a})" for part, name in zip(parts, query.names))
