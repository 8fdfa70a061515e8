"""Predicates as search arguments of pyorc: what may be skipped by, not what is filtered by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull, StartsWith
from corpora.tagged import STRING
from harness.engines.errors import Unsupported
from harness.engines.terms import bytes_of, combine, float_of, integer_of, only, rescaled
from harness.engines.zones import instant_of

if TYPE_CHECKING:
    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_BITS = 64
_NANOS = 1_000_000_000


def search_argument(pyorc: Any, schema: Any, predicate: Predicate, zone: str) -> Any:
    """Return a `pyorc.predicates.Predicate`; raises Unsupported where pyorc has no literal or operator.

    A wall clock is the instant that it is in the zone, as pyorc's own converter has it (`to_orc`). Columns
    are named by their number: by name, ORC C++ takes the first that it finds at any depth.
    """

    def leaf(test: Any, _: bool) -> Any:
        described = _described(schema, test.path)
        # Built afresh for each comparison: pyorc's operators change and answer their left side.
        if isinstance(test, IsNull):
            return _column(pyorc, described) == None  # noqa: E711 - pyorc's way to ask for nulls
        if isinstance(test, Compare):
            return _compare(pyorc, described, test.op, _literal(described, test.type, test.value, zone))
        if isinstance(test, In):
            first, *others = [
                _column(pyorc, described) == _literal(described, test.type, value, zone)
                for value in test.values
            ]
            for other in others:
                first = first | other
            return first
        return _starts_with(pyorc, described, test)

    return combine(predicate, leaf)


def _described(schema: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if schema.name != "struct":
            raise Unsupported(f"{name!r:.80} is in a {schema.name}, not in a struct")
        schema = schema.fields[only(name, schema.fields)]
    return schema


def _column(pyorc: Any, described: Any) -> Any:
    options = {}
    if described.name == "decimal":
        options = {"precision": described.precision, "scale": described.scale}
    try:
        return pyorc.PredicateColumn(described.kind, index=described.column_id, **options)
    except TypeError as error:
        raise Unsupported(str(error)) from error


def _compare(pyorc: Any, described: Any, operator: str, literal: Any) -> Any:
    column = _column(pyorc, described)
    made = {
        "=": column.__eq__,
        "!=": column.__ne__,
        "<": column.__lt__,
        "<=": column.__le__,
        ">": column.__gt__,
        ">=": column.__ge__,
    }
    return made[operator](literal)


def _starts_with(pyorc: Any, described: Any, test: StartsWith) -> Any:
    """Return the range of bytes that begin so; the end is the prefix with its last byte raised."""
    prefix = bytes_of(STRING, test.prefix)
    if not prefix or described.name not in ("string", "char", "varchar"):
        raise Unsupported("pyorc has no operator for prefixes, and none is a range here")
    found = _column(pyorc, described) >= prefix
    head = prefix.rstrip(b"\xff")
    return found & (_column(pyorc, described) < head[:-1] + bytes([head[-1] + 1])) if head else found


def _literal(described: Any, type_: Type, value: Value, zone: str) -> Any:
    """Return a constant as pyorc takes it for a column."""
    name, kind = described.name, type_.kind
    if name in _INTEGERS and kind == "int":
        return _bounded(integer_of(type_, value))
    if name in ("float", "double") and kind == "float":
        return float_of(type_, value)
    if name == "decimal" and kind == "decimal" and type_.scale == described.scale:
        return str(value)
    if name == "date" and kind == "date":
        return str(_bounded(integer_of(type_, value)))
    if name.startswith("timestamp") and kind == "timestamp":
        nanos = rescaled(type_, value, "ns")
        if name == "timestamp":
            seconds, rest = divmod(nanos, _NANOS)
            nanos = instant_of(zone, seconds) * _NANOS + rest
        return str(nanos)
    if name == "boolean" and kind == "bool":
        return value
    if name in ("string", "char", "varchar") and kind in TEXT:
        return bytes_of(type_, value)
    raise Unsupported(f"a constant of type {type_} for a column of ORC's type {described}")


def _bounded(number: int) -> int:
    if not -(1 << _BITS - 1) <= number < 1 << _BITS - 1:
        raise Unsupported(f"{number} is no integer of 64 bits")
    return number
