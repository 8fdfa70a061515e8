"""Predicates as fastparquet's filters: lists of tests that are joined by AND, joined by OR.

https://fastparquet.readthedocs.io/en/latest/api.html (`to_pandas`, `filters`). There is no NOT, no IS NULL,
and no prefix; pandas calls a null unequal to everything, so `!=` is asked of columns without nulls only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import And, Compare, In, Or, leaves
from harness.engines.base import Unsupported
from harness.engines.terms import bytes_of, float_of, integer_of, only, text_of

if TYPE_CHECKING:
    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value

_MOST = 64  # conjunctions; a predicate may have exponentially many
_OPTIONAL = 1  # parquet.thrift, FieldRepetitionType


def filters(engine: Any, predicate: Predicate, elements: dict[str, Any]) -> list[list[Any]]:
    """Return the filters of a predicate, in disjunctive normal form; raises Unsupported."""
    if isinstance(predicate, Or):
        return _few([one for part in predicate.of for one in filters(engine, part, elements)])
    if isinstance(predicate, And):
        joined: list[list[Any]] = [[]]
        for part in predicate.of:
            found = filters(engine, part, elements)
            joined = _few([one + other for one in joined for other in found])
        return joined
    if not isinstance(predicate, (Compare, In)):
        raise Unsupported(f"fastparquet has no filter for {predicate}")
    if len(predicate.path) > 1:
        raise Unsupported("fastparquet spreads structs over columns; colconf does not ask for those")
    name = only(predicate.path[0], elements)
    if isinstance(predicate, In):
        if predicate.type.kind == "float" and any(_is_nan(predicate.type, one) for one in predicate.values):
            raise Unsupported("pandas looks values up, where all NaN and nulls are one")
        if predicate.type.kind == "bytes" and any(str(one).endswith("00") for one in predicate.values):
            raise Unsupported("pandas looks bytes up as numpy's, which end before trailing zeros")
        if predicate.type.kind in ("date", "time", "timestamp", "int96"):
            raise Unsupported("pandas looks up times of the frame's own unit only")
        return [[(name, "in", [_constant(engine, predicate.type, value) for value in predicate.values])]]
    if predicate.op == "!=" and elements[name].repetition_type == _OPTIONAL:
        raise Unsupported("pandas calls a null unequal to everything")
    op = {"=": "=="}.get(predicate.op, predicate.op)
    return [[(name, op, _constant(engine, predicate.type, predicate.value))]]


def check_names(predicate: Predicate) -> None:
    """Raise Unsupported for a name with a dot: to a filter of row groups it is a field of a struct."""
    for test in leaves(predicate):
        if "." in test.path[0]:
            raise Unsupported(f"fastparquet takes {test.path[0]!r:.80} for a field of a struct")


def _few(found: list[list[Any]]) -> list[list[Any]]:
    if len(found) > _MOST:
        raise Unsupported(f"a predicate of {len(found)} conjunctions")
    return found


def _is_nan(type_: Type, value: Value) -> bool:
    number = float_of(type_, value)
    return number != number  # noqa: PLR0124 - so it is defined


def _constant(engine: Any, type_: Type, value: Value) -> Any:
    """Return what pandas holds for a constant: it has no dates, times of day and decimals of its own."""
    kind, np = type_.kind, engine.numpy
    if kind == "int":
        return integer_of(type_, value)
    if kind == "float" and type_.bits != 16:
        return float_of(type_, value)
    if kind == "bool":
        return value
    if kind == "date":
        return np.datetime64(integer_of(type_, value), "D")
    if kind in ("timestamp", "int96"):
        return np.datetime64(integer_of(type_, value), type_.unit or "ns")
    if kind == "time":
        return np.timedelta64(integer_of(type_, value), type_.unit)
    if kind in ("string", "json", "enum"):
        return text_of(value)
    if kind == "bytes":
        return bytes_of(type_, value)
    raise Unsupported(f"a constant of type {type_}, which pandas does not have")
