"""Unknown fields in every struct: legal, as Thrift readers skip unknown fields."""

from __future__ import annotations

from typing import TypeVar

from reference_impl.wire.table import Struct
from reference_impl.wire.unknown import Field, with_fields

S = TypeVar("S", bound=Struct)

# Ids far from those in use; one field per wire type that is skipped by a rule of its own. Codes and
# bytes are those of thrift-compact-protocol.md: i32, binary, list of binary, map of binary to i32, struct.
_FIELDS: tuple[Field, ...] = (
    (30_001, 5, b"\x54"),
    (30_002, 8, b"\x04skip"),
    (30_003, 9, b"\x28\x02ab\x01c"),
    (30_004, 11, b"\x01\x85\x01k\x02"),
    (30_005, 12, b"\x11\x15\x0e\x00"),
    (30_006, 1, b""),
    (30_007, 7, bytes(8)),
)


def with_unknown(value: S) -> S:
    """Return the struct with unknown fields in it and in all structs below, except unions."""
    return with_fields(value, _FIELDS)
