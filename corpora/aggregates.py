"""Queries for the count, the minimum and the maximum of a column.

A reader may take them from statistics without decoding values; with a filter only where the statistics show
that the filter selects all rows or none. Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from corpora.constants import QueryError, comparable, order_key
from corpora.evaluation import evaluate, resolve
from corpora.predicates import PREDICATES, Predicate, show_path
from corpora.query_base import OfColumn
from corpora.tagged import Field, Table, Type, Value, integer

AGGREGATES = ("rows", "present", "min", "max")  # `present`: the number of values that are not null
_BOTH = " | "  # between the orders of floats in a filter and of extremes, where they differ


@dataclass(frozen=True)
class Aggregate(OfColumn):
    """Counts, minimum and maximum of a column or of a field of structs; `names` are those of the result."""

    kind: ClassVar[str] = "aggregate"
    names: ClassVar[tuple[str, ...]] = AGGREGATES

    def __str__(self) -> str:
        return f"COUNT, MIN, MAX OF {show_path(self.path)}"


@dataclass(frozen=True)
class AggregateWhere(Aggregate):
    """Counts, minimum and maximum over the rows for which a predicate is TRUE."""

    kind: ClassVar[str] = "aggregate_where"
    predicate: Predicate

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")

    def __str__(self) -> str:
        return f"{super().__str__()} WHERE {self.predicate}"


@dataclass(frozen=True)
class CountValues(Aggregate):
    """The number of rows, and of values that are not null, of a column of any type."""

    kind: ClassVar[str] = "count_values"
    names: ClassVar[tuple[str, ...]] = AGGREGATES[:2]

    def __str__(self) -> str:
        return f"COUNT OF {show_path(self.path)}"


def order_of_both(of_filter: str, of_extremes: str) -> str:
    """Return the order of floats behind a filter, from those of filters and of extremes or sorting."""
    return of_filter if of_filter == of_extremes else f"{of_filter}{_BOTH}{of_extremes}"


def order_of_filter(float_order: str) -> str:
    """Return the order of filters in one of `order_of_both`."""
    return float_order.partition(_BOTH)[0]


def order_of_extremes(float_order: str) -> str:
    """Return the order of extremes or of sorting in one of `order_of_both`."""
    return float_order.rpartition(_BOTH)[2]


def aggregated(query: Aggregate, table: Table, float_order: str, rows: Iterable[int] | None) -> Table:
    """Return counts, minimum and maximum; raises QueryError.

    They are of the rows that a predicate takes, or of `rows`, ordinals of others.

    Under `ieee` a NaN is neither less nor greater than a number. As minNum and maxNum of IEEE 754-2008 §5.3.1
    do, the extremes leave out NaN unless all values are NaN.
    """
    if rows is None and isinstance(query, AggregateWhere):
        rows = evaluate(query.predicate, table, order_of_filter(float_order))
    taken = None if rows is None else set(rows)
    type_, order = _type_of(query, table.columns), order_of_extremes(float_order)
    first = present = 0
    extremes: list[tuple[Any, Value]] = []
    for block in table.blocks():
        column = resolve(query.path, table.columns, block)[1]
        values = [
            value
            for row, value in enumerate(column, first)
            if value is not None and (taken is None or row in taken)
        ]
        first += len(column)
        present += len(values)
        if isinstance(query, CountValues):
            continue
        keyed = [*extremes, *((order_key(type_, value, order), value) for value in values)]
        numbers = [pair for pair in keyed if pair[0] == pair[0]] or keyed[:1]
        ordered = sorted(numbers, key=_first)
        extremes = [ordered[0], ordered[-1]] if ordered else []
    low, high = ([extremes[0][1]], [extremes[-1][1]]) if extremes else ([None], [None])
    count, all_ = integer(64), table.num_rows if taken is None else len(taken)
    cells = ([str(all_)], [str(present)], low, high)
    named = list(zip(query.names, (count, count, type_, type_)))
    return Table.of(named, list(cells[: len(named)]))


def _first(pair: tuple[Any, Value]) -> Any:
    return pair[0]


def _type_of(query: Aggregate, columns: tuple[Field, ...]) -> Type:
    type_, _ = resolve(query.path, columns, [[] for _ in columns])
    if not comparable(type_) and not isinstance(query, CountValues):
        raise QueryError(f"{show_path(query.path)} is of type {type_}, which cannot be compared")
    return type_
