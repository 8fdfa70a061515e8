"""Queries of Variant columns: the value at a path, rows filtered by that value, JSON texts, schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from corpora.constants import order_key
from corpora.evaluation import resolve
from corpora.predicates import Predicate
from corpora.queries import Extract, FilterHeld, Query, QueryError, SchemaOf, ToJson
from corpora.tagged import Table, Type, Value, decimal
from corpora.variant_answers import casts, schemas
from corpora.variant_paths import Step, follow, inner
from corpora.variant_types import type_of
from properties.strategies.chances import choice, one_in

if TYPE_CHECKING:
    from hypothesis import strategies as st

Path = tuple[str, ...]
Held = dict[Path, list[tuple[bytes, bytes]]]

_MOST_STEPS = 3
_STEPS: tuple[Step, ...] = ("a", "é", "\ufffd", "\U00010000", 0, 1, "no such name")
_LOOKED_AT = 20  # Variants of a block: they are repeated
_CENTS = decimal(38, 2)


def held(tables: Sequence[Table], paths: Iterable[Path]) -> Held:
    """Return some of the metadata and values of the Variant columns at these paths."""
    by_path: Held = {}
    columns = tables[0].columns
    for path in paths:
        if resolve(path, columns, [[] for _ in columns])[0].kind == "variant":
            values = [
                (bytes.fromhex(value[0]), bytes.fromhex(value[1]))
                for table in tables
                for block in table.blocks()
                for value in resolve(path, columns, block)[1][:_LOOKED_AT]
                if isinstance(value, list)
            ]
            by_path[path] = sorted(set(values))
    return by_path


def query(
    draw: st.DrawFn,
    tables: Sequence[Table],
    by_path: Held,
    predicate: Callable[[Type, tuple[Value, ...]], Predicate],
    columns: tuple[str, ...] | None,
) -> Query:
    """Return a query of one of the columns in `by_path`; `predicate` returns one of the column EXTRACTED.

    A query that has no result for one of the tables (the value has another type, or no schema) is replaced by
    another query.
    """
    path = choice(draw, list(by_path))
    way = choice(draw, ["extract", "filter", "filter", "filter", "json", "schema"])
    if way == "json":
        return ToJson(path)
    if way == "schema":
        return SchemaOf(path) if _answers(schemas, tables, path) is not None else ToJson(path)
    steps, type_ = _steps(draw, by_path[path], nested=way == "extract")
    if way == "filter" and type_ is not None:
        if type_.kind == "int" and one_in(draw, 4):
            type_ = _CENTS
        values = _answers(casts, tables, path, steps, type_)
        if values is not None:
            there: Any = {value for value in values if value is not None}
            ordered = tuple(sorted(there, key=lambda value: order_key(type_, value, "total")))
            return FilterHeld(path, steps, type_, predicate(type_, ordered), columns)
    return Extract(path, steps)


def _answers(of: Callable[..., list[Value]], tables: Sequence[Table], *given: Any) -> list[Value] | None:
    """Return the results for all tables, None if one of them has no result."""
    try:
        return [value for table in tables for value in of(table, *given)]
    except QueryError:
        return None


def _steps(
    draw: st.DrawFn, values: list[tuple[bytes, bytes]], *, nested: bool
) -> tuple[tuple[Step, ...], Type | None]:
    """Return a path that exists in a value, or almost, and the type of the value at its end.

    `nested`: the path may end at an object or array; otherwise it goes on to a primitive value.
    """
    steps: list[Step] = []
    metadata, value = choice(draw, values) if values else (b"\1\0\0", b"\0")
    while len(steps) < _MOST_STEPS and (below := inner(metadata, value)):
        steps.append(choice(draw, below))
        value = follow(metadata, value, steps[-1:]) or b"\0"
        if nested and one_in(draw, 2):
            break
    if not steps or one_in(draw, 8):
        steps.append(choice(draw, _STEPS))
    return tuple(steps), type_of(value)
