"""Queries of tables: predicates with constants at and around the bounds of statistics, and other queries.

A constant is a value of the tables, mostly the least or the greatest, or a neighbour of that value, or the
same value with the other sign, or a special value of its type. With such constants a reader that skips too
much loses rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from corpora import expressions
from corpora.build.questions import of_values
from corpora.build.questions.columns import ColumnFacts
from corpora.constants import TEXT, QueryError, check_constant, comparable, order_key
from corpora.evaluation import resolve
from corpora.predicates import (
    OPERATORS,
    And,
    Compare,
    Computed,
    In,
    IsNull,
    Not,
    NullSafe,
    Or,
    Predicate,
    StartsWith,
)
from corpora.queries import (
    EXTRACTED,
    Aggregate,
    AntiJoin,
    Batches,
    Distinct,
    Filter,
    Groups,
    Project,
    Query,
    SemiJoin,
    Slice,
    Top,
)
from corpora.tagged import Field, Table, Type, Value
from properties.strategies import variant_queries
from properties.strategies.chances import choice, one_in

_TOPS = (1, 2, 3, 8, 100)  # rows of the sorted values, and of slices
_OFFSETS = (0, 0, 1, 2, 3, 7, 16, 100)
_BATCHES = (1, 2, 3, 7, 8, 64, 100, 1000, 1024)
_SPECIAL = {  # NaN of both signs, zeros, infinities, one, and a NaN with a payload
    16: ("7e00", "fe00", "0000", "8000", "7c00", "fc00", "3c00", "7d01"),
    32: ("7fc00000", "ffc00000", "00000000", "80000000", "7f800000", "ff800000", "3f800000", "7f800001"),
    64: (
        *("7ff8000000000000", "fff8000000000000", "0000000000000000", "8000000000000000", "7ff0000000000000"),
        *("fff0000000000000", "3ff0000000000000", "7ff0000000000001"),
    ),
}
_TEXTS = ("", "a", "é", "\x00", "\U0010ffff", "z" * 64, "ÿ")
_COUNTS = ("int", "decimal", "date", "time", "timestamp", "duration", "int96")


@dataclass(frozen=True)
class Target:
    """A column or a field of structs that a predicate can test; its `values` are distinct and sorted."""

    path: tuple[str, ...]
    type: Type
    values: tuple[Value, ...]


def targets(tables: Sequence[Table]) -> list[Target]:
    """Return the comparable columns and fields of tables with the same columns, top-level columns first."""
    columns = tables[0].columns
    all_targets = [_target(path, tables) for path in _paths(columns) if _single(path, columns)]
    return [target for target in all_targets if comparable(target.type)]


def _paths(columns: Sequence[Field]) -> list[tuple[str, ...]]:
    """Return the paths of columns, and of the fields of structs at any depth."""
    paths: list[tuple[str, ...]] = [(column.name,) for column in columns]
    structs = [column for column in columns if column.type.kind == "struct"]
    return paths + [(column.name, *path) for column in structs for path in _paths(column.type.children)]


def _type_at(path: tuple[str, ...], columns: tuple[Field, ...]) -> Type:
    return resolve(path, columns, [[] for _ in columns])[0]


def _single(path: tuple[str, ...], columns: Sequence[Field]) -> bool:
    """Return whether a path is unambiguous: no other column has the same name."""
    names = [column.name for column in columns]
    return names.count(path[0]) == 1


def _target(path: tuple[str, ...], tables: Sequence[Table]) -> Target:
    type_ = _type_at(path, tables[0].columns)
    if not comparable(type_):
        return Target(path, type_, ())
    values = {
        value: None
        for table in tables
        for block in table.blocks()
        for value in resolve(path, table.columns, block)[1]
        if isinstance(value, (str, bool))
    }
    return Target(path, type_, tuple(sorted(values, key=lambda value: order_key(type_, value, "total"))))


@st.composite
def queries(draw: st.DrawFn, tables: Sequence[Table], comparable_columns: Sequence[Target]) -> Query:
    """Return a query of files that hold `tables`, which have the same columns; most queries are filters.

    `comparable_columns` are the `targets` of the tables.
    """
    names = [column.name for column in tables[0].columns if _single((column.name,), tables[0].columns)]
    paths = [path for path in _paths(tables[0].columns) if _single(path, tables[0].columns)]
    held = variant_queries.held(tables, paths)
    if held and one_in(draw, 2):
        columns = _some(draw, names) if one_in(draw, 3) else None

        def of_held(type_: Type, values: tuple[Value, ...]) -> Predicate:
            return predicate(draw, [Target((EXTRACTED,), type_, values)], (EXTRACTED,))

        return variant_queries.query(draw, tables, held, of_held, columns)
    kind = choice(draw, ["filter"] * 9 + ["project", "places", "aggregate", "top", "semi_join", "groups"])
    if kind == "project":
        return Project(_some(draw, names))
    if kind == "places" and draw(st.booleans()):
        return Batches(choice(draw, _BATCHES))
    if kind == "aggregate":
        return Aggregate(choice(draw, comparable_columns).path)
    if kind in {"top", "groups"}:
        return _of_values(draw, choice(draw, comparable_columns).path, kind)
    columns = _some(draw, names) if one_in(draw, 3) else None
    if kind == "semi_join":
        return _join(draw, _chosen(draw, comparable_columns), columns)
    where = predicate(draw, comparable_columns, names)
    if kind == "places":
        place = choice(draw, _OFFSETS), choice(draw, _TOPS)
        return Slice(*place, None if draw(st.booleans()) else where, columns)
    return Filter(where, columns)


def _of_values(draw: st.DrawFn, path: tuple[str, ...], kind: str) -> Query:
    """Return a query of the values of a column: sorted, or grouped."""
    if kind == "groups":
        return (Groups if draw(st.booleans()) else Distinct)(path)
    return Top(path, choice(draw, _TOPS), draw(st.booleans()), draw(st.booleans()))


def _join(draw: st.DrawFn, target: Target, columns: tuple[str, ...] | None) -> Query:
    """Return a semi-join or anti-join with a table of a few values, perhaps a null among them."""
    values = [constant(draw, target) for _ in range(choice(draw, (1, 1, 2, 4)))]
    values += [None] * one_in(draw, 4)
    if one_in(draw, 3):
        return AntiJoin(target.path, target.type, tuple(values), columns, draw(st.booleans()))
    return SemiJoin(target.path, target.type, tuple(values), columns)


def _some(draw: st.DrawFn, names: list[str]) -> tuple[str, ...]:
    """Return some of the columns, in any order."""
    return tuple(draw(st.lists(st.sampled_from(names), min_size=1, unique=True)))


def predicate(draw: st.DrawFn, columns: Sequence[Target], names: Sequence[str]) -> Predicate:
    """Return a predicate of one or two tests; `names` are columns of any type, to test for null."""
    way = choice(draw, ["test", "test", "test", "not", "between", "and", "or", "not and"])
    first = _tests(draw, columns, names)
    if way == "test":
        return first
    if way == "not":
        return Not(first)
    if way == "between":
        target = _chosen(draw, columns)
        ends = [constant(draw, target) for _ in range(2)]
        ends.sort(key=lambda value: order_key(target.type, value, "total"))
        low = Compare(target.path, choice(draw, [">=", ">"]), target.type, ends[0])
        return And((low, Compare(target.path, choice(draw, ["<=", "<"]), target.type, ends[1])))
    both = (first, _tests(draw, columns, names))
    if way == "and":
        return And(both)
    return Or(both) if way == "or" else Not(And(both))


def _chosen(draw: st.DrawFn, columns: Sequence[Target]) -> Target:
    """Return a column, rarely `row`, which all files have."""
    return choice(draw, [*columns[1:], *columns[1:], *columns])


def _tests(draw: st.DrawFn, columns: Sequence[Target], names: Sequence[str]) -> Predicate:
    """Return one test of one column."""
    if one_in(draw, 8):
        path = choice(draw, [*((name,) for name in names), *(target.path for target in columns)])
        return Not(IsNull(path)) if draw(st.booleans()) else IsNull(path)
    target = _chosen(draw, columns)
    if one_in(draw, 5):
        values = [constant(draw, target) for _ in range(choice(draw, (1, 2, 3, 4)))]
        return In(target.path, target.type, tuple(values))
    if target.values and one_in(draw, 8) and (functions := _computed(draw, target)):
        return functions
    if one_in(draw, 6):
        return NullSafe(target.path, target.type, None if one_in(draw, 4) else constant(draw, target))
    if target.type.kind in TEXT and one_in(draw, 3):
        text = constant(draw, target)
        return StartsWith(target.path, text[: choice(draw, [1, 2, 5, 16, 63, 64, 0])])
    return Compare(target.path, choice(draw, OPERATORS), target.type, constant(draw, target))


def _computed(draw: st.DrawFn, target: Target) -> Predicate | None:
    """Return a comparison of a function of a column, None where none is defined for all its values."""
    facts = ColumnFacts(target.path, target.type, target.values)
    defined = []
    for query in of_values.computed(facts):
        assert isinstance(query, Filter)
        test = query.predicate
        assert isinstance(test, Computed)
        with suppress(QueryError):
            for value in target.values:
                expressions.apply(test.function, test.argument, target.type, value)
            defined.append(test)
    return choice(draw, defined) if defined else None


def constant(draw: st.DrawFn, target: Target) -> Any:
    """Return a constant for a column: one of its values or a value near it."""
    special = _special(target.type)
    if not target.values or (special and one_in(draw, 6)):
        return choice(draw, special)
    where = choice(draw, ["least", "greatest", "any"])
    value = target.values[0 if where == "least" else -1]
    if where == "any":
        value = choice(draw, target.values)
    near = [value, value, value, *_near(target.type, value)]
    # Timestamps of ORC can exceed 64 bits of nanoseconds, the limit of constants.
    return choice(draw, [candidate for candidate in near if _fits(target.type, candidate)] or special)


def _fits(type_: Type, value: Any) -> bool:
    try:
        check_constant(type_, value)
    except QueryError:
        return False
    return True


def _special(type_: Type) -> tuple[Value, ...]:
    """Return the special constants of a type."""
    kind = type_.kind
    if kind == "float":
        return _SPECIAL[type_.bits or 64]
    if kind in TEXT:
        return _TEXTS
    if kind == "bool":
        return (False, True)
    if kind == "uuid":
        return ("00" * 16, "ff" * 16, "80" + "00" * 15)
    if kind in _COUNTS:
        ends = [0, 1, -1]
        for bits in sorted({type_.bits or 32, 32, 64}):
            ends += [1 << (bits - 1), (1 << (bits - 1)) - 1, -1 << (bits - 1), (1 << bits) - 1]
        ends += [sign * (10 ** (type_.precision or 1) - 1) for sign in (1, -1)]
        return tuple(str(number) for number in dict.fromkeys(ends) if _fits(type_, str(number)))
    return ("", "00", "80", "ff")


def _near(type_: Type, value: Value) -> Iterator[Value]:
    """Yield the neighbours of a value, and the value with the other sign; not all of them fit the type."""
    if isinstance(value, bool):
        yield not value
        return
    text, kind = str(value), type_.kind
    if kind in _COUNTS:
        yield from (str(int(text) + 1), str(int(text) - 1))
        bits = type_.bits or (32 if kind == "date" else 64)
        yield from (str(int(text) + (1 << bits - 1)), str(int(text) - (1 << bits - 1)), str(-int(text)))
    elif kind == "float":
        width, number = len(text), int(text, 16)
        for neighbour in (number + 1, number - 1, number ^ (1 << 4 * width - 1)):
            yield f"{neighbour % (1 << 4 * width):0{width}x}"
    elif kind in TEXT:
        yield from (text + "\x00", text + "z", text[:-1], text[:64], text + "é")
    elif kind == "uuid":
        yield from (f"{(int(text, 16) + step) % (1 << 128):032x}" for step in (1, -1, 1 << 127))
    else:
        yield from (text + "00", text[:-2], text[:128], text + "ff")
        if text:  # of the same width, for FIXED_LEN_BYTE_ARRAY
            yield from (f"{(int(text, 16) + step) % (1 << 4 * len(text)):0{len(text)}x}" for step in (1, -1))
