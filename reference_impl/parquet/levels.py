"""Dremel: assembling nested columns from definition and repetition levels (README.md, "Nested Encoding").

Every entry of a leaf column has two levels. A *slot* of a field is an entry that begins a value of the field
(or a null or empty value). Rows are the slots of the root: the entries whose repetition level is 0. All
operations are on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn, Table
from reference_impl.errors import Malformed, located
from reference_impl.parquet.schema import FieldRepetitionType
from reference_impl.parquet.shape import LeafShape, ListShape, MapShape, Shape, StructShape, leaves
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values


@dataclass(frozen=True)
class LeafData:
    """All entries of a leaf column.

    `definition` and `repetition` are uint8 or uint16 arrays with one element per entry, None where the
    maximum level is 0. `values` holds the entries whose definition level is the maximum, in order.
    """

    node: Node
    count: int
    definition: NDArray[np.unsignedinteger] | None
    repetition: NDArray[np.unsignedinteger] | None
    values: Values

    def rows(self) -> NDArray[np.int64] | None:
        """Return the entries that begin rows, None when every entry does."""
        return None if self.repetition is None else np.flatnonzero(self.repetition == 0)


def check(data: LeafData, ancestors: tuple[Node, ...]) -> None:
    """Raise Malformed (PQ-LEVELS-*) if the levels do not describe nested values.

    `ancestors` runs from below the root to the leaf itself. An entry with repetition level r > 0 adds an
    element to the list of the r-th repeated field; so that field must be defined in this entry, and in the
    entry before, which belongs to the same list.
    """
    top = data.node
    if data.definition is not None and data.count and int(data.definition.max()) > top.definition_level:
        message = f"a definition level exceeds the maximum {top.definition_level}"
        raise Malformed(message, rule="PQ-LEVELS-001")
    if data.repetition is None or not data.count:
        return
    if int(data.repetition.max()) > top.repetition_level:
        message = f"a repetition level exceeds the maximum {top.repetition_level}"
        raise Malformed(message, rule="PQ-LEVELS-002")
    if data.repetition[0] != 0:
        message = "the column begins inside a row: its first repetition level is not 0"
        raise Malformed(message, rule="PQ-LEVELS-003")
    assert data.definition is not None  # a repeated field raises both maxima
    needed = np.zeros(top.repetition_level + 1, data.definition.dtype)
    for node in ancestors:
        if node.repetition == FieldRepetitionType.REPEATED:
            needed[node.repetition_level] = node.definition_level
    wanted = needed[data.repetition]
    if bool((data.definition < wanted).any()) or bool((data.definition[:-1] < wanted[1:]).any()):
        message = "an entry continues a list that its definition level, or the one before it, says is absent"
        raise Malformed(message, rule="PQ-LEVELS-004")


def assemble(shape: Shape, data: dict[int, LeafData], rows: int) -> Column:
    """Build the column of a top-level field of `rows` rows; `data` maps leaf index to entries.

    Raises Malformed (PQ-LEVELS-005) when leaves of one group disagree about its structure.
    """
    return _Assembler(data).column(shape, {}, rows)


def table(shapes: list[Shape], rows: int, read: Callable[[Node], LeafData]) -> Table:
    """Build the columns of some fields, whose leaves `read` reads."""
    columns = (assemble(shape, {leaf.index: read(leaf) for leaf in leaves(shape)}, rows) for shape in shapes)
    return Table(tuple(columns), rows)


Slots = dict[int, "NDArray[np.int64] | None"]


class _Assembler:
    """Walks a shape with, per leaf, the entries that are slots of the shape (None: all entries)."""

    def __init__(self, data: dict[int, LeafData]) -> None:
        self.data = data

    def column(self, shape: Shape, slots: Slots, length: int) -> Column:
        if not slots:
            slots = {leaf.index: self.data[leaf.index].rows() for leaf in leaves(shape)}
        with located(shape.name):
            if isinstance(shape, LeafShape):
                return self.leaf(shape, slots, length)
            valid = agreed([self.valid(leaf, shape.defined, slots) for leaf in slots])
            if isinstance(shape, StructShape):
                fields = tuple(self.column(field, _pick(slots, field), length) for field in shape.fields)
                return StructColumn(shape.name, length, valid, fields, shape.logical)
            return self.repeated(shape, slots, length, valid)

    def leaf(self, shape: LeafShape, slots: Slots, length: int) -> LeafColumn:
        data = self.data[shape.leaf.index]
        valid = self.valid(shape.leaf.index, shape.defined, slots)
        return LeafColumn(shape.name, length, valid, data.values, shape.leaf)

    def valid(self, leaf: int, defined: int, slots: Slots) -> NDArray[np.bool_] | None:
        definition = self.data[leaf].definition
        if definition is None or defined == 0:
            return None
        at = slots[leaf]
        valid = (definition if at is None else definition[at]) >= defined
        return None if bool(valid.all()) else valid

    def repeated(
        self, shape: ListShape | MapShape, slots: Slots, length: int, valid: NDArray[np.bool_] | None
    ) -> Column:
        inner: Slots = {}
        by_leaf: list[NDArray[np.int64] | None] = []
        for leaf, at in slots.items():
            assert at is not None  # a leaf below a list has repetition levels
            of_leaf, inner[leaf] = self.elements(leaf, shape, at, length)
            by_leaf.append(of_leaf)
        offsets = agreed(by_leaf)
        assert offsets is not None
        count = int(offsets[-1])
        if isinstance(shape, ListShape):
            element = self.column(shape.element, inner, count)
            return ListColumn(shape.name, length, valid, offsets, element)
        key = self.column(shape.key, _pick(inner, shape.key), count)
        value = self.column(shape.value, _pick(inner, shape.value), count) if shape.value else None
        return MapColumn(shape.name, length, valid, offsets, key, value)

    def elements(
        self, leaf: int, shape: ListShape | MapShape, at: NDArray[np.int64], length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the offsets of the slots' elements, and the entries that begin those elements."""
        data = self.data[leaf]
        assert data.definition is not None
        assert data.repetition is not None
        starts = (data.repetition <= shape.repetition) & (data.definition >= shape.element_defined)
        # An element lies between its slot and the next one: count the elements before each slot.
        before: NDArray[np.int64] = np.cumsum(starts, dtype=np.int64) - starts
        offsets = np.empty(length + 1, np.int64)
        offsets[:-1] = before[at]
        begins = np.flatnonzero(starts)
        offsets[-1] = len(begins)
        return offsets, begins


T = TypeVar("T", bound=np.generic)


def agreed(arrays: Sequence[NDArray[T] | None]) -> NDArray[T] | None:
    """Return the array that all leaves of a group share; raises Malformed (PQ-LEVELS-005) if they differ."""
    first = arrays[0]
    for other in arrays[1:]:
        same = first is other if first is None or other is None else np.array_equal(first, other)
        if not same:
            message = "the columns of one group disagree about its nulls or the lengths of its lists"
            raise Malformed(message, rule="PQ-LEVELS-005")
    return first


def _pick(slots: Slots, shape: Shape) -> Slots:
    return {leaf.index: slots[leaf.index] for leaf in leaves(shape)}
