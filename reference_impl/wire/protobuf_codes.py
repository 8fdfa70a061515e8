"""The wire type codes of Protocol Buffers, and the conversions of scalars."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from reference_impl.wire.table import Scalar, Wire

VARINT, I64, LEN, SGROUP, EGROUP, I32 = range(6)
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1


def _signed(bits: int) -> Callable[[int], int]:
    low, sign = (1 << bits) - 1, 1 << (bits - 1)
    return lambda raw: (raw & low ^ sign) - sign


def _zigzag(mask: int) -> Callable[[int], int]:
    return lambda raw: (raw & mask) >> 1 ^ -(raw & 1)


VARINTS: dict[Scalar, Callable[[int], Any]] = {
    Scalar.BOOL: bool,
    Scalar.I32: _signed(32),
    Scalar.I64: _signed(64),
    Scalar.U32: lambda raw: raw & _MASK32,
    Scalar.U64: lambda raw: raw,
    Scalar.S32: _zigzag(_MASK32),
    Scalar.S64: _zigzag(_MASK64),
}
FIXED = {Scalar.FIXED64: struct.Struct("<Q"), Scalar.DOUBLE: struct.Struct("<d")}


def code_of_wire(wire: Wire) -> int:
    """Return the wire type of a value."""
    if isinstance(wire, Scalar):
        return I64 if wire in FIXED else VARINT if wire in VARINTS else LEN
    return VARINT if isinstance(wire, type) and issubclass(wire, IntEnum) else LEN
