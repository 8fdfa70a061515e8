"""Predicates as search arguments of pyorc: what may be skipped by, not what is filtered by."""

from __future__ import annotations

from typing import Any

from corpora.constants import TEXT
from corpora.predicates import (
    Compare,
    Computed,
    In,
    IsNull,
    NullSafe,
    Predicate,
    StartsWith,
    Test,
    leaves,
    unhandled,
)
from corpora.queries import Filter
from corpora.tagged import STRING, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.pyorc.ways import QUERIES, Way
from harness.engines.scripts.literals import evaluate, joined, operator, python
from harness.engines.terms import bytes_of, check_unknown, constants_of, integer_of, only, rescaled
from harness.engines.zones import instant_of

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TEXTS = ("string", "char", "varchar")
_NO_PREFIXES = "pyorc has no operator for prefixes, and none is a range here"
NO_OPERATOR = "pyorc has no null-safe equality, and no functions of columns"
DEFAULT = QUERIES["default"]
_BITS = 64
_NANOS = 1_000_000_000


def search_argument(pyorc: Any, schema: Any, predicate: Predicate, zone: str, way: Way = DEFAULT) -> Any:
    """Return a `pyorc.predicates.Predicate`; raises Unsupported where pyorc has no literal or operator.

    A wall clock is the instant that it is in the zone, as pyorc's own converter has it (`to_orc`). The way
    decides whether columns are named by their number or by their name.
    """
    if not hasattr(pyorc, "PredicateColumn"):
        raise Unsupported("this pyorc has no search arguments")
    for test in leaves(predicate):
        described = _described(schema, test.path)
        if way.by_name and len(test.path) > 1:
            raise Unsupported("a name does not identify a field of a struct")
        if isinstance(test, StartsWith) and described.name not in _TEXTS:
            raise Unsupported(_NO_PREFIXES)
        for type_, value in constants_of(test):
            _check_constant(described, type_, value)

    def column(_: Any, path: tuple[str, ...]) -> Any:
        return _column(pyorc, _described(schema, path), path, way)

    def moment(_: Any, path: tuple[str, ...], nanos: int) -> str:
        if _described(schema, path).name == "timestamp":
            seconds, rest = divmod(nanos, _NANOS)
            nanos = instant_of(zone, seconds) * _NANOS + rest
        return str(nanos)

    return evaluate(search_source(predicate), {"schema": schema, "column": column, "moment": moment})


def places_of(query: Filter, names: list[str]) -> list[int]:
    """Return the places of the columns that a filter tests or returns, in the order of the file."""
    wanted = {*(query.columns or ()), *(test.path[0] for test in leaves(query.predicate))}
    return sorted(names.index(only(name, names)) for name in wanted)


def search_source(predicate: Predicate) -> str:
    """Return a predicate as source, of `column`, `moment` and the `schema` of the columns."""
    return joined(predicate, _test, untrue=None)


def _test(test: Test, plain: bool) -> str:
    # Built afresh for each comparison: pyorc's operators change and answer their left side.
    column = f"column(schema, {test.path!a})"
    if isinstance(test, IsNull):
        return f"{column} == None"
    if isinstance(test, StartsWith):
        return _starts_with(column, test)
    if isinstance(test, Compare):
        return f"{column} {operator(test.op)} {_literal(test.type, test.value, test.path)}"
    if isinstance(test, (Computed, NullSafe)):
        raise Unsupported(NO_OPERATOR)
    if isinstance(test, In):
        check_unknown(test, plain=plain)
        return " | ".join(f"({column} == {_literal(*pair, test.path)})" for pair in constants_of(test))
    raise unhandled(test)


def _described(schema: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if schema.name != "struct":
            raise Unsupported(f"{name!r:.80} is in a {schema.name}, not in a struct")
        schema = schema.fields[only(name, schema.fields)]
    return schema


def _column(pyorc: Any, described: Any, path: tuple[str, ...], way: Way) -> Any:
    options = evaluate(f"dict({way.column})", {"schema": described, "path": path})
    if described.name == "decimal":
        options |= {"precision": described.precision, "scale": described.scale}
    try:
        return pyorc.PredicateColumn(described.kind, **options)
    except TypeError as error:
        raise Unsupported(str(error)) from error


def _starts_with(column: str, test: StartsWith) -> str:
    """Return the range of bytes that begin so; the end is the prefix with its last byte raised."""
    prefix = bytes_of(STRING, test.prefix)
    if not prefix:
        raise Unsupported(_NO_PREFIXES)
    head = prefix.rstrip(b"\xff")
    end = f" & ({column} < {head[:-1] + bytes([head[-1] + 1])!a})" if head else ""
    return f"({column} >= {prefix!a}){end}"


def _literal(type_: Type, value: Value, path: tuple[str, ...]) -> str:
    """Return a constant as pyorc takes it: decimals unscaled, days and nanoseconds as text."""
    kind = type_.kind
    if kind in ("decimal", "date"):
        return ascii(str(value))
    if kind in ("timestamp", "int96"):
        return f"moment(schema, {path!a}, {rescaled(type_, value, 'ns')})"
    return ascii(bytes_of(type_, value)) if kind in TEXT else python(type_, value)


def _check_constant(described: Any, type_: Type, value: Value) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    name, kind = described.name, type_.kind
    if (name in _INTEGERS and kind == "int") or (name == "date" and kind == "date"):
        _bounded(integer_of(type_, value))
    elif not (
        (name in ("float", "double") and kind == "float")
        or (name == "decimal" and kind == "decimal" and type_.scale == described.scale)
        or (name.startswith("timestamp") and kind == "timestamp")
        or (name == "boolean" and kind == "bool")
        or (name in _TEXTS and kind in TEXT)
    ):
        raise Unsupported(f"a constant of type {type_} for a column of ORC's type {described}")


def _bounded(number: int) -> None:
    if not -(1 << _BITS - 1) <= number < 1 << _BITS - 1:
        raise Unsupported(f"{number} is no integer of 64 bits")
