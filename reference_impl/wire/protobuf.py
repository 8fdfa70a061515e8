"""Reading the Protocol Buffers wire format (proto2), driven by the tables of `wire/table.py`.

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

from enum import IntEnum
from typing import Any, TypeVar

from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_
from reference_impl.wire import protobuf_generated
from reference_impl.wire.protobuf_records import (
    CUT,
    FIXED,
    LEN,
    MAX_DEPTH,
    VARINT,
    VARINTS,
    Failure,
    behind,
    code_of_wire,
    length_of,
    skip,
    varint,
)
from reference_impl.wire.protobuf_writer import encode
from reference_impl.wire.table import ListOf, Row, Scalar, Struct, Table, table_of

__all__ = ["MAX_DEPTH", "MAX_MESSAGES", "decode", "encode"]
# In one call: an empty message takes two bytes in a file, and a hundred times that in memory.
MAX_MESSAGES = 1 << 22

S = TypeVar("S", bound=Struct)
Part = tuple[bytes, int]  # bytes of a message, and the absolute offset of the first of them


def decode(cls: type[S], data: bytes | memoryview, *, base: int = 0, keep_spans: bool = False) -> S:
    """Read a message that fills `data`, whose first byte is at offset `base` of the file.

    `keep_spans` stores the byte range of each field; a list ranges from its first record to its last.
    Raises Malformed (ORC-PROTO-*) and LimitExceeded only.
    """
    data = bytes(data)
    # A message takes two bytes or more in its parent: so short, it holds no more messages than are allowed.
    if not keep_spans and len(data) < 2 * MAX_MESSAGES:
        try:
            quick: S = protobuf_generated.decoder_of(cls)(data, 0, len(data), base)
        except protobuf_generated.UNUSUAL:
            pass  # the strict reader reads what the quick one does not know, or says what is wrong
        else:
            return quick
    reader = _Reader(keep_spans=keep_spans)
    value: S = reader.message(table_of(cls), [(data, base)], 0)
    return value


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
            self.convert = VARINTS.get(wire)
            self.fixed = FIXED.get(wire)
        elif isinstance(wire, type) and issubclass(wire, IntEnum):
            self.members = {int(member): member for member in wire}
        elif isinstance(wire, type):
            self.table_cls = wire


_MASK32 = (1 << 32) - 1
_FIELDS: dict[type[Struct], dict[int, _Field]] = {}


def _fields(table: Table) -> dict[int, _Field]:
    """Return the fields of a message by tag, built at first use."""
    known = _FIELDS.get(table.cls)
    if known is None:
        known = _FIELDS[table.cls] = {}
        for row in table.rows:
            code = code_of_wire(row.wire.element if isinstance(row.wire, ListOf) else row.wire)
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
                    tag, pos = varint(data, pos, 32)
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
        except Failure as failure:
            error_type = LimitExceeded if failure.rule is None else Malformed
            problem = error_type(failure.message, offset=base + failure.pos, rule=failure.rule)
            problem.path = (name,) if name else ()
            raise problem from None

    def record(self, field: _Field, tag: int, data: bytes, pos: int, base: int) -> int:
        """Read a value or a packed list; return the position behind it."""
        value: Any
        if field.packed:
            end, pos = length_of(data, pos)
            self.unpack(field, tag, data[pos:end], pos)
            return end
        if field.convert is not None:
            if (raw := data[pos]) < 0x80:
                pos += 1
            else:
                raw, pos = varint(data, pos, 64)
            value = field.convert(raw)
        elif field.fixed is not None:
            end = behind(data, pos, 8, CUT)
            (value,) = field.fixed.unpack_from(data, pos)
            pos = end
        elif field.members is not None:
            begin = pos
            raw, pos = varint(data, pos, 64)
            value = field.members.get((raw & _MASK32 ^ 1 << 31) - (1 << 31))
            if value is None:
                self.unknown.append((tag >> 3, VARINT, data[begin:pos]))
                return pos
        else:
            end, pos = length_of(data, pos)
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
                raise Failure(f"a packed list of {len(body)} bytes, not a multiple of 8", at, CUT)
            items += (value for (value,) in field.fixed.iter_unpack(body))
            return
        pos = 0
        while pos < len(body):
            begin = pos
            try:
                raw, pos = varint(body, pos, 64)
            except IndexError:
                raise Failure("a packed list ends within a varint", at + len(body), CUT) from None
            except Failure as failure:
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
        end = skip(tag, data, pos)
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
