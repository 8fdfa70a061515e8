"""Nested columns in memory: validity and offsets, one array each, as Arrow has them.

`valid` is a bool array with one element per slot, None when nothing is null. A slot of a null list or
struct has no elements; children of a null struct are null (or empty) themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.orc.types import TypeNode
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.tree import Node

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class LeafColumn:
    """Values of one physical column: `values` holds the non-null ones only, in order.

    `node` is the field of the schema: a Node of Parquet, or a TypeNode of ORC.
    """

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    values: Values
    node: Node | TypeNode


@dataclass(frozen=True)
class StructColumn:
    """A struct; every field has as many slots as the struct itself."""

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    fields: tuple[Column, ...]
    logical: Logical | None = None


@dataclass(frozen=True)
class ListColumn:
    """A list: slot `i` holds the elements `offsets[i]:offsets[i + 1]`; `offsets` is int64 of length + 1."""

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]
    element: Column


@dataclass(frozen=True)
class MapColumn:
    """A map: a list of keys and values; `value` is None for a set of keys."""

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]
    key: Column
    value: Column | None


@dataclass(frozen=True)
class UnionColumn:
    """A union of ORC: `tags` (uint8) has one entry per slot that is not null, in order.

    Variant `i` has as many slots as there are tags `i`.
    """

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    tags: NDArray[np.uint8]
    variants: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """The result of reading a file: top-level columns, each of `num_rows` slots."""

    columns: tuple[Column, ...]
    num_rows: int


Column = LeafColumn | StructColumn | ListColumn | MapColumn | UnionColumn


def to_python(column: Column) -> list[Any]:
    """Return a column as Python values, one per slot: for looking at small tables.

    Leaves are physical values (bool, int, float, bytes; INT96 and FIXED_LEN_BYTE_ARRAY as bytes), structs are
    dicts, lists are lists, maps are lists of (key, value) pairs, unions are (tag, value); null is None.
    """
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    if isinstance(column, LeafColumn):
        values = iter(_scalars(column.values))
        return [next(values) if ok else None for ok in valid]
    if isinstance(column, StructColumn):
        names = [field.name for field in column.fields]
        rows = zip(*map(to_python, column.fields), strict=True) if names else [()] * column.length
        return [
            dict(zip(names, row, strict=True)) if ok else None for ok, row in zip(valid, rows, strict=True)
        ]
    if isinstance(column, UnionColumn):
        variants = [iter(to_python(variant)) for variant in column.variants]
        tagged = iter([(tag, next(variants[tag])) for tag in column.tags.tolist()])
        return [next(tagged) if ok else None for ok in valid]
    cuts = column.offsets.tolist()
    items: list[Any]
    if isinstance(column, ListColumn):
        items = to_python(column.element)
    else:
        entries = to_python(column.value) if column.value is not None else [None] * column.key.length
        items = list(zip(to_python(column.key), entries, strict=True))
    return [items[cuts[at] : cuts[at + 1]] if ok else None for at, ok in enumerate(valid)]


def _scalars(values: Values) -> list[Any]:
    if isinstance(values, ByteArrays):
        return list(values)
    if values.ndim == 1:
        return list(values.tolist())
    return [row.tobytes() for row in values]
