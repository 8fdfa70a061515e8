"""Queries of a column with given constants, such as values of the column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from corpora import expressions
from corpora.build.questions import constants
from corpora.build.questions.columns import Bounds, ColumnFacts
from corpora.constants import QueryError, order_key
from corpora.predicates import Compare, Computed, IsNull, Not, NotTrue, NullSafe, Predicate
from corpora.queries import Aggregate, AntiJoin, Filter, Query, SemiJoin, Top, TopRows
from corpora.tagged import Value

_LONGEST = 64  # characters of a pattern
TOP = 3  # of the sorted values: fewer than most row groups have


def filters(predicates: Iterator[Predicate]) -> Iterator[Query]:
    """Yield a filter for each predicate."""
    return map(Filter, predicates)


def comparison(column: ColumnFacts, op: str, value: Value) -> Iterator[Predicate]:
    """Yield a comparison, unless there is no constant."""
    if value is not None:
        yield Compare(column.path, op, column.type, value)


def comparisons(column: ColumnFacts, *pairs: tuple[str, Value]) -> Iterator[Predicate]:
    """Yield a comparison for each operator and constant."""
    for op, value in pairs:
        yield from comparison(column, op, value)


def negated(column: ColumnFacts, *pairs: tuple[str, Value]) -> Iterator[Predicate]:
    """Yield negated comparisons."""
    yield from map(Not, comparisons(column, *pairs))


def untrue(column: ColumnFacts, *pairs: tuple[str, Value]) -> Iterator[Predicate]:
    """Yield comparisons that are not TRUE: FALSE, or UNKNOWN, as of a null."""
    yield from map(NotTrue, comparisons(column, *pairs))


def aggregates(column: ColumnFacts) -> Iterator[Query]:
    """Yield the aggregates of a column: its type is comparable, so that it has extremes."""
    yield Aggregate(column.path)


def null_tests(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield the tests for null."""
    yield IsNull(column.path)
    yield Not(IsNull(column.path))


def equalities(column: ColumnFacts) -> Iterator[Query]:
    """Yield equality with values that are there: single ones, the extremes, and one in the middle."""
    values = column.values
    chosen = [*values[:1], *values[-1:], *column.single[:1], *column.single[-1:]]
    chosen += values[len(values) // 2 : len(values) // 2 + 1]
    for value in dict.fromkeys(chosen):
        yield from filters(comparison(column, "=", value))


def distinct_from(column: ColumnFacts, value: Value) -> Iterator[Predicate]:
    """Yield IS DISTINCT FROM a constant."""
    yield Not(NullSafe(column.path, column.type, value))


def null_safe(column: ColumnFacts, value: Value) -> Iterator[Query]:
    """Yield null-safe equality with a value or with null, and its opposite."""
    yield Filter(NullSafe(column.path, column.type, value))
    yield from filters(distinct_from(column, value))


def semi_joins(column: ColumnFacts, values: Sequence[Value]) -> Iterator[Query]:
    """Yield semi-joins with a table of values; with a null among them, and of one column."""
    few = tuple(values)
    if few:
        yield SemiJoin(column.path, column.type, few)
        yield SemiJoin(column.path, column.type, (*few, None), column.path[:1])


def anti_joins(column: ColumnFacts, values: Sequence[Value]) -> Iterator[Query]:
    """Yield anti-joins with a table of values, by NOT EXISTS and NOT IN; the last ones with a null in it."""
    few = tuple(values)
    if few:
        yield AntiJoin(column.path, column.type, few)
        yield AntiJoin(column.path, column.type, few, column.path[:1], not_in=True)
        yield AntiJoin(column.path, column.type, (None, *few), column.path[:1])
        yield AntiJoin(column.path, column.type, (*few, None), None, not_in=True)


def computed(column: ColumnFacts) -> Iterator[Query]:
    """Yield comparisons of functions of a column with their results for values that are there.

    Where a function is not defined for all values that were read, the query is left out.
    """
    if not column.values or column.strays:
        return
    for function, argument, op in _functions(column):
        try:
            results = _results(column, function, argument)
            type_ = expressions.result_type(function, argument, column.type)
            wanted = True if function in expressions.CONDITIONS else results[1]
            yield Filter(Computed(column.path, function, argument, op, type_, wanted))
        except QueryError:
            continue
    yield from _beyond(column)


def _results(column: ColumnFacts, function: str, argument: str | None) -> list[Value]:
    """Return the results for the first value, one in the middle and the last; raises QueryError.

    Where dates or numbers have no result, the first or the last of them has none; of texts it may be any.
    """
    some = (column.values[0], middle_of(column), column.values[-1])
    for value in column.values if function == "lower" else ():
        expressions.apply(function, argument, column.type, value)
    return [expressions.apply(function, argument, column.type, value) for value in some]


def _beyond(column: ColumnFacts) -> Iterator[Query]:
    """Yield casts of a column to a wider or finer type, against constants that the column's type lacks.

    Readers compare such a column without the cast, where they can: with a constant of the column's type.
    """
    type_, bits = column.type, column.type.bits or 64
    argument = expressions.wider(type_)
    if not argument:
        return
    wide = expressions.result_type("cast", argument, type_)
    if type_.kind == "int":
        above, below = (1 << bits - bool(type_.signed), -(1 << bits - 1) - 1 if type_.signed else -1)
        pairs = [("<", str(above)), ("=", str(above)), (">", str(below)), ("!=", str(below))]
        yield from (Filter(Computed(column.path, "cast", argument, op, wide, value)) for op, value in pairs)
        return
    with suppress(QueryError):
        _results(column, "cast", argument)
        greatest, least = ends(column)
        for value, step, ops in (
            (least, constants.above, ("<", "!=")),
            (middle_of(column), constants.above, ("=", "<=")),
            (greatest, constants.below, (">", ">=")),
        ):
            if value is not None and not constants.is_nan(type_, value):
                beside = step(wide, expressions.apply("cast", argument, type_, value))
                for op in ops if beside is not None else ():
                    yield Filter(Computed(column.path, "cast", argument, op, wide, beside))


def _functions(column: ColumnFacts) -> Iterator[tuple[str, str | None, str]]:
    """Yield functions, their arguments, and comparisons with the result for the value in the middle."""
    kind = column.type.kind
    if kind == "int":
        yield from (("cast", "string", "="), ("cast", "int64", ">="), ("add", "1", ">"), ("add", "-1", "="))
        yield from (("cast", "int32", "="), ("cast", "int64", "!="))
    elif kind in {"float", "decimal"} and (argument := expressions.wider(column.type)):
        yield from (("cast", argument, "="), ("cast", argument, "<"))
    elif kind in {"date", "timestamp"}:
        yield from (("year", None, "="), ("year", None, ">"))
        if kind == "timestamp":
            yield from (
                ("cast", "date", "="),
                ("cast", "date", "<"),
                ("cast", "date", ">="),
                ("date_trunc", "month", ">="),
                ("date_trunc", "day", "="),
                ("date_trunc", "hour", "<"),
            )
    elif kind == "bool":
        yield "itself", None, "="
    elif kind == "string":
        yield from _of_text(str(middle_of(column)))


def _of_text(text: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield functions of text, among them patterns that do or do not begin with characters of a value."""
    yield from (("prefix", "1", "="), ("lower", None, "="))
    if not set("%_\\") & set(text):
        half = text[: max(1, len(text) // 2)][:_LONGEST]
        patterns = (f"{half}%", f"%{text[-2:]}", f"%{text[1:3]}%", f"{half[:-1]}_%")
        yield from (("like", pattern, "=") for pattern in patterns)


def tops(column: ColumnFacts) -> Iterator[Query]:
    """Yield the first and the last values and their rows, nulls before or behind them."""
    for descending, nulls_first in ((False, False), (True, False), (False, True), (True, True)):
        yield Top(column.path, TOP, descending, nulls_first)
        yield TopRows(column.path, TOP, descending, nulls_first)


def middle_of(column: ColumnFacts) -> Value:
    """Return the value in the middle, None if there is none."""
    return column.values[len(column.values) // 2] if column.values else None


def ends(column: ColumnFacts) -> tuple[Value, Value]:
    """Return the greatest and the smallest value that is no NaN; of bounds, if no value was read."""
    candidates = list(column.values)
    if not candidates:
        pairs = (*column.bounds, *column.page_bounds)
        candidates = [bound for pair in pairs for bound in pair if bound is not None]
        candidates.sort(key=lambda value: order_key(column.type, value, "total"))
    numbers = [value for value in candidates if not constants.is_nan(column.type, value)]
    return (numbers[-1], numbers[0]) if numbers else (None, None)


def outermost_of(bounds: Sequence[Bounds]) -> list[Bounds]:
    """Return the first bounds, the last, and those in the middle."""
    chosen = [*bounds[:1], *bounds[-1:], *bounds[len(bounds) // 2 : len(bounds) // 2 + 1]]
    return list(dict.fromkeys(chosen))
