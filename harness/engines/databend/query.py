"""Queries as Databend's SQL: names quoted, constants with their column's type."""

# ruff: noqa: S608 - names and texts are quoted, all else is digits

from __future__ import annotations

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, Computed, In, IsNull, NullSafe, StartsWith, Test, unhandled
from corpora.queries import (
    Aggregate,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    Join,
    Project,
    Query,
    Slice,
    Top,
    TopRows,
)
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.select import count_of, first_of, in_small, of_column, of_slice, where_of
from harness.engines.terms import bytes_of, decimal_text, float_of, integer_of, rescaled, text_of, where

# https://docs.databend.com/sql/sql-reference/data-types/datetime: 0001-01-01 to 9999-12-31.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_MICROS_OF_DAY = 86_400_000_000
_TRUNCATED_TO_DATES = ("week", "month", "quarter", "year")
_COUNT = "to_int64(count(*))"


def sql(query: Query, source: str) -> str:
    """Return a query of `source`; raises Unsupported for what the dialect has not."""
    if isinstance(query, Project):
        return f"SELECT {_list(query.columns)} FROM {source}"
    if isinstance(query, Aggregate):
        column = _column(query.path)
        parts = (_COUNT, f"to_int64(count({column}))", f"min({column})", f"max({column})")
        named = ", ".join(f"{part} AS {name(result)}" for part, result in zip(parts, query.names))
        return f"SELECT {named} FROM {source}{where_of(query, _test)}"
    if isinstance(query, (Distinct, Groups, Top)):
        return of_column(query, _column(query.path), source, '"', count=_COUNT)
    if isinstance(query, CountRows):
        return count_of(query, source, _test, _COUNT)
    if isinstance(query, Fields):
        named = ", ".join(f"{_column(path)} AS {name(result)}" for result, path in query.named.items())
        return f"SELECT {named} FROM {source}{where_of(query, _test)}"
    if isinstance(query, TopRows):
        columns = "*" if query.columns is None else _list(query.columns)
        return first_of(query, columns, _column(query.path), source)
    if not isinstance(query, (Filter, Slice, Join)):
        raise Unsupported(f"SQL has no queries of kind {query.kind}")
    columns = "*" if query.columns is None else _list(query.columns)
    if isinstance(query, Join):
        return f"SELECT {columns} FROM {source} WHERE {_joined(query)}"
    condition = "" if query.predicate is None else where(query.predicate, _test)
    if isinstance(query, Slice):
        return of_slice(query, columns, source, condition)
    return f"SELECT {columns} FROM {source} WHERE {condition}"


def _joined(query: Join) -> str:
    """Return the condition of a join with a table of the constants, of which the first is no null."""
    constants = [_constant(query.type, value) for value in query.values if value is not None]
    return in_small(query, _column(query.path), constants + ["NULL"] * (len(query.values) - len(constants)))


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


def _list(columns: tuple[str, ...]) -> str:
    if not columns:
        raise Unsupported("SQL selects one column or more")
    return ", ".join(map(name, columns))


def _column(path: tuple[str, ...]) -> str:
    """Return a column, or a field of tuples, as an expression.

    https://docs.databend.com/sql/sql-reference/data-types/tuple, "Access Elements".
    """
    return name(path[0]) + "".join(f"[{quoted(field)}]" for field in path[1:])


def _test(test: Test) -> str:
    column = _column(test.path)
    if isinstance(test, IsNull):
        return f"({column} IS NULL)"
    if isinstance(test, Compare):
        return f"({column} {test.op} {_constant(test.type, test.value)})"
    if isinstance(test, NullSafe):
        constant = "NULL" if test.value is None else _constant(test.type, test.value)
        return f"({column} IS NOT DISTINCT FROM {constant})"
    if isinstance(test, In):
        constants = ("NULL" if value is None else _constant(test.type, value) for value in test.values)
        return f"({column} IN ({', '.join(constants)}))"
    if isinstance(test, StartsWith):
        return _begins(column, str(test.prefix))
    if isinstance(test, Computed):
        return _computed(column, test)
    raise unhandled(test)


def _begins(column: str, prefix: str) -> str:
    """Return whether a text begins with a prefix: by LIKE, which is decided by bounds.

    In patterns that end with `%`, LIKE takes two backslashes for two characters, also in memory.
    """
    if "\\" in prefix:
        return f"(left({column}, {len(prefix)}) = {quoted(prefix)})"
    pattern = prefix.replace("%", "\\%").replace("_", "\\_")
    return f"({column} LIKE {quoted(pattern + '%')})"


def _computed(column: str, test: Computed) -> str:
    """Return a comparison of a function of a column.

    https://docs.databend.com/sql/sql-functions/ has them, below Strings, Dates and Conversion.
    """
    argument = str(test.argument)
    if test.function == "like":
        return f"({column} LIKE {quoted(argument)})"
    function = {
        "cast": f"CAST({column} AS {argument})",
        "add": f"({column} + {argument})",
        "year": f"to_year({column})",
        "date_trunc": _truncated(column, argument),
        "lower": f"lower({column})",
        "prefix": f"left({column}, {argument})",
    }[test.function]
    return f"({function} {test.test} {_constant(test.type, test.value)})"


def _truncated(column: str, unit: str) -> str:
    """Return a moment cut to a unit: of weeks and longer units Databend returns a DATE."""
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
