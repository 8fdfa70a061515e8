"""Queries for an anonymized file, with the new names and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from corpora.predicates import And, Computed, In, IsNull, Not, NotTrue, Or, Predicate, StartsWith
from corpora.queries import Fields, Join, Query, predicate_of
from corpora.queries import leaves as tests_of
from corpora.tagged import STRING, Type, Value, text
from harness.engines.terms import bytes_of, constants_of
from harness.investigate.anonymize.columns import Column
from harness.investigate.anonymize.drafts import Names
from reference_impl.errors import Unsupported
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.tree import Node

Other = Callable[[tuple[str, ...], Type, Value], Value]

_JULIAN = 2_440_588
_DAY = 86_400 * 10**9
_BINARY = ("bytes", "uuid", "bson")


def wanted(queries: Iterable[Query], leaves: Iterable[Node]) -> dict[tuple[str, ...], set[bytes]]:
    """Return the constants of queries as PLAIN bytes, by the path of their column; raises Unsupported."""
    nodes = {node.path: node for node in leaves}
    constants_by_path: dict[tuple[str, ...], set[bytes]] = {}
    for query in queries:
        for path, type_, value in constants(query):
            node = nodes.get(path)
            if node is None:
                raise Unsupported(f"a query of {'.'.join(path)}, which is not a leaf column")
            constants_by_path.setdefault(path, set()).add(_raw(node, type_, value))
    return constants_by_path


def constants(query: Query) -> Iterator[tuple[tuple[str, ...], Type, Value]]:
    """Yield the constants of a query, with the paths that they are compared with, and their types.

    Raises Unsupported for a query of functions, whose results are not those of the new values.
    """
    if isinstance(query, Join):
        yield from ((query.path, query.type, value) for value in query.values if value is not None)
    predicate = predicate_of(query)
    for test in () if predicate is None else tests_of(predicate):
        if isinstance(test, Computed):
            raise Unsupported("a query of a function of a column")
        if isinstance(test, StartsWith):
            yield test.path, STRING, test.prefix
        yield from ((test.path, type_, value) for type_, value in constants_of(test))


def _raw(node: Node, type_: Type, value: Value) -> bytes:
    """Return a constant as the column stores it; raises Unsupported where the column cannot hold it."""
    assert node.physical is not None
    kind, width = node.physical.type, node.physical.width
    try:
        if kind == Physical.BOOLEAN:
            return bytes([bool(value)])
        if type_.kind == "float":
            raw = bytes.fromhex(str(value))[::-1]
            return raw if len(raw) == width else _no(node, value)
        if kind == Physical.INT96:
            day, rest = divmod(int(str(value)), _DAY)
            return rest.to_bytes(8, "little") + (day + _JULIAN).to_bytes(4, "little", signed=True)
        if kind in (Physical.INT32, Physical.INT64):
            number = int(str(value))
            return number.to_bytes(width, "little", signed=number < 0 or _is_signed(node))
        if type_.kind == "decimal":
            number = int(str(value))
            size = number.bit_length() // 8 + 1 if kind == Physical.BYTE_ARRAY else width
            return number.to_bytes(size, "big", signed=True)
        return bytes_of(type_, value)
    except (ValueError, OverflowError):
        return _no(node, value)


def _no(node: Node, value: Value) -> bytes:
    raise Unsupported(f"a query compares {'.'.join(node.path)} with {value!r:.60}, which it cannot hold")


def _is_signed(node: Node) -> bool:
    return node.logical is None or node.logical.name != "INTEGER" or node.logical.signed


def _value(node: Node, type_: Type, raw: bytes) -> Value:
    """Return a constant from the form that the column stores, the inverse of `_raw`."""
    assert node.physical is not None
    kind = node.physical.type
    if kind == Physical.BOOLEAN:
        return bool(raw[0])
    if type_.kind == "float":
        return raw[::-1].hex()
    if kind == Physical.INT96:
        day = int.from_bytes(raw[8:], "little", signed=True) - _JULIAN
        return str(day * _DAY + int.from_bytes(raw[:8], "little", signed=True))
    if kind in (Physical.INT32, Physical.INT64):
        return str(int.from_bytes(raw, "little", signed=_is_signed(node)))
    if type_.kind == "decimal":
        return str(int.from_bytes(raw, "big", signed=True))
    return raw.hex() if type_.kind in _BINARY else text(raw)


def renamed(query: Query, names: Names, other: Callable[[Any, Type, Value], Value]) -> Query:
    """Return a query with the new names, and what `other` makes of the constants of each column."""
    return reworded(query, names.names, lambda at, type_, value: other(names.columns[at], type_, value))


def note(column: Column, type_: Type, value: Value) -> None:
    """Add a constant of a query to the map of its column; raises Unsupported if the column cannot hold it."""
    column.note(_raw(column.node, type_, value))


def other(column: Column, type_: Type, value: Value) -> Value:
    """Return the new constant for an old one of a column."""
    return _value(column.node, type_, column.other(_raw(column.node, type_, value)))


def reworded(query: Query, word: Mapping[str, str], other: Other) -> Query:
    """Return a query with new names; `other` returns the new constant for a column's old one.

    Variants are not anonymized, nor are paths into them and predicates of what they hold.
    """

    def path(old: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word.get(name, name) for name in old)

    given = {field.name: getattr(query, field.name) for field in fields(query)}
    new: dict[str, Any] = {
        name: path(given[name]) for name in ("path", "columns") if given.get(name) is not None
    }
    if isinstance(query, Fields):
        new["paths"] = tuple(map(path, query.paths))
    if isinstance(query, Join):
        values = (v if v is None else other(query.path, query.type, v) for v in query.values)
        new["values"] = tuple(values)
    predicate = predicate_of(query)
    if predicate is not None:
        new["predicate"] = _predicate(predicate, other, path)
    return replace(query, **new)


def _predicate(
    predicate: Predicate, other: Other, path: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Predicate:
    if isinstance(predicate, (Not, NotTrue)):
        return type(predicate)(_predicate(predicate.of, other, path))
    if isinstance(predicate, (And, Or)):
        return type(predicate)(tuple(_predicate(part, other, path) for part in predicate.of))
    if isinstance(predicate, IsNull):
        return IsNull(path(predicate.path))
    at, new = predicate.path, path(predicate.path)
    if isinstance(predicate, StartsWith):
        return StartsWith(new, str(other(at, STRING, predicate.prefix)))
    if isinstance(predicate, In):
        values = tuple(
            None if value is None else other(at, predicate.type, value) for value in predicate.values
        )
        return In(new, predicate.type, values)
    if predicate.value is None:
        return replace(predicate, path=new)
    return replace(predicate, path=new, value=other(at, predicate.type, predicate.value))
