"""Predicates as fastparquet's filters: lists of tests that are joined by AND, joined by OR.

https://fastparquet.readthedocs.io/en/latest/api.html (`to_pandas`, `filters`). There is no NOT, no IS NULL,
and no prefix; pandas calls a null unequal to everything, so `!=` is asked of columns without nulls only.
"""

from __future__ import annotations

from typing import Any

from corpora.constants import TEXT
from corpora.predicates import And, Compare, In, Or, Predicate, leaves
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate, operator, python
from harness.engines.terms import only

_MOST = 64  # conjunctions; a predicate may have exponentially many
_OPTIONAL = 1  # parquet.thrift, FieldRepetitionType


def filters(engine: Any, predicate: Predicate, elements: dict[str, Any]) -> list[list[Any]]:
    """Return the filters of a predicate, in disjunctive normal form; raises Unsupported."""
    source = filters_source(predicate)
    for test in leaves(predicate):
        name = only(test.path[0], elements)
        if isinstance(test, Compare) and test.op == "!=" and elements[name].repetition_type == _OPTIONAL:
            raise Unsupported("pandas calls a null unequal to everything")
    result: list[list[Any]] = evaluate(source, {"np": engine.numpy})
    return result


def filters_source(predicate: Predicate) -> str:
    """Return the filters of a predicate as source, of `np`, which is numpy; raises Unsupported."""
    return "[" + ", ".join(f"[{', '.join(group)}]" for group in _groups(predicate)) + "]"


def _groups(predicate: Predicate) -> list[list[str]]:
    if isinstance(predicate, Or):
        return _few([group for part in predicate.of for group in _groups(part)])
    if isinstance(predicate, And):
        groups: list[list[str]] = [[]]
        for part in predicate.of:
            more = _groups(part)
            groups = _few([left + right for left in groups for right in more])
        return groups
    if not isinstance(predicate, (Compare, In)):
        raise Unsupported(f"fastparquet has no filter for {predicate}")
    return [[_test(predicate)]]


def _test(test: Compare | In) -> str:
    if len(test.path) > 1:
        raise Unsupported("a field of a struct, of which no column is read")
    name = ascii(test.path[0])
    if isinstance(test, Compare):
        return f"({name}, {operator(test.op)!a}, {_constant(test.type, test.value)})"
    return f"({name}, 'in', [{', '.join(_constant(test.type, value) for value in test.values)}])"


def _few(groups: list[list[str]]) -> list[list[str]]:
    if len(groups) > _MOST:
        raise Unsupported(f"a predicate of {len(groups)} conjunctions")
    return groups


def _constant(type_: Type, value: Value) -> str:
    """Return what pandas holds for a constant: it has no dates, times of day and decimals of its own."""
    kind, text = type_.kind, python(type_, value)
    if kind == "date":
        return f"np.datetime64({text}, 'D')"
    if kind in ("timestamp", "int96"):
        return f"np.datetime64({text}, {type_.unit or 'ns'!a})"
    if kind == "time":
        return f"np.timedelta64({text}, {type_.unit!a})"
    if kind in ("int", "bool", "bytes", *TEXT) or (kind == "float" and type_.bits != 16):
        return text
    raise Unsupported(f"a constant of type {type_}, which pandas does not have")
