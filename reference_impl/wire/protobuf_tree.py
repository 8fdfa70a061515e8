"""Protocol Buffers wire format as trees, both directions ("Encoding"; diagrams in `protobuf.py`).

`build(parse(data))` is `data` if tags and lengths are written without padding, as by all writers.
All contents of a tree are written: wrong types, fields out of order or twice, wrong lengths.

Numbers are those of the wire, neither signed nor zigzag; only a double of the table is a float. A
varint with padding, and a group (SGROUP to EGROUP), are `Raw`. A message that does not fit its table stays
bytes.
"""

from __future__ import annotations

import struct

from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_
from reference_impl.wire.protobuf_records import (
    CUT,
    EGROUP,
    I32,
    I64,
    LEN,
    LENGTH,
    LONG,
    MAX_DEPTH,
    NESTING,
    SGROUP,
    VARINT,
    WIRE,
    ZERO,
)
from reference_impl.wire.table import ListOf, Scalar, Struct, Wire, table_of
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw, varint_of

_F64 = struct.Struct("<d")
_SIZES = {I64: 8, I32: 4}
_MASK64 = (1 << 64) - 1
_FIXED = (Scalar.DOUBLE, Scalar.FIXED64)
_BYTES = (Scalar.STRING, Scalar.BINARY)


def parse(data: bytes, cls: type[Struct] | None = None, *, start: int = 0) -> tuple[Group, int]:
    """Read the message `data[start:]`; return its tree and the number of its bytes.

    `cls` gives names and declared types to the fields of its table; nothing is checked against it.
    Raises Malformed (ORC-PROTO-*) and LimitExceeded (groups nested deeper than 100) only.
    """
    cursor = Cursor(memoryview(data)[start:], base=start, rule=LONG)
    return _group(cursor, cls), cursor.pos


def _group(cursor: Cursor, cls: type[Struct] | None) -> Group:
    """Read records to the end; nesting is limited by the tables, as unknown messages are bytes."""
    rows = table_of(cls).by_id if cls is not None else {}
    fields: list[Field] = []
    where = "tag"
    try:
        while cursor.pos < cursor.end:
            number, code = _tag(cursor)
            row = rows.get(number)
            name, wire = (row.name, row.wire) if row else ("", None)
            where = name or f"unknown field {number}"
            fields.append(Field(number, _value(cursor, number, code, wire), name, wire))
    except ReferenceError_ as error:
        error.path = (where, *error.path)
        raise
    return Group(fields, cls)


def _tag(cursor: Cursor) -> tuple[int, int]:
    tag = cursor.uleb128(32, "tag")
    if not tag >> 3:
        raise cursor.fail("a field has the number 0", rule=ZERO)
    return tag >> 3, tag & 7


def _value(cursor: Cursor, number: int, code: int, wire: Wire | None) -> Item:
    if code == VARINT:
        return _varint(cursor)
    if code in _SIZES:
        return _fixed(cursor, code, wire)
    if code == LEN:
        size = cursor.uleb128(64, "length")
        with cursor.obeying(LENGTH):
            body = bytes(cursor.take(size))
        return _length_delimited(body, wire)
    if code == SGROUP:
        start = cursor.pos
        _skip_group(cursor, number)
        return Raw(code, bytes(cursor.data[start : cursor.pos]))
    if code == EGROUP:
        raise cursor.fail(f"the end of group {number}, which was not begun", rule=NESTING)
    raise cursor.fail(f"wire type {code} does not exist", rule=WIRE)


def _varint(cursor: Cursor) -> Item:
    start = cursor.pos
    number = cursor.uleb128(64)
    if number < 0x80 and cursor.pos == start + 1:
        return Leaf(VARINT, number)
    raw = bytes(cursor.data[start : cursor.pos])
    return Leaf(VARINT, number) if raw[-1] else Raw(VARINT, raw)


def _fixed(cursor: Cursor, code: int, wire: Wire | None) -> Leaf:
    with cursor.obeying(CUT):
        raw = bytes(cursor.take(_SIZES[code]))
    if code == I64 and wire is Scalar.DOUBLE:
        number = _F64.unpack(raw)[0]
        # The payload of a NaN may be lost in a float.
        return Leaf(code, raw if number != number else number)  # noqa: PLR0124 - NaN
    return Leaf(code, int.from_bytes(raw, "little"))


def _length_delimited(body: bytes, wire: Wire | None) -> Item:
    """Return a message or a packed list if the table declares it and the bytes allow it, else bytes."""
    element = wire.element if isinstance(wire, ListOf) else wire
    try:
        if isinstance(element, type) and issubclass(element, Struct):
            return _group(Cursor(body, rule=LONG), element)
        if isinstance(wire, ListOf) and element not in _BYTES:
            return _packed(Cursor(body, rule=LONG), element)
    except Malformed:
        return Leaf(LEN, body)
    return Leaf(LEN, body)


def _packed(cursor: Cursor, element: Wire | None) -> Items:
    code = I64 if element in _FIXED else VARINT
    items: list[Item] = []
    while cursor.remaining:
        items.append(_fixed(cursor, code, element) if code == I64 else _varint(cursor))
    return Items(LEN, code, items)


def _skip_group(cursor: Cursor, number: int) -> None:
    """Move behind the end of a group, whose beginning has been read."""
    open_ = [number]
    while open_:
        if len(open_) > MAX_DEPTH:
            raise LimitExceeded(f"groups nested deeper than {MAX_DEPTH}", offset=cursor.offset)
        inner, code = _tag(cursor)
        if code == SGROUP:
            open_.append(inner)
        elif code != EGROUP:
            _value(cursor, inner, code, None)
        elif open_.pop() != inner:
            raise cursor.fail(f"the end of group {inner}, which was not begun", rule=NESTING)


def build(group: Group) -> bytes:
    """Write a message; lengths are the true ones unless the tree overrides them."""
    out = bytearray()
    for each in group.fields:
        code = code_of(each.item) if each.code is None else each.code
        out += varint_of(each.id << 3 | code & 7)
        _put(out, each.item)
    return bytes(out)


def code_of(item: Item) -> int:
    """Return the wire type code of a field's value."""
    if isinstance(item, Group):
        return LEN
    return item.kind if isinstance(item, Items) else item.code


def leaf(wire: Wire | None, value: float | bytes | str) -> Leaf:
    """Return a value of a declared type in its wire form: varint, zigzag, fixed, or bytes.

    If the declared type and the value do not fit together, the value decides.
    """
    element = wire.element if isinstance(wire, ListOf) else wire
    if isinstance(value, str):
        return Leaf(LEN, value.encode("utf-8", "surrogateescape"))
    if isinstance(value, bytes):
        return Leaf(LEN, value)
    if not isinstance(value, int):
        return Leaf(I64, value)
    if element is Scalar.FIXED64:
        return Leaf(I64, value & _MASK64)
    if element in (Scalar.S32, Scalar.S64):
        return Leaf(VARINT, (value << 1 if value >= 0 else ~value << 1 | 1) & _MASK64)
    return Leaf(VARINT, int(value) & _MASK64)


def _put(out: bytearray, item: Item) -> None:
    if isinstance(item, Group):
        _put_sized(out, build(item), item.size)
    elif isinstance(item, Items):
        body = bytearray()
        for each in item.items:
            _put(body, each)
        _put_sized(out, body, item.size)
    elif isinstance(item, Raw):
        out += item.data
    else:
        _put_leaf(out, item)


def _put_leaf(out: bytearray, item: Leaf) -> None:
    value, size = item.value, _SIZES.get(item.code)
    if isinstance(value, bytes):
        if size is None:  # fixed numbers have no length
            _put_sized(out, value, item.size)
        else:
            out += value
    elif isinstance(value, float):
        out += _F64.pack(value)
    elif size is not None:
        out += (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    else:
        out += varint_of(int(value))


def _put_sized(out: bytearray, body: bytes | bytearray, size: int | None) -> None:
    out += varint_of(len(body) if size is None else size)
    out += body
