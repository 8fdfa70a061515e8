"""The queries of one column, the most telling first: what its marks call for, then what any column is asked.

A column without marks is asked in the order of what has shown most findings: equality with values that are
there, bounds and their neighbours, nulls, aggregates, and negations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest

from corpora.build.questions import constants, marks
from corpora.build.questions.columns import Bounds, ColumnFacts
from corpora.constants import TEXT, comparable, order_key
from corpora.predicates import And, Compare, In, IsNull, Not, Or, Predicate, StartsWith
from corpora.queries import Aggregate, Filter, Query
from corpora.tagged import Value

# Lengths of IN: three values; more than parquet-java and DataFusion turn into comparisons (10 and 20).
_IN_LENGTHS = (3, 12, 25)
_NO_EXTREMES = ("bytes", "uuid", "bson", "bool", "duration")
_PREFIX = 64  # characters


def queries(column: ColumnFacts) -> list[Query]:
    """Return the queries of a column, each once."""
    if not comparable(column.type):
        return [*_filters(_nulls(column))]
    called = [list(_CALLED[mark](column)) for mark in marks.by_weight(column.marks) if mark in _CALLED]
    return list(dict.fromkeys(chain(_in_turns(called), _general(column))))


def _in_turns(lists: Sequence[Sequence[Query]]) -> Iterator[Query]:
    """Yield the first of each list, then the second of each, and so on."""
    return (query for turn in zip_longest(*lists) for query in turn if query is not None)


def _filters(predicates: Iterator[Predicate]) -> Iterator[Query]:
    return map(Filter, predicates)


def _compare(column: ColumnFacts, op: str, value: Value) -> Iterator[Predicate]:
    """Yield a comparison, unless there is no constant."""
    if value is not None:
        yield Compare(column.path, op, column.type, value)


def _all(column: ColumnFacts, *pairs: tuple[str, Value]) -> Iterator[Predicate]:
    for op, value in pairs:
        yield from _compare(column, op, value)


# What marks call for.


def _of_nan(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries by which NaN is lost: bounds leave NaN out, and orders differ in where NaN stands."""
    nan = constants.nan(column.type)
    high, low = _ends(column)
    yield from _filters(_all(column, (">", high), ("=", nan)))
    yield from _aggregates(column)
    yield from _filters(_negated(column, ("<=", nan), (">=", low)))
    yield from _filters(_all(column, ("<=", high), ("!=", low), ("<", nan), (">=", nan), ("!=", nan)))
    yield from _filters(_all(column, *((op, bound) for op, bound in ((">=", low), (">", low)))))


def _of_zero(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries of the zero that the column does not have, and around it."""
    zeros = constants.zeros(column.type)
    for zero in sorted(zeros, key=lambda zero: zero in column.values):
        yield from _filters(_all(column, ("=", zero)))
    plus, minus = zeros
    yield from _filters(_all(column, ("<=", minus), (">=", plus), ("<", plus), (">", minus), ("!=", minus)))
    yield Filter(In(column.path, column.type, (minus,)))


def _of_float(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries that the bounds of any column of floats decide wrongly, if NaN has no place in them."""
    high, _ = _ends(column)
    yield from _filters(_negated(column, ("<=", constants.nan(column.type))))
    yield from _filters(_all(column, (">", high), ("=", constants.nan(column.type))))


def _of_null_count(column: ColumnFacts) -> Iterator[Query]:
    yield from _filters(_nulls(column))
    yield from _aggregates(column)
    yield from _equal(column)


def _of_bounds(column: ColumnFacts) -> Iterator[Query]:
    """Yield queries of values that wrong or absent bounds exclude."""
    high, low = _ends(column)
    yield from _equal(column)
    yield from _aggregates(column)
    yield from _filters(_all(column, (">=", high), ("<=", low), ("!=", low), ("<", high), (">", low)))


def _of_aggregates(column: ColumnFacts) -> Iterator[Query]:
    yield from _aggregates(column)
    yield from _of_bounds(column)


def _of_bloom(column: ColumnFacts) -> Iterator[Query]:
    """Yield equality: with values that are there, and their neighbours, which are not."""
    yield from _equal(column)
    for value in column.values[:1]:
        yield from _filters(_all(column, ("=", constants.above(column.type, value))))
        yield Filter(In(column.path, column.type, (value,)))


def _of_empty(column: ColumnFacts) -> Iterator[Query]:
    high, low = _ends(column)
    yield from _filters(_all(column, ("!=", low), ("=", high), (">=", low)))
    yield from _aggregates(column)


def _of_order(column: ColumnFacts) -> Iterator[Query]:
    high, low = _ends(column)
    yield from _filters(_all(column, ("<", high), (">", low), ("=", low), ("=", high)))
    yield from _equal(column)


def _of_nested(column: ColumnFacts) -> Iterator[Query]:
    """Yield tests that a null struct must not pass."""
    high, low = _ends(column)
    yield Filter(IsNull(column.path))
    if column.type.kind in TEXT:
        yield Filter(StartsWith(column.path, ""))
    above = constants.above(column.type, high) if high is not None else None
    yield from _filters(_all(column, ("<", above), ("<=", high), ("!=", low)))
    yield Filter(Not(IsNull(column.path)))
    yield from _aggregates(column)


def _of_pages(column: ColumnFacts) -> Iterator[Query]:
    for low, high in _outermost(column.page_bounds):
        yield from _filters(_all(column, ("=", low), ("=", high), ("<", high), (">", low)))


_CALLED: dict[str, Callable[[ColumnFacts], Iterator[Query]]] = {
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
}


# What any column is asked.


def _general(column: ColumnFacts) -> Iterator[Query]:
    high, low = _ends(column)
    last = column.values[-1] if column.values else None
    yield from _filters(_all(column, ("=", last)))
    yield Filter(IsNull(column.path))
    yield from _aggregates(column)
    yield from _filters(_all(column, (">", high), ("<=", low), ("!=", _middle(column))))
    yield from _filters(_absent(column))
    yield from _filters(_negated(column, ("=", _middle(column)), ("<", high)))
    yield from _filters(_lists(column))
    yield from _filters(_prefixes(column))
    yield from _filters(_ranges(column))
    yield Filter(Not(IsNull(column.path)))
    yield from _equal(column)
    for bounds in (column.bounds, column.page_bounds):
        for pair in _outermost(bounds):
            yield from _filters(_around(column, pair))
    yield from _filters(_special(column))


def _aggregates(column: ColumnFacts) -> Iterator[Query]:
    if column.type.kind not in _NO_EXTREMES:
        yield Aggregate(column.path)


def _nulls(column: ColumnFacts) -> Iterator[Predicate]:
    yield IsNull(column.path)
    yield Not(IsNull(column.path))


def _equal(column: ColumnFacts) -> Iterator[Query]:
    """Yield equality with values that are there: single ones, the extremes, and one in the middle."""
    values = column.values
    chosen = [*values[:1], *values[-1:], *column.single[:1], *column.single[-1:]]
    chosen += values[len(values) // 2 : len(values) // 2 + 1]
    for value in dict.fromkeys(chosen):
        yield from _filters(_compare(column, "=", value))


def _negated(column: ColumnFacts, *pairs: tuple[str, Value]) -> Iterator[Predicate]:
    yield from map(Not, _all(column, *pairs))


def _absent(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield comparisons with a constant inside the bounds that no row has."""
    high, low = _ends(column)
    if low is None or high is None:
        return
    value = constants.between(column.type, low, high, column.values)
    yield from _all(column, ("=", value), ("!=", value), ("<", value))


def _lists(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield IN of values and their neighbours, in lengths around the thresholds of engines."""
    near = (constants.above(column.type, value) for value in column.values)
    pool = list(dict.fromkeys(value for value in (*column.values[-2:], *near) if value is not None))
    for length in _IN_LENGTHS:
        if len(pool) >= length:
            yield In(column.path, column.type, tuple(pool[:length]))


def _prefixes(column: ColumnFacts) -> Iterator[Predicate]:
    if column.type.kind not in TEXT:
        return
    for value in dict.fromkeys(map(str, (*column.values[-1:], *column.values[:1]))):
        for length in (1, len(value) // 2, len(value)):
            yield StartsWith(column.path, value[: min(length, _PREFIX)])
    yield StartsWith(column.path, "")


def _ranges(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield BETWEEN and its opposite, and a test joined with a test for null."""
    high, low = _ends(column)
    middle = _middle(column)
    if low is None or high is None or middle is None:
        return
    path, type_ = column.path, column.type
    yield And((Compare(path, ">=", type_, low), Compare(path, "<=", type_, middle)))
    yield And((Compare(path, ">", type_, low), Compare(path, "<", type_, high)))
    yield Or((Compare(path, "<", type_, middle), Compare(path, ">", type_, middle)))
    yield Or((Compare(path, "=", type_, high), IsNull(path)))


def _around(column: ColumnFacts, pair: Bounds) -> Iterator[Predicate]:
    """Yield comparisons with bounds and their neighbours."""
    low, high = pair
    if low is not None:
        before = constants.below(column.type, low)
        yield from _all(column, ("=", low), ("<", low), ("<=", low), (">", before), ("<=", before))
    if high is not None:
        after = constants.above(column.type, high)
        yield from _all(column, ("=", high), (">", high), (">=", high), ("<", after), (">=", after))


def _special(column: ColumnFacts) -> Iterator[Predicate]:
    if column.type.kind == "float":
        nan = constants.nan(column.type)
        least, most = constants.infinities(column.type)
        plus, minus = constants.zeros(column.type)
        yield from _all(column, ("=", nan), ("<=", nan), ("!=", nan), ("<", most), (">", least))
        yield from _negated(column, ("<=", nan))
        yield from _all(column, ("=", plus), ("=", minus), ("<", plus), (">", minus))
    if column.type.kind in TEXT or column.type.kind in ("bytes", "bson"):
        yield from _all(column, ("=", ""), (">", ""), ("<=", ""))


def _middle(column: ColumnFacts) -> Value:
    return column.values[len(column.values) // 2] if column.values else None


def _ends(column: ColumnFacts) -> tuple[Value, Value]:
    """Return the greatest and the smallest value that is no NaN; of bounds, if no value was read."""
    candidates = list(column.values)
    if not candidates:
        pairs = (*column.bounds, *column.page_bounds)
        candidates = [bound for pair in pairs for bound in pair if bound is not None]
        candidates.sort(key=lambda value: order_key(column.type, value, "total"))
    numbers = [value for value in candidates if not constants.is_nan(column.type, value)]
    return (numbers[-1], numbers[0]) if numbers else (None, None)


def _outermost(bounds: Sequence[Bounds]) -> list[Bounds]:
    """Return the first bounds, the last, and those in the middle."""
    chosen = [*bounds[:1], *bounds[-1:], *bounds[len(bounds) // 2 : len(bounds) // 2 + 1]]
    return list(dict.fromkeys(chosen))
