"""Queries for an anonymized ORC file, with constants in the form of its streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpora.queries import Query
from corpora.tagged import PER_SECOND, Type, Value, text
from harness.engines.terms import bytes_of, rescaled
from harness.investigate.anonymize.orc_columns import FLOATS, MOMENTS, TEXTS, Column
from harness.investigate.anonymize.queries import constants
from reference_impl.errors import Unsupported
from reference_impl.orc.schema import Type as OrcType
from reference_impl.orc.schema import TypeKind

_NANOS = 10**9


def wanted(
    queries: Iterable[Query], types: dict[tuple[str, ...], OrcType]
) -> dict[tuple[str, ...], set[Any]]:
    """Return the constants of queries in the form of streams, by path; raises Unsupported."""
    constants_by_path: dict[tuple[str, ...], set[Any]] = {}
    for query in queries:
        for path, type_, value in constants(query):
            if path not in types:
                raise Unsupported(f"a query of {'.'.join(path)}, which is not a column")
            if types[path].kind is not TypeKind.BOOLEAN:
                constants_by_path.setdefault(path, set()).add(_raw(types[path], type_, value)[0])
    return constants_by_path


def note(column: Column, type_: Type, value: Value) -> None:
    """Add a constant of a query to the map of its column; raises Unsupported if the column cannot hold it."""
    if not column.stays:
        column.note(_raw(column.type, type_, value)[0])


def other(column: Column, type_: Type, value: Value) -> Value:
    """Return the new constant for an old one of a column."""
    if column.stays:
        return value
    raw, rest = _raw(column.type, type_, value)
    return _value(column.type, type_, column.other(raw), rest)


def _raw(column: OrcType, type_: Type, value: Value) -> tuple[Any, int]:
    """Return a constant in the form of the column's stream, and its nanoseconds; raises Unsupported."""
    kind = column.kind
    try:
        if kind in FLOATS and len(str(value)) == FLOATS[kind] // 4:
            return int(str(value), 16), 0
        if kind in TEXTS or kind is TypeKind.BINARY:
            return bytes_of(type_, value), 0
        if kind in MOMENTS:
            return divmod(rescaled(type_, value, "ns"), _NANOS)
        if kind not in FLOATS and (type_.kind != "decimal" or type_.scale == (column.scale or 0)):
            return int(str(value)), 0
    except ValueError:
        pass
    raise Unsupported(f"a query compares with {value!r:.60}, which the column cannot hold")


def _value(column: OrcType, type_: Type, raw: Any, nanos: int) -> Value:
    """Return a constant from the form of the column's stream, the inverse of `_raw`."""
    kind = column.kind
    if kind in FLOATS:
        return f"{raw:0{FLOATS[kind] // 4}x}"
    if kind in TEXTS or kind is TypeKind.BINARY:
        return str(raw.hex()) if type_.kind == "bytes" else text(raw)
    if kind in MOMENTS:
        return str((raw * _NANOS + nanos) * PER_SECOND[type_.unit or "ns"] // _NANOS)
    return str(raw)
