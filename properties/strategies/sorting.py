"""The orders that the rows of a file happen to have, of which its sorting columns state one.

parquet.thrift, RowGroup.sorting_columns: "a list specifying a sort ordering of the rows in this RowGroup".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from corpora.build import expected
from corpora.constants import QueryError, comparable, order_key
from corpora.evaluation import resolve
from corpora.tagged import Table, Type, Value
from properties.strategies.layouts import is_float
from reference_impl.parquet.orders import Order, type_order
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.tree import Node

Sorting = tuple[tuple[int, bool, bool], ...]
_ROW: Sorting = ((0, False, False),)  # `row` ascends in each file


def orders(plan: FilePlan, leaves: Sequence[Node]) -> list[Sorting]:
    """Return sorting columns that are true of each row group: (leaf, descending, nulls first).

    That of `row` is the first, and the last of several: rows that are equal in a column ascend by `row`.
    Floats are left out, as the order of NaN depends on the file's column orders.
    """
    ways = [_ROW]
    table = expected.table(plan)
    ends = [0, *accumulate(plan.row_groups or (len(plan.rows),))]
    for leaf in leaves[1:]:
        if leaf.repetition_level or is_float(leaf) or type_order(leaf) is Order.UNDEFINED:
            continue
        held = _values(leaf.path, table)
        if held is not None and table.num_rows:
            for direction in _directions(*held, ends):
                ways += [((leaf.index, *direction),), ((leaf.index, *direction), *_ROW)]
    return ways


def _values(path: tuple[str, ...], table: Table) -> tuple[Type, list[Value]] | None:
    """Return the type and values of a column or a field of structs, None of another column."""
    try:
        type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
    except QueryError:  # a part of a Variant
        return None
    if not comparable(type_):
        return None
    return type_, [value for block in table.blocks() for value in resolve(path, table.columns, block)[1]]


def _directions(type_: Type, values: Sequence[Any], ends: Sequence[int]) -> Iterator[tuple[bool, bool]]:
    """Yield the orders, as (descending, nulls first), that the values of each row group have."""
    keys = [None if value is None else order_key(type_, value, "total") for value in values]
    for descending in (False, True):
        for nulls_first in (False, True):
            parts = (keys[start:end] for start, end in pairwise(ends))
            if all(_ascends(part, descending, nulls_first) for part in parts):
                yield descending, nulls_first


def _ascends(keys: Sequence[Any], descending: bool, nulls_first: bool) -> bool:
    there = [key for key in keys if key is not None]
    nulls: list[Any] = [None] * (len(keys) - len(there))
    ordered = sorted(there, reverse=descending)
    return keys == ([*nulls, *ordered] if nulls_first else [*ordered, *nulls])
