"""Unknown fields in every message: legal, as Protocol Buffers readers skip them."""

from __future__ import annotations

from typing import TypeVar

from reference_impl.wire.table import Struct
from reference_impl.wire.unknown import Field, with_fields

S = TypeVar("S", bound=Struct)

# Numbers far from those in use, but below that of magic, which has to end the postscript. One per wire type:
# VARINT, I64, LEN, and I32.
_FIELDS: tuple[Field, ...] = (
    (7001, 0, b"\x96\x01"),
    (7002, 1, b"\xff" * 8),
    (7003, 2, b"\x04skip"),
    (7004, 5, bytes(4)),
)


def with_unknown(value: S) -> S:
    """Return the message with unknown fields in it and in all messages below."""
    return with_fields(value, _FIELDS)
