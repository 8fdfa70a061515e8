"""Writing the Thrift compact protocol, the inverse of `thrift.decode`."""

from __future__ import annotations

import struct
from typing import Any

from reference_impl.bits import uleb128, zigzag
from reference_impl.wire.table import ListOf, Scalar, Struct, Wire, table_of
from reference_impl.wire.thrift_codes import FALSE, TRUE, code_of_wire

_F64 = struct.Struct("<d")


def encode(value: Struct, *, long_headers: bool = False) -> bytes:
    """Write a struct: known and unknown fields by id.

    `long_headers` chooses the long form of field headers even if the short form suffices; both are legal.
    """
    out = bytearray()
    _put_struct(out, value, long_headers=long_headers)
    return bytes(out)


def _put_struct(out: bytearray, value: Struct, *, long_headers: bool) -> None:
    known = [(row.id, row, getattr(value, row.name)) for row in table_of(type(value)).rows]
    fields = [item for item in known if item[2] is not None]
    last = 0
    merged = [*fields, *((field_id, None, (code, raw)) for field_id, code, raw in value.unknown)]
    for field_id, row, item in sorted(merged, key=lambda entry: entry[0]):
        code = item[0] if row is None else _field_code(row.wire, item)
        if 0 < field_id - last <= 15 and not long_headers:
            out.append((field_id - last) << 4 | code)
        else:
            out.append(code)
            out += zigzag(field_id)
        last = field_id
        if row is None:
            out += item[1]
        elif row.wire is not Scalar.BOOL:
            _put_value(out, row.wire, item, long_headers=long_headers)
    out.append(0)


def _field_code(wire: Wire, item: Any) -> int:
    if wire is Scalar.BOOL:
        return TRUE if item else FALSE
    return code_of_wire(wire)


def _put_value(out: bytearray, wire: Wire, item: Any, *, long_headers: bool) -> None:
    if isinstance(wire, ListOf):
        code = code_of_wire(wire.element)
        if len(item) < 15:
            out.append(len(item) << 4 | code)
        else:
            out.append(0xF0 | code)
            out += uleb128(len(item))
        for element in item:
            _put_value(out, wire.element, element, long_headers=long_headers)
    elif isinstance(item, Struct):
        _put_struct(out, item, long_headers=long_headers)
    elif wire is Scalar.STRING or wire is Scalar.BINARY:
        raw = item if isinstance(item, bytes) else item.encode("utf-8", "surrogateescape")
        out += uleb128(len(raw))
        out += raw
    elif wire is Scalar.DOUBLE:
        out += _F64.pack(item)
    elif wire is Scalar.BOOL:
        out.append(TRUE if item else FALSE)
    elif wire is Scalar.I8:
        out.append(item & 0xFF)
    else:
        out += zigzag(int(item))
