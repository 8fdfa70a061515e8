"""The wire type codes of the Thrift compact protocol."""

from __future__ import annotations

from enum import IntEnum

from reference_impl.wire.table import ListOf, Scalar, Wire

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
INTS, LISTS = (I16, I32, I64), (LIST, SET)
SIZES = {BYTE: 1, DOUBLE: 8, UUID: 16}

_SCALAR_CODES = {
    Scalar.I8: BYTE,
    Scalar.I16: I16,
    Scalar.I32: I32,
    Scalar.I64: I64,
    Scalar.DOUBLE: DOUBLE,
    Scalar.STRING: BINARY,
    Scalar.BINARY: BINARY,
}


def code_of_wire(wire: Wire) -> int:
    """Return the wire type code of a list element, or of a field that is not boolean."""
    if isinstance(wire, ListOf):
        return LIST
    if isinstance(wire, Scalar):
        return TRUE if wire is Scalar.BOOL else _SCALAR_CODES[wire]
    return I32 if issubclass(wire, IntEnum) else STRUCT
