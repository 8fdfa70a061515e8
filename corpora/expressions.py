r"""Functions of a column in predicates: a few, which the manuals of all engines define in the same way.

| function     | argument                         | of columns        | result                             |
|--------------|----------------------------------|-------------------|------------------------------------|
| `cast`       | `int8` to `int64`, `string`      | integers          | the same number, or its digits     |
|              | `float64`                        | floats            | the same number                    |
|              | `decimal(38, S)`                 | decimals          | the same number                    |
|              | `date`                           | timestamps        | the day that they are in           |
|              | `timestamp(us)`                  | dates             | the midnight that it begins with   |
|              | `timestamp(us)`, `timestamp(ns)` | timestamps        | the same moment                    |
| `add`        | an integer                       | integers          | the sum, in the column's type      |
| `year`       | none                             | dates, timestamps | the year of the Gregorian calendar |
| `date_trunc` | `year`, `month`, `day`, `hour`   | timestamps        | the beginning of that unit         |
| `lower`      | none                             | strings           | in lower case                      |
| `prefix`     | a number of characters           | strings           | the first characters               |
| `like`       | a pattern of `%`, `_`, and text  | strings           | whether it fits; `=` TRUE alone    |
| `itself`     | none                             | booleans          | the value; `=` TRUE alone          |

Where engines differ, nothing is defined (UndefinedError): results that their type cannot hold, days and years
before the year 1 and after 9999, characters beyond ASCII in another case, text that is not UTF-8. `\` is no
part of a pattern. A predicate may have a function of such values if another test decides about their rows. A
timestamp in UTC is taken apart in UTC. The result of null is null.
Standard library only, Python 3.9.
"""

from __future__ import annotations

import datetime as dt
import re
import struct
from typing import Any

from corpora.constants import OnlyDigestError, QueryError, UndefinedError, float_of
from corpora.tagged import BOOL, DATE, PER_SECOND, STRING, Type, Value, decimal, floating, integer, timestamp

INTEGERS = {f"int{bits}": integer(bits) for bits in (8, 16, 32, 64)}
MOMENTS = {"timestamp(us)": timestamp("us", utc=False), "timestamp(ns)": timestamp("ns", utc=False)}
CASTS = {**INTEGERS, "string": STRING, "float64": floating(64), "date": DATE, **MOMENTS}
UNITS = ("year", "month", "day", "hour")
FUNCTIONS = ("cast", "add", "year", "date_trunc", "lower", "prefix", "like", "itself")
CONDITIONS = ("like", "itself")  # functions whose results are conditions, without a constant
_OF = {
    "cast": ("int", "float", "decimal", "date", "timestamp"),
    "add": ("int",),
    "year": ("date", "timestamp"),
    "date_trunc": ("timestamp",),
    **dict.fromkeys(("lower", "prefix", "like"), ("string",)),
    "itself": ("bool",),
}
_DAY = 86_400
_INFINITE = (1 << 63) - 1  # https://duckdb.org/docs/stable/sql/data_types/timestamp, Special Values
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock, or UTC
_FINER = {"": "timestamp(us)", "s": "timestamp(us)", "ms": "timestamp(us)", "us": "timestamp(ns)"}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)")
_DIGITS = 38  # the most that all engines have
_DECIMAL = re.compile(r"decimal\(38, ([12]?[0-9]|3[0-8])\)")


def check(function: Any, argument: Any) -> None:
    """Raise QueryError unless this is a function with an argument that it takes."""
    if function not in FUNCTIONS:
        raise QueryError(f"function {function!r:.40} is not one of {', '.join(FUNCTIONS)}")
    legal = {
        "cast": isinstance(argument, str) and _cast_type(argument) is not None,
        "date_trunc": argument in UNITS,
        "add": isinstance(argument, str) and _NUMBER.fullmatch(argument) is not None,
        "prefix": isinstance(argument, str) and argument.isascii() and argument.isdigit(),
        "like": isinstance(argument, str) and "\\" not in argument and _is_text(argument),
    }.get(function, argument is None)
    if not legal:
        raise QueryError(f"{argument!r:.80} is no argument of {function}")


def result_type(function: str, argument: str | None, type_: Type) -> Type:
    """Return the type of the result for a column; raises QueryError where there is none."""
    cast = _cast_type(str(argument)) if function == "cast" else None
    if type_.kind not in _OF[function] or (cast is not None and not _is_wider(type_, cast)):
        raise QueryError(f"{function} of a column of type {type_}")
    if cast is not None:
        return timestamp(str(cast.unit), utc=bool(type_.utc)) if cast.kind == "timestamp" else cast
    if function == "year":
        return integer(32)
    return BOOL if function in CONDITIONS else type_


def wider(type_: Type) -> str:
    """Return the argument of a cast to a type with values between or beyond a column's, "" without one.

    A decimal keeps its digits, and gets two more behind the point.
    """
    if type_.kind in {"date", "timestamp"}:
        return _FINER.get(type_.unit or "", "")
    if type_.kind == "decimal":
        has_room = (type_.precision or 0) + 2 <= _DIGITS
        return f"decimal({_DIGITS}, {(type_.scale or 0) + 2})" if has_room else ""
    is_narrow = (type_.bits or 64) < 64
    return {"int": "int64", "float": "float64"}.get(type_.kind, "") if is_narrow else ""


def _cast_type(argument: str) -> Type | None:
    """Return the type that a cast has as its argument, None if it is none of those."""
    parts = _DECIMAL.fullmatch(argument)
    return decimal(_DIGITS, int(parts[1])) if parts else CASTS.get(argument)


def _is_wider(type_: Type, cast: Type) -> bool:
    """Return whether a cast is one of those in the table; only integers and timestamps may not fit."""
    if type_.kind in {"date", "timestamp"}:
        finer = cast.kind == "timestamp" and (type_.kind == "timestamp" or cast.unit == "us")
        coarse = cast.kind == "date" and type_.kind == "timestamp"
        return coarse or (finer and _each(type_) <= _each(cast))
    if type_.kind == "decimal" and cast.kind == "decimal":
        more = (cast.scale or 0) - (type_.scale or 0)
        return 0 <= more <= _DIGITS - (type_.precision or 0)
    return cast.kind in {"int": ("int", "string"), "float": ("float",)}.get(type_.kind, ())


def apply(function: str, argument: str | None, type_: Type, value: Value) -> Value:
    """Return the result for a value; raises UndefinedError where it is not defined."""
    if value is None:
        return None
    if isinstance(value, (dict, list)):
        raise OnlyDigestError
    if function == "cast":
        return _cast(type_, value, result_type(function, argument, type_))
    if function == "add":
        return _fitting(type_, int(str(value)) + int(_fitting(type_, int(str(argument)))))
    if function == "itself":
        return value
    if function in {"year", "date_trunc"}:
        return _of_moment(argument, type_, int(str(value)))
    text = str(value)
    if not _is_text(text) or (function == "lower" and not text.isascii()):
        raise UndefinedError(f"{function} of {text!r:.60} is not the same to all")
    if function == "like":
        return re.fullmatch(_pattern(str(argument)), text, re.DOTALL) is not None
    return text.lower() if function == "lower" else text[: int(str(argument))]


def _each(type_: Type) -> int:
    """Return how many units of a type there are in a second, 0 for a date."""
    return PER_SECOND[str(type_.unit)] if type_.kind == "timestamp" else 0


def _cast(type_: Type, value: Value, wanted: Type) -> Value:
    if wanted.kind in {"date", "timestamp"}:
        return _cast_moment(type_, int(str(value)), wanted)
    if wanted.kind == "float":
        return struct.pack(">d", float_of(type_, value)).hex()
    if wanted.kind == "decimal":
        return str(int(str(value)) * 10 ** ((wanted.scale or 0) - (type_.scale or 0)))
    return value if wanted == STRING else _fitting(wanted, int(str(value)))


def _cast_moment(type_: Type, count: int, wanted: Type) -> str:
    if "date" in {type_.kind, wanted.kind} or abs(count) == _INFINITE:
        _moment(type_, count)
    if wanted.kind == "date":
        return str(count // (_each(type_) * _DAY))
    result = count * (_each(wanted) * _DAY if type_.kind == "date" else _each(wanted) // _each(type_))
    if abs(result) >= _INFINITE:
        raise UndefinedError(f"{count} of {type_} is no {wanted}")
    return str(result)


def _fitting(type_: Type, number: int) -> str:
    bits = type_.bits or 64
    low, high = (-(1 << bits - 1), 1 << bits - 1) if type_.signed else (0, 1 << bits)
    if not low <= number < high:
        raise UndefinedError(f"{number} is no {type_}")
    return str(number)


def _of_moment(unit: str | None, type_: Type, count: int) -> str:
    """Return the year of a count of days or of a unit of time or, with `unit`, the count when that begins."""
    moment = _moment(type_, count)
    if unit is None:
        return str(moment.year)
    begin = {
        "year": dt.datetime(moment.year, 1, 1),  # noqa: DTZ001 - as above
        "month": dt.datetime(moment.year, moment.month, 1),  # noqa: DTZ001
        "day": dt.datetime(moment.year, moment.month, moment.day),  # noqa: DTZ001
        "hour": moment.replace(minute=0, second=0),
    }[unit]
    return str((begin - _EPOCH) // dt.timedelta(seconds=1) * _each(type_))


def _moment(type_: Type, count: int) -> dt.datetime:
    """Return a date, or a timestamp to the second; raises UndefinedError if engines differ about it."""
    if abs(count) == _INFINITE:
        raise UndefinedError(f"{count} of {type_} is infinity to some")
    seconds = count // _each(type_) if type_.kind == "timestamp" else count * _DAY
    try:
        return _EPOCH + dt.timedelta(seconds=seconds)
    except OverflowError as error:
        raise UndefinedError(f"{count} of {type_} is in no year from 1 to 9999") from error


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _pattern(pattern: str) -> str:
    return "".join({"%": ".*", "_": "."}.get(character, re.escape(character)) for character in pattern)
