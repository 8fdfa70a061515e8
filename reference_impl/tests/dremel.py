"""The simplest possible Dremel, one value at a time, to test the array code against.

A value of an optional field is None or a value, of a repeated field a list, of a group a dict.
"""

from __future__ import annotations

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.columns import LeafColumn, ListColumn, StructColumn
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.tree import build

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType


def leaf(name, repetition=REQUIRED, **more):
    """A schema element of a column."""
    return [SchemaElement(type=Type.INT32, repetition_type=repetition, name=name, **more)]


def group(name, repetition, *children, **more):
    """The schema elements of a group."""
    flat = [element for child in children for element in child]
    return [SchemaElement(repetition_type=repetition, name=name, num_children=len(children), **more), *flat]


def root(*children):
    """The tree of a schema with these top-level fields."""
    flat = [element for child in children for element in child]
    return build([SchemaElement(name="schema", num_children=len(children)), *flat])


def shred(node, rows):
    """Answer, per leaf index, the (repetition, definition, value) entries of rows of a top-level field."""
    out = {below.index: [] for below in node.leaves()}
    for row in rows:
        _field(node, row, 0, 0, out)
    return out


def _field(node, value, repetition, definition, out):
    if node.repetition == REPEATED:
        if not value:
            _absent(node, repetition, definition, out)
        for number, element in enumerate(value):
            level = node.repetition_level if number else repetition
            _present(node, element, level, definition + 1, out)
    elif node.repetition == OPTIONAL and value is None:
        _absent(node, repetition, definition, out)
    else:
        _present(node, value, repetition, definition + (node.repetition == OPTIONAL), out)


def _present(node, value, repetition, definition, out):
    if node.physical is not None:
        out[node.index].append((repetition, definition, value))
    for child in node.children:
        _field(child, value[child.name], repetition, definition, out)


def _absent(node, repetition, definition, out):
    for below in node.leaves():
        out[below.index].append((repetition, definition, None))


def leaf_data(node, entries):
    """The entries of a leaf as the arrays a decoder answers."""
    repetition = np.array([r for r, _, _ in entries], np.uint8)
    definition = np.array([d for _, d, _ in entries], np.uint8)
    values = np.array([v for _, d, v in entries if d == node.definition_level], np.int32)
    return LeafData(
        node,
        len(entries),
        definition if node.definition_level else None,
        repetition if node.repetition_level else None,
        values,
    )


def to_python(column):
    """Answer a nested column as a list of None, values, dicts, lists, and lists of pairs."""
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    if isinstance(column, LeafColumn):
        items = iter(column.values if isinstance(column.values, ByteArrays) else column.values.tolist())
        return [next(items) if ok else None for ok in valid]
    if isinstance(column, StructColumn):
        fields = [to_python(field) for field in column.fields]
        names = [field.name for field in column.fields]
        rows = zip(*fields, strict=True)
        return [
            dict(zip(names, row, strict=True)) if ok else None for ok, row in zip(valid, rows, strict=True)
        ]
    if isinstance(column, ListColumn):
        items = to_python(column.element)
    else:
        values = to_python(column.value) if column.value is not None else [None] * column.key.length
        items = list(zip(to_python(column.key), values, strict=True))
    cuts = column.offsets.tolist()
    return [items[cuts[i] : cuts[i + 1]] if ok else None for i, ok in enumerate(valid)]
