"""Fields that no reader knows, in every struct: legal, as Thrift readers skip what they do not know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from reference_impl.wire.table import Struct, Union, table_of

S = TypeVar("S", bound=Struct)

# Ids far from those in use; one of each wire type that has a rule of its own for being skipped. Codes and
# bytes are those of thrift-compact-protocol.md: i32, binary, list of binary, map of binary to i32, struct.
_FIELDS = (
    (30_001, 5, b"\x54"),
    (30_002, 8, b"\x04skip"),
    (30_003, 9, b"\x28\x02ab\x01c"),
    (30_004, 11, b"\x01\x85\x01k\x02"),
    (30_005, 12, b"\x11\x15\x0e\x00"),
    (30_006, 1, b""),
    (30_007, 7, bytes(8)),
)


def with_unknown(value: S) -> S:
    """Answer the struct with unknown fields in it and in all below, not in unions: those have one field."""
    changed = {row.name: _changed(getattr(value, row.name)) for row in table_of(type(value)).rows}
    more = () if isinstance(value, Union) else _FIELDS
    return replace(value, **changed, unknown=(*value.unknown, *more))


def _changed(item: Any) -> Any:
    if isinstance(item, Struct):
        return with_unknown(item)
    return list(map(_changed, item)) if isinstance(item, list) else item
