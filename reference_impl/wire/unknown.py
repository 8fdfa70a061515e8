"""Unknown fields in every struct, which readers of both formats skip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from reference_impl.wire.table import Struct, Union, table_of

S = TypeVar("S", bound=Struct)
Field = tuple[int, int, bytes]
# Ids far from those in use; one field per wire type that is skipped by a rule of its own. Codes and
# bytes are those of thrift-compact-protocol.md: i32, binary, list of binary, map of binary to i32, struct.
THRIFT: tuple[Field, ...] = (
    (30_001, 5, b"\x54"),
    (30_002, 8, b"\x04skip"),
    (30_003, 9, b"\x28\x02ab\x01c"),
    (30_004, 11, b"\x01\x85\x01k\x02"),
    (30_005, 12, b"\x11\x15\x0e\x00"),
    (30_006, 1, b""),
    (30_007, 7, bytes(8)),
)


def with_fields(value: S, fields: tuple[Field, ...]) -> S:
    """Return the struct with these fields (id, wire type code, raw bytes) in it and in all structs below.

    Unions stay as they are: they have one field.
    """
    changed = {row.name: _changed(getattr(value, row.name), fields) for row in table_of(type(value)).rows}
    more = () if isinstance(value, Union) else fields
    return replace(value, **changed, unknown=(*value.unknown, *more))


def _changed(item: Any, fields: tuple[Field, ...]) -> Any:
    if isinstance(item, Struct):
        return with_fields(item, fields)
    return type(item)(_changed(each, fields) for each in item) if isinstance(item, (list, tuple)) else item
