"""Writing the Protocol Buffers wire format, the inverse of `protobuf.decode`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from reference_impl.bits import uleb128, zigzag
from reference_impl.wire.protobuf_records import FIXED, LEN, code_of_wire
from reference_impl.wire.table import ListOf, Row, Scalar, Struct, Wire, table_of

_MASK64 = (1 << 64) - 1
_Put = Callable[[bytearray, Any, bool], None]  # appends a value; the flag means that no list is packed


class _Field(NamedTuple):
    """A field, prepared for fast writing: the bytes before a value, and the function that appends the value.

    `packed` are the bytes before a packed list; empty if the list is not packed.
    """

    number: int
    name: str
    tag: bytes
    put: _Put
    repeated: bool
    packed: bytes


_FIELDS: dict[type[Struct], list[_Field]] = {}


def encode(value: Struct, *, unpacked: bool = False) -> bytes:
    """Write a message, known and unknown fields by number; the inverse of `decode`.

    `unpacked` writes each element of every list as a record of its own, which readers must accept.
    """
    out = bytearray()
    for field, item in _present(value):
        tag, put = field.tag, field.put
        if not field.repeated:
            out += tag
            put(out, item, unpacked)
        elif field.packed and item and not unpacked:
            body = bytearray()
            for element in item:
                put(body, element, unpacked)
            out += field.packed
            out += uleb128(len(body))
            out += body
        else:
            for element in item:
                out += tag
                put(out, element, unpacked)
    return bytes(out)


def _present(value: Struct) -> Sequence[tuple[_Field, Any]]:
    """Return the fields that are set, with their values, by number."""
    known = [
        (field, item) for field in _fields(type(value)) if (item := getattr(value, field.name)) is not None
    ]
    if not value.unknown:
        return known
    unknown = [
        (_Field(number, "", uleb128(number << 3 | code), _put_raw, repeated=False, packed=b""), raw)
        for number, code, raw in value.unknown
    ]
    return sorted([*known, *unknown], key=lambda record: record[0].number)


def _fields(cls: type[Struct]) -> list[_Field]:
    """Return the fields of a message by number, built at first use."""
    known = _FIELDS.get(cls)
    if known is None:
        known = _FIELDS[cls] = sorted(map(_field, table_of(cls).rows), key=itemgetter(0))
    return known


def _field(row: Row) -> _Field:
    repeated = isinstance(row.wire, ListOf)
    wire = row.wire.element if isinstance(row.wire, ListOf) else row.wire
    packed = uleb128(row.id << 3 | LEN) if isinstance(row.wire, ListOf) and row.wire.packed else b""
    tag = uleb128(row.id << 3 | code_of_wire(wire))
    return _Field(row.id, row.name, tag, _put_of(wire), repeated, packed)


def _put_of(wire: Wire) -> _Put:
    """Return what appends values of a wire type, without a tag."""
    if isinstance(wire, Scalar) and wire in FIXED:
        return partial(_put_fixed, FIXED[wire].pack)
    if wire in (Scalar.S32, Scalar.S64):
        return _put_zigzag
    if code_of_wire(wire) != LEN:
        return _put_varint
    return _put_bytes if isinstance(wire, Scalar) else _put_message


def _put_fixed(pack: Callable[[Any], bytes], out: bytearray, item: Any, _: bool) -> None:
    out += pack(item)


def _put_zigzag(out: bytearray, item: Any, _: bool) -> None:
    out += zigzag(item)


def _put_varint(out: bytearray, item: Any, _: bool) -> None:
    """Append a varint: "negative numbers … ten bytes": sign-extended to 64 bits, int32 and enums as well."""
    out += uleb128(int(item) & _MASK64)


def _put_bytes(out: bytearray, item: Any, _: bool) -> None:
    raw = item.encode("utf-8", "surrogateescape") if isinstance(item, str) else bytes(item)
    out += uleb128(len(raw))
    out += raw


def _put_message(out: bytearray, item: Any, unpacked: bool) -> None:
    raw = encode(item, unpacked=unpacked)
    out += uleb128(len(raw))
    out += raw


def _put_raw(out: bytearray, item: Any, _: bool) -> None:
    out += item
