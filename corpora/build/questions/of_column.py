"""The queries of one column, the most revealing first: those for its marks, then those for any column.

The queries of a column without marks are ordered by how many findings they have shown: equality with existing
values, bounds and their neighbours, nulls, aggregates, and negations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from corpora.build.questions import constants, marks
from corpora.build.questions.columns import Bounds, ColumnFacts
from corpora.build.questions.of_marks import CALLED
from corpora.build.questions.of_values import (
    TOP,
    aggregates,
    anti_joins,
    comparisons,
    computed,
    ends,
    equalities,
    filters,
    middle_of,
    negated,
    null_safe,
    null_tests,
    outermost_of,
    semi_joins,
    tops,
    untrue,
)
from corpora.constants import TEXT, comparable
from corpora.predicates import And, Compare, Computed, In, IsNull, Not, Or, Predicate, StartsWith
from corpora.queries import (
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    Query,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import BOOL

# Lengths of IN: three values; more than parquet-java and DataFusion turn into comparisons (10 and 20).
_IN_LENGTHS = (3, 12, 25)
_JOINED = 60  # rows of a small table: more than DuckDB turns into a list (50)
_PREFIX = 64  # characters


def queries(column: ColumnFacts) -> list[Query]:
    """Return the queries of a column, each once."""
    if not comparable(column.type):
        return _with_field(column, [*filters(null_tests(column)), CountValues(column.path)])
    called = [list(CALLED[mark](column)) for mark in marks.by_weight(column.marks) if mark in CALLED]
    return _with_field(column, chain(_in_turns(called), _general(column)))


def _with_field(column: ColumnFacts, queries: Iterable[Query]) -> list[Query]:
    """Return the queries, each once; of a field of structs the second is the field itself.

    A reader may answer that without the other fields, and files of structs are mostly asked so. If the field
    has marks, it is the third: a file of many columns has room for two, which are those for the marks.
    """
    unique = list(dict.fromkeys(queries))
    if len(column.path) > 1:
        unique.insert(2 if column.marks else 1, Fields((column.path,)))
    return unique


def _in_turns(lists: Sequence[Sequence[Query]]) -> Iterator[Query]:
    """Yield the first of each list, then the second of each, and so on."""
    return (query for turn in zip_longest(*lists) for query in turn if query is not None)


def _general(column: ColumnFacts) -> Iterator[Query]:
    high, low = ends(column)
    last = column.values[-1] if column.values else None
    yield from filters(comparisons(column, ("=", last)))
    yield Filter(IsNull(column.path))
    yield from aggregates(column)
    yield from filters(comparisons(column, (">", high), ("<=", low), ("!=", middle_of(column))))
    yield from filters(_absent(column))
    yield from null_safe(column, last)
    yield from semi_joins(column, column.values[-2:])
    yield from islice(anti_joins(column, column.values[:1]), 2)
    yield from (Top(column.path, TOP, descending=True), TopRows(column.path, TOP))
    others = negated(column, ("=", high))
    yield from (TopWhere(column.path, TOP, True, predicate=each, offset=1) for each in others)
    yield from filters(negated(column, ("=", middle_of(column)), ("<", high)))
    yield from filters(untrue(column, (">=", low), ("=", middle_of(column))))
    yield from computed(column)
    yield from filters(_lists(column))
    yield from filters(_prefixes(column))
    yield from filters(_ranges(column))
    yield Filter(Not(IsNull(column.path)))
    yield from filters(untrue(column, ("<=", high), ("!=", last)))
    yield from filters(map(Not, untrue(column, ("<", high))))
    if column.type.kind == "bool":
        yield Filter(Not(Computed(column.path, "itself", None, "=", BOOL, value=True)))
    yield from (Groups(column.path), Distinct(column.path))
    yield from tops(column)
    yield from null_safe(column, None)
    yield from equalities(column)
    some = column.values[:: max(1, len(column.values) // _JOINED)]
    yield from (*semi_joins(column, some), *anti_joins(column, some), *anti_joins(column, column.values[-1:]))
    for bounds in (column.bounds, column.page_bounds):
        for pair in outermost_of(bounds):
            yield from filters(_around(column, pair))
    yield from filters(_special(column))


def _absent(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield comparisons with a constant inside the bounds that no row has."""
    high, low = ends(column)
    if low is None or high is None:
        return
    value = constants.between(column.type, low, high, column.values)
    yield from comparisons(column, ("=", value), ("!=", value), ("<", value))


def _lists(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield IN of values and their neighbours, in lengths around the thresholds of engines, and with NULL."""
    near = (constants.above(column.type, value) for value in column.values)
    pool = list(dict.fromkeys(value for value in (*column.values[-2:], *near) if value is not None))
    for length in _IN_LENGTHS:
        if len(pool) >= length:
            yield In(column.path, column.type, tuple(pool[:length]))
    if column.values:
        yield Not(In(column.path, column.type, (column.values[-1], None)))
        yield In(column.path, column.type, (column.values[-1], None))


def _prefixes(column: ColumnFacts) -> Iterator[Predicate]:
    if column.type.kind not in TEXT:
        return
    for value in dict.fromkeys(map(str, (*column.values[-1:], *column.values[:1]))):
        for length in (1, len(value) // 2, len(value)):
            yield StartsWith(column.path, value[: min(length, _PREFIX)])
    yield StartsWith(column.path, "")


def _ranges(column: ColumnFacts) -> Iterator[Predicate]:
    """Yield BETWEEN and its opposite, and a test joined with a test for null."""
    high, low = ends(column)
    middle = middle_of(column)
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
        yield from comparisons(column, ("=", low), ("<", low), ("<=", low), (">", before), ("<=", before))
    if high is not None:
        after = constants.above(column.type, high)
        yield from comparisons(column, ("=", high), (">", high), (">=", high), ("<", after), (">=", after))


def _special(column: ColumnFacts) -> Iterator[Predicate]:
    if column.type.kind == "float":
        nan = constants.nan(column.type)
        least, most = constants.infinities(column.type)
        plus, minus = constants.zeros(column.type)
        yield from comparisons(column, ("=", nan), ("<=", nan), ("!=", nan), ("<", most), (">", least))
        yield from negated(column, ("<=", nan))
        yield from comparisons(column, ("=", plus), ("=", minus), ("<", plus), (">", minus))
    if column.type.kind in TEXT or column.type.kind in ("bytes", "bson"):
        yield from comparisons(column, ("=", ""), (">", ""), ("<=", ""))
