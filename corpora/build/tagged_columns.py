"""Columns of the reference as tagged tables."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora import tagged
from corpora.build import tagged_orc, tagged_parquet
from corpora.tagged import Table, Value
from reference_impl.columns import Column, LeafColumn, ListColumn, StructColumn, UnionColumn
from reference_impl.columns import Table as Columns
from reference_impl.orc.types import TypeNode
from reference_impl.variant.columns import rows as rows_of
from reference_impl.variant.schema import is_variant


def tagged_table(table: Columns) -> Table:
    """Return a table of the reference as a tagged table."""
    columns = [convert(column) for column in table.columns]
    types = [(column.name, type_) for column, (type_, _) in zip(table.columns, columns, strict=True)]
    return Table.of(types, [values for _, values in columns], table.num_rows)


def convert(column: Column) -> tuple[tagged.Type, list[Value]]:
    """Return the tagged type and values of a column."""
    if isinstance(column, LeafColumn):
        node = column.node
        type_, values = (
            tagged_orc.leaf(node, column.values)
            if isinstance(node, TypeNode)
            else tagged_parquet.leaf(node, column.values)
        )
        return type_, _spread(values, column.valid, column.length)
    if isinstance(column, StructColumn):
        return _struct(column)
    if isinstance(column, ListColumn):
        element, items = convert(column.element)
        return tagged.list_of(element), _cut(items, column.offsets, column.valid)
    if isinstance(column, UnionColumn):
        return _union(column)
    key_type, keys = convert(column.key)
    nulls: list[Value] = [None] * len(keys)
    value_type, values = convert(column.value) if column.value else (tagged.NULL, nulls)
    pairs = [list(pair) for pair in zip(keys, values, strict=True)]
    return tagged.map_of(key_type, value_type), _cut(pairs, column.offsets, column.valid)


def _spread(values: list[Value], valid: NDArray[np.bool_] | None, length: int) -> list[Value]:
    """Put the non-null values where they belong."""
    if valid is None:
        return values
    out: list[Value] = [None] * length
    for at, value in zip(np.flatnonzero(valid).tolist(), values, strict=True):
        out[at] = value
    return out


def _cut(items: list[Any], offsets: NDArray[np.int64], valid: NDArray[np.bool_] | None) -> list[Value]:
    cuts = offsets.tolist()
    out: list[Value] = [items[start:stop] for start, stop in pairwise(cuts)]
    return (
        out if valid is None else [item if ok else None for item, ok in zip(out, valid.tolist(), strict=True)]
    )


def _struct(column: StructColumn) -> tuple[tagged.Type, list[Value]]:
    if is_variant(column):
        return tagged.Type("variant"), [row and [*map(tagged.binary, row)] for row in rows_of(column)]
    fields = [convert(field) for field in column.fields]
    rows: list[Value] = [list(row) for row in zip(*(values for _, values in fields), strict=True)]
    if not fields:
        rows = [[] for _ in range(column.length)]
    if column.valid is not None:
        rows = [row if ok else None for row, ok in zip(rows, column.valid.tolist(), strict=True)]
    names = [field.name for field in column.fields]
    types = [type_ for type_, _ in fields]
    return tagged.struct_of(list(zip(names, types, strict=True))), rows


def _union(column: UnionColumn) -> tuple[tagged.Type, list[Value]]:
    variants = [convert(variant) for variant in column.variants]
    held = [iter(values) for _, values in variants]
    values: list[Value] = [[str(tag), next(held[tag])] for tag in column.tags.tolist()]
    return tagged.union_of(type_ for type_, _ in variants), _spread(values, column.valid, column.length)
