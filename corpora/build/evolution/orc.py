"""Files of a table as plans of ORC: types, rows, and a layout that a seed chooses. ORC has no field ids."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from corpora.build.evolution.members import Member, Schema
from corpora.build.orc.schemas import Types, leaf, nested
from corpora.build.orc.schemas import plan as plan_of
from corpora.constants import float_of
from corpora.tagged import Table, Type, Value
from reference_impl.orc import writer
from reference_impl.orc.plan import Column, Dictionary, FilePlan
from reference_impl.orc.schema import CompressionKind, TypeKind

_KINDS = {
    "bool": TypeKind.BOOLEAN,
    "date": TypeKind.DATE,
    "string": TypeKind.STRING,
    "bytes": TypeKind.BINARY,
}
_INTEGERS = {8: TypeKind.BYTE, 16: TypeKind.SHORT, 32: TypeKind.INT, 64: TypeKind.LONG}
_FLOATS = {32: TypeKind.FLOAT, 64: TypeKind.DOUBLE}
_SECOND = 10**9
_CODECS = (CompressionKind.NONE, CompressionKind.ZLIB, CompressionKind.SNAPPY)


def file(members: Schema, table: Table, rng: random.Random) -> bytes:
    """Return a file with the rows of a table."""
    return writer.write(plan(members, table, rng))


def plan(members: Schema, table: Table, rng: random.Random) -> FilePlan:
    """Return the plan of a file; the layout is the seed's choice."""
    names = tuple(member.name for member in members)
    types = nested(TypeKind.STRUCT, *map(_types, members), field_names=names)
    columns = [[_value(member, value) for value in table.column(at)] for at, member in enumerate(members)]
    rows = [tuple(column[at] for column in columns) for at in range(table.num_rows)]
    layout = Column(rle=rng.choice([1, 2]), dictionary=Dictionary() if rng.random() < 0.4 else None)
    return plan_of(
        types,
        rows,
        layout,
        stripes=_stripes(len(rows), rng),
        row_index_stride=rng.choice([0, 2, 10_000]),
        compression=rng.choice(_CODECS),
    )


def _stripes(rows: int, rng: random.Random) -> tuple[int, ...] | None:
    """Return the rows of each stripe, None for one stripe."""
    if not rows or rng.random() < 0.4:
        return None
    size = rng.choice([1, 3, 7, 20])
    return tuple(min(size, rows - first) for first in range(0, rows, size))


def _types(member: Member) -> Types:
    if member.shape == "struct":
        names = tuple(inner.name for inner in member.members)
        return nested(TypeKind.STRUCT, *map(_types, member.members), field_names=names)
    if member.shape != "scalar":
        return nested(TypeKind[member.shape.upper()], *map(_types, member.members))
    type_ = member.type
    if type_.kind == "int":
        return leaf(_INTEGERS[type_.bits or 64])
    if type_.kind == "float":
        return leaf(_FLOATS[type_.bits or 64])
    if type_.kind == "decimal":
        return leaf(TypeKind.DECIMAL, precision=type_.precision, scale=type_.scale)
    if type_.kind == "timestamp":
        return leaf(TypeKind.TIMESTAMP_INSTANT if type_.utc else TypeKind.TIMESTAMP)
    return leaf(_KINDS[type_.kind])


def _value(member: Member, value: Value) -> Any:
    """Return a tagged value as rows of a plan have it."""
    if value is None:
        return None
    if member.shape == "scalar":
        return _SCALARS.get(member.type.kind, _number)(member.type, value)
    assert isinstance(value, list)
    if member.shape == "struct":
        return tuple(_value(inner, part) for inner, part in zip(member.members, value, strict=True))
    if member.shape == "list":
        return [_value(member.members[0], element) for element in value]
    key, held = member.members
    return [(_value(key, entry[0]), _value(held, entry[1])) for entry in value]


def _number(_: Type, value: Value) -> int:
    return int(str(value))


_SCALARS: dict[str, Callable[[Type, Value], Any]] = {
    "bool": lambda _, value: value,
    "float": float_of,
    "timestamp": lambda _, value: divmod(int(str(value)), _SECOND),
    "string": lambda _, value: str(value).encode(),
    "bytes": lambda _, value: bytes.fromhex(str(value)),
}
