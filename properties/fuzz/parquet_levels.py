"""Definition and repetition levels, and the nested column that they make (README.md, "Nested Encoding")."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.targets import Table
from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn
from reference_impl.cursor import Cursor
from reference_impl.parquet import levels, tree
from reference_impl.parquet.encodings import bit_packed, rle
from reference_impl.parquet.schema import ConvertedType, FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.shape import shape_of
from reference_impl.parquet.tree import Node

TABLE = Table()


def _group(name: str, children: int, repetition: int, kind: ConvertedType | None = None) -> SchemaElement:
    repetition_type = FieldRepetitionType(repetition)
    return SchemaElement(
        name=name, num_children=children, repetition_type=repetition_type, converted_type=kind
    )


def _leaf(name: str, repetition: int) -> SchemaElement:
    return SchemaElement(name=name, type=Type.INT64, repetition_type=FieldRepetitionType(repetition))


_ROOTS = [
    [_leaf("optional", 1)],
    [_leaf("repeated", 2)],
    [_group("l", 1, 1, ConvertedType.LIST), _group("list", 1, 2), _leaf("element", 1)],
    [_group("m", 1, 1, ConvertedType.MAP), _group("key_value", 2, 2), _leaf("key", 0), _leaf("value", 1)],
    [_group("s", 2, 1), _leaf("a", 1), _group("b", 1, 1), _leaf("c", 0)],
    [
        _group("o", 1, 1, ConvertedType.LIST),
        _group("list", 1, 2),
        _group("element", 1, 1, ConvertedType.LIST),
        _group("list", 1, 2),
        _group("element", 2, 1),
        _leaf("a", 0),
        _leaf("b", 1),
    ],
]
_SHAPES = [tree.build([SchemaElement(name="root", num_children=1), *each]) for each in _ROOTS]


def seeds() -> Iterable[bytes]:
    """Yield levels of all pages, repeated for the leaves of a shape."""
    sections = [section for section in cut_parquet.sections() if section.kind == "level 3"]
    yield from inputs.some(
        bytes([at]) + section.count.to_bytes(2, "little") + b"\0" + section.data * 4
        for section in sections
        for at in range(len(_SHAPES))
    )


@TABLE.target(
    "parquet_levels",
    'Definition and repetition levels, and the nested column that they make (README.md, "Nested Encoding").',
    "Any bytes are read as the levels of a nested column, or raise a documented error. An assembled "
    "column has as many slots as its parent requires, ascending offsets, and values for all slots "
    "that are not null; levels survive writing and reading.",
    seeds,
)
def check(data: bytes) -> None:
    """Read the bytes as `count` levels of each leaf, bit-packed if `choice` is odd."""
    _, count, choice, body = inputs.given(data)
    root = _SHAPES[(data[0] if data else 0) % len(_SHAPES)]
    cursor = Cursor(body)
    columns = {}
    for leaf in root.leaves():
        repetition = attempt(_levels, cursor, leaf.repetition_level, count, choice)
        definition = attempt(_levels, cursor, leaf.definition_level, count, choice)
        if (repetition is None) == bool(leaf.repetition_level) or (definition is None) == bool(
            leaf.definition_level
        ):
            return
        present = count if definition is None else int((definition == leaf.definition_level).sum())
        columns[leaf.index] = levels.LeafData(leaf, count, definition, repetition, np.arange(present))
        if attempt(_checked, columns[leaf.index], root) is None:
            return
    begun = columns[0].rows()
    rows = count if begun is None else len(begun)
    if any(len(r) != rows for each in columns.values() if (r := each.rows()) is not None):
        return  # chunks of other rows than their row group are refused before
    column = attempt(levels.assemble, shape_of(root.children[0]), columns, rows)
    if column is not None:
        _sound(column, rows)


def _checked(data: levels.LeafData, root: Node) -> bool:
    path = [root.children[0]]
    while path[-1].physical is None:
        path.append(next(c for c in path[-1].children if data.node.path[: len(c.path)] == c.path))
    levels.check(data, tuple(path))
    return True


def _levels(cursor: Cursor, most: int, count: int, choice: int) -> np.ndarray | None:
    if not most:
        return None
    width = most.bit_length()
    if choice % 2:
        return bit_packed.decode(cursor, width, count).astype(np.uint8)
    decoded = rle.decode_prefixed(cursor, width, count).astype(np.uint8)
    again = rle.decode_prefixed(Cursor(rle.encode_prefixed(decoded, width)), width, count)
    same(again.astype(np.uint8), decoded, "written and read")
    return decoded


def _sound(column: Column, length: int) -> None:
    same(column.length, length, "slots")
    there = length if column.valid is None else int(column.valid.sum())
    holds(column.valid is None or len(column.valid) == length, "validity of each slot")
    if isinstance(column, LeafColumn):
        same(len(column.values), there, "values")
    elif isinstance(column, StructColumn):
        for field in column.fields:
            _sound(field, length)
    else:
        assert isinstance(column, ListColumn | MapColumn)
        sizes = np.diff(column.offsets)
        holds(len(sizes) == length and bool((sizes >= 0).all()), "offsets ascend, one for each slot")
        holds(column.valid is None or not sizes[~column.valid].any(), "a null list has no elements")
        parts = [column.element] if isinstance(column, ListColumn) else [column.key, column.value]
        for part in parts:
            if part is not None:
                _sound(part, int(column.offsets[-1]))
