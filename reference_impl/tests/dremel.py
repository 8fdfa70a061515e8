"""The simplest possible Dremel, one value at a time, to test the array code against.

A value of an optional field is None or a value, of a repeated field a list, of a group a dict.
"""

from __future__ import annotations

import numpy as np

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
    """Return, per leaf index, the (repetition, definition, value) entries of rows of a top-level field."""
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
