"""Queries as ClickHouse's SQL: names quoted, constants with the type that ClickHouse reads the column as."""

# ruff: noqa: S608 - names are quoted, texts are hex digits, all else is digits

from __future__ import annotations

import struct

from corpora.constants import BINARY, TEXT
from corpora.predicates import Computed, In, Predicate, Test
from corpora.queries import AntiJoin, Join, Query, predicate_of
from corpora.tagged import STRING, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.select import MATCH, SMALL, Dialect, listed, statement
from harness.engines.terms import (
    bytes_of,
    check_unknown,
    combine,
    decimal_text,
    float_of,
    integer_of,
    rescaled,
    text_of,
)

# https://clickhouse.com/docs/sql-reference/data-types/date32 and …/datetime64: 1900-01-01 to 2299-12-31.
_FIRST_DAY, _LAST_DAY = -25_567, 120_529
_MICROS_OF_DAY = 86_400_000_000
_MOMENTS = {"ms": "Milli", "us": "Micro", "ns": "Nano"}
_CASTS = {
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "string": "String",
    "float64": "Float64",
    "date": "Date32",
    "timestamp(us)": "DateTime64(6, \\'UTC\\')",
    "timestamp(ns)": "DateTime64(9, \\'UTC\\')",
}
_FLOATS = {16: (32, "<f"), 32: (32, "<f"), 64: (64, "<d")}
_TABLE = "colconf_file"  # the rows of the file, in a join
# Skipping of row groups, stripes and pages, the order in which columns are filtered, and counts of footers.
WITHOUT = {
    "input_format_parquet_filter_push_down": "0",
    "input_format_parquet_bloom_filter_push_down": "0",
    "input_format_parquet_dictionary_filter_push_down": "0",
    "input_format_parquet_page_filter_push_down": "0",
    "input_format_orc_filter_push_down": "0",
    "optimize_move_to_prewhere": "0",
    "query_plan_optimize_prewhere": "0",
    "optimize_count_from_files": "0",
}


def sql(query: Query, source: str) -> str:
    """Return a query of `source`; raises Unsupported for what the dialect has not."""
    _check_lists(predicate_of(query))
    return _joined(query, source) if isinstance(query, Join) else statement(query, source, _DIALECT)


def _joined(query: Join, source: str) -> str:
    """Return a join with a table of the constants.

    https://clickhouse.com/docs/sql-reference/operators/in, NULL processing: of IN, a comparison with null is
    FALSE, not unknown; so is NOT IN another test than SQL's where the table has a null.
    """
    constants = ["NULL" if value is None else _constant(query.type, value) for value in query.values]
    small = " UNION ALL ".join(f"SELECT {constant} AS {MATCH}" for constant in constants)
    column = column_of(query.path)
    columns = listed(query.columns, name)
    if isinstance(query, AntiJoin) and not query.not_in:
        selected = f"{_TABLE}.*"
        if query.columns is not None:
            selected = ", ".join(f"{_TABLE}.{name(each)} AS {name(each)}" for each in query.columns)
        join = f"LEFT ANTI JOIN ({small}) AS {SMALL} ON {_TABLE}.{column} = {SMALL}.{MATCH}"
        return f"SELECT {selected} FROM {source} AS {_TABLE} {join}"
    if isinstance(query, AntiJoin) and None in query.values:
        raise Unsupported("NOT IN of ClickHouse takes no notice of a null in the table")
    word = "NOT IN" if isinstance(query, AntiJoin) else "IN"
    return f"SELECT {columns} FROM {source} WHERE {column} {word} ({small})"


def name(text: str) -> str:
    """Return a quoted name; raises Unsupported for an empty one, which ClickHouse's SQL cannot write."""
    if not text:
        raise Unsupported("ClickHouse's SQL has no empty names")
    return "`" + text_of(text).replace("\\", "\\\\").replace("`", "\\`") + "`"


def quoted(text: str) -> str:
    """Return a literal of a text."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def column_of(path: tuple[str, ...]) -> str:
    """Return a column, or a field of structs, as an expression of SQL; raises Unsupported."""
    if len(path) > 1:
        raise Unsupported("a null struct has default values in ClickHouse: its fields are not asked for")
    return name(path[0])


def _check_lists(predicate: Predicate | None) -> None:
    """Raise Unsupported where a NULL in a list would make a predicate UNKNOWN."""

    def check(test: Test, plain: bool) -> bool:
        if isinstance(test, In):
            check_unknown(test, plain=plain)
        return True

    if predicate is not None:
        combine(predicate, check)


def _cast_type(test: Computed) -> str:
    argument = str(test.argument)
    return _CASTS.get(argument, argument)


def _text(text: str) -> str:
    return _bytes(bytes_of(STRING, text))


def _constant(type_: Type, value: Value) -> str:
    """Return an expression that ClickHouse folds into a constant."""
    kind = type_.kind
    if kind == "bool":
        return "true" if value else "false"
    if kind == "int":
        return f"to{'Int' if type_.signed else 'UInt'}{type_.bits}('{integer_of(type_, value)}')"
    if kind == "float":
        bits, form = _FLOATS[int(type_.bits or 64)]
        return f"reinterpretAsFloat{bits}(unhex('{struct.pack(form, float_of(type_, value)).hex()}'))"
    if kind == "decimal":
        width = 128 if int(type_.precision or 0) <= 38 else 256
        return f"toDecimal{width}('{decimal_text(type_, value)}', {type_.scale})"
    if kind in TEXT or kind == "bytes":
        return _bytes(bytes_of(type_, value))
    if kind in BINARY:
        raise Unsupported(f"a constant of type {type_}, of which ClickHouse has another type")
    if kind == "date":
        days = integer_of(type_, value)
        if not _FIRST_DAY <= days <= _LAST_DAY:
            raise Unsupported("a date that Date32 does not hold")
        return f"CAST(toInt32({days}), 'Date32')"
    if kind in ("timestamp", "int96"):
        return _moment(type_, value)
    raise Unsupported(f"a constant of type {type_}")


def _moment(type_: Type, value: Value) -> str:
    unit = "ns" if type_.kind == "int96" else str(type_.unit)
    days = rescaled(type_, value, unit) * {"s": 10**6, "ms": 1000, "us": 1}.get(unit, 0.001) / _MICROS_OF_DAY
    if not _FIRST_DAY <= days <= _LAST_DAY or unit not in _MOMENTS:
        raise Unsupported("a moment that DateTime64 does not hold")
    return f"fromUnixTimestamp64{_MOMENTS[unit]}(toInt64('{rescaled(type_, value, unit)}'), 'UTC')"


def _bytes(raw: bytes) -> str:
    return f"unhex('{raw.hex()}')"


# https://clickhouse.com/docs/sql-reference/functions/ has them, below Strings, Dates and Arithmetic.
_FUNCTIONS = {
    "cast": "CAST({}, 'Nullable({})')".format,
    "add": "({} + {})".format,
    "year": "toYear({})".format,
    "date_trunc": "date_trunc('{1}', {0})".format,
    "lower": "lowerUTF8({})".format,
    "prefix": "substringUTF8({}, 1, {})".format,
    "starts_with": lambda column, prefix: f"startsWith({column}, {_text(prefix)})",
}
_DIALECT = Dialect(
    *(name, column_of, _constant, _text, _cast_type, _FUNCTIONS),
    is_null="isNull({})",
    untrue="({} IS DISTINCT FROM TRUE)",  # releases before 26.5 parse no IS NOT TRUE
    quote="`",
    count="toInt64(count())",
    of_column=("toInt64(count({}))", "minOrNull({})", "maxOrNull({})"),
)
