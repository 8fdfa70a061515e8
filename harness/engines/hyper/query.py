"""Queries as Hyper's SQL, a dialect of PostgreSQL's: names quoted, constants with their column's type."""

from __future__ import annotations

from datetime import date, timedelta

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, Computed, In, IsNull, NullSafe, StartsWith, Test, unhandled
from corpora.queries import Query
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.select import Dialect, statement
from harness.engines.terms import (
    bytes_of,
    decimal_text,
    float_of,
    integer_of,
    rescaled,
    text_of,
    time_of_day,
)

_EPOCH = date(1970, 1, 1)
_MICROS = 1_000_000
_DAY = 86_400 * _MICROS
_CASTS = {
    "int16": "smallint",
    "int32": "integer",
    "int64": "bigint",
    "string": "text",
    "float64": "double precision",
    "date": "date",
}


def sql(query: Query, source: str) -> str:
    """Return a query of `source`; raises Unsupported for features that the dialect lacks."""
    return statement(query, source, Dialect(name, _column, _test, _constant))


def name(text: str) -> str:
    """Return a quoted name; raises Unsupported for one that no statement can hold."""
    if "\0" in text:
        raise Unsupported("a name with a zero byte")
    return '"' + text_of(text).replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Return a text as a literal."""
    if "\0" in text:
        raise Unsupported("a constant with a zero byte")
    return "'" + text_of(text).replace("'", "''") + "'"


def _column(path: tuple[str, ...]) -> str:
    if len(path) > 1:
        raise Unsupported("Hyper reads no nested columns")
    return name(path[0])


def _test(test: Test) -> str:
    column = _column(test.path)
    if isinstance(test, IsNull):
        return f"({column} IS NULL)"
    if isinstance(test, Compare):
        operator = "<>" if test.op == "!=" else test.op
        return f"({column} {operator} {_constant(test.type, test.value)})"
    if isinstance(test, NullSafe):
        constant = "NULL" if test.value is None else _constant(test.type, test.value)
        return f"({column} IS NOT DISTINCT FROM {constant})"
    if isinstance(test, In):
        constants = ("NULL" if value is None else _constant(test.type, value) for value in test.values)
        return f"({column} IN ({', '.join(constants)}))"
    if isinstance(test, StartsWith):
        return f"starts_with({column}, {quoted(str(test.prefix))})"
    if isinstance(test, Computed):
        return _computed(column, test)
    raise unhandled(test)


def _computed(column: str, test: Computed) -> str:
    """Return a comparison of a function of a column.

    https://tableau.github.io/hyper-db/docs/sql/scalar_func/ has functions of texts, moments and numbers.
    """
    argument = str(test.argument)
    if test.function == "itself":
        return column
    if test.function == "like":
        return f"({column} LIKE {quoted(argument)})"
    operation = "<>" if test.test == "!=" else test.test
    function = {
        "cast": f"CAST({column} AS {_cast_type(test)})",
        "add": f"({column} + {argument})",
        "year": f"EXTRACT(YEAR FROM {column})",
        "date_trunc": f"date_trunc('{argument}', {column})",
        "lower": f"lower({column})",
        "prefix": f"left({column}, {argument})",
    }[test.function]
    return f"({function} {operation} {_constant(test.type, test.value)})"


def _cast_type(test: Computed) -> str:
    if test.function != "cast":
        return ""
    argument = str(test.argument)
    if test.type.kind == "timestamp" and test.type.unit == "us":
        return "timestamptz" if test.type.utc else "timestamp"
    if argument not in _CASTS and test.type.kind != "decimal":
        raise Unsupported(f"Hyper has no type {argument}")
    return _CASTS.get(argument, argument)


def _constant(type_: Type, value: Value) -> str:
    """Return a literal of the type that Hyper reads the column as."""
    kind = type_.kind
    if kind == "bool":
        return "TRUE" if value else "FALSE"
    if kind == "int":
        return _integer(type_, value)
    if kind == "float":
        number = float_of(type_, value)
        return f"'{number!r}'::{'double precision' if type_.bits == 64 else 'real'}"
    if kind == "decimal":
        return f"'{decimal_text(type_, value)}'::numeric({type_.precision}, {type_.scale})"
    if kind in TEXT:
        return quoted(str(value))
    if kind in BINARY:
        return f"'\\x{bytes_of(type_, value).hex()}'::bytes"
    if kind == "date":
        return f"DATE '{_day(integer_of(type_, value))}'"
    if kind == "time":
        return f"TIME '{_clock(time_of_day(type_, value, 'us'))}'"
    if kind == "timestamp":
        days, rest = divmod(rescaled(type_, value, "us"), _DAY)
        zone = ("TIMESTAMPTZ", "+00") if type_.utc else ("TIMESTAMP", "")
        return f"{zone[0]} '{_day(days)} {_clock(rest)}{zone[1]}'"
    raise Unsupported(f"a constant of type {type_}")


def _integer(type_: Type, value: Value) -> str:
    number = integer_of(type_, value)
    if not -(1 << 63) <= number < 1 << 63:
        raise Unsupported("Hyper has no integers of more than 64 bits with a sign")
    return f"'{number}'::bigint" if type_.bits == 64 else f"{number}"


def _day(days: int) -> date:
    try:
        return _EPOCH + timedelta(days=days)
    except OverflowError:
        raise Unsupported("a literal of a year before 1 or after 9999") from None


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, _MICROS)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
