"""Concatenating the columns of stripes, and cutting columns to a range of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn, UnionColumn


def concat(parts: Sequence[Column]) -> Column:
    """Return one column with all slots of the parts, in order; the parts have one type."""
    first = parts[0]
    if len(parts) == 1:
        return first
    rest: list[Any] = list(parts)
    length = sum(part.length for part in parts)
    valid = _valid(parts)
    if isinstance(first, LeafColumn):
        return LeafColumn(first.name, length, valid, _values([part.values for part in rest]), first.node)
    if isinstance(first, StructColumn):
        fields = tuple(
            concat(column_parts) for column_parts in zip(*(part.fields for part in rest), strict=True)
        )
        return StructColumn(first.name, length, valid, fields)
    if isinstance(first, UnionColumn):
        variants = tuple(
            concat(column_parts) for column_parts in zip(*(part.variants for part in rest), strict=True)
        )
        return UnionColumn(first.name, length, valid, np.concatenate([part.tags for part in rest]), variants)
    offsets = _offsets([part.offsets for part in rest])
    if isinstance(first, ListColumn):
        return ListColumn(first.name, length, valid, offsets, concat([part.element for part in rest]))
    value = None if first.value is None else concat([part.value for part in rest])
    return MapColumn(first.name, length, valid, offsets, concat([part.key for part in rest]), value)


def cut(column: Column, start: int, stop: int) -> Column:
    """Return the slots `start:stop` of a column."""
    valid = None if column.valid is None else column.valid[start:stop]
    length = stop - start
    if isinstance(column, StructColumn):
        return replace(
            column, length=length, valid=valid, fields=tuple(cut(each, start, stop) for each in column.fields)
        )
    if isinstance(column, ListColumn | MapColumn):
        offsets = column.offsets[start : stop + 1]
        begin, end = int(offsets[0]), int(offsets[-1])
        offsets = offsets - begin
        if isinstance(column, ListColumn):
            element = cut(column.element, begin, end)
            return replace(column, length=length, valid=valid, offsets=offsets, element=element)
        value = None if column.value is None else cut(column.value, begin, end)
        key = cut(column.key, begin, end)
        return replace(column, length=length, valid=valid, offsets=offsets, key=key, value=value)
    first, last = start, stop
    if column.valid is not None and valid is not None:
        first = int(np.count_nonzero(column.valid[:start]))
        last = first + int(np.count_nonzero(valid))
    if isinstance(column, LeafColumn):
        return replace(column, length=length, valid=valid, values=_cut_values(column.values, first, last))
    before = np.bincount(column.tags[:first], minlength=len(column.variants)).tolist()
    tags = column.tags[first:last]
    each = np.bincount(tags, minlength=len(column.variants)).tolist()
    variants = tuple(
        cut(variant, begin, begin + count)
        for variant, begin, count in zip(column.variants, before, each, strict=True)
    )
    return replace(column, length=length, valid=valid, tags=tags, variants=variants)


def _valid(parts: Sequence[Column]) -> NDArray[np.bool_] | None:
    if all(part.valid is None for part in parts):
        return None
    return np.concatenate([np.ones(p.length, np.bool_) if p.valid is None else p.valid for p in parts])


def _values(parts: list[Values]) -> Values:
    if isinstance(parts[0], ByteArrays):
        return ByteArrays.concat(cast("list[ByteArrays]", parts))
    return np.concatenate(cast("list[NDArray[Any]]", parts))


def _cut_values(values: Values, first: int, last: int) -> Values:
    if isinstance(values, ByteArrays):
        return ByteArrays(values.offsets[first : last + 1], values.data)
    return values[first:last]


def _offsets(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Join lists of offsets, each of which begins at 0."""
    out = [np.zeros(1, np.int64)]
    end = 0
    for part in parts:
        out.append(part[1:] + end)
        end += int(part[-1])
    return np.concatenate(out)
