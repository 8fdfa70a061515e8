"""Shredding rows into entries: the inverse of `levels.py`, value by value (README.md, "Nested Encoding").

It is written for clarity, from the definition alone, as an oracle for the array code of the reader.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import UsageError
from reference_impl.parquet.plan import Row
from reference_impl.parquet.schema import FieldRepetitionType, Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical, Values

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
_FLOATS = {Type.FLOAT: "<f", Type.DOUBLE: "<d"}
_INTS = {Type.INT32: 4, Type.INT64: 8}


@dataclass
class Entries:
    """The entries of a leaf column; `values` are those whose definition level is the maximum.

    `values` are the bytes of PLAIN, without the length in front of a byte array.
    """

    node: Node
    repetition: list[int] = field(default_factory=list)
    definition: list[int] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)

    def cut(self, start: int, stop: int, before: int) -> Entries:
        """Return the entries `start` to `stop`; `before` is the number of values in front of them."""
        definition = self.definition[start:stop]
        values = self.values[before : before + definition.count(self.node.definition_level)]
        return Entries(self.node, self.repetition[start:stop], definition, values)

    def __len__(self) -> int:
        return len(self.definition)


def shred(root: Node, rows: Sequence[Row]) -> list[Entries]:
    """Return the entries of each leaf column; raises UsageError for rows that do not fit the schema."""
    out = [Entries(leaf) for leaf in root.leaves()]
    for row in rows:
        for node in root.children:
            if not isinstance(row, dict) or node.name not in row:
                raise UsageError(f"a row without {node.name!r}: {row!r:.80}")
            _field(node, row[node.name], 0, 0, out)
    return out


def _field(node: Node, value: Any, repetition: int, definition: int, out: list[Entries]) -> None:
    if node.repetition == REPEATED:
        if not isinstance(value, (list, tuple)):
            raise UsageError(f"{node.name!r} is repeated, and its value no list: {value!r:.80}")
        if not value:
            _absent(node, repetition, definition, out)
        for number, element in enumerate(value):
            level = node.repetition_level if number else repetition
            _present(node, element, level, definition + 1, out)
    elif node.repetition == OPTIONAL and value is None:
        _absent(node, repetition, definition, out)
    else:
        _present(node, value, repetition, definition + (node.repetition == OPTIONAL), out)


def _present(node: Node, value: Any, repetition: int, definition: int, out: list[Entries]) -> None:
    if node.physical is not None:
        entries = out[node.index]
        entries.repetition.append(repetition)
        entries.definition.append(definition)
        entries.values.append(raw(node.physical, value))
        return
    if not isinstance(value, dict) or value.keys() != {child.name for child in node.children}:
        raise UsageError(f"{node.name!r} is a group, and its value {value!r:.80} has not its fields")
    for child in node.children:
        _field(child, value[child.name], repetition, definition, out)


def _absent(node: Node, repetition: int, definition: int, out: list[Entries]) -> None:
    for leaf in node.leaves():
        out[leaf.index].repetition.append(repetition)
        out[leaf.index].definition.append(definition)


def raw(physical: Physical, value: Any) -> bytes:
    """Return a value of a plan as PLAIN has it, a BOOLEAN as one byte; raises UsageError."""
    kind = physical.type
    try:
        if kind == Type.BOOLEAN and isinstance(value, bool):
            return bytes([value])
        if kind in _INTS and type(value) is int:
            return value.to_bytes(_INTS[kind], "little", signed=True)
        if kind in _FLOATS and isinstance(value, float):
            return struct.pack(_FLOATS[kind], value)
    except (OverflowError, struct.error) as error:
        raise UsageError(f"{value!r:.80} does not fit {physical}") from error
    fits = isinstance(value, bytes) and (kind == Type.BYTE_ARRAY or len(value) == physical.width)
    if not fits or kind in (Type.BOOLEAN, *_INTS):
        raise UsageError(f"{value!r:.80} is no {physical}")
    return bytes(value)


def array(physical: Physical, raws: Sequence[bytes]) -> Values:
    """Return values as arrays of parquet/types.py."""
    if physical.type == Type.BYTE_ARRAY:
        return ByteArrays.of(raws)
    joined = b"".join(raws)
    if physical.type == Type.BOOLEAN:
        return np.frombuffer(joined, np.bool_)
    if physical.dtype is not None:
        return np.frombuffer(joined, physical.dtype)
    return np.frombuffer(joined, np.uint8).reshape(len(raws), physical.width)
