"""Queries as Hyper's SQL, a dialect of PostgreSQL's: names quoted, constants with their column's type."""

from __future__ import annotations

from datetime import date, timedelta

from corpora.constants import BINARY, TEXT
from corpora.predicates import Computed
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
    return statement(query, source, _DIALECT)


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


def _cast_type(test: Computed) -> str:
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


# https://tableau.github.io/hyper-db/docs/sql/scalar_func/ has functions of texts, moments and numbers.
_FUNCTIONS = {
    "cast": "CAST({} AS {})".format,
    "add": "({} + {})".format,
    "year": "EXTRACT(YEAR FROM {})".format,
    "date_trunc": "date_trunc('{1}', {0})".format,
    "lower": "lower({})".format,
    "prefix": "left({}, {})".format,
    "starts_with": lambda column, prefix: f"starts_with({column}, {quoted(prefix)})",
}
_DIALECT = Dialect(name, _column, _constant, quoted, _cast_type, _FUNCTIONS, unequal="<>")
