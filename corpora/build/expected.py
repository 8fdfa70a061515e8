"""The expected table of a file, computed from its plan alone.

This module walks over rows slowly and follows the text of LogicalTypes.md. It uses neither levels nor
encodings, nor the reader's code for nested types (`reference_impl.parquet.shape`), so that writer, reader and
this module check each other.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from corpora import tagged
from corpora.build import variants
from corpora.tagged import Table, Value
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import FieldRepetitionType, Type
from reference_impl.parquet.tree import Node, build

Tag = Callable[[Any], Value]
Typed = tuple[tagged.Type, Tag]

OPTIONAL, REPEATED = FieldRepetitionType.OPTIONAL, FieldRepetitionType.REPEATED
_JULIAN_EPOCH = 2_440_588
_DAY_NANOS = 86_400_000_000_000


def table(plan: FilePlan) -> Table:
    """Return the table that a reader must return for the file of a plan."""
    columns, values = [], []
    for node in build(list(plan.schema)).children:
        type_, tag = _field(node)
        columns.append((node.name, type_))
        values.append([tag(row[node.name]) for row in plan.rows])
    return Table.of(columns, values, len(plan.rows))


def row_groups(plan: FilePlan) -> list[range]:
    """Return the ordinals of the rows of each row group of the file of a plan."""
    sizes = plan.row_groups if plan.row_groups is not None else (len(plan.rows),) * bool(plan.rows)
    starts = accumulate(sizes, initial=0)
    return [range(start, start + size) for start, size in zip(starts, sizes, strict=False)]


def _field(node: Node) -> Typed:
    """Return the type of a field, and the function that tags its value in a row."""
    type_, tag = _single(node)
    if node.repetition == REPEATED:
        # "A repeated field that is neither contained by a LIST- or MAP-annotated group nor annotated by
        # LIST or MAP should be interpreted as a required list of required elements"
        return tagged.list_of(type_), lambda items: [tag(item) for item in items]
    if node.repetition == OPTIONAL:
        return type_, lambda value: None if value is None else tag(value)
    return type_, tag


def _single(node: Node) -> Typed:
    """Return the type and the function for a single value that is not null."""
    if node.physical is not None:
        return _leaf(node)
    name = node.logical.name if node.logical else ""
    if name == "LIST":
        return _list(node)
    if name in ("MAP", "MAP_KEY_VALUE"):
        return _map(node)
    if variants.is_variant(node):
        return tagged.Type("variant"), lambda value: [*map(tagged.binary, variants.meaning(node, value))]
    fields = [(child.name, *_field(child)) for child in node.children]
    tags = [(field, tag) for field, _, tag in fields]
    type_ = tagged.struct_of([(field, type_) for field, type_, _ in fields])
    return type_, lambda value: [tag(value[field]) for field, tag in tags]


def _list(node: Node) -> Typed:
    """Apply the rules of "Lists": the middle level is the element, or a group around the element."""
    middle = node.children[0]
    wraps = (
        middle.physical is None
        and len(middle.children) == 1
        and middle.children[0].repetition != REPEATED
        and middle.name not in ("array", f"{node.name}_tuple")
    )
    if not wraps:
        type_, tag = _single(middle)
        return tagged.list_of(type_), lambda value: [tag(item) for item in value[middle.name]]
    inner = middle.children[0]
    type_, tag = _field(inner)
    return tagged.list_of(type_), lambda value: [tag(item[inner.name]) for item in value[middle.name]]


def _map(node: Node) -> Typed:
    """Return a map; its values are null where its entries have only a key."""
    entry = node.children[0]
    key = entry.children[0].name
    key_type, key_tag = _field(entry.children[0])
    if len(entry.children) == 1:
        type_ = tagged.map_of(key_type, tagged.NULL)
        return type_, lambda value: [[key_tag(item[key]), None] for item in value[entry.name]]
    name = entry.children[1].name
    value_type, value_tag = _field(entry.children[1])
    return (
        tagged.map_of(key_type, value_type),
        lambda value: [[key_tag(item[key]), value_tag(item[name])] for item in value[entry.name]],
    )


def _leaf(node: Node) -> Typed:
    physical, logical = node.physical, node.logical
    assert physical is not None
    if logical is not None and logical.name != "NEW":  # an unknown annotation leaves the physical value
        return _logical(logical, physical.type)
    if physical.type == Type.BOOLEAN:
        return tagged.BOOL, bool
    if physical.type in (Type.INT32, Type.INT64):
        return tagged.integer(8 * physical.width), str
    if physical.type in (Type.FLOAT, Type.DOUBLE):
        return tagged.floating(8 * physical.width), float_tag("<f" if physical.type == Type.FLOAT else "<d")
    return tagged.BYTES, tagged.binary


def float_tag(form: str) -> Tag:
    """Return the function that tags floats, or their bytes, of a form of `struct`."""

    def tag(value: Any) -> Value:
        raw = value if isinstance(value, bytes) else struct.pack(form, value)
        return raw[::-1].hex()

    return tag


def _logical(logical: Logical, physical: Type) -> Typed:
    name = logical.name
    if name in ("STRING", "ENUM", "JSON"):
        return tagged.Type(name.lower()), tagged.text
    if name in ("BSON", "UUID", "GEOMETRY", "GEOGRAPHY"):
        return tagged.Type(name.lower()), tagged.binary
    if name == "INTEGER":
        return _integer(logical)
    if name == "DECIMAL":
        type_ = tagged.decimal(logical.precision, logical.scale)
        if physical in (Type.INT32, Type.INT64):
            return type_, str
        return type_, lambda raw: str(int.from_bytes(raw, "big", signed=True))
    if name == "DATE":
        return tagged.DATE, str
    if name in ("TIME", "TIMESTAMP"):
        make = tagged.time if name == "TIME" else tagged.timestamp
        return make(logical.unit, utc=logical.utc), str
    if name == "FLOAT16":
        return tagged.floating(16), float_tag("<e")
    return _OTHERS[name]


def _integer(logical: Logical) -> Typed:
    type_ = tagged.integer(logical.bits, signed=logical.signed)
    stored = 64 if logical.bits == 64 else 32
    if logical.signed:
        return type_, str
    return type_, lambda value: str(value % (1 << stored))


def _interval(raw: bytes) -> Value:
    months, days, millis = struct.unpack("<III", raw)
    return [str(months), str(days), str(millis * 1_000_000)]


def _int96(raw: bytes) -> Value:
    nanos, day = struct.unpack("<qi", raw)
    return str((day - _JULIAN_EPOCH) * _DAY_NANOS + nanos)


_OTHERS: dict[str, Typed] = {
    "INTERVAL": (tagged.INTERVAL, _interval),
    "INT96": (tagged.INT96, _int96),
    "UNKNOWN": (tagged.NULL, lambda _: None),
}
