"""Queries of tables: predicates with constants at and around what statistics say, and the other queries.

A constant is a value of the tables, mostly the least or the greatest, or its neighbour, or its twin by the
other sign, or a value that floats and texts are famous for. That is where a reader that skips too much loses
rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from corpora.constants import TEXT, QueryError, check_constant, comparable, order_key
from corpora.evaluation import resolve
from corpora.predicates import OPERATORS, And, Compare, In, IsNull, Not, Or, StartsWith
from corpora.queries import EXTRACTED, Aggregate, Batches, Filter, Project
from properties.strategies import variant_queries
from properties.strategies.chances import choice, one_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpora.predicates import Predicate
    from corpora.queries import Query
    from corpora.tagged import Field, Table, Type, Value

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
    """A column, or a field of structs, of which a predicate may be; its `values` distinct and in order."""

    path: tuple[str, ...]
    type: Type
    values: tuple[Value, ...]


def targets(tables: Sequence[Table]) -> list[Target]:
    """Return what can be compared in tables of the same columns, top-level columns first."""
    columns = tables[0].columns
    found = [_target(path, tables) for path in _paths(columns) if _single(path, columns)]
    return [target for target in found if comparable(target.type)]


def _paths(columns: Sequence[Field]) -> list[tuple[str, ...]]:
    """Return the paths of columns, and of fields of those that are structs."""
    paths: list[tuple[str, ...]] = [(column.name,) for column in columns]
    return paths + [
        (column.name, one.name)
        for column in columns
        if column.type.kind == "struct"
        for one in column.type.children
    ]


def _type_at(path: tuple[str, ...], columns: tuple[Field, ...]) -> Type:
    return resolve(path, columns, [[] for _ in columns])[0]


def _single(path: tuple[str, ...], columns: Sequence[Field]) -> bool:
    """Return whether names lead to one place."""
    names = [column.name for column in columns]
    return names.count(path[0]) == 1


def _target(path: tuple[str, ...], tables: Sequence[Table]) -> Target:
    type_ = _type_at(path, tables[0].columns)
    if not comparable(type_):
        return Target(path, type_, ())
    found = {
        value: None
        for table in tables
        for block in table.blocks()
        for value in resolve(path, table.columns, block)[1]
        if isinstance(value, (str, bool))
    }
    return Target(path, type_, tuple(sorted(found, key=lambda value: order_key(type_, value, "total"))))


@st.composite
def queries(draw: st.DrawFn, tables: Sequence[Table]) -> Query:
    """Return a query of files that hold `tables`, all of the same columns; most are filters."""
    names = [column.name for column in tables[0].columns]
    found = targets(tables)
    paths = [path for path in _paths(tables[0].columns) if _single(path, tables[0].columns)]
    held = variant_queries.held(tables, paths)
    if held and one_in(draw, 2):
        columns = _some(draw, names) if one_in(draw, 3) else None

        def of_held(type_: Type, values: tuple[Value, ...]) -> Predicate:
            return predicate(draw, [Target((EXTRACTED,), type_, values)], (EXTRACTED,))

        return variant_queries.query(draw, tables, held, of_held, columns)
    kind = choice(draw, ["filter"] * 9 + ["project", "batches", "aggregate"])
    if kind == "project":
        return Project(_some(draw, names))
    if kind == "batches":
        return Batches(choice(draw, _BATCHES))
    if kind == "aggregate":
        return Aggregate(choice(draw, found).path)
    columns = _some(draw, names) if one_in(draw, 3) else None
    return Filter(predicate(draw, found, names), columns)


def _some(draw: st.DrawFn, names: list[str]) -> tuple[str, ...]:
    """Return some of the columns, in any order."""
    return tuple(draw(st.lists(st.sampled_from(names), min_size=1, unique=True)))


def predicate(draw: st.DrawFn, found: Sequence[Target], names: Sequence[str]) -> Predicate:
    """Return a predicate of one or two tests; `names` are the columns that may be null, of any type."""
    way = choice(draw, ["test", "test", "test", "not", "between", "and", "or", "not and"])
    first = _tests(draw, found, names)
    if way == "test":
        return first
    if way == "not":
        return Not(first)
    if way == "between":
        target = _chosen(draw, found)
        ends = [constant(draw, target) for _ in range(2)]
        ends.sort(key=lambda value: order_key(target.type, value, "total"))
        low = Compare(target.path, choice(draw, [">=", ">"]), target.type, ends[0])
        return And((low, Compare(target.path, choice(draw, ["<=", "<"]), target.type, ends[1])))
    both = (first, _tests(draw, found, names))
    if way == "and":
        return And(both)
    return Or(both) if way == "or" else Not(And(both))


def _chosen(draw: st.DrawFn, found: Sequence[Target]) -> Target:
    """Prefer columns to `row`, which all files have."""
    return choice(draw, [*found[1:], *found[1:], *found])


def _tests(draw: st.DrawFn, found: Sequence[Target], names: Sequence[str]) -> Predicate:
    """Return one test of one column."""
    if one_in(draw, 8):
        path = choice(draw, [*((name,) for name in names), *(target.path for target in found)])
        return Not(IsNull(path)) if draw(st.booleans()) else IsNull(path)
    target = _chosen(draw, found)
    if one_in(draw, 5):
        values = [constant(draw, target) for _ in range(choice(draw, (1, 2, 3, 4)))]
        return In(target.path, target.type, tuple(values))
    if target.type.kind in TEXT and one_in(draw, 3):
        text = constant(draw, target)
        return StartsWith(target.path, text[: choice(draw, [1, 2, 5, 16, 63, 64, 0])])
    return Compare(target.path, choice(draw, OPERATORS), target.type, constant(draw, target))


def constant(draw: st.DrawFn, target: Target) -> Any:
    """Return a constant for a column: of its values or near them."""
    special = _special(target.type)
    if not target.values or (special and one_in(draw, 6)):
        return choice(draw, special)
    where = choice(draw, ["least", "greatest", "any"])
    value = target.values[0 if where == "least" else -1]
    if where == "any":
        value = choice(draw, target.values)
    near = [value, value, value, *_near(target.type, value)]
    # Timestamps of ORC go further than 64 bits of nanoseconds, which are the most that can be asked for.
    return choice(draw, [one for one in near if _fits(target.type, one)] or special)


def _fits(type_: Type, value: Any) -> bool:
    try:
        check_constant(type_, value)
    except QueryError:
        return False
    return True


def _special(type_: Type) -> tuple[Value, ...]:
    """Return constants that any column of the type may be asked for."""
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
        bits = type_.bits or 32
        ends = (0, 1, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1, -1 << (bits - 1), (1 << bits) - 1)
        return tuple(str(one) for one in ends if _fits(type_, str(one)))
    return ("", "00", "80", "ff")


def _near(type_: Type, value: Value) -> Iterator[Value]:
    """Yield what stands one step beside a value, and its twin by the other sign; not all fit the type."""
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
        for one in (number + 1, number - 1, number ^ (1 << 4 * width - 1)):
            yield f"{one % (1 << 4 * width):0{width}x}"
    elif kind in TEXT:
        yield from (text + "\x00", text + "z", text[:-1], text[:64], text + "é")
    elif kind == "uuid":
        yield from (f"{(int(text, 16) + step) % (1 << 128):032x}" for step in (1, -1, 1 << 127))
    else:
        yield from (text + "00", text[:-2], text[:128], text + "ff")
        if text:  # of the same width, as FIXED_LEN_BYTE_ARRAY has them
            yield from (f"{(int(text, 16) + step) % (1 << 4 * len(text)):0{len(text)}x}" for step in (1, -1))
