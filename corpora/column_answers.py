"""The correct results of the queries of a column (`corpora.column_queries`).

To these queries, equal values are one value, and any of them may be returned: in results, 0.0 replaces -0.0,
and one NaN replaces every NaN. Engines do not document whether they group zeros, or NaN, of several bit
patterns as one value, so that rows which these replacements make equal count as one group. IEEE 754 has no
order for sorting NaN; engines that compare by it sort as `nan-greatest` does, like SQL's, or have NaN between
the numbers and the nulls on either side (`nan-beside-nulls`).

Standard library only, Python 3.9.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Union

from corpora.aggregates import order_of_extremes, order_of_filter
from corpora.column_queries import (
    COUNT,
    VALUE,
    AntiJoin,
    Distinct,
    Groups,
    Join,
    Sorted,
    Top,
    TopWhere,
    offset_of,
)
from corpora.constants import NAN_BESIDE_NULLS, OnlyDigestError, QueryError, comparable, float_of, order_key
from corpora.evaluation import evaluate, resolve
from corpora.predicates import In, Not, show_path
from corpora.tagged import Table, Type, Value, integer

OfValues = Union[Distinct, Groups, Top]


class FirstRows(NamedTuple):
    """The ordinals of the first rows in the order of a column, in this order.

    The `certain` ones are in each right result. Of the rows `before` these, which are equal to a row of the
    offset, it has `of_before`, and of those `behind` these, which are equal to the last row, `of_behind`.
    """

    before: list[int]
    of_before: int
    certain: list[int]
    behind: list[int]
    of_behind: int

    @property
    def right(self) -> list[int]:
        """Return the rows of a right result."""
        return [*self.before[: self.of_before], *self.certain, *self.behind[: self.of_behind]]

    @property
    def candidates(self) -> list[int]:
        """Return the rows that a right result may have."""
        return [*self.before, *self.certain, *self.behind]


_LEAST = (-1, 0.0, 0.0)  # of the keys of `nan-greatest`
_TOTAL = ("total", "total-equal-zeros")  # orders that tell NaN apart
_NAN = {16: (0x7C00, "7e00"), 32: (0x7F800000, "7fc00000"), 64: (0x7FF0000000000000, "7ff8000000000000")}


def rows_of_join(query: Join, table: Table, float_order: str) -> list[int]:
    """Return the ordinals of a join's rows, with or without a match; raises QueryError as `evaluate` does."""
    values = tuple(value for value in query.values if value is not None)
    match = In(query.path, query.type, values)
    if not isinstance(query, AntiJoin):
        return evaluate(match, table, float_order)
    if query.not_in:
        return [] if None in query.values else evaluate(Not(match), table, float_order)
    matches = set(evaluate(match, table, float_order))
    return [row for row in range(table.num_rows) if row not in matches]


def of_column(query: OfValues, table: Table, float_order: str) -> Table:
    """Return distinct values, their counts, or the first of the sorted values; raises QueryError."""
    type_, values = _column(query.path, table)
    if isinstance(query, Top):
        return Table.of([(VALUE, type_)], [_top(query, type_, values, float_order)])
    counts: dict[Any, int] = {}
    for value in values:
        if isinstance(value, dict):
            raise OnlyDigestError
        counts[value] = counts.get(value, 0) + 1
    if isinstance(query, Distinct):
        return Table.of([(VALUE, type_)], [list(counts)])
    columns: list[list[Value]] = [list(counts), [str(count) for count in counts.values()]]
    return Table.of([(VALUE, type_), (COUNT, integer(64))], columns)


def merged(query: OfValues, table: Table, float_order: str) -> Table:
    """Return a result with equal floats as one; see the head of this module."""
    fields = [(field.name, field.type) for field in table.columns]
    if not fields or fields[0][1].kind != "float":
        return table
    bits = fields[0][1].bits or 64
    columns = table.all_columns()
    keep_nan = isinstance(query, Top) and float_order in _TOTAL
    values = [_merged(bits, value, keep_nan=keep_nan) for value in columns[0]]
    if isinstance(query, Top) or len(fields) > 1 + isinstance(query, Groups):
        return Table.of(fields, [values, *columns[1:]], len(values))
    special = _specials(bits)
    first: dict[Value, int] = {}
    rows: list[int] = []
    counts = [*map(_number, columns[1])] if isinstance(query, Groups) and len(columns) > 1 else []
    for row, value in enumerate(values):
        at = first.setdefault(value, row) if isinstance(value, str) and value in special else row
        if at == row:
            rows.append(row)
        elif counts:
            counts[at] += counts[row]
    result: list[list[Value]] = [[values[row] for row in rows]]
    if counts:
        result.append([str(counts[row]) for row in rows])
    return Table.of(fields[: len(result)], result, len(rows))


def first_rows(query: Sorted, table: Table, float_order: str) -> FirstRows:
    """Return the first rows in a column's order, of those where the predicate is TRUE; raises QueryError."""
    type_, values = _column(query.path, table)
    keys = _keys(query, type_, values, order_of_extremes(float_order))
    rows = _ordered(query, keys)
    start = offset_of(query)
    if isinstance(query, TopWhere) and query.predicate is not None:
        passing = set(evaluate(query.predicate, table, order_of_filter(float_order)))
        rows = [row for row in rows if row in passing]
    chosen = rows[start : start + query.rows]

    def equal_to(row: int) -> list[int]:
        return [other for other in rows if keys[other] == keys[row]]

    behind = equal_to(chosen[-1]) if start + query.rows < len(rows) and chosen else []
    is_cut = bool(start and chosen) and keys[rows[start - 1]] == keys[chosen[0]]
    before = equal_to(chosen[0]) if is_cut and chosen[0] not in behind else []
    cut = {*before, *behind}
    certain = [row for row in chosen if row not in cut]
    of_before = len({*before}.intersection(chosen))
    return FirstRows(before, of_before, certain, behind, len(chosen) - len(certain) - of_before)


def _top(query: Top, type_: Type, values: list[Value], float_order: str) -> list[Value]:
    keys = _keys(query, type_, values, float_order)
    return [values[row] for row in _ordered(query, keys)[: query.rows]]


def _ordered(query: Sorted, keys: list[Any]) -> list[int]:
    """Return the ordinals of all rows in the order of their keys."""
    present = [row for row, key in enumerate(keys) if key is not None]
    nulls = [row for row, key in enumerate(keys) if key is None]
    present.sort(key=lambda row: keys[row], reverse=query.descending)
    return [*nulls, *present] if query.nulls_first else [*present, *nulls]


def _keys(query: Sorted, type_: Type, values: list[Value], float_order: str) -> list[Any]:
    """Return what values are sorted by, None for null."""
    is_beside = float_order == NAN_BESIDE_NULLS
    order = "nan-greatest" if is_beside or float_order == "ieee" else float_order
    keys = [None if value is None else order_key(type_, value, order) for value in values]
    if is_beside and type_.kind == "float" and query.descending != query.nulls_first:
        is_nan = [value is not None and math.isnan(float_of(type_, value)) for value in values]
        return [_LEAST if nan else key for nan, key in zip(is_nan, keys)]
    return keys


def _column(path: tuple[str, ...], table: Table) -> tuple[Type, list[Value]]:
    type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
    if not comparable(type_):
        raise QueryError(f"{show_path(path)} is of type {type_}, which cannot be compared")
    values: list[Value] = []
    for block in table.blocks():
        values += resolve(path, table.columns, block)[1]
    return type_, values


def _specials(bits: int) -> tuple[str, str]:
    """Return the zero and the NaN that represent all zeros and all NaNs of a width."""
    return "0" * (bits // 4), _NAN[bits][1]


def _merged(bits: int, value: Value, *, keep_nan: bool) -> Value:
    if not isinstance(value, str):
        return value
    magnitude = int(value, 16) & ~(1 << bits - 1)
    zero, nan = _specials(bits)
    if magnitude == 0:
        return zero
    return nan if magnitude > _NAN[bits][0] and not keep_nan else value


def _number(value: Value) -> int:
    return int(str(value))
