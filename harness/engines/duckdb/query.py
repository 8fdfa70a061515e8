"""Queries as DuckDB's SQL: names quoted, constants as parameters that are cast to the column's type.

A query is stated once, as a `Statement`: the adapter executes it, and scripts print it.
"""

# ruff: noqa: S608 - names are quoted, and constants are parameters

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from corpora.predicates import Computed, StartsWith, Test
from corpora.queries import (
    EXTRACTED,
    Aggregate,
    CountRows,
    Distinct,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    Slice,
    ToJson,
    Top,
    TopRows,
)
from corpora.tagged import BOOL, BYTES, DATE, STRING, Type, Value, floating, integer, timestamp
from harness.engines.duckdb.constants import INFINITE, clock, expression
from harness.engines.duckdb.lists import is_numbered
from harness.engines.duckdb.ways import MOST_ROWS, Way
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted
from harness.engines.scripts.select import (
    comparison,
    count_of,
    first_of,
    in_small,
    of_column,
    of_slice,
    where_of,
)
from harness.engines.terms import (
    constants_of,
    integer_of,
    rescaled,
    text_of,
    where,
)

NUMBER = "file_row_number"
VIEW = "colconf_view"
_NUMBERED = f", {NUMBER} = true"

_HELD = {
    BOOL: "BOOLEAN",
    BYTES: "BLOB",
    DATE: "DATE",
    STRING: "VARCHAR",
    floating(32): "FLOAT",
    floating(64): "DOUBLE",
    integer(8): "TINYINT",
    integer(16): "SMALLINT",
    integer(32): "INTEGER",
    integer(64): "BIGINT",
    timestamp("us", utc=True): "TIMESTAMP WITH TIME ZONE",
    timestamp("us", utc=False): "TIMESTAMP",
}
_CASTS = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "string": "VARCHAR",
    "float64": "DOUBLE",
    "date": "DATE",
    "timestamp(ns)": "TIMESTAMP_NS",
}


class Source(NamedTuple):
    """The table that is asked, as SQL, and the statement that makes the view of its name."""

    text: str
    statement: str


def sources(file: str, way: Way, keyed: str) -> tuple[Source, Source]:
    """Return the tables of a way without and with the numbers of rows; `file` names it in SQL."""
    options = way.options.replace(_NUMBERED, "")
    wrapped = "{source}" if _NUMBERED in way.options else way.source
    pairs = ((VIEW, way.options, way.source), (f"{VIEW}_numbered", _NUMBERED + options, wrapped))
    result = []
    for view, given, source in pairs:
        scan = f"read_parquet({file}, hive_partitioning = false{given}{keyed})"
        statement = f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT * FROM {scan}"
        result.append(Source(source.format(source=scan, view=view), statement))
    return result[0], result[1]


class Statement(NamedTuple):
    """A query as SQL.

    `text` is a format string: of `source`, of `numbered` (the source with the numbers of its rows) and of the
    types `t0`, `t1`, … of the `columns`. `parameters` are expressions of Python, and may ask for those types.
    """

    text: str
    columns: list[tuple[str, ...]]
    parameters: dict[str, str]


def statement(query: Query, *, numbered: bool = False) -> Statement:
    """Return a query as SQL; raises Unsupported for what DuckDB cannot be asked.

    `numbered`: a filter is asked for the first rows by their number, which are all of them.
    """
    if numbered and not isinstance(query, (Filter, FilterHeld, Slice)):
        raise Unsupported("only filters and slices have a way that reads their first rows")
    return _Builder(numbered=numbered).statement(query)


class _Builder:
    """Collects the columns whose types a statement names, and its parameters.

    `numbered`: a filter is asked for the first rows by their number, up to MOST_ROWS.
    """

    def __init__(self, *, numbered: bool = False) -> None:
        self.numbered = numbered
        self.columns: list[tuple[str, ...]] = []
        self.parameters: dict[str, str] = {}

    def statement(self, query: Query) -> Statement:
        return Statement(self._text(query), self.columns, self.parameters)

    def _text(self, query: Query) -> str:
        if isinstance(query, Project):
            return f"SELECT {_list(query.columns)} FROM {{source}}"
        if isinstance(query, ToJson):
            return f'SELECT {_column(query.path)}::JSON::VARCHAR AS "{EXTRACTED}" FROM {{source}}'
        if isinstance(query, Aggregate):
            column = _column(query.path)
            parts = ("count(*)", f"count({column})", f"min({column})", f"max({column})")
            named = ", ".join(f'{part} AS "{name}"' for part, name in zip(parts, query.names))
            return f"SELECT {named} FROM {{source}}{where_of(query, self._leaf)}"
        if isinstance(query, CountRows):
            return count_of(query, "{source}", self._leaf)
        if isinstance(query, (Distinct, Groups, Top)):
            return of_column(query, _column(query.path), "{source}", '"')
        if isinstance(query, TopRows):
            columns = "*" if query.columns is None else _list(query.columns)
            condition = where_of(query, self._leaf)
            return first_of(query, columns, _column(query.path), "{source}", condition)
        if isinstance(query, Join):
            return self._join(query)
        if isinstance(query, Slice):
            return self._slice(query)
        if isinstance(query, Fields):
            named = ", ".join(f'{_column(path)} AS "{name}"' for name, path in query.named.items())
            return f"SELECT {named} FROM {{source}}{where_of(query, self._leaf)}"
        if not isinstance(query, (Filter, FilterHeld)):
            raise Unsupported(f"DuckDB does not answer queries of kind {query.kind}")
        if query.columns == ():
            raise Unsupported("SQL selects one column or more")
        condition = where(query.predicate, self._leaf if isinstance(query, Filter) else self._held(query))
        if not self.numbered:
            columns = "*" if query.columns is None else _list(query.columns)
            return f"SELECT {columns} FROM {{source}} WHERE {condition}"
        columns = f"* EXCLUDE ({NUMBER})" if query.columns is None else _list(query.columns)
        return f"SELECT {columns} FROM {{numbered}} WHERE {condition} ORDER BY {NUMBER} LIMIT {MOST_ROWS}"

    def _slice(self, query: Slice) -> str:
        condition = "" if query.predicate is None else where(query.predicate, self._leaf)
        if not is_numbered(query) and not self.numbered:
            columns = "*" if query.columns is None else _list(query.columns)
            return of_slice(query, columns, "{source}", condition)
        columns = f"* EXCLUDE ({NUMBER})" if query.columns is None else _list(query.columns)
        return of_slice(query, columns, "{numbered}", condition, order=NUMBER)

    def _join(self, query: Join) -> str:
        target = self._type(query.path)
        constants = ("NULL" if v is None else self._constant(query.type, v, target) for v in query.values)
        columns = "*" if query.columns is None else _list(query.columns)
        return f"SELECT {columns} FROM {{source}} WHERE {in_small(query, _column(query.path), constants)}"

    def _held(self, query: FilterHeld) -> Callable[[Any], str]:
        """Return what makes the text of a test of what Variants hold; elements are counted from 1."""
        held = _column(query.path)
        for step in query.steps:
            at = f"{step + 1}::UINTEGER" if isinstance(step, int) else self._parameter(ascii(text_of(step)))
            held = f"variant_extract({held}, {at})"
        target = held_type(query.type)
        return lambda test: self._test(test, f"TRY_CAST({held} AS {target})", target)

    def _leaf(self, test: Test) -> str:
        if isinstance(test, Computed):
            return self._computed(test, _column(test.path), lambda: self._type(test.path))
        return self._test(test, _column(test.path), self._type(test.path) if constants_of(test) else "")

    def _computed(self, test: Computed, column: str, own: Callable[[], str]) -> str:
        """Return a comparison of a function of a column or of what Variants hold, of type `own`."""
        argument = test.argument
        if test.function == "itself":
            return column
        if test.function == "like":
            return f"({column} LIKE {self._parameter(ascii(argument))})"
        target = _cast_type(test) if test.function == "cast" else "INTEGER"
        if test.function not in {"cast", "year"}:
            target = own()
        constant = self._constant(test.type, test.value, target)
        added = f"{self._parameter(str(argument))}::{target}" if test.function == "add" else ""
        function = {
            "cast": f"CAST({column} AS {target})",
            "add": f"({column} + {added})",
            "year": f"year({column})",
            "date_trunc": f"date_trunc('{argument}', {column})",
            "lower": f"lower({column})",
            "prefix": f"substring({column}, 1, {argument})",
        }[test.function]
        return f"({function} {test.test} {constant})"

    def _type(self, path: tuple[str, ...]) -> str:
        if path not in self.columns:
            self.columns.append(path)
        return f"{{t{self.columns.index(path)}}}"

    def _test(self, test: Test, column: str, target: str) -> str:
        if isinstance(test, StartsWith):
            return f"starts_with({column}, {self._parameter(ascii(text_of(test.prefix)))})"
        if isinstance(test, Computed):
            return self._computed(test, column, lambda: target)
        return comparison(test, column, lambda type_, value: self._constant(type_, value, target))

    def _parameter(self, expression: str) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = expression
        return f"${name}"

    def _constant(self, type_: Type, value: Value, target: str) -> str:
        """Return an expression of DuckDB's type `target`, which the optimizer folds into a constant."""
        kind = type_.kind
        if kind == "date":
            return f"make_date({self._parameter(str(integer_of(type_, value)))}::INTEGER)::{target}"
        if kind in ("timestamp", "int96"):
            return f"{self._timestamp(type_, value)}::{target}"
        if kind == "time":
            return f"{self._parameter(ascii(clock(type_, value)))}::{target}"
        return f"{self._parameter(expression(type_, value, target))}::{target}"

    def _timestamp(self, type_: Type, value: Value) -> str:
        """Return a moment of microseconds, or of nanoseconds that are none; the cast to a type comes after.

        The outermost counts are the infinities of a type, which a text alone stands for.
        """
        unit = "ns"
        with suppress(Unsupported):
            rescaled(type_, value, "us")
            unit = "us"
        count = rescaled(type_, value, unit)
        if abs(count) == INFINITE:
            return self._parameter(ascii("infinity" if count > 0 else "-infinity"))
        function = "make_timestamp" if unit == "us" else "make_timestamp_ns"
        return f"{function}({self._parameter(str(count))}::BIGINT)"


def _cast_type(test: Computed) -> str:
    """Return DuckDB's name of the type of a cast; raises Unsupported for instants of nanoseconds."""
    if test.type.kind == "timestamp" and test.type.unit == "ns" and test.type.utc:
        raise Unsupported("DuckDB's TIMESTAMP WITH TIME ZONE has microseconds")
    return _HELD.get(test.type) or _CASTS.get(str(test.argument), str(test.argument))


def held_type(type_: Type) -> str:
    """Return DuckDB's name of a type that Variants are cast to; raises Unsupported."""
    if type_.kind == "decimal":
        return f"DECIMAL({type_.precision},{type_.scale})"
    if type_ not in _HELD:
        raise Unsupported(f"colconf does not ask DuckDB for a Variant as {type_}")
    return _HELD[type_]


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(_column((name,)) for name in names)


def _column(path: tuple[str, ...]) -> str:
    """Return the SQL of a column, or of a field of structs, as a format string has it."""
    return dotted(path, '"').replace("{", "{{").replace("}", "}}")
