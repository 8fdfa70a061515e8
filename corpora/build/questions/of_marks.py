"""The queries that the marks of a column call for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corpora.build.questions import constants, marks
from corpora.build.questions.columns import ColumnFacts
from corpora.build.questions.of_values import (
    aggregates,
    comparisons,
    distinct_from,
    ends,
    equalities,
    filters,
    negated,
    null_safe,
    null_tests,
    outermost_of,
    semi_joins,
    tops,
    untrue,
)
from corpora.constants import TEXT
from corpora.predicates import In, IsNull, Not, NullSafe, StartsWith
from corpora.queries import Distinct, Filter, Groups, Query


def _of_nan(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries by which NaN is lost: bounds leave NaN out, and orders differ in where NaN stands."""
    nan = constants.nan(column.type)
    high, low = ends(column)
    yield from filters(comparisons(column, (">", high), ("=", nan)))
    yield from aggregates(column)
    yield from filters(negated(column, ("<=", nan), (">=", low)))
    yield Filter(NullSafe(column.path, column.type, nan))
    yield from semi_joins(column, (nan,))
    yield from filters(comparisons(column, ("<=", high), ("!=", low), ("<", nan), (">=", nan), ("!=", nan)))
    yield from filters(distinct_from(column, low))
    yield from tops(column)
    yield from filters(untrue(column, ("<=", high), (">=", low)))
    yield from filters(comparisons(column, *((op, bound) for op, bound in ((">=", low), (">", low)))))


def _of_zero(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries of the zero that the column does not have, and around it."""
    zeros = constants.zeros(column.type)
    for zero in sorted(zeros, key=lambda zero: zero in column.values):
        yield from filters(comparisons(column, ("=", zero)))
    plus, minus = zeros
    yield from filters(
        comparisons(column, ("<=", minus), (">=", plus), ("<", plus), (">", minus), ("!=", minus))
    )
    yield Filter(In(column.path, column.type, (minus,)))
    for zero in zeros:
        yield from semi_joins(column, (zero,))
        yield Filter(NullSafe(column.path, column.type, zero))


def _of_float(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries that the bounds of any column of floats decide wrongly, if NaN has no place in them."""
    high, _ = ends(column)
    yield from filters(negated(column, ("<=", constants.nan(column.type))))
    yield from filters(comparisons(column, (">", high), ("=", constants.nan(column.type))))


def _of_null_count(column: ColumnFacts) -> Iterator[Query]:
    yield from filters(null_tests(column))
    yield from aggregates(column)
    yield from null_safe(column, None)
    yield from filters(untrue(column, (">=", ends(column)[1])))
    yield from tops(column)
    yield from equalities(column)


def _of_bounds(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries of values that wrong or absent bounds exclude."""
    high, low = ends(column)
    yield from equalities(column)
    yield from aggregates(column)
    yield from semi_joins(column, column.values[-1:])
    yield from tops(column)
    yield from null_safe(column, low)
    yield from filters(comparisons(column, (">=", high), ("<=", low), ("!=", low), ("<", high), (">", low)))


def _of_aggregates(column: ColumnFacts) -> Iterator[Query]:
    yield from aggregates(column)
    yield from _of_bounds(column)


def _of_bloom(column: ColumnFacts) -> Iterator[Query]:
    """Yield equality: with values that are there, and their neighbours, which are not."""
    yield from equalities(column)
    for value in column.values[:1]:
        yield from filters(comparisons(column, ("=", constants.above(column.type, value))))
        yield Filter(In(column.path, column.type, (value,)))
        yield Filter(NullSafe(column.path, column.type, value))
        yield from semi_joins(column, (value,))


def _of_empty(column: ColumnFacts) -> Iterator[Query]:
    high, low = ends(column)
    yield from filters(comparisons(column, ("!=", low), ("=", high), (">=", low)))
    yield from aggregates(column)
    yield from tops(column)


def _of_order(column: ColumnFacts) -> Iterator[Query]:
    high, low = ends(column)
    yield from filters(comparisons(column, ("<", high), (">", low), ("=", low), ("=", high)))
    yield from tops(column)
    yield from equalities(column)


def _of_nested(column: ColumnFacts) -> Iterator[Query]:
    """Yield tests that a null struct must not pass."""
    high, low = ends(column)
    yield Filter(IsNull(column.path))
    if column.type.kind in TEXT:
        yield Filter(StartsWith(column.path, ""))
    above = constants.above(column.type, high) if high is not None else None
    yield from filters(comparisons(column, ("<", above), ("<=", high), ("!=", low)))
    yield Filter(Not(IsNull(column.path)))
    yield from filters(untrue(column, (">=", low), ("=", high)))
    yield from aggregates(column)
    yield from null_safe(column, None)
    yield from tops(column)


def _of_pages(column: ColumnFacts) -> Iterator[Query]:
    for low, high in outermost_of(column.page_bounds):
        yield from filters(comparisons(column, ("=", low), ("=", high), ("<", high), (">", low)))
        yield from null_safe(column, low)
        yield from semi_joins(column, tuple(bound for bound in (low, high) if bound is not None))
    yield from tops(column)


def _of_dictionary(column: ColumnFacts) -> Iterator[Query]:
    yield from equalities(column)
    yield from (Groups(column.path), Distinct(column.path))


CALLED: dict[str, Callable[[ColumnFacts], Iterator[Query]]] = {
    marks.NAN: _of_nan,
    marks.ZERO: _of_zero,
    marks.NULL_COUNT: _of_null_count,
    marks.NO_BOUNDS: _of_bounds,
    marks.SOME_PARTS: _of_bounds,
    marks.DEPRECATED: _of_bounds,
    marks.INEXACT: _of_aggregates,
    marks.BLOOM: _of_bloom,
    marks.EMPTY: _of_empty,
    marks.ORDER: _of_order,
    marks.NESTED: _of_nested,
    marks.TEXT: _of_order,
    marks.PAGES: _of_pages,
    marks.FLOAT: _of_float,
    marks.MOMENT: _of_bloom,
    marks.DICTIONARY: _of_dictionary,
}
