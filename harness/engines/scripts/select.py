"""Queries of a column, counts, slices and joins in the SQL that dialects share; they quote the columns."""

# ruff: noqa: S608 - names are quoted by who calls, all else is digits

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from corpora.column_queries import offset_of
from corpora.predicates import Compare, Computed, In, IsNull, NullSafe, StartsWith, Test, unhandled
from corpora.queries import (
    COUNT,
    VALUE,
    Aggregate,
    AntiJoin,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    Join,
    Project,
    Query,
    Slice,
    Sorted,
    Top,
    TopRows,
    predicate_of,
)
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.terms import IS_NOT_TRUE, where

SOURCE = "colconf_source"  # the table or view of a file
SMALL, MATCH = "colconf_small", "colconf_match"  # the small table of a join, and its column


@dataclass(frozen=True)
class Dialect:
    """How a dialect writes names, columns by their paths, constants, texts, types of casts, and functions.

    `functions` are those of `Computed` by their names, of a column and an argument, with `starts_with`.
    `untrue` is its form of IS NOT TRUE, with {} for the condition. `quote` stands around a name. `count`: the
    number of rows; `of_column`: the number of values of a column, its least and its greatest value.
    """

    name: Callable[[str], str]
    column: Callable[[tuple[str, ...]], str]
    constant: Callable[[Type, Value], str]
    text: Callable[[str], str]
    cast: Callable[[Computed], str]
    functions: Mapping[str, Callable[[str, str], str]]
    is_null: str = "({} IS NULL)"
    unequal: str = "!="
    untrue: str = IS_NOT_TRUE
    quote: str = '"'
    count: str = "count(*)"
    of_column: tuple[str, str, str] = ("count({})", "min({})", "max({})")

    def test(self, test: Test) -> str:
        """Return a test of a column."""
        column = self.column(test.path)
        if isinstance(test, IsNull):
            return self.is_null.format(column)
        if isinstance(test, StartsWith):
            return self.functions["starts_with"](column, str(test.prefix))
        if isinstance(test, Computed):
            return self._computed(test, column)
        return comparison(test, column, self.constant, self.unequal)

    def _computed(self, test: Computed, column: str) -> str:
        argument = str(test.argument)
        if test.function == "itself":
            return column
        if test.function == "like":
            return f"({column} LIKE {self.text(argument)})"
        given = self.cast(test) if test.function == "cast" else argument
        operator = self.unequal if test.test == "!=" else test.test
        function = self.functions[test.function](column, given)
        return f"({function} {operator} {self.constant(test.type, test.value)})"


def comparison(
    test: Compare | In | IsNull | NullSafe,
    column: str,
    constant: Callable[[Type, Value], str],
    unequal: str = "!=",
) -> str:
    """Return a test of a column for null, or by constants, of which `constant` writes one."""
    if isinstance(test, IsNull):
        return f"({column} IS NULL)"
    type_ = test.type

    def written(value: Value) -> str:
        return "NULL" if value is None else constant(type_, value)

    if isinstance(test, In):
        return f"({column} IN ({', '.join(map(written, test.values))}))"
    if isinstance(test, NullSafe):
        return f"({column} IS NOT DISTINCT FROM {written(test.value)})"
    if isinstance(test, Compare):
        return f"({column} {unequal if test.op == '!=' else test.op} {written(test.value)})"
    raise unhandled(test)


def statement(query: Query, source: str, dialect: Dialect) -> str:
    """Return a query of `source`; raises Unsupported for what the dialects have not."""
    if isinstance(query, (Distinct, Groups, Top)):
        return of_column(query, dialect.column(query.path), source, dialect.quote, dialect.count)
    if isinstance(query, CountRows):
        return count_of(query, source, dialect.test, dialect.count, dialect.untrue)
    if isinstance(query, Aggregate):
        column = dialect.column(query.path)
        parts = (dialect.count, *(part.format(column) for part in dialect.of_column))
        return _selected(dialect, zip(query.names, parts), query, source)
    if isinstance(query, Fields):
        fields = {result: dialect.column(path) for result, path in query.named.items()}
        return _selected(dialect, fields.items(), query, source)
    if not isinstance(query, (Filter, Join, Project, Slice, TopRows)):
        raise Unsupported(f"SQL has no queries of kind {query.kind}")
    columns = listed(query.columns, dialect.name)
    if isinstance(query, Project):
        return f"SELECT {columns} FROM {source}"
    if isinstance(query, TopRows):
        condition = where_of(query, dialect.test, dialect.untrue)
        return first_of(query, columns, dialect.column(query.path), source, condition)
    if isinstance(query, Join):
        return f"SELECT {columns} FROM {source} WHERE {_joined(query, dialect)}"
    condition = "" if query.predicate is None else where(query.predicate, dialect.test, dialect.untrue)
    if isinstance(query, Slice):
        return of_slice(query, columns, source, condition)
    return f"SELECT {columns} FROM {source} WHERE {condition}"


def listed(columns: tuple[str, ...] | None, name: Callable[[str], str]) -> str:
    """Return the list of a SELECT; raises Unsupported for one of no columns."""
    if columns == ():
        raise Unsupported("SQL selects one column or more")
    return "*" if columns is None else ", ".join(map(name, columns))


def _selected(dialect: Dialect, parts: Iterable[tuple[str, str]], query: Query, source: str) -> str:
    named = ", ".join(f"{part} AS {dialect.name(result)}" for result, part in parts)
    return f"SELECT {named} FROM {source}{where_of(query, dialect.test, dialect.untrue)}"


def _joined(query: Join, dialect: Dialect) -> str:
    """Return the condition of a join with a table of the constants, of which the first is no null."""
    constants = [dialect.constant(query.type, value) for value in query.values if value is not None]
    nulls = ["NULL"] * (len(query.values) - len(constants))
    return in_small(query, dialect.column(query.path), constants + nulls)


def of_column(
    query: Distinct | Groups | Top, column: str, source: str, quote: str, count: str = "count(*)"
) -> str:
    """Return the distinct values of a column, their counts, or the first of them in their order."""
    value = f"{column} AS {quote}{VALUE}{quote}"
    if isinstance(query, Distinct):
        return f"SELECT DISTINCT {value} FROM {source}"
    if isinstance(query, Groups):
        return f"SELECT {value}, {count} AS {quote}{COUNT}{quote} FROM {source} GROUP BY {column}"
    return first_of(query, value, column, source)


def first_of(query: Sorted, selected: str, column: str, source: str, condition: str = "") -> str:
    """Return what is selected of the first rows in the order of a column, of those of a WHERE clause."""
    offset = f" OFFSET {offset_of(query)}" if offset_of(query) else ""
    direction = "DESC" if query.descending else "ASC"
    nulls = "FIRST" if query.nulls_first else "LAST"
    order = f"{column} {direction} NULLS {nulls}"
    return f"SELECT {selected} FROM {source}{condition} ORDER BY {order} LIMIT {query.rows}{offset}"


def count_of(
    query: CountRows,
    source: str,
    test: Callable[[Test], str],
    count: str = "count(*)",
    untrue: str = IS_NOT_TRUE,
) -> str:
    """Return the number of rows, or of those that fulfil a predicate, of which `test` writes a test."""
    return f'SELECT {count} AS "{COUNT}" FROM {source}{where_of(query, test, untrue)}'


def where_of(query: Query, test: Callable[[Test], str], untrue: str = IS_NOT_TRUE) -> str:
    """Return the WHERE clause of a query's predicate, of which `test` writes a test; "" without one."""
    predicate = predicate_of(query)
    return "" if predicate is None else f" WHERE {where(predicate, test, untrue)}"


def of_slice(query: Slice, columns: str, source: str, condition: str, order: str = "") -> str:
    """Return the rows of a slice, of those that fulfil a condition; `condition` and `order` may be empty."""
    where = f" WHERE {condition}" if condition else ""
    by = f" ORDER BY {order}" if order else ""
    return f"SELECT {columns} FROM {source}{where}{by} LIMIT {query.rows} OFFSET {query.offset}"


def in_small(query: Join, column: str, constants: Iterable[str]) -> str:
    """Return the condition of a join with a table of constants, which the dialect has written."""
    table = f"(VALUES {', '.join(f'({constant})' for constant in constants)}) AS {SMALL}({MATCH})"
    if isinstance(query, AntiJoin) and not query.not_in:
        return f"NOT EXISTS (SELECT 1 FROM {table} WHERE {MATCH} = {column})"
    word = "NOT IN" if isinstance(query, AntiJoin) else "IN"
    return f"{column} {word} (SELECT {MATCH} FROM {table})"
