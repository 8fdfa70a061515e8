"""Evaluation of predicates (`corpora.predicates`) on tagged tables.

Standard library only, Python 3.9.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Union

from corpora import expressions
from corpora.constants import FAMILIES, TEXT, QueryError, UndefinedError, comparable, order_key
from corpora.predicates import (
    And,
    Compare,
    Computed,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Or,
    Predicate,
    StartsWith,
    show_path,
)
from corpora.tagged import STRING, Field, Table, Type, Value

# An error: of a function whose result is not defined for a row, unless another test decides about the row.
Truth = Union[bool, None, QueryError]
_Tested = Union[Compare, In, NullSafe]

_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ALIKE = {**FAMILIES, "int96": "timestamp"}  # an INT96 counts nanoseconds, as `order_key` has timestamps


def evaluate(predicate: Predicate, table: Table, float_order: str) -> list[int]:
    """Return the ordinals, from 0 and rising, of the rows for which the predicate is TRUE.

    Raises QueryError for a path that the table does not have, or has twice, and for a value that cannot be
    compared: of such a type, of another type than the constant, or known by its digest alone. So it does if
    a function is not defined for a row about which no other test decides.
    """
    rows: list[int] = []
    first = 0
    for block in table.blocks():
        truth = _truth(predicate, table.columns, block, float_order)
        for known in truth:
            if isinstance(known, QueryError):
                raise known
        rows += [first + at for at, known in enumerate(truth) if known]
        first += len(truth)
    return rows


def _truth(predicate: Predicate, fields: tuple[Field, ...], block: list[Any], order: str) -> list[Truth]:
    if isinstance(predicate, Not):
        parts = _truth(predicate.of, fields, block, order)
        return [not part if isinstance(part, bool) else part for part in parts]
    if isinstance(predicate, NotTrue):
        parts = _truth(predicate.of, fields, block, order)
        return [part if isinstance(part, QueryError) else not part for part in parts]
    if isinstance(predicate, (And, Or)):
        decides = isinstance(predicate, Or)  # the truth of one part that decides the whole
        columns = [_truth(part, fields, block, order) for part in predicate.of]
        rest = (not decides,) * len(columns)
        return [
            decides if decides in row else not decides if row == rest else _open(row) for row in zip(*columns)
        ]
    type_, values = resolve(predicate.path, fields, block)
    if isinstance(predicate, IsNull):
        return [value is None for value in values]
    if isinstance(predicate, StartsWith):
        if type_.kind not in TEXT:
            raise QueryError(f"{show_path(predicate.path)} is of type {type_}, not text")
        prefix = order_key(STRING, predicate.prefix, order)
        return [
            None if value is None else order_key(type_, value, order).startswith(prefix) for value in values
        ]
    if isinstance(predicate, Computed):
        function, argument = predicate.function, predicate.argument
        result = expressions.result_type(function, argument, type_)
        results = [_result(function, argument, type_, value) for value in values]
        compared = Compare(predicate.path, predicate.test, predicate.type, predicate.value)
        values = [None if isinstance(value, QueryError) else value for value in results]
        return [
            value if isinstance(value, QueryError) else truth
            for value, truth in zip(results, _compared(compared, result, values, order))
        ]
    return _compared(predicate, type_, values, order)


def _compared(predicate: _Tested, type_: Type, values: list[Value], order: str) -> list[Truth]:
    """Return the truth values of comparing the values of a column with constants."""
    _check_same(predicate.path, type_, predicate.type)
    keys = [None if value is None else order_key(type_, value, order) for value in values]
    if isinstance(predicate, In):
        wanted = [order_key(predicate.type, value, order) for value in predicate.values if value is not None]
        other = None if None in predicate.values else False
        return [None if key is None else any(key == constant for constant in wanted) or other for key in keys]
    if isinstance(predicate, NullSafe):
        if predicate.value is None:
            return [key is None for key in keys]
        same = order_key(predicate.type, predicate.value, order)
        return [key is not None and key == same for key in keys]
    constant, test = order_key(predicate.type, predicate.value, order), _TESTS[predicate.op]
    return [None if key is None else test(key, constant) for key in keys]


def _open(parts: tuple[Truth, ...]) -> Truth:
    """Return the truth value of AND or OR if no operand decides it: the error of an operand, or UNKNOWN."""
    return next((part for part in parts if isinstance(part, QueryError)), None)


def _result(function: str, argument: str | None, type_: Type, value: Value) -> Value | QueryError:
    """Return the result of a function, or the error where it is not defined; raises OnlyDigestError."""
    try:
        return expressions.apply(function, argument, type_, value)
    except UndefinedError as error:
        return error


def resolve(path: tuple[str, ...], fields: tuple[Field, ...], block: list[Any]) -> tuple[Type, list[Value]]:
    """Return the type and the values of a column, or of a field of structs, of one block of a table."""
    at = find(path[0], fields)
    type_, values = fields[at].type, block[at]
    for name in path[1:]:
        if type_.kind != "struct":
            raise QueryError(f"{show_path(path)} goes into a {type_.kind}")
        at = find(name, type_.children)
        type_ = type_.children[at].type
        values = [None if value is None else value[at] for value in values]
    return type_, values


def find(name: str, fields: tuple[Field, ...]) -> int:
    """Return the index of the only field of that name; raises QueryError."""
    indexes = [at for at, field in enumerate(fields) if field.name == name]
    if len(indexes) != 1:
        raise QueryError(f"{len(indexes)} columns are named {name!r:.80}")
    return indexes[0]


def _check_same(path: tuple[str, ...], column: Type, constant: Type) -> None:
    """Raise QueryError unless a column and a constant are of one kind; widths and units may differ."""
    if not comparable(column):
        raise QueryError(f"{show_path(path)} is of type {column}, which cannot be compared")
    if _ALIKE.get(column.kind, column.kind) != _ALIKE.get(constant.kind, constant.kind):
        raise QueryError(f"{show_path(path)} is of type {column}, not {constant}")
