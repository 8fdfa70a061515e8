"""Queries of a column: comparisons with constants at and around its extremes, in every operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from corpora.constants import FLOAT_ORDERS, QueryError, comparable, order_key
from corpora.evaluation import resolve
from corpora.predicates import Predicate, leaves
from corpora.queries import (
    Aggregate,
    And,
    Compare,
    Filter,
    In,
    IsNull,
    Not,
    NullSafe,
    Or,
    Query,
    StartsWith,
    evaluate,
)
from corpora.tagged import Table, Type, Value

Path = tuple[str, ...]

_SIGNS = {16: 1 << 15, 32: 1 << 31, 64: 1 << 63}
_QUIET = {16: "7e00", 32: "7fc00000", 64: "7ff8000000000000"}
_INFINITE = {16: "7c00", 32: "7f800000", 64: "7ff0000000000000"}


def queries(table: Table, path: Path) -> list[Query]:
    """Return the queries of a column of `table`, first those with a single test."""
    type_, values = _column(table, path)
    if not comparable(type_):
        return [Filter(IsNull(path)), Filter(Not(IsNull(path)))]
    present = sorted(
        {str(value): value for value in values if value is not None}.values(),
        key=lambda value: order_key(type_, value, "total"),
    )
    filters = [Filter(predicate) for predicate in dict.fromkeys(_predicates(path, type_, present))]
    return [*filters, Aggregate(path)]


def rows(query: Query, table: Table) -> tuple[int, ...] | None:
    """Return the rows that a filter must return; None where engines may differ, and for other queries."""
    if not isinstance(query, Filter):
        return None
    constants = (test.type for test in leaves(query.predicate) if isinstance(test, (Compare, In, NullSafe)))
    orders = FLOAT_ORDERS if any(type_.kind == "float" for type_ in constants) else FLOAT_ORDERS[:1]
    results = {tuple(evaluate(query.predicate, table, order)) for order in orders}
    return results.pop() if len(results) == 1 else None


def _column(table: Table, path: Path) -> tuple[Type, list[Value]]:
    values: list[Value] = []
    type_, _ = resolve(path, table.columns, [[] for _ in table.columns])
    for block in table.blocks():
        values += resolve(path, table.columns, block)[1]
    return type_, values


def _predicates(path: Path, type_: Type, present: Sequence[Value]) -> Iterator[Predicate]:
    """Yield predicates with constants from sorted values."""

    def compare(op: str, value: Value) -> Compare:
        return Compare(path, op, type_, value)

    yield IsNull(path)
    yield Not(IsNull(path))
    if not present:
        yield NullSafe(path, type_, None)
        return
    low, middle, high = present[0], present[len(present) // 2], present[-1]
    for value in (low, middle, high):
        yield compare("=", value)
    yield compare("<=", low)
    yield compare("<", middle)
    yield compare(">=", middle)
    yield compare(">=", high)
    yield compare("!=", low)
    yield Not(compare("=", high))
    yield In(path, type_, (low, high))
    yield And((compare(">", low), compare("<", high)))
    yield Or((compare("=", middle), IsNull(path)))
    for op, value in _outside(type_, low, high):
        yield compare(op, value)
    if type_.kind in ("string", "enum") and isinstance(high, str) and high:
        yield StartsWith(path, str(middle)[:1])
        yield StartsWith(path, high[:1])
    for value in (None, low, high, *([_QUIET[type_.bits or 64]] if type_.kind == "float" else [])):
        yield NullSafe(path, type_, value)


def _outside(type_: Type, low: Value, high: Value) -> Iterator[tuple[str, Value]]:
    """Yield comparisons with constants just outside the extremes, for floats with special values."""
    if type_.kind == "float":
        yield from _special(type_.bits or 64)
        return
    if type_.kind in ("bool", "uuid"):
        return
    if type_.kind in ("string", "json", "enum"):
        below, above = str(high)[:-1], f"{high}!"
    elif type_.kind in ("bytes", "bson"):
        below, above = str(high)[:-2], f"{high}00"
    else:
        below, above = str(int(str(low)) - 1), str(int(str(high)) + 1)
    for op, value in (("=", below), (">", below), ("=", above), ("<", above)):
        if _legal(type_, value):
            yield op, value


def _special(bits: int) -> Iterator[tuple[str, Value]]:
    nan, infinite, sign = _QUIET[bits], _INFINITE[bits], _SIGNS[bits]
    for op in ("=", "<", ">", "!="):
        yield op, nan
    for zero, op in product(("0" * (bits // 4), f"{sign:x}"), ("=", "<", ">")):
        yield op, zero
    yield ">=", infinite
    yield "<=", f"{int(infinite, 16) | sign:x}"


def _legal(type_: Type, value: Value) -> bool:
    try:
        Compare(("x",), "=", type_, value)
    except QueryError:
        return False
    return True
