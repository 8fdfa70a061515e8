"""Predicates as SQL: DataFusion's expressions have no null-safe equality, and no functions of columns."""

from __future__ import annotations

from corpora.predicates import (
    Computed,
    NullSafe,
    Predicate,
    StartsWith,
    Test,
    has_not_true,
    leaves,
)
from corpora.queries import AntiJoin
from corpora.tagged import STRING, Type, Value
from harness.engines.scripts.literals import arrow, arrow_type, quoted
from harness.engines.scripts.select import MATCH, SMALL, SOURCE, comparison
from harness.engines.terms import text_of, where

_CASTS = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "string": "VARCHAR",
    "float64": "DOUBLE",
    "date": "DATE",
}
_UNITS = {"us": "Microsecond", "ns": "Nanosecond"}


def not_in(query: AntiJoin) -> str:
    """Return the SQL of an anti-join of the tables SOURCE and SMALL by NOT IN."""
    return f"SELECT * FROM {SOURCE} WHERE {_column(query.path)} NOT IN (SELECT {MATCH} FROM {SMALL})"  # noqa: S608 - quoted


def is_sql(predicate: Predicate) -> bool:
    """Return whether a predicate has a test that only SQL can express."""
    by_sql = any(isinstance(test, (NullSafe, Computed)) for test in leaves(predicate))
    return by_sql or has_not_true(predicate)


def statement(predicate: Predicate) -> tuple[str, dict[str, str]]:
    """Return the SQL of a filter of the table SOURCE, and its parameters as expressions of pyarrow."""
    parameters: dict[str, str] = {}

    def parameter(type_: Type, value: Value, path: tuple[str, ...], target: str = "") -> str:
        name = f"p{len(parameters)}"
        parameters[name] = f"{arrow(type_, (value,), target or f'type_of(schema, {path!a})')}[0]"
        return f"${name}"

    def computed(test: Computed, column: str) -> str:
        argument = str(test.argument)
        if test.function == "itself":
            return column
        if test.function == "like":
            return f"({column} LIKE {parameter(STRING, argument, test.path)})"
        target = arrow_type(test.type) if test.function == "cast" else "pa.int32()"
        given = target if test.function in {"cast", "year"} else ""
        function = {
            "cast": _cast(test, column),
            "add": f"({column} + {argument})",
            "year": f"date_part('year', {column})",
            "date_trunc": f"date_trunc('{argument}', {column})",
            "lower": f"lower({column})",
            "prefix": f"substr({column}, 1, {argument})",
        }[test.function]
        return f"({function} {test.test} {parameter(test.type, test.value, test.path, given)})"

    def leaf(test: Test) -> str:
        column = _column(test.path)
        if isinstance(test, Computed):
            return computed(test, column)
        if isinstance(test, StartsWith):
            return f"starts_with({column}, {parameter(STRING, text_of(test.prefix), test.path)})"
        return comparison(test, column, lambda type_, value: parameter(type_, value, test.path))

    sql = f"SELECT * FROM {SOURCE} WHERE {where(predicate, leaf)}"  # noqa: S608 - quoted names, parameters
    return sql, parameters


def _cast(test: Computed, column: str) -> str:
    """Return a cast; SQL's TIMESTAMP is of nanoseconds, of other units only Arrow's name says it."""
    if test.function == "cast" and test.type.kind == "timestamp":
        zone = 'Some("UTC")' if test.type.utc else "None"
        return f"arrow_cast({column}, 'Timestamp({_UNITS[str(test.type.unit)]}, {zone})')"
    return f"CAST({column} AS {_CASTS.get(str(test.argument), str(test.argument))})"


def _column(path: tuple[str, ...]) -> str:
    first, *fields = path
    return quoted(first, '"') + "".join(f"[{quoted(name, chr(39))}]" for name in fields)
