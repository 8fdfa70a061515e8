"""Queries as Spark's SQL: constants are casts to the column's type, which Spark folds before pushdown."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

from corpora.column_queries import offset_of
from corpora.predicates import Predicate
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
from harness.engines.scripts.literals import dotted, execute, fields_list
from harness.engines.scripts.select import MATCH, SMALL, SOURCE
from harness.engines.spark.builder import Builder
from harness.engines.spark.checks import check, type_at
from harness.engines.spark.clocks import instant_of
from harness.engines.spark.variants import column_source, held_condition, held_source, of_variants
from harness.engines.spark.versions import file_of_row
from harness.engines.spark.ways import WHOLE, Way
from harness.engines.terms import where

OF_VALUES = (Aggregate, CountRows, Distinct, Groups, Top)  # of one row, or of the values of a column
ALL = "'*'"  # columns
OfValues = Union[Aggregate, CountRows, Distinct, Groups, Top]
_ROWS = f"F.expr('count(1)').alias({COUNT!a})"


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
    if way.plan and not isinstance(query, (Filter, Join)):
        raise Unsupported("this way is one of joins")
    names = _executed(frame, query, [*rows(query, way), f"columns = [{selected(query)}]"])
    if isinstance(query, Join):
        plan = names["frame"]._jdf.queryExecution().optimizedPlan().toString()
        if way.plan not in plan:
            raise Unsupported(f"no {way.plan} is in the plan")
    return names["frame"], names["columns"]


def aggregate(frame: Any, query: OfValues, way: Way) -> Any:
    """Return the frame that is the answer to a query of the values of a column, or of a number of rows.

    One file at a time.
    """
    return _executed(frame, query, [*rows(query, way), *values(query, way)])["frame"]


def aggregate_by_file(frame: Any, query: Aggregate | CountRows, way: Way, name: str) -> Any:
    """Return the answers of several files: rows of a file, in a column `name`, and its answer.

    A file of which no row is left has none.
    """
    names = _executed(frame, query, [*rows(query, way), cells(query)])
    return names["frame"].groupBy(file_of_row().alias(name)).agg(*names["cells"])


def _executed(frame: Any, query: Query, lines: list[str]) -> dict[str, Any]:
    """Return the names behind the lines of a query of `frame`; raises Unsupported for what is not there."""
    from pyspark.sql import SparkSession, functions

    check(frame, query)
    return execute(lines, {**names_of(frame), "F": functions, "SparkSession": SparkSession})


def names_of(frame: Any) -> dict[str, Any]:
    """Return the frame and the functions that stand in the lines of a condition.

    Of the microseconds of a timestamp's wall clock, `moment` returns the instant: a cast to TIMESTAMP_NTZ
    shows that instant as the same clock.
    """

    def type_of(frame: Any, path: tuple[str, ...]) -> str:
        return str(type_at(frame, path).simpleString())

    def moment(type_: str, micros: int) -> int:
        return instant_of(frame, micros) if type_.startswith("timestamp") else micros

    return {"frame": frame, "type_of": type_of, "moment": moment}


def rows(query: Query, way: Way) -> list[str]:
    """Return the lines that make `frame` the rows of a query, before `selected`, or `values` of them.

    The names in them are those that `_executed` gives; raises Unsupported for a query that Spark lacks.
    """
    predicate = predicate_of(query)
    lines = [] if predicate is None else _filtered(predicate)
    if isinstance(query, Slice):
        offset = f".offset({query.offset})" if query.offset else ""
        return [*lines, f"frame = frame{offset}.limit({query.rows})"]
    if isinstance(query, TopRows):
        offset = f".offset({offset_of(query)})" if offset_of(query) else ""
        order = f"{column_source(query.path)}.{_order(query)}()"
        return [*lines, f"frame = frame.orderBy({order}){offset}.limit({query.rows})"]
    if isinstance(query, FilterHeld):
        return [f"held = {held_source(query)}", f"frame = frame.where({held_condition(query)})"]
    if isinstance(query, Join):
        return _joined(query, way)
    if not isinstance(query, (*OF_VALUES, Filter, Project, Batches, Fields, Extract, ToJson)):
        raise Unsupported(f"Spark does not answer queries of kind {query.kind}")
    return lines


def selected(query: Query) -> str:
    """Return the columns to select of the `rows` of a query that is no aggregate, joined by commas."""
    if isinstance(query, Fields):
        return fields_list(query, column_source)
    if isinstance(query, (Extract, ToJson)):
        return of_variants(query)
    names = getattr(query, "columns", None)
    return ALL if names is None else ", ".join(column_source((name,)) for name in names)


def values(query: OfValues, way: Way) -> list[str]:
    """Return the lines that make `frame`, the `rows` of a query, the answer of one row, or of a column."""
    if isinstance(query, (Aggregate, CountRows)):
        return [cells(query), f"frame = {WHOLE if isinstance(query, CountRows) else way.aggregate}"]
    value = f"{column_source(query.path)}.alias({VALUE!a})"
    if isinstance(query, Distinct):
        return [f"frame = frame.select({value}).distinct()"]
    if isinstance(query, Groups):
        return [f"frame = frame.groupBy({value}).agg({_ROWS})"]
    order = f"F.col({VALUE!a}).{_order(query)}()"
    return [f"frame = frame.select({value}).orderBy({order}).limit({query.rows})"]


def cells(query: Aggregate | CountRows) -> str:
    """Return the line of the expressions of an aggregate."""
    if isinstance(query, CountRows):
        return f"cells = [{_ROWS}]"
    column = dotted(query.path, "`")
    parts = ("count(1)", f"count({column})", f"min({column})", f"max({column})")
    named = (f"F.expr({part!a}).alias({name!a})" for part, name in zip(parts, query.names))
    return f"cells = [{', '.join(named)}]"


def _order(query: Sorted) -> str:
    direction = "desc" if query.descending else "asc"
    return f"{direction}_{'nulls_first' if query.nulls_first else 'nulls_last'}"


def _filtered(predicate: Predicate) -> list[str]:
    text, columns, values = condition(predicate)
    names = [*(f"t{at}=t{at}" for at in range(len(columns))), *map("=".join, values.items())]
    types = [f"t{at} = type_of(frame, {path!a})" for at, path in enumerate(columns)]
    return [*types, f"frame = frame.where({text!a}.format({', '.join(names)}))"]


def _joined(query: Join, way: Way) -> list[str]:
    """Return the lines of a join of `frame` and a small table; NOT IN, of views of them."""
    builder = Builder()
    constants = (
        "CAST(NULL AS {t0})" if value is None else builder.constant(query.type, value, "{t0}")
        for value in query.values
    )
    listed = ", ".join(f"({constant})" for constant in constants)
    text = f"SELECT * FROM VALUES {listed} AS small({MATCH})"  # noqa: S608 - literals
    names = ["t0=t0", *map("=".join, builder.values.items())]
    small = [f"small = SparkSession.getActiveSession().sql({text!a}.format({', '.join(names)}))"]
    small += [f"small = {way.small}"] if way.small != "small" else []
    return [f"t0 = type_of(frame, {query.path!a})", *small, f"frame = {_join(query)}"]


def _join(query: Join) -> str:
    if isinstance(query, AntiJoin) and query.not_in:
        column = dotted(query.path, "`")
        sql = f"SELECT * FROM {SOURCE} WHERE {column} NOT IN (SELECT {MATCH} FROM {SMALL})"  # noqa: S608 - quoted
        views = f"frame.createOrReplaceTempView({SOURCE!a}), small.createOrReplaceTempView({SMALL!a})"
        return f"({views}, SparkSession.getActiveSession().sql({sql!a}))[2]"
    how = "left_anti" if isinstance(query, AntiJoin) else "left_semi"
    column = f"frame[{dotted(query.path, '`')!a}]"
    return f"frame.join(small, {column} == small[{MATCH!a}], {how!a})"


def condition(predicate: Predicate) -> Condition:
    """Return the condition of a filter."""
    builder = Builder()
    return Condition(where(predicate, builder.test), builder.columns, builder.values)
