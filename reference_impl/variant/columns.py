"""Reading Variants from nested columns, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, LeafColumn, ListColumn, StructColumn
from reference_impl.errors import Malformed, UsageError, located
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.encoding import decode
from reference_impl.variant.forms import encode
from reference_impl.variant.metadata import Metadata
from reference_impl.variant.schema import METADATA, level_of
from reference_impl.variant.shredding import DRAFT, RESIDUAL, Leaf, Level, Reading, Slot, construct

_MOST_CACHED = 64
_LARGEST_CACHED = 4096  # bytes


class Row(NamedTuple):
    """A Variant as an engine returns it."""

    metadata: bytes
    value: bytes


def rows(column: StructColumn) -> Iterator[Row | None]:
    """Yield the Variants of a VARIANT group, None for null, as metadata and value.

    A value that is not shredded is checked and returned as it is stored; a shredded value is encoded again.
    Raises the errors of `level_of`, `shredding.construct` and `encoding.decode`.
    """
    with located(column.name):
        level = level_of(column)
        for metadata, slot in stored(column, level):
            yield None if slot is None else _row(level, metadata, slot)


def _row(level: Level, raw: bytes | None, slot: Slot) -> Row:
    metadata = metadata_of(raw)
    if slot.residual is not None and slot == Slot(slot.residual):
        small = len(slot.residual) <= _LARGEST_CACHED and len(metadata.raw) <= _LARGEST_CACHED
        (_read_whole if small else construct)(level, slot, metadata)
        return Row(metadata.raw, slot.residual)
    try:
        return Row(metadata.raw, encode(construct(level, slot, metadata), metadata))
    except UsageError as error:
        raise Malformed(f"typed_value: {error.message}") from error


def check(column: StructColumn) -> None:
    """Read all Variants of a VARIANT group by the rules for writers; raises as `rows` does."""
    level = level_of(column)
    for raw, slot in stored(column, level):
        if slot is None:
            continue
        metadata = metadata_of(raw)
        if level.residual and level == Level(level.layout):
            if slot.residual is not None:
                decode(slot.residual, metadata)
        else:
            construct(level, slot, metadata, Reading.WRITTEN)


_read_whole = lru_cache(maxsize=_MOST_CACHED)(construct)
_read = lru_cache(maxsize=_MOST_CACHED)(dictionary.read)


def metadata_of(raw: bytes | None) -> Metadata:
    """Read metadata, which many rows share; raises Malformed (PQ-VARIANT-006)."""
    return _read(raw or b"") if len(raw or b"") <= _LARGEST_CACHED else dictionary.read(raw or b"")


def stored(column: StructColumn, level: Level) -> Iterator[tuple[bytes | None, Slot | None]]:
    """Yield metadata and slot of each row, None for the slot of a null row."""
    fields = {field.name: field for field in column.fields}
    metadata = fields[METADATA]
    assert isinstance(metadata, LeafColumn)
    slots = _slots(column, level)
    return zip(_scalars(metadata, None), slots, strict=True)


def _slots(column: StructColumn, level: Level) -> list[Slot | None]:
    """Return a slot for each row of the columns of a level, None if the group is null."""
    fields: dict[str, Column] = {field.name: field for field in column.fields}
    none: list[Any] = [None] * column.length
    residual = fields.get(RESIDUAL[level.layout])
    residuals = _scalars(residual, None) if isinstance(residual, LeafColumn) else none
    typed = fields.get("typed_value") if level.leaf else None
    typeds = _scalars(typed, level.leaf) if isinstance(typed, LeafColumn) else none
    inner = fields.get("object" if level.layout == DRAFT else "typed_value")
    nested = _objects(inner, level) if isinstance(inner, StructColumn) else none
    items = fields.get("array" if level.layout == DRAFT else "typed_value")
    lists = _lists(items, level) if isinstance(items, ListColumn) else none
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    slots = map(Slot._make, zip(residuals, typeds, nested, lists, strict=True))
    return [slot if ok else None for ok, slot in zip(valid, slots, strict=True)]


def _objects(column: StructColumn, level: Level) -> list[tuple[Slot | None, ...] | None]:
    assert level.fields is not None
    inner = [
        _slots(field, under)
        for field, (_, under) in zip(column.fields, level.fields, strict=True)
        if isinstance(field, StructColumn)
    ]
    each = list(zip(*inner, strict=True)) if inner else [()] * column.length
    if column.valid is None:
        return list(each)
    return [slots if ok else None for slots, ok in zip(each, column.valid.tolist(), strict=True)]


def _lists(column: ListColumn, level: Level) -> list[tuple[Slot | None, ...] | None]:
    assert level.element is not None
    assert isinstance(column.element, StructColumn)
    items = _slots(column.element, level.element)
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    return [
        tuple(items[start:stop]) if ok else None
        for ok, (start, stop) in zip(valid, pairwise(column.offsets.tolist()), strict=True)
    ]


def _scalars(column: LeafColumn, leaf: Leaf | None) -> list[Any]:
    """Return the values of a column in the types of `Primitive.value`; without a leaf, bytes."""
    values = column.values
    scalars: list[Any]
    if isinstance(values, ByteArrays):
        scalars = [_of_bytes(raw, leaf) for raw in values]
    elif values.ndim > 1:
        scalars = [_of_bytes(row.tobytes(), leaf) for row in values]
    elif np.issubdtype(values.dtype, np.floating):
        scalars = values.view(f"<u{values.dtype.itemsize}").tolist()
    else:
        scalars = values.tolist()
    if column.valid is None:
        return scalars
    each = iter(scalars)
    return [next(each) if ok else None for ok in column.valid.tolist()]


def _of_bytes(raw: bytes, leaf: Leaf | None) -> Any:
    if leaf is None or leaf.kind in ("binary", "uuid"):
        return raw
    if leaf.kind != "string":
        return int.from_bytes(raw, "big", signed=True)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("a typed_value is not UTF-8") from error
