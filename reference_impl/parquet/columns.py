"""Nested columns in memory: validity and offsets, one array each, as Arrow has them.

`valid` is a bool array with one element per slot, None when nothing is null. A slot of a null list or
struct has no elements; children of a null struct are null (or empty) themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reference_impl.parquet.logical import Logical
    from reference_impl.parquet.tree import Node
    from reference_impl.parquet.types import Values


@dataclass(frozen=True)
class LeafColumn:
    """Values of one physical column: `values` holds the non-null ones only, in order."""

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    values: Values
    node: Node


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
    """A map: as a list, of keys and values; `value` is None for a set of keys."""

    name: str
    length: int
    valid: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]
    key: Column
    value: Column | None


Column = LeafColumn | StructColumn | ListColumn | MapColumn
