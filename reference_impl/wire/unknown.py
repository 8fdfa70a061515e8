"""Unknown fields in every struct, which readers of both formats skip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from reference_impl.wire.table import Struct, Union, table_of

S = TypeVar("S", bound=Struct)
Field = tuple[int, int, bytes]


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
