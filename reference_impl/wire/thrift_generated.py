"""Generated decoders of Thrift structs: a quick way to the values that `thrift.decode` defines.

The decoder of a struct is a function whose source follows from the struct's table (`wire/generated.py`). It
knows what writers usually write: known fields in ascending order, headers in the short form. For everything
else, legal or malformed, it raises Unusual, or IndexError at the end of the bytes; the strict reader of
`wire/thrift.py` then reads the bytes again. So values, errors and offsets are defined there alone.

A field is recognized by its key, (id << 4 | wire type code): the key of the last field without its code, plus
the header, is the key of the next one. Of KeyValue (1: required string key, 2: optional string value) the
source is, but for constants,

    def decode(data, pos, size, base):
        start = pos
        header = key = data[pos]
        pos += 1
        v1 = v2 = None
        if key == 24:
            number = data[pos]
            pos += 1
            if number >= 128:
                number, pos = varint(data, pos - 1, 32)
            end = pos + number
            if end > size:
                raise Unusual
            v1 = data[pos:end].decode("utf-8", "surrogateescape")
            pos = end
            header = data[pos]
            key = 16 + header
            pos += 1
        ...
        if header or v1 is None:
            raise Unusual
        value = new(cls)
        value.key = v1
        ...
        return value, pos
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

from reference_impl.wire.generated import Names, Unusual, function_of, instance
from reference_impl.wire.table import INT_BITS, ListOf, Row, Scalar, Struct, Table, Wire
from reference_impl.wire.thrift_codes import FALSE, INTS, TRUE, code_of_wire

Quick = Callable[[bytes, int, int, int], tuple[Any, int]]  # data, position, len(data), base → value, position


def varint(data: bytes, pos: int, bits: int) -> tuple[int, int]:
    """Read an unsigned LEB128 number of at most `bits` bits; return it and the position behind it."""
    value = shift = 0
    while (byte := data[pos]) >= 0x80:
        value |= (byte & 0x7F) << shift
        shift += 7
        pos += 1
        if shift >= bits:
            raise Unusual
    value |= byte << shift
    if value >> bits:
        raise Unusual
    return value, pos + 1


_DECODERS: dict[type[Struct], Quick] = {}


def decoder_of(cls: type[Struct]) -> Quick:
    """Return the generated decoder of a struct, built at first use; its tables may not contain themselves."""
    decoder = _DECODERS.get(cls)
    if decoder is None:
        decoder = _DECODERS[cls] = function_of(cls, _struct)
    return decoder


def _struct(table: Table, names: Names) -> Iterator[str]:
    names["varint"] = varint
    rows = sorted(table.rows, key=lambda row: row.id)
    yield "def decode(data, pos, size, base):"
    yield "    start = pos"
    yield "    header = key = data[pos]"
    yield "    pos += 1"
    yield f"    {' = '.join(f'v{row.id}' for row in rows)} = None" if rows else "    pass"
    for row in rows:
        yield from _field(row, names)
    wrong = ["header", *(f"v{row.id} is None" for row in rows if row.required)]
    if table.is_union:
        count = " + ".join(f"(v{row.id} is not None)" for row in rows)
        wrong.append(f"{count} != 1")
    yield f"    if {' or '.join(wrong)}:"
    yield "        raise Unusual"
    yield from instance(rows, "start", "pos")
    yield "    return value, pos"


def _field(row: Row, names: Names) -> Iterator[str]:
    """Yield the lines that read a field if it is the next one, and the header behind it."""
    target = f"v{row.id}"
    if row.wire is Scalar.BOOL:  # the type in the header is the value
        yield f"    if key == {row.id << 4 | TRUE} or key == {row.id << 4 | FALSE}:"
        yield f"        {target} = key == {row.id << 4 | TRUE}"
    else:
        yield f"    if key == {row.id << 4 | code_of_wire(row.wire)}:"
        yield from (f"        {line}" for line in _value(row.wire, target, names))
    yield "        header = data[pos]"
    yield f"        key = {row.id << 4} + header"
    yield "        pos += 1"


def _value(wire: Wire, target: str, names: Names) -> Iterator[str]:
    """Yield the lines that read a value at `pos` into the variable `target`; a boolean is one of a list."""
    if isinstance(wire, ListOf):
        yield from _list(wire, target, names)
    elif isinstance(wire, type) and issubclass(wire, Struct):
        names[f"read_{wire.__name__}"] = decoder_of(wire)
        yield f"{target}, pos = read_{wire.__name__}(data, pos, size, base)"
    elif code_of_wire(wire) in INTS:
        yield from _integer(wire, target, names)
    elif wire is Scalar.DOUBLE:
        names["double"] = struct.Struct("<d").unpack_from
        yield "if size - pos < 8:"
        yield "    raise Unusual"
        yield f"{target} = double(data, pos)[0]"
        yield "pos += 8"
    elif wire is Scalar.I8:
        yield f"{target} = (data[pos] ^ 128) - 128"
        yield "pos += 1"
    elif wire is Scalar.BOOL:
        yield f"if data[pos] > {FALSE}:"
        yield "    raise Unusual"
        yield f"{target} = data[pos] == {TRUE}"
        yield "pos += 1"
    else:
        yield from _number(32)
        yield "end = pos + number"
        yield "if end > size:"
        yield "    raise Unusual"
        text = '.decode("utf-8", "surrogateescape")' if wire is Scalar.STRING else ""
        yield f"{target} = data[pos:end]{text}"
        yield "pos = end"


def _number(bits: int) -> Iterator[str]:
    yield "number = data[pos]"
    yield "pos += 1"
    yield "if number >= 128:"
    yield f"    number, pos = varint(data, pos - 1, {bits})"


def _integer(wire: Wire, target: str, names: Names) -> Iterator[str]:
    signed = "(number >> 1) ^ -(number & 1)"
    if isinstance(wire, Scalar):
        yield from _number(INT_BITS[wire])
        yield f"{target} = {signed}"
    else:
        assert isinstance(wire, type)
        assert issubclass(wire, IntEnum)
        members = f"members_{wire.__name__}"
        names[members] = {int(member): member for member in wire}
        yield from _number(32)
        yield f"number = {signed}"
        yield f"{target} = {members}.get(number, number)"


def _list(wire: ListOf, target: str, names: Names) -> Iterator[str]:
    """Yield the lines that read a list; each element takes a byte or more, which bounds their number."""
    item = f"{target}_item"
    yield "number = data[pos]"
    yield "pos += 1"
    yield f"if number & 15 != {code_of_wire(wire.element)}:"
    yield "    raise Unusual"
    yield "number >>= 4"
    yield "if number == 15:"
    yield "    number, pos = varint(data, pos, 32)"
    yield "if number > size - pos:"
    yield "    raise Unusual"
    yield f"{target} = []"
    yield "for _ in range(number):"
    yield from (f"    {line}" for line in _value(wire.element, item, names))
    yield f"    {target}.append({item})"
