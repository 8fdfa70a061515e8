"""Protocol Buffers wire format (proto2), both directions, driven by the tables of `wire/table.py`.

Clauses are those of "Encoding" in the Protocol Buffers guide. A message is records, each a tag and a value:

    tag      varint of field number << 3 | wire type; field number 1 .. 2**29 - 1
    0        VARINT   1 to 10 bytes, 7 bits each, lowest first; a negative int32 or int64 takes 10
    1        I64      8 bytes, little endian
    2        LEN      varint of the length, and that many bytes: string, bytes, message, packed list
    3, 4     SGROUP, EGROUP: the records between them ("deprecated"; unknown groups are skipped)
    5        I32      4 bytes, little endian

Reading follows the guide even where it is lenient: of a scalar that occurs
twice the last value counts, a message that occurs twice is merged, numbers too large for their type lose
their high bits, packed and unpacked lists are read alike. A field that the table does not have, a field of
another wire type, and a number that an enum does not have are stored as unknown, in order.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_
from reference_impl.wire.table import ListOf, Scalar, Struct, table_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_impl.wire.table import Row, Table, Wire

VARINT, I64, LEN, SGROUP, EGROUP, I32 = range(6)
MAX_DEPTH = 100  # the default of Google's parsers
MAX_MESSAGES = (
    1 << 22
)  # in one call: an empty message takes two bytes in a file, and a hundred times that in memory

CUT, LONG, WIRE, ZERO, NESTING, LENGTH = (f"ORC-PROTO-{number:03}" for number in range(1, 7))
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1
S = TypeVar("S", bound=Struct)
Part = tuple[bytes, int]  # bytes of a message, and the absolute offset of the first of them


def decode(cls: type[S], data: bytes | memoryview, *, base: int = 0, keep_spans: bool = False) -> S:
    """Read a message that fills `data`, whose first byte is at offset `base` of the file.

    `keep_spans` stores the byte range of each field; a list ranges from its first record to its last.
    Raises Malformed (ORC-PROTO-*) and LimitExceeded only.
    """
    reader = _Reader(keep_spans=keep_spans)
    value: S = reader.message(table_of(cls), [(bytes(data), base)], 0)
    return value


def _signed(bits: int) -> Callable[[int], int]:
    low, sign = (1 << bits) - 1, 1 << (bits - 1)
    return lambda raw: (raw & low ^ sign) - sign


def _zigzag(mask: int) -> Callable[[int], int]:
    return lambda raw: (raw & mask) >> 1 ^ -(raw & 1)


_VARINTS: dict[Scalar, Callable[[int], Any]] = {
    Scalar.BOOL: bool,
    Scalar.I32: _signed(32),
    Scalar.I64: _signed(64),
    Scalar.U32: lambda raw: raw & _MASK32,
    Scalar.U64: lambda raw: raw,
    Scalar.S32: _zigzag(_MASK32),
    Scalar.S64: _zigzag(_MASK64),
}
_FIXED = {Scalar.FIXED64: struct.Struct("<Q"), Scalar.DOUBLE: struct.Struct("<d")}


class _Field:
    """The decoder of a field's records of one wire type."""

    __slots__ = ("convert", "fixed", "members", "name", "packed", "repeated", "table_cls", "text")

    def __init__(self, row: Row, *, packed: bool) -> None:
        wire = row.wire.element if isinstance(row.wire, ListOf) else row.wire
        self.name = row.name
        self.repeated = isinstance(row.wire, ListOf)
        self.packed = packed
        self.text = wire is Scalar.STRING
        self.convert = self.fixed = self.members = self.table_cls = None
        if isinstance(wire, Scalar):
            self.convert = _VARINTS.get(wire)
            self.fixed = _FIXED.get(wire)
        elif isinstance(wire, type) and issubclass(wire, IntEnum):
            self.members = {int(member): member for member in wire}
        elif isinstance(wire, type):
            self.table_cls = wire


def _code(wire: Wire) -> int:
    """Return the wire type of a value."""
    if isinstance(wire, Scalar):
        return I64 if wire in _FIXED else VARINT if wire in _VARINTS else LEN
    return VARINT if isinstance(wire, type) and issubclass(wire, IntEnum) else LEN


_FIELDS: dict[type[Struct], dict[int, _Field]] = {}


def _fields(table: Table) -> dict[int, _Field]:
    """Return the fields of a message by tag, built at first use."""
    known = _FIELDS.get(table.cls)
    if known is None:
        known = _FIELDS[table.cls] = {}
        for row in table.rows:
            code = _code(row.wire.element if isinstance(row.wire, ListOf) else row.wire)
            known[row.id << 3 | code] = _Field(row, packed=False)
            if isinstance(row.wire, ListOf) and code != LEN:
                known[row.id << 3 | LEN] = _Field(row, packed=True)
    return known


class _Reader:
    """Reads messages; an IndexError (indexing past the end of a `bytes`) means: cut short."""

    def __init__(self, *, keep_spans: bool) -> None:
        self.keep_spans = keep_spans
        self.messages = 0

    def message(self, table: Table, parts: list[Part], depth: int) -> Any:
        """Read a message that consists of these parts, one after the other."""
        self.messages += 1
        start = parts[0][1]
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"messages nested deeper than {MAX_DEPTH}", offset=start)
        if self.messages > MAX_MESSAGES:
            raise LimitExceeded(f"more than {MAX_MESSAGES} messages", offset=start)
        state = _State(self, table, depth)
        for data, base in parts:
            state.read(data, base)
        values = state.finish()
        span = (start, parts[-1][1] + len(parts[-1][0]))
        return table.cls(**values, span=span, field_spans=state.spans, unknown=tuple(state.unknown))


class _State:
    """A message while it is read."""

    def __init__(self, reader: _Reader, table: Table, depth: int) -> None:
        self.reader = reader
        self.depth = depth
        self.fields = _fields(table)
        self.values: dict[str, Any] = {}
        self.bodies: dict[str, tuple[type[Struct], list[Part]]] = {}  # of single messages
        self.lists: dict[str, list[Any]] = {}
        self.unknown: list[tuple[int, int, bytes]] = []
        self.spans: dict[str, tuple[int, int]] | None = {} if reader.keep_spans else None

    def read(self, data: bytes, base: int) -> None:
        """Read the records of a part."""
        pos, size, name = 0, len(data), ""
        fields, spans = self.fields, self.spans
        try:
            while pos < size:
                at = pos
                if (tag := data[pos]) < 0x80:
                    pos += 1
                else:
                    tag, pos = _varint(data, pos, 32)
                field = fields.get(tag)
                if field is None:
                    name = f"unknown field {tag >> 3}"
                    pos = self.keep(tag, data, pos)
                    continue
                name = field.name
                pos = self.record(field, tag, data, pos, base)
                if spans is not None:
                    first = spans[name][0] if field.repeated and name in spans else base + at
                    spans[name] = (first, base + pos)
        except IndexError:
            error = Malformed("the message is cut short", offset=base + size, rule=CUT)
            error.path = (name,) if name else ()
            raise error from None
        except _Failure as failure:
            error_type = LimitExceeded if failure.rule is None else Malformed
            problem = error_type(failure.message, offset=base + failure.pos, rule=failure.rule)
            problem.path = (name,) if name else ()
            raise problem from None

    def record(self, field: _Field, tag: int, data: bytes, pos: int, base: int) -> int:
        """Read a value or a packed list; return the position behind it."""
        value: Any
        if field.packed:
            end, pos = _length(data, pos)
            self.unpack(field, tag, data[pos:end], pos)
            return end
        if field.convert is not None:
            if (raw := data[pos]) < 0x80:
                pos += 1
            else:
                raw, pos = _varint(data, pos, 64)
            value = field.convert(raw)
        elif field.fixed is not None:
            end = _behind(data, pos, 8, CUT)
            (value,) = field.fixed.unpack_from(data, pos)
            pos = end
        elif field.members is not None:
            begin = pos
            raw, pos = _varint(data, pos, 64)
            value = field.members.get((raw & _MASK32 ^ 1 << 31) - (1 << 31))
            if value is None:
                self.unknown.append((tag >> 3, VARINT, data[begin:pos]))
                return pos
        else:
            end, pos = _length(data, pos)
            body = data[pos:end]
            if field.table_cls is not None:
                self.nested(field, body, base + pos)
                return end
            value = body.decode("utf-8", "surrogateescape") if field.text else body
            pos = end
        if field.repeated:
            self.lists.setdefault(field.name, []).append(value)
        else:
            self.values[field.name] = value
        return pos

    def nested(self, field: _Field, body: bytes, at: int) -> None:
        """Read a message of a list; store the part of a single message, as more parts may follow."""
        cls = field.table_cls
        assert cls is not None
        if not field.repeated:
            self.bodies.setdefault(field.name, (cls, []))[1].append((body, at))
            return
        items = self.lists.setdefault(field.name, [])
        try:
            items.append(self.reader.message(table_of(cls), [(body, at)], self.depth + 1))
        except ReferenceError_ as error:
            error.path = (f"{field.name}[{len(items)}]", *error.path)
            raise

    def unpack(self, field: _Field, tag: int, body: bytes, at: int) -> None:
        """Read the values of a packed list at position `at` of its message."""
        items = self.lists.setdefault(field.name, [])
        if field.fixed is not None:
            if len(body) % 8:
                raise _Failure(f"a packed list of {len(body)} bytes, not a multiple of 8", at, CUT)
            items += (value for (value,) in field.fixed.iter_unpack(body))
            return
        pos = 0
        while pos < len(body):
            begin = pos
            try:
                raw, pos = _varint(body, pos, 64)
            except IndexError:
                raise _Failure("a packed list ends within a varint", at + len(body), CUT) from None
            except _Failure as failure:
                failure.pos += at
                raise
            if field.convert is not None:
                items.append(field.convert(raw))
            elif (member := (field.members or {}).get(raw)) is not None:
                items.append(member)
            else:
                self.unknown.append((tag >> 3, VARINT, body[begin:pos]))

    def keep(self, tag: int, data: bytes, pos: int) -> int:
        """Store the record of an unknown field; return the position behind it."""
        end = _skip(tag, data, pos)
        self.unknown.append((tag >> 3, tag & 7, data[pos:end]))
        return end

    def finish(self) -> dict[str, Any]:
        """Return the values of the fields."""
        for name, items in self.lists.items():
            self.values[name] = tuple(items)
        for name, (cls, parts) in self.bodies.items():
            try:
                self.values[name] = self.reader.message(table_of(cls), parts, self.depth + 1)
            except ReferenceError_ as error:
                error.path = (name, *error.path)
                raise
        return self.values


class _Failure(Exception):  # noqa: N818 - it becomes a Malformed where the offset of the message is known
    """A broken rule at a position in the message; without a rule, an exceeded limit."""

    def __init__(self, message: str, pos: int, rule: str | None) -> None:
        super().__init__(message)
        self.message, self.pos, self.rule = message, pos, rule


def _varint(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    """Read a varint of at most `bits` bits, 32 for a tag and else 64; return it and the position behind it.

    The caller cuts it to the bits of the field.
    """
    start = pos
    value = shift = 0
    while (byte := data[pos]) >= 0x80:
        value |= (byte & 0x7F) << shift
        shift += 7
        pos += 1
        if shift >= bits:
            raise _Failure(f"a varint is longer than {bits} bits need", start, LONG)
    value |= byte << shift
    if value >> bits:
        raise _Failure(f"a varint exceeds {bits} bits", start, LONG)
    return value, pos + 1


def _behind(data: bytes, pos: int, size: int, rule: str) -> int:
    if size > len(data) - pos:
        raise _Failure(f"{size} bytes wanted, {len(data) - pos} left", pos, rule)
    return pos + size


def _length(data: bytes, pos: int) -> tuple[int, int]:
    """Read the length of a LEN record; return where its bytes end and where they begin."""
    if (size := data[pos]) < 0x80:
        pos += 1
    else:
        size, pos = _varint(data, pos, 64)
    return _behind(data, pos, size, LENGTH), pos


def _skip(tag: int, data: bytes, pos: int) -> int:
    """Return the position behind the value of a record, or behind a whole group."""
    groups: list[int] = []
    start = pos
    while True:
        number, code = tag >> 3, tag & 7
        if not number:
            raise _Failure("a field has the number 0", pos, ZERO)
        if code == VARINT:
            pos = _varint(data, pos, 64)[1]
        elif code == LEN:
            pos = _length(data, pos)[0]
        elif code in (I64, I32):
            pos = _behind(data, pos, 8 if code == I64 else 4, CUT)
        elif code == SGROUP:
            groups.append(number)
            if len(groups) > MAX_DEPTH:
                raise _Failure(f"groups nested deeper than {MAX_DEPTH}", start, None)
        elif code == EGROUP:
            if not groups or groups.pop() != number:
                raise _Failure(f"the end of group {number}, which was not begun", pos, NESTING)
        else:
            raise _Failure(f"wire type {code} does not exist", pos, WIRE)
        if not groups:
            return pos
        tag, pos = _varint(data, pos, 32)


def encode(value: Struct, *, unpacked: bool = False) -> bytes:
    """Write a message, known and unknown fields by number; the inverse of `decode`.

    `unpacked` writes each element of every list as a record of its own, which readers must accept.
    """
    out = bytearray()
    records: list[tuple[int, Row | None, Any]] = [
        (row.id, row, item)
        for row in table_of(type(value)).rows
        if (item := getattr(value, row.name)) is not None
    ]
    records += [(number, None, (code, raw)) for number, code, raw in value.unknown]
    for number, row, item in sorted(records, key=lambda record: record[0]):
        if row is None:
            code, raw = item
            _put_varint(out, number << 3 | code)
            out += raw
        elif not isinstance(row.wire, ListOf):
            _put_record(out, number, row.wire, item, unpacked=unpacked)
        elif row.wire.packed and item and not unpacked:
            body = bytearray()
            for element in item:
                _put_scalar(body, row.wire.element, element)
            _put_varint(out, number << 3 | LEN)
            _put_varint(out, len(body))
            out += body
        else:
            for element in item:
                _put_record(out, number, row.wire.element, element, unpacked=unpacked)
    return bytes(out)


def _put_record(out: bytearray, number: int, wire: Wire, item: Any, *, unpacked: bool) -> None:
    code = _code(wire)
    _put_varint(out, number << 3 | code)
    if code != LEN:
        _put_scalar(out, wire, item)
        return
    if isinstance(item, Struct):
        raw = encode(item, unpacked=unpacked)
    else:
        raw = item.encode("utf-8", "surrogateescape") if isinstance(item, str) else bytes(item)
    _put_varint(out, len(raw))
    out += raw


def _put_scalar(out: bytearray, wire: Wire, item: Any) -> None:
    if isinstance(wire, Scalar) and wire in _FIXED:
        out += _FIXED[wire].pack(item)
    elif wire in (Scalar.S32, Scalar.S64):
        _put_varint(out, item << 1 if item >= 0 else ~item << 1 | 1)
    else:  # "negative numbers … ten bytes": sign-extended to 64 bits, int32 and enums as well
        _put_varint(out, int(item) & _MASK64)


def _put_varint(out: bytearray, number: int) -> None:
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
