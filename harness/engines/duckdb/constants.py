"""Constants of queries in DuckDB's SQL: which of them a column of a type has, and how they are written."""

from __future__ import annotations

import json
import re

from corpora.constants import BINARY, TEXT
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import python
from harness.engines.terms import bytes_of, rescaled, text_of, time_of_day

_UNITS = {
    "TIMESTAMP_S": "s",
    "TIMESTAMP_MS": "ms",
    "TIMESTAMP": "us",
    "TIMESTAMP_NS": "ns",
    "TIMESTAMP WITH TIME ZONE": "us",
    "TIMESTAMPTZ_NS": "ns",
}
_SCALAR = re.compile(r"[A-Z_0-9 ]+(\(\d+, *\d+\))?")
_LAST_DAY = 2**31 - 2
INFINITE = (1 << 63) - 1  # what DuckDB has for infinity
# https://duckdb.org/docs/stable/sql/data_types/timestamp: from 290309-12-22 BC on.
_LEAST_MICROS = -9_223_372_022_400_000_000
# A text without an offset is a TIME WITH TIME ZONE of offset 0.
_TIMES = {"TIME": "us", "TIME_NS": "ns", "TIME WITH TIME ZONE": "us"}


def check_days(days: int) -> None:
    """Raise Unsupported for the days that DuckDB has for infinity, which a sum does not reach."""
    if abs(days) > _LAST_DAY:
        raise Unsupported(f"versions before 1.2 have no date literal for day {days}")


def check_constant(type_: Type, value: Value, target: str) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    kind = type_.kind
    if not _SCALAR.fullmatch(target):  # no file of Parquet has columns of DuckDB's enumerations
        raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target:.80}")
    if target in _UNITS and kind in ("timestamp", "int96"):
        count = rescaled(type_, value, _UNITS[target])
        if _UNITS[target] == "us" and count < _LEAST_MICROS and count != -INFINITE:
            raise Unsupported("a timestamp before the first one of DuckDB's type")
    elif kind in TEXT and target == "VARCHAR":
        text_of(value)
    elif kind in TEXT and target == "JSON":
        _check_json(text_of(value))
    elif target in _TIMES and kind == "time":
        time_of_day(type_, value, _TIMES[target])
    elif not (
        kind in ("date", "int", "float", "bool")
        or (kind == "decimal" and target.startswith("DECIMAL"))
        or (kind in (*TEXT, *BINARY) and target in ("BLOB", "UUID"))
    ):
        raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target}")


def _check_json(text: str) -> None:
    """Raise Unsupported for a text that no column of JSON has: comparisons are those of texts.

    https://duckdb.org/docs/stable/data/json/json_type: JSON is a text, and checked where it is cast.
    """
    try:
        json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise Unsupported(f"the constant {text!r:.80} is no JSON, which the column's type is") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def expression(type_: Type, value: Value, target: str) -> str:
    """Return a constant as an expression of Python; a column of bytes has the bytes of a text."""
    if type_.kind not in (*TEXT, *BINARY):
        return python(type_, value)
    raw = ascii(bytes_of(type_, value))
    try:
        text = ascii(text_of(value))
    except Unsupported:  # only columns of bytes are compared with it
        return raw
    is_bytes = f"{target[1:-1]} == 'BLOB'" if target.startswith("{") else target == "BLOB"
    return f"({raw} if {is_bytes} else {text})"


def clock(type_: Type, value: Value) -> str:
    """Return a time of day as text with all its digits."""
    seconds, fraction = divmod(time_of_day(type_, value, "ns"), 10**9)
    digits = f"{fraction:09}" if fraction % 1000 else f"{fraction // 1000:06}"
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{digits}"
