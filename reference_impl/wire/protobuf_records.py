"""Records of Protocol Buffers: wire types, scalars, varints, lengths, skipping a value; with their rules."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from reference_impl.wire.table import Scalar, Wire

VARINT, I64, LEN, SGROUP, EGROUP, I32 = range(6)
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1
MAX_DEPTH = 100  # the default of Google's parsers
CUT, LONG, WIRE, ZERO, NESTING, LENGTH = (f"ORC-PROTO-{number:03}" for number in range(1, 7))


# The value of a varint of `raw` bits, as source that generated decoders contain.
CONVERSIONS = {
    Scalar.BOOL: "raw != 0",
    Scalar.I32: f"(raw & {_MASK32} ^ {1 << 31}) - {1 << 31}",
    Scalar.I64: f"(raw & {_MASK64} ^ {1 << 63}) - {1 << 63}",
    Scalar.U32: f"raw & {_MASK32}",
    Scalar.U64: "raw",
    Scalar.S32: f"(raw & {_MASK32}) >> 1 ^ -(raw & 1)",
    Scalar.S64: f"(raw & {_MASK64}) >> 1 ^ -(raw & 1)",
}
VARINTS: dict[Scalar, Callable[[int], Any]] = {
    scalar: eval(f"lambda raw: {source}")  # noqa: S307 - of our own table
    for scalar, source in CONVERSIONS.items()
}
FIXED = {Scalar.FIXED64: struct.Struct("<Q"), Scalar.DOUBLE: struct.Struct("<d")}


def code_of_wire(wire: Wire) -> int:
    """Return the wire type of a value."""
    if isinstance(wire, Scalar):
        return I64 if wire in FIXED else VARINT if wire in VARINTS else LEN
    return VARINT if isinstance(wire, type) and issubclass(wire, IntEnum) else LEN


class Failure(Exception):  # noqa: N818 - it becomes a Malformed where the offset of the message is known
    """A broken rule at a position in the message; without a rule, an exceeded limit."""

    def __init__(self, message: str, pos: int, rule: str | None) -> None:
        super().__init__(message)
        self.message, self.pos, self.rule = message, pos, rule


def varint(data: bytes, pos: int, bits: int) -> tuple[int, int]:
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
            raise Failure(f"a varint is longer than {bits} bits need", start, LONG)
    value |= byte << shift
    if value >> bits:
        raise Failure(f"a varint exceeds {bits} bits", start, LONG)
    return value, pos + 1


def behind(data: bytes, pos: int, size: int, rule: str) -> int:
    """Return the position behind `size` bytes; raises Failure if there are fewer."""
    if size > len(data) - pos:
        raise Failure(f"{size} bytes wanted, {len(data) - pos} left", pos, rule)
    return pos + size


def length_of(data: bytes, pos: int) -> tuple[int, int]:
    """Read the length of a LEN record; return where its bytes end and where they begin."""
    if (size := data[pos]) < 0x80:
        pos += 1
    else:
        size, pos = varint(data, pos, 64)
    return behind(data, pos, size, LENGTH), pos


def skip(tag: int, data: bytes, pos: int) -> int:
    """Return the position behind the value of a record, or behind a whole group."""
    groups: list[int] = []
    start = pos
    while True:
        number, code = tag >> 3, tag & 7
        if not number:
            raise Failure("a field has the number 0", pos, ZERO)
        if code == VARINT:
            pos = varint(data, pos, 64)[1]
        elif code == LEN:
            pos = length_of(data, pos)[0]
        elif code in (I64, I32):
            pos = behind(data, pos, 8 if code == I64 else 4, CUT)
        elif code == SGROUP:
            groups.append(number)
            if len(groups) > MAX_DEPTH:
                raise Failure(f"groups nested deeper than {MAX_DEPTH}", start, None)
        elif code == EGROUP:
            if not groups or groups.pop() != number:
                raise Failure(f"the end of group {number}, which was not begun", pos, NESTING)
        else:
            raise Failure(f"wire type {code} does not exist", pos, WIRE)
        if not groups:
            return pos
        tag, pos = varint(data, pos, 32)
