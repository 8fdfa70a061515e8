"""The tables of `wire/table.py` in the form that the reader of Thrift structs looks up."""

from __future__ import annotations

from enum import IntEnum

from reference_impl.wire.table import INT_BITS, ListOf, Scalar, Struct, Table, Wire, table_of
from reference_impl.wire.thrift_codes import FALSE, INTS, TRUE, code_of_wire


class Value:
    """How the values of a wire type are read.

    `code` is the wire type code, TRUE for a boolean. Numbers are zigzag varints of at most `bits` bits, which
    is 0 for all other types; those of an enum have its `members`. A struct has a `decoder`, and a list an
    `element`.
    """

    __slots__ = ("bits", "code", "decoder", "element", "is_text", "members")

    def __init__(self, wire: Wire) -> None:
        self.code = code_of_wire(wire)
        self.bits = 0
        self.is_text = wire is Scalar.STRING
        self.members: dict[int, IntEnum] | None = None
        self.decoder: Decoder | None = None
        self.element: Value | None = None
        if isinstance(wire, ListOf):
            self.element = Value(wire.element)
        elif isinstance(wire, Scalar):
            self.bits = INT_BITS[wire] if self.code in INTS else 0
        elif issubclass(wire, IntEnum):
            self.bits, self.members = 32, {int(member): member for member in wire}
        else:
            self.decoder = decoder_of(wire)


class Decoder:
    """How a struct is read: `fields` are name and value by (id << 4 | wire type code)."""

    __slots__ = ("cls", "fields", "is_union", "required")

    def __init__(self, table: Table) -> None:
        self.cls = table.cls
        self.required = table.required
        self.is_union = table.is_union
        self.fields: dict[int, tuple[str, Value]] = {}
        for row in table.rows:
            value = Value(row.wire)
            for code in (TRUE, FALSE) if row.wire is Scalar.BOOL else (value.code,):
                self.fields[row.id << 4 | code] = (row.name, value)


_DECODERS: dict[type[Struct], Decoder] = {}


def decoder_of(cls: type[Struct]) -> Decoder:
    """Return the decoder of a struct, built at first use."""
    decoder = _DECODERS.get(cls)
    if decoder is None:
        decoder = _DECODERS[cls] = Decoder(table_of(cls))
    return decoder
