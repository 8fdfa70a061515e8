"""Shredding rows into columns: the values of every type whose ancestors are not null ("Column Encodings")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.orc.plan import Row
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.types import BINARIES, INTEGERS, STRINGS, TIMES, TypeNode
from reference_impl.orc.values import MAX_SCALE, decimal_key, decimal_parts

BITS = {**INTEGERS, TypeKind.DATE: 32}
_SIZES = {TypeKind.FLOAT: 4, TypeKind.DOUBLE: 8}
_NANOS = 10**9
_PAIR = 2


@dataclass
class Entries:
    """The values of a column of a stripe, None for null; `groups` has the beginning of each row group."""

    node: TypeNode
    values: list[Any] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)

    @property
    def present(self) -> list[Any]:
        """The values that are not null."""
        return [value for value in self.values if value is not None]

    def present_groups(self) -> list[int]:
        """Return where each row group begins among the values that are not null."""
        before = [0]
        for value in self.values:
            before.append(before[-1] + (value is not None))
        return [before[at] for at in self.groups]

    def of_group(self, group: int) -> list[Any]:
        """Return the values of a row group."""
        stop = self.groups[group + 1] if group + 1 < len(self.groups) else len(self.values)
        return self.values[self.groups[group] : stop]


def shred(root: TypeNode, rows: Sequence[Row], stride: int) -> list[Entries]:
    """Return the entries of each column, by id; row groups have `stride` rows, all rows if it is 0.

    Raises UsageError for a value that its type does not have.
    """
    columns = [Entries(node) for node in root.walk()]
    size = stride or len(rows) or 1
    for start in range(0, len(rows), size):
        for column in columns:
            column.groups.append(len(column.values))
        _spread(columns, root, rows[start : start + size])
    return columns


def _spread(columns: list[Entries], node: TypeNode, values: Sequence[Any]) -> None:
    columns[node.id].values.extend(values)
    present = [value for value in values if value is not None]
    for value in present:
        _check(node, value)
    for place, child in enumerate(node.children):
        _spread(columns, child, _below(node.kind, present, place))


def _below(kind: TypeKind, values: list[Any], place: int) -> list[Any]:
    """Return the values of child `place`."""
    if kind is TypeKind.STRUCT:
        return [value[place] for value in values]
    if kind is TypeKind.LIST:
        return [item for value in values for item in value]
    if kind is TypeKind.MAP:
        return [pair[place] for value in values for pair in value]
    return [inner for tag, inner in values if tag == place]


def _check(node: TypeNode, value: Any) -> None:
    if not _fits(node, value):
        raise UsageError(f"{value!r:.60} as {node.kind.name} {'.'.join(node.path)}")


def _fits(node: TypeNode, value: Any) -> bool:
    kind = node.kind
    if kind is TypeKind.BOOLEAN:
        return isinstance(value, bool)
    if kind in BITS:
        half = 1 << BITS[kind] - 1
        return isinstance(value, int) and -half <= value < half
    if kind in _SIZES:
        return len(value) == _SIZES[kind] if isinstance(value, bytes) else isinstance(value, (float, int))
    if kind in (*STRINGS, *BINARIES):
        return isinstance(value, bytes)
    if kind is TypeKind.DECIMAL:
        return _is_decimal(node, *decimal_parts(value, node.scale))
    if kind in TIMES:
        return len(value) == _PAIR and 0 <= value[1] < _NANOS
    return _nested_fits(node, value)


def _is_decimal(node: TypeNode, unscaled: int, scale: int) -> bool:
    """Return whether a value of any scale fits the scale and precision of the type."""
    if not 0 <= scale <= MAX_SCALE or abs(unscaled) >= 10**MAX_SCALE:
        return False
    key: int = decimal_key((unscaled, scale), scale)
    unit: int = 10 ** (MAX_SCALE - node.scale)
    return key % unit == 0 and abs(key) // unit < 10**node.precision


def _nested_fits(node: TypeNode, value: Any) -> bool:
    """Return whether a collection has the shape of its type; keys of maps are not null."""
    if node.kind is TypeKind.STRUCT:
        return isinstance(value, tuple) and len(value) == len(node.children)
    if node.kind is TypeKind.UNION:
        return isinstance(value, tuple) and len(value) == _PAIR and 0 <= value[0] < len(node.children)
    if node.kind is TypeKind.MAP:
        return all(len(pair) == _PAIR and pair[0] is not None for pair in value)
    return isinstance(value, (list, tuple))
