"""Queries of tables: predicates with constants at and around the bounds of statistics, and other queries.

A predicate has one test or two, one in eight three to six, in AND, OR and NOT at any depth. Lists and small
tables have lengths before, between and behind those from which on lists are looked up in other ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from hypothesis import strategies as st

from corpora import expressions
from corpora.build.questions import of_values
from corpora.build.questions.columns import ColumnFacts, is_constant
from corpora.constants import TEXT, QueryError, comparable, order_key
from corpora.evaluation import resolve
from corpora.predicates import (
    OPERATORS,
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
)
from corpora.queries import (
    EXTRACTED,
    Aggregate,
    AggregateWhere,
    AntiJoin,
    Batches,
    CountRows,
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    Project,
    Query,
    SemiJoin,
    Slice,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import Field, Table, Type, Value
from properties.strategies import variant_queries
from properties.strategies.chances import choice, one_in
from properties.strategies.constants import Target, constant, several

_TOPS = (1, 2, 3, 8, 100)  # rows of the sorted values, and of slices
_OTHERS = ["project", "places", "aggregate", "count", "top", "top_where", "semi_join", "groups", "fields"]
_OFFSETS = (0, 0, 1, 2, 3, 7, 16, 100)
_BATCHES = (1, 2, 3, 7, 8, 64, 100, 1000, 1024)
# Of lists and small tables: as in corpora/build/questions/of_column.py, about 10, 20 and 50 values.
_LENGTHS = (1, 2, 3, 4, 12, 25, 60)
_TREES, _MOST_AMONG, _MOST_FIELDS = 8, 12, 4
# Functions that have a result for each value, though not the same to all. Where numbers do not fit, SQL has
# an error, and no order in which tests are evaluated.
_NEVER_FAIL = {"date": "year", "timestamp": "year", "string": "lower"}
_TESTS = (3, 4, 5, 6)  # of a tree


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
            return predicate(draw, [Target((EXTRACTED,), type_, values)], [(EXTRACTED,)])

        return variant_queries.query(draw, tables, held, of_held, columns)
    kind = choice(draw, ["filter"] * 9 + _OTHERS)
    if kind == "project":
        return Project(_some(draw, names))
    if kind == "places" and draw(st.booleans()):
        return Batches(choice(draw, _BATCHES))
    if kind == "aggregate":
        ordered = {target.path for target in comparable_columns}
        unordered = [path for path in paths if path not in ordered]
        if bool(unordered) and draw(st.booleans()):  # their values can only be counted
            return CountValues(choice(draw, unordered))
        if one_in(draw, 4):
            return CountValues(choice(draw, paths))
        path = choice(draw, comparable_columns).path
        if draw(st.booleans()):
            return AggregateWhere(path, predicate(draw, comparable_columns, paths))
        return Aggregate(path)
    if kind in {"top", "groups"}:
        return _of_values(draw, choice(draw, comparable_columns).path, kind, names)
    columns = _some(draw, names) if one_in(draw, 3) else None
    if kind == "semi_join":
        return _join(draw, _chosen(draw, comparable_columns), columns)
    where = predicate(draw, comparable_columns, paths)
    if kind == "fields":
        return Fields(_nested(draw, paths), None if draw(st.booleans()) else where)
    if kind == "top_where":
        path, wanted = choice(draw, comparable_columns).path, None if one_in(draw, 4) else where
        return TopWhere(path, *_order(draw), columns, wanted, choice(draw, _OFFSETS))
    if kind == "count":
        return CountRows(None if one_in(draw, 3) else where)
    if kind == "places":
        place = choice(draw, _OFFSETS), choice(draw, _TOPS)
        return Slice(*place, None if draw(st.booleans()) else where, columns)
    return Filter(where, columns)


def _nested(draw: st.DrawFn, paths: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return some fields of structs, and perhaps a column; only columns if there are no structs."""
    inside = [path for path in paths if len(path) > 1]
    some = draw(st.lists(st.sampled_from(inside or paths), min_size=1, max_size=_MOST_FIELDS, unique=True))
    columns = [choice(draw, paths)] if one_in(draw, 4) else []
    return tuple(dict.fromkeys((*some, *columns)))


def _of_values(draw: st.DrawFn, path: tuple[str, ...], kind: str, names: list[str]) -> Query:
    """Return a query of the values of a column, sorted or grouped, or of the first rows in its order."""
    if kind == "groups":
        return (Groups if draw(st.booleans()) else Distinct)(path)
    if draw(st.booleans()):
        return TopRows(path, *_order(draw), _some(draw, names) if one_in(draw, 3) else None)
    return Top(path, *_order(draw))


def _order(draw: st.DrawFn) -> tuple[int, bool, bool]:
    """Return the number of first rows, whether they descend, and whether nulls come first."""
    return choice(draw, _TOPS), draw(st.booleans()), draw(st.booleans())


def _join(draw: st.DrawFn, target: Target, columns: tuple[str, ...] | None) -> Query:
    """Return a semi-join or anti-join with a table of a few values, perhaps a null among them."""
    values = several(draw, target, choice(draw, _LENGTHS))
    values += [None] * one_in(draw, 4)
    if one_in(draw, 3):
        return AntiJoin(target.path, target.type, tuple(values), columns, draw(st.booleans()))
    return SemiJoin(target.path, target.type, tuple(values), columns)


def _some(draw: st.DrawFn, names: list[str]) -> tuple[str, ...]:
    """Return some of the columns, in any order."""
    return tuple(draw(st.lists(st.sampled_from(names), min_size=1, unique=True)))


def predicate(draw: st.DrawFn, columns: Sequence[Target], paths: Sequence[tuple[str, ...]]) -> Predicate:
    """Return a predicate; `paths` are columns and fields of structs of any type, to test for null."""
    if one_in(draw, _TREES):
        return _tree(draw, columns, paths, choice(draw, _TESTS))
    way = choice(draw, ["test", "test", "test", "not", "not true", "between", "and", "or", "not and"])
    first = _tests(draw, columns, paths)
    if way == "test":
        return first
    if way in ("not", "not true"):
        return Not(first) if way == "not" else NotTrue(first)
    if way == "between":
        target = _chosen(draw, columns)
        ends = [constant(draw, target) for _ in range(2)]
        ends.sort(key=lambda value: order_key(target.type, value, "total"))
        low = Compare(target.path, choice(draw, [">=", ">"]), target.type, ends[0])
        return And((low, Compare(target.path, choice(draw, ["<=", "<"]), target.type, ends[1])))
    both = (first, _tests(draw, columns, paths))
    if way == "and":
        return And(both)
    return Or(both) if way == "or" else Not(And(both))


def _tree(
    draw: st.DrawFn, columns: Sequence[Target], paths: Sequence[tuple[str, ...]], tests: int
) -> Predicate:
    """Return a predicate of so many tests: AND and OR in each other, some below NOT or IS NOT TRUE."""
    if tests == 1:
        part: Predicate = _tests(draw, columns, paths)
    else:
        first = draw(st.integers(1, tests - 1))
        parts = tuple(_tree(draw, columns, paths, count) for count in (first, tests - first))
        part = Or(parts) if draw(st.booleans()) else And(parts)
    if one_in(draw, 6):
        return NotTrue(part)
    return Not(part) if one_in(draw, 3) else part


def _chosen(draw: st.DrawFn, columns: Sequence[Target]) -> Target:
    """Return a column, rarely `row`, which all files have."""
    return choice(draw, [*columns[1:], *columns[1:], *columns])


def _tests(draw: st.DrawFn, columns: Sequence[Target], paths: Sequence[tuple[str, ...]]) -> Predicate:
    """Return one test of one column."""
    if one_in(draw, 8):
        path = choice(draw, paths)
        return Not(IsNull(path)) if draw(st.booleans()) else IsNull(path)
    target = _chosen(draw, columns)
    if one_in(draw, 5):
        values = several(draw, target, choice(draw, _LENGTHS))
        return In(target.path, target.type, (*values, None) if one_in(draw, 6) else tuple(values))
    if target.values and one_in(draw, 4) and (functions := _computed(draw, target)):
        return functions
    if one_in(draw, 6):
        return NullSafe(target.path, target.type, None if one_in(draw, 4) else constant(draw, target))
    if target.type.kind in TEXT and one_in(draw, 3):
        text = constant(draw, target)
        return StartsWith(target.path, text[: choice(draw, [1, 2, 5, 16, 63, 64, 0])])
    return Compare(target.path, choice(draw, OPERATORS), target.type, constant(draw, target))


def _computed(draw: st.DrawFn, target: Target) -> Predicate | None:
    """Return a comparison of a function of a column, None if no function is defined for its values.

    A function that is defined only for some of the values is combined with a test that only these values
    pass.
    """
    defined: list[Predicate] = [
        test
        for test in _functions(target, target.values)
        if all(_is_defined(test.function, test.argument, target.type, value) for value in target.values)
    ]
    function = _NEVER_FAIL.get(target.type.kind)
    if function is not None:
        values = tuple(
            value
            for value in target.values  # a column may hold timestamps that no constant of its type is
            if _is_defined(function, None, target.type, value) and is_constant(target.type, value)
        )
        if 0 < len(values) < len(target.values):
            tests = (test for test in _functions(target, values) if test.function == function)
            defined += [And((_among(target, values), test)) for test in tests]
    return choice(draw, defined) if defined else None


def _functions(target: Target, values: tuple[Value, ...]) -> Iterator[Computed]:
    for query in of_values.computed(ColumnFacts(target.path, target.type, values)):
        assert isinstance(query, Filter)
        assert isinstance(query.predicate, Computed)
        yield query.predicate


def _is_defined(function: str, argument: str | None, type_: Type, value: Value) -> bool:
    with suppress(QueryError):
        expressions.apply(function, argument, type_, value)
        return True
    return False


def _among(target: Target, values: tuple[Value, ...]) -> Predicate:
    """Return a test that selects only values for which the function is defined: for timestamps, a range."""
    if target.type.kind in TEXT:
        return In(target.path, target.type, values[:_MOST_AMONG])
    ends = (">=", values[0]), ("<=", values[-1])
    return And(tuple(Compare(target.path, op, target.type, value) for op, value in ends))
