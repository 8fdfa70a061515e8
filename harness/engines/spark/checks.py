"""Checks before Spark is asked: columns that the file lacks, and constants that columns cannot have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, Computed, In, NullSafe, Predicate, leaves
from corpora.queries import Extract, Fields, FilterHeld, Join, Query, Slice, ToJson, TopWhere, predicate_of
from corpora.query_base import OfColumn
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.spark.clocks import session_of
from harness.engines.spark.variants import held_type
from harness.engines.terms import constants_of, only, rescaled, text_of
from harness.engines.zones import UTC

_OF_MOMENTS = ("year", "date_trunc")  # functions of moments
_MOMENTS = ("date", "timestamp")  # kinds of types of moments
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_CHAR = re.compile(r"(?<!var)char\((\d+)\)")  # of the metadata that a column of CHAR has


def check(frame: Any, query: Query) -> None:
    """Raise Unsupported for columns that a frame lacks, constants that they cannot have, and an offset.

    Some versions of Spark have no offset.
    """
    for path in _paths(query):
        type_at(frame, path)
    if isinstance(query, (Extract, FilterHeld, ToJson)):
        _check_variant(frame, query.path)
    if isinstance(query, (Slice, TopWhere)) and query.offset and not hasattr(frame, "offset"):
        raise Unsupported("this Spark has no offset")
    predicate = predicate_of(query)
    if predicate is not None:
        _check_predicate(frame, predicate)
    if isinstance(query, FilterHeld):
        _check_constants(frame, query.predicate, lambda _: held_type(query.type))
    if isinstance(query, Join):
        values = tuple(value for value in query.values if value is not None)
        _check_predicate(frame, In(query.path, query.type, values))


def _paths(query: Query) -> Iterable[tuple[str, ...]]:
    """Yield the columns of a query, and the fields of structs."""
    yield from ((name,) for name in getattr(query, "columns", None) or ())
    yield from query.paths if isinstance(query, Fields) else ()
    yield from (query.path,) if isinstance(query, OfColumn) else ()


def _check_predicate(frame: Any, predicate: Predicate) -> None:
    for test in leaves(predicate):
        type_at(frame, test.path)
        if isinstance(test, (Compare, In)) or (isinstance(test, NullSafe) and test.value is not None):
            _check_char(frame, test)
    _check_constants(frame, predicate, lambda path: type_at(frame, path).simpleString())


def _check_constants(frame: Any, predicate: Predicate, target: Callable[[tuple[str, ...]], str]) -> None:
    """Raise Unsupported for constants that a type cannot have, `target` of a path, and other zones."""
    for test in leaves(predicate):
        if isinstance(test, Computed):
            if test.function in _OF_MOMENTS or test.type.kind in _MOMENTS:
                _check_zone(frame)
        else:
            for type_, value in constants_of(test):
                _check_constant(type_, value, target(test.path))


def type_at(frame: Any, path: tuple[str, ...]) -> Any:
    """Return the type of a column, or of a field of structs; raises Unsupported if it is not the only one."""
    type_ = frame.schema
    for name in path:
        if type_.typeName() != "struct":
            raise Unsupported(f"{name!r:.80} is in a {type_.simpleString()}, not in a struct")
        type_ = type_[only(name, type_.names, fold=True)].dataType
    return type_


def _check_variant(frame: Any, path: tuple[str, ...]) -> None:
    """Raise Unsupported for a column that is no Variant."""
    type_ = type_at(frame, path)
    if type_.typeName() != "variant":
        raise Unsupported(f"Spark reads a {type_.simpleString()}, not a Variant")


def _check_constant(type_: Type, value: Value, target: str) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    kind = type_.kind
    if kind in TEXT and target == "string":
        text_of(value)
    elif kind in ("timestamp", "int96") and target in ("timestamp", "timestamp_ntz"):
        rescaled(type_, value, "us")
    elif not (
        (kind == "int" and (target in _INTEGERS or target.startswith("decimal")))
        or (kind == "float" and target in ("float", "double"))
        or (kind == "decimal" and target.startswith("decimal"))
        or (kind == "date" and target == "date")
        or (kind == "time" and target in ("int", "bigint"))  # as the adapter says: "time-as-integer"
        or (kind == "timestamp" and type_.unit == "ns" and target == "bigint")  # "nanos-as-int64"
        or (kind == "bool" and target == "boolean")
        or (kind in (*TEXT, *BINARY) and target == "binary")
    ):
        raise Unsupported(f"a constant of type {type_} for a column of Spark's type {target}")


def _check_zone(frame: Any) -> None:
    """Raise Unsupported unless the zone is UTC: Spark splits timestamps into fields in the session's zone."""
    zone = session_of(frame).conf.get("spark.sql.session.timeZone")
    if zone != UTC:
        raise Unsupported(f"Spark splits timestamps into fields in the session's zone, {zone}")


def _check_char(frame: Any, test: Compare | In | NullSafe) -> None:
    """Raise Unsupported for a constant that is longer than a CHAR.

    Spark pads a CHAR to the length of what it is compared with, and that may put it behind the constant:
    https://spark.apache.org/docs/latest/sql-ref-datatypes.html, CHAR(n).
    """
    column = frame.schema[only(test.path[0], frame.schema.names, fold=True)]
    lengths = [int(length) for length in _CHAR.findall(str(column.metadata))]
    values = test.values if isinstance(test, In) else (test.value,)
    texts = [text_of(value) for value in values if value is not None] if test.type.kind in TEXT else []
    if lengths and texts and max(map(len, texts)) > min(lengths):
        raise Unsupported("Spark pads a CHAR to the length of a longer constant")
