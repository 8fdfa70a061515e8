"""Writing the Thrift compact protocol, the inverse of `thrift.decode`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from reference_impl.bits import uleb128, zigzag
from reference_impl.wire.table import ListOf, Scalar, Struct, Wire, table_of
from reference_impl.wire.thrift_codes import FALSE, TRUE, code_of_wire

_F64 = struct.Struct("<d")


class _Forms(NamedTuple):
    """Which of several legal forms are written."""

    long_headers: bool
    zero_is_false: bool


_Put = Callable[[bytearray, Any, _Forms], None]  # appends a value
# Id, name, wire type code (0: a boolean, whose code is its value), and what appends the value, by id.
_FIELDS: dict[type[Struct], list[tuple[int, str, int, _Put]]] = {}


def encode(value: Struct, *, long_headers: bool = False, zero_is_false: bool = False) -> bytes:
    """Write a struct: known and unknown fields by id.

    `long_headers` chooses the long form of field headers even if the short form suffices, `zero_is_false`
    lists of booleans with element type 2 and 0 for false (thrift-compact-protocol.md, "List and Set": writers
    had both, so that readers accept both).
    """
    out = bytearray()
    _put_struct(out, value, _Forms(long_headers, zero_is_false))
    return bytes(out)


def _fields(cls: type[Struct]) -> list[tuple[int, str, int, _Put]]:
    """Return the fields of a struct for quick writing, built at first use."""
    known = _FIELDS.get(cls)
    if known is None:
        rows = sorted(table_of(cls).rows, key=lambda row: row.id)
        known = _FIELDS[cls] = [
            (row.id, row.name, 0, _put_raw)
            if row.wire is Scalar.BOOL
            else (row.id, row.name, code_of_wire(row.wire), _put_of(row.wire))
            for row in rows
        ]
    return known


def _present(value: Struct) -> Sequence[tuple[int, int, _Put, Any]]:
    """Return the fields that are set, by id: id, wire type code, what appends the value, and the value."""
    known = [
        (number, code, put, item) if code else (number, TRUE if item else FALSE, put, b"")
        for number, name, code, put in _fields(type(value))
        if (item := getattr(value, name)) is not None
    ]
    if not value.unknown:
        return known
    unknown = [(number, code, _put_raw, raw) for number, code, raw in value.unknown]
    return sorted([*known, *unknown], key=itemgetter(0))


def _put_struct(out: bytearray, value: Struct, forms: _Forms) -> None:
    last = 0
    for number, code, put, item in _present(value):
        if 0 < number - last <= 15 and not forms.long_headers:
            out.append((number - last) << 4 | code)
        else:
            out.append(code)
            out += zigzag(number)
        last = number
        put(out, item, forms)
    out.append(0)


def _put_of(wire: Wire) -> _Put:
    """Return what appends values of a wire type; of a boolean, those in lists."""
    if isinstance(wire, ListOf):
        return partial(_put_list, code_of_wire(wire.element), _put_of(wire.element))
    if isinstance(wire, Scalar):
        return _OF_SCALARS.get(wire, _put_integer)
    return _put_struct if issubclass(wire, Struct) else _put_integer


def _put_list(code: int, put: _Put, out: bytearray, item: Any, forms: _Forms) -> None:
    if forms.zero_is_false and code == TRUE:
        code = FALSE
    if len(item) < 15:
        out.append(len(item) << 4 | code)
    else:
        out.append(0xF0 | code)
        out += uleb128(len(item))
    for element in item:
        put(out, element, forms)


def _put_integer(out: bytearray, item: Any, _: _Forms) -> None:
    out += zigzag(int(item))


def _put_raw(out: bytearray, item: Any, _: _Forms) -> None:
    out += item


def _put_binary(out: bytearray, item: Any, _: _Forms) -> None:
    raw = item if isinstance(item, bytes) else item.encode("utf-8", "surrogateescape")
    out += uleb128(len(raw))
    out += raw


def _put_double(out: bytearray, item: Any, _: _Forms) -> None:
    out += _F64.pack(item)


def _put_boolean(out: bytearray, item: Any, forms: _Forms) -> None:
    """Append an element of a list of booleans."""
    false = 0 if forms.zero_is_false else FALSE
    out.append(TRUE if item else false)


def _put_byte(out: bytearray, item: Any, _: _Forms) -> None:
    out.append(item & 0xFF)


_OF_SCALARS: dict[Scalar, _Put] = {
    Scalar.STRING: _put_binary,
    Scalar.BINARY: _put_binary,
    Scalar.DOUBLE: _put_double,
    Scalar.BOOL: _put_boolean,
    Scalar.I8: _put_byte,
}
