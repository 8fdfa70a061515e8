"""Thrift compact protocol as trees, both directions (thrift-compact-protocol.md; diagrams in `thrift.py`).

`build(parse(data))` is `data` if numbers are written without padding, as by all writers. All contents of a
tree are written: wrong types, fields out of order or twice, wrong sizes.
"""

from __future__ import annotations

import struct

from reference_impl.bits import zigzag
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, ReferenceError_
from reference_impl.wire.table import ListOf, Struct, Wire, table_of
from reference_impl.wire.thrift import MAX_DEPTH
from reference_impl.wire.thrift_codes import (
    BINARY,
    BYTE,
    DOUBLE,
    FALSE,
    INTS,
    LISTS,
    MAP,
    SIZES,
    STRUCT,
    TRUE,
)
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw, varint_of

_F64 = struct.Struct("<d")


def parse(data: bytes, cls: type[Struct] | None = None, *, start: int = 0) -> tuple[Group, int]:
    """Read a struct from `data[start:]`; return its tree and the number of its bytes.

    `cls` gives names and declared types to the fields of its table; nothing is checked against it.
    Raises Malformed (PQ-THRIFT-001, -002, -007, -008, -009) and LimitExceeded only.
    """
    cursor = Cursor(memoryview(data)[start:], base=start, rule="PQ-THRIFT-001")
    return _group(cursor, cls, 0), cursor.pos


def _group(cursor: Cursor, cls: type[Struct] | None, depth: int) -> Group:
    rows = table_of(cls).by_id if cls is not None else {}
    fields: list[Field] = []
    last = field_id = 0
    name = ""
    try:
        while header := cursor.u8("field header"):
            long = header < 16
            field_id = _varint(cursor) if long else last + (header >> 4)
            row = rows.get(field_id)
            name, wire = (row.name, row.wire) if row else ("", None)
            item = _value(cursor, header & 15, wire, depth + 1, in_list=False)
            fields.append(Field(field_id, item, name, wire, None, long and 0 < field_id - last <= 15))
            last = field_id
    except ReferenceError_ as error:
        error.path = (name or f"unknown field {field_id}", *error.path)
        raise
    return Group(fields, cls)


def _varint(cursor: Cursor) -> int:
    at = cursor.pos
    if at < cursor.end and (raw := cursor.data[at]) < 0x80:  # the common case
        cursor.pos = at + 1
        return (raw >> 1) ^ -(raw & 1)
    with cursor.obeying("PQ-THRIFT-002"):
        return cursor.zigzag(64)


def _value(cursor: Cursor, code: int, wire: Wire | None, depth: int, *, in_list: bool) -> Item:
    if depth > 2 * MAX_DEPTH:  # a list of structs is two levels here, and one in `thrift.py`
        raise LimitExceeded(f"values nested deeper than {2 * MAX_DEPTH}", offset=cursor.offset)
    if code in (TRUE, FALSE):
        return Leaf(code, _element(cursor.u8()) if in_list else code == TRUE)
    if code in INTS:
        return Leaf(code, _varint(cursor))
    if code == BINARY:
        size = _size(cursor)
        with cursor.obeying("PQ-THRIFT-007"):
            return Leaf(code, bytes(cursor.take(size)))
    if code in SIZES:
        raw = bytes(cursor.take(SIZES[code]))
        if code == BYTE:
            return Leaf(code, int.from_bytes(raw, "little", signed=True))
        # The payload of a NaN may be lost in a float.
        number = _F64.unpack(raw)[0] if code == DOUBLE else None
        return Leaf(code, raw if number is None or number != number else number)  # noqa: PLR0124 - NaN
    if code in LISTS:
        return _list(cursor, code, wire, depth)
    if code == MAP:
        return _map(cursor, depth)
    if code != STRUCT:
        raise cursor.fail(f"wire type {code} does not exist", rule="PQ-THRIFT-009")
    known = wire if isinstance(wire, type) and issubclass(wire, Struct) else None
    return _group(cursor, known, depth)


def _element(byte: int) -> int | bool:
    """Return an element of a list of booleans; a byte that is neither 1 nor 2 stays a number."""
    return byte == TRUE if byte in (TRUE, FALSE) else byte


def _size(cursor: Cursor) -> int:
    with cursor.obeying("PQ-THRIFT-002"):
        return cursor.uleb128(32)


def _list(cursor: Cursor, kind: int, wire: Wire | None, depth: int) -> Items:
    header = cursor.u8("list header")
    size = header >> 4
    if size == 15:
        size = _size(cursor)
    if size > cursor.remaining:  # every element takes at least a byte
        message = f"{size} elements declared, {cursor.remaining} bytes left"
        raise cursor.fail(message, rule="PQ-THRIFT-008")
    element = wire.element if isinstance(wire, ListOf) else None
    code = header & 15
    return Items(kind, code, [_value(cursor, code, element, depth + 1, in_list=True) for _ in range(size)])


def _map(cursor: Cursor, depth: int) -> Items:
    size = _size(cursor)
    if not size:
        return Items(MAP, 0)
    codes = cursor.u8("map header")
    if size > cursor.remaining:
        message = f"{size} entries declared, {cursor.remaining} bytes left"
        raise cursor.fail(message, rule="PQ-THRIFT-008")
    turns = (codes >> 4, codes & 15)
    items = [_value(cursor, code, None, depth + 1, in_list=True) for _ in range(size) for code in turns]
    return Items(MAP, codes, items)


def build(group: Group) -> bytes:
    """Write a struct; sizes are the true ones unless the tree overrides them."""
    out = bytearray()
    _put_group(out, group)
    return bytes(out)


def code_of(item: Item) -> int:
    """Return the wire type code of a field's value."""
    if isinstance(item, Group):
        return STRUCT
    if isinstance(item, Items):
        return item.kind
    if isinstance(item, Leaf) and isinstance(item.value, bool) and item.code in (TRUE, FALSE):
        return TRUE if item.value else FALSE
    return item.code


def _put_group(out: bytearray, group: Group) -> None:
    last = 0
    for each in group.fields:
        code = (code_of(each.item) if each.code is None else each.code) & 15
        if 0 < each.id - last <= 15 and not each.long:
            out.append((each.id - last) << 4 | code)
        else:
            out.append(code)
            out += zigzag(each.id)
        last = each.id
        _put(out, each.item, in_list=False)
    out.append(0)


def _put(out: bytearray, item: Item, *, in_list: bool) -> None:
    if isinstance(item, Group):
        _put_group(out, item)
    elif isinstance(item, Items):
        _put_items(out, item)
    elif isinstance(item, Raw):
        out += item.data
    else:
        _put_leaf(out, item, in_list=in_list)


def _put_items(out: bytearray, item: Items) -> None:
    is_map = item.kind == MAP
    size = item.size if item.size is not None else len(item.items) // 2 if is_map else len(item.items)
    if is_map:
        out += varint_of(size)
        if size:
            out.append(item.code & 0xFF)
    elif 0 <= size < 15:
        out.append(size << 4 | item.code & 15)
    else:
        out.append(0xF0 | item.code & 15)
        out += varint_of(size)
    for each in item.items:
        _put(out, each, in_list=True)


def _put_leaf(out: bytearray, item: Leaf, *, in_list: bool) -> None:
    code, value = item.code, item.value
    if code in (TRUE, FALSE) and not isinstance(value, bytes):
        if in_list:
            out.append((TRUE if value else FALSE) if isinstance(value, bool) else int(value) & 0xFF)
    elif isinstance(value, bytes):
        if code not in SIZES:  # a double or UUID has no length
            out += varint_of(len(value) if item.size is None else item.size)
        out += value
    elif isinstance(value, float):
        out += _F64.pack(value)
    elif code == BYTE:
        out.append(value & 0xFF)
    else:
        out += zigzag(int(value))
