"""Writing the Protocol Buffers wire format, the inverse of `protobuf.decode`."""

from __future__ import annotations

from typing import Any

from reference_impl.bits import uleb128, zigzag
from reference_impl.wire.protobuf_records import FIXED, LEN, code_of_wire
from reference_impl.wire.table import ListOf, Row, Scalar, Struct, Wire, table_of

_MASK64 = (1 << 64) - 1


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
            out += uleb128(number << 3 | code)
            out += raw
        elif not isinstance(row.wire, ListOf):
            _put_record(out, number, row.wire, item, unpacked=unpacked)
        elif row.wire.packed and item and not unpacked:
            body = bytearray()
            for element in item:
                _put_scalar(body, row.wire.element, element)
            out += uleb128(number << 3 | LEN)
            out += uleb128(len(body))
            out += body
        else:
            for element in item:
                _put_record(out, number, row.wire.element, element, unpacked=unpacked)
    return bytes(out)


def _put_record(out: bytearray, number: int, wire: Wire, item: Any, *, unpacked: bool) -> None:
    code = code_of_wire(wire)
    out += uleb128(number << 3 | code)
    if code != LEN:
        _put_scalar(out, wire, item)
        return
    if isinstance(item, Struct):
        raw = encode(item, unpacked=unpacked)
    else:
        raw = item.encode("utf-8", "surrogateescape") if isinstance(item, str) else bytes(item)
    out += uleb128(len(raw))
    out += raw


def _put_scalar(out: bytearray, wire: Wire, item: Any) -> None:
    if isinstance(wire, Scalar) and wire in FIXED:
        out += FIXED[wire].pack(item)
    elif wire in (Scalar.S32, Scalar.S64):
        out += zigzag(item)
    else:  # "negative numbers … ten bytes": sign-extended to 64 bits, int32 and enums as well
        out += uleb128(int(item) & _MASK64)
