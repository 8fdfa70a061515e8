"""The orders that the rows of a file happen to have, of which its sorting columns state one.

parquet.thrift, RowGroup.sorting_columns: "a list specifying a sort ordering of the rows in this RowGroup".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from corpora.build import expected
from corpora.constants import comparable, order_key
from corpora.tagged import Type
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
        if len(leaf.path) > 1 or leaf.repetition_level or is_float(leaf):
            continue
        if type_order(leaf) is Order.UNDEFINED:
            continue
        at = [field.name for field in table.columns].index(leaf.path[0])
        type_ = table.columns[at].type
        if comparable(type_) and table.num_rows:
            for direction in _directions(type_, table.column(at), ends):
                ways += [((leaf.index, *direction),), ((leaf.index, *direction), *_ROW)]
    return ways


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
