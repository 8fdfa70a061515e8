"""The expected table of an ORC file, computed from its plan alone.

This module walks over rows slowly and follows the text of ORCv1.md. It uses neither streams nor encodings, so
that writer, reader and this module check each other.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

from corpora import tagged
from corpora.build.expected import Tag, Typed, float_tag
from corpora.tagged import Table, Value
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.types import TypeNode, build

_BITS = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64}
_FLOATS = {TypeKind.FLOAT: (32, "<f"), TypeKind.DOUBLE: (64, "<d")}
_TEXTS = (TypeKind.STRING, TypeKind.CHAR, TypeKind.VARCHAR)
_BYTES = (TypeKind.BINARY, TypeKind.GEOMETRY, TypeKind.GEOGRAPHY)
_NANOS = 10**9


def table(plan: FilePlan) -> Table:
    """Return the table that a reader must return; a root other than a struct is a column without a name."""
    root = build(plan.types)
    if root.kind is not TypeKind.STRUCT:
        type_, tag = _typed(root)
        return Table.of([("", type_)], [[tag(row) for row in plan.rows]], len(plan.rows))
    columns, values = [], []
    for place, node in enumerate(root.children):
        type_, tag = _typed(node)
        columns.append((node.name, type_))
        values.append([None if row is None else tag(row[place]) for row in plan.rows])
    return Table.of(columns, values, len(plan.rows))


def stripes(plan: FilePlan) -> list[range]:
    """Return the ordinals of the rows of each stripe of the file of a plan."""
    sizes = plan.stripes if plan.stripes is not None else (len(plan.rows),) * bool(plan.rows)
    return [range(start, stop) for start, stop in pairwise(accumulate(sizes, initial=0))]


def row_groups(plan: FilePlan) -> list[list[range]]:
    """Return the ordinals of the rows of each row group by stripe; without an index a stripe is one group."""
    out = []
    for rows in stripes(plan):
        size = plan.row_index_stride or len(rows) or 1
        out.append([rows[at : at + size] for at in range(0, len(rows), size)])
    return out


def _typed(node: TypeNode) -> Typed:
    """Return the type of a column, and the function that tags its value, or null."""
    type_, tag = _nested(node) if node.children else _leaf(node)
    return type_, lambda value: None if value is None else tag(value)


def _nested(node: TypeNode) -> Typed:
    children = [_typed(child) for child in node.children]
    types, tags = [type_ for type_, _ in children], [tag for _, tag in children]
    if node.kind is TypeKind.STRUCT:
        fields = [(child.name, type_) for child, type_ in zip(node.children, types, strict=True)]
        type_ = tagged.struct_of(fields)
        return type_, lambda value: [tag(item) for tag, item in zip(tags, value, strict=True)]
    if node.kind is TypeKind.LIST:
        return tagged.list_of(types[0]), lambda value: [tags[0](item) for item in value]
    if node.kind is TypeKind.MAP:
        return tagged.map_of(*types), lambda value: [[tags[0](key), tags[1](item)] for key, item in value]
    return tagged.union_of(types), lambda value: [str(value[0]), tags[value[0]](value[1])]


def _leaf(node: TypeNode) -> Typed:
    kind = node.kind
    if kind is TypeKind.STRUCT:  # without fields
        return tagged.struct_of([]), lambda _: []
    if kind is TypeKind.BOOLEAN:
        return tagged.BOOL, bool
    if kind in _BITS:
        return tagged.integer(_BITS[kind]), str
    if kind in _FLOATS:
        bits, form = _FLOATS[kind]
        return tagged.floating(bits), float_tag(form)
    if kind in _TEXTS:
        return tagged.STRING, tagged.text
    if kind in _BYTES:
        return (tagged.BYTES if kind is TypeKind.BINARY else tagged.Type(kind.name.lower())), tagged.binary
    if kind is TypeKind.DATE:
        return tagged.DATE, str
    if kind is TypeKind.DECIMAL:
        return tagged.decimal(node.precision, node.scale), _decimal(node.scale)
    return tagged.timestamp("ns", utc=kind is TypeKind.TIMESTAMP_INSTANT), _moment


def _decimal(scale: int) -> Tag:
    """Return the function that tags decimals; those of another scale can be rescaled exactly in all plans."""

    def tag(value: Any) -> Value:
        unscaled, own = (value, scale) if isinstance(value, int) else value
        return str(unscaled * 10**scale // 10**own)

    return tag


def _moment(value: Any) -> Value:
    seconds, nanos = value
    return str(seconds * _NANOS + nanos)
