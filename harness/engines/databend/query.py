"""Queries as Databend's SQL: names quoted, constants with their column's type."""

from __future__ import annotations

import re

from corpora.constants import BINARY, TEXT
from corpora.predicates import Computed
from corpora.queries import Query
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.select import Dialect, statement
from harness.engines.terms import bytes_of, decimal_text, float_of, integer_of, rescaled, text_of

# https://docs.databend.com/sql/sql-reference/data-types/datetime: 0001-01-01 to 9999-12-31.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_MICROS_OF_DAY = 86_400_000_000
_TRUNCATED_TO_DATES = ("week", "month", "quarter", "year")


def sql(query: Query, source: str) -> str:
    """Return a query of `source`; raises Unsupported for features that the dialect lacks."""
    return statement(query, source, _DIALECT)


def name(text: str) -> str:
    """Return a quoted name; raises Unsupported for one that no statement can hold.

    In a quoted name a quote is doubled, and a backslash is itself, but the quote behind it does not end it.
    """
    if text.endswith("\\") or '\\"' in text or "\0" in text:
        raise Unsupported(f"a name that cannot be quoted: {text!a:.80}")
    return '"' + text_of(text).replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Return a text as a literal."""
    return "'" + text_of(text).replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\x00") + "'"


def _column(path: tuple[str, ...]) -> str:
    """Return a column, or a field of tuples, as an expression.

    https://docs.databend.com/sql/sql-reference/data-types/tuple, "Access Elements".
    """
    return name(path[0]) + "".join(f"[{quoted(field)}]" for field in path[1:])


def _starts_with(column: str, prefix: str) -> str:
    prefix = re.sub(r"[\\%_]", r"\\\g<0>", prefix)  # no pattern
    return f"({column} LIKE {quoted(prefix + '%')})"


def _cast_type(test: Computed) -> str:
    """Return the type of a cast; raises Unsupported for nanoseconds, which Databend's TIMESTAMP has not."""
    if test.type.kind != "timestamp":
        return str(test.argument)
    if test.type.unit != "us":
        raise Unsupported(f"Databend has no {test.argument}")
    return "TIMESTAMP"


def _truncated(column: str, unit: str) -> str:
    """Return a timestamp truncated to a unit: for weeks and longer units, Databend returns a DATE."""
    truncated = f"date_trunc({unit}, {column})"
    return f"to_timestamp({truncated})" if unit in _TRUNCATED_TO_DATES else truncated


def _constant(type_: Type, value: Value) -> str:
    """Return an expression that Databend folds into a constant of the type that it reads the column as."""
    kind = type_.kind
    if kind == "bool":
        return "TRUE" if value else "FALSE"
    if kind == "int":
        return f"to_{'int' if type_.signed else 'uint'}{type_.bits}('{integer_of(type_, value)}')"
    if kind == "float":
        if type_.bits not in (32, 64):
            raise Unsupported("Databend has no floats of 16 bits")
        return f"to_float{type_.bits}('{float_of(type_, value)!r}')"
    if kind == "decimal":
        return f"CAST('{decimal_text(type_, value)}' AS DECIMAL({type_.precision}, {type_.scale}))"
    if kind in TEXT:
        return quoted(str(value))
    if kind in BINARY:
        return f"unhex('{bytes_of(type_, value).hex()}')"
    if kind == "date":
        return f"to_date(to_int32('{_day(integer_of(type_, value))}'))"
    if kind in ("timestamp", "int96"):
        micros = rescaled(type_, value, "us")
        _day(micros // _MICROS_OF_DAY)
        return f"to_timestamp(to_int64('{micros}'), 6)"
    raise Unsupported(f"a constant of type {type_}, which Databend has not")


def _day(days: int) -> int:
    if not _FIRST_DAY <= days <= _LAST_DAY:
        raise Unsupported("a day that Databend's DATE and TIMESTAMP do not hold")
    return days


# https://docs.databend.com/sql/sql-functions/ has them, below Strings, Dates and Conversion.
_FUNCTIONS = {
    "cast": "CAST({} AS {})".format,
    "add": "({} + {})".format,
    "year": "to_year({})".format,
    "date_trunc": _truncated,
    "lower": "lower({})".format,
    "prefix": "left({}, {})".format,
    "starts_with": _starts_with,
}
_DIALECT = Dialect(
    *(name, _column, _constant, quoted, _cast_type, _FUNCTIONS),
    untrue="({} IS DISTINCT FROM TRUE)",
    count="to_int64(count(*))",
    of_column=("to_int64(count({}))", "min({})", "max({})"),
)
