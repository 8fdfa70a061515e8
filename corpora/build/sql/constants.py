"""Constants of SQL as values of a column's type: exact, but for floats, which are the nearest ones."""

from __future__ import annotations

import datetime as dt
import re
import struct
import uuid
from fractions import Fraction

from corpora.build.sql.syntax import Literal
from corpora.build.sql.tokens import SqlError
from corpora.constants import BINARY, FLOATS, TEXT, check_constant
from corpora.tagged import PER_SECOND, Type, Value

_CLOCK = r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?"
_TIME = re.compile(_CLOCK)
_ZONE = r"Z|[+-](?:0[0-9]|1[0-8]):[0-5][0-9]"
_MOMENT = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:[ T]{_CLOCK})?({_ZONE})?")
_EPOCH = dt.date(1970, 1, 1)
_DAY = 86_400
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)$")
_LARGEST = 400  # digits and exponent of a number: no type has more, and an exact number is as long as these
_WRITTEN_AS = {
    **dict.fromkeys(TEXT, ("text",)),
    **dict.fromkeys(BINARY, ("bytes",)),
    "uuid": ("bytes", "text"),
    "bool": ("bool",),
    "int": ("number",),
    "decimal": ("number",),
    "float": ("number", "text"),  # 'NaN'
    "date": ("date", "text"),
    "time": ("time", "text"),
    **dict.fromkeys(("timestamp", "int96"), ("timestamp", "date", "text")),
}
_COUNTED = ("int", "decimal", "date", "time", "timestamp", "int96")


def constant(literal: Literal, type_: Type, column: str) -> Value:
    """Return the value of a constant in a column's type; raises SqlError if the type has no such value."""
    try:
        value = _value(literal, type_)
        check_constant(type_, value)
    except (ValueError, OverflowError) as error:  # also QueryError
        raise no_value(literal, type_, column) from error
    return value


def number(literal: Literal, type_: Type, column: str) -> Fraction | None:
    """Return how many units of a column's type a constant is, which the type may lack.

    None for one that is no number, date or time of such a type, or is text: it must be a value of the type.
    Raises SqlError for one that is not written as it should be.
    """
    kinds = ("date", "timestamp") if type_.kind == "date" else _WRITTEN_AS.get(type_.kind, ())
    if type_.kind not in _COUNTED or literal.kind == "text" or literal.kind not in kinds:
        return None
    try:
        is_day = type_.kind == literal.kind == "date"
        return Fraction(_days(literal.text)) if is_day else _units(literal.text, type_)
    except (ValueError, OverflowError) as error:
        raise no_value(literal, type_, column) from error


def no_value(literal: Literal, type_: Type, column: str) -> SqlError:
    """Return the error of a constant that a column's type lacks."""
    return SqlError(f"{column} is of type {type_}, which has no value {literal}", literal.at)


def _value(literal: Literal, type_: Type) -> Value:
    """Return the value, which need not be in the range of the type; raises ValueError and OverflowError."""
    kind, text = type_.kind, literal.text
    if literal.kind not in _WRITTEN_AS.get(kind, ()):
        raise ValueError
    if kind == "bool":
        return text == "TRUE"
    if kind in BINARY:
        return uuid.UUID(text).hex if literal.kind == "text" else text.lower()
    if kind == "float":
        return _float(literal, type_)
    if kind == "date":
        return str(_days(text))
    return _whole(_units(text, type_)) if kind in _COUNTED else text


def _units(text: str, type_: Type) -> Fraction:
    """Return how many units of a type a constant is; raises ValueError and OverflowError."""
    if type_.kind in {"int", "decimal"}:
        return _number(text) * Fraction(10) ** (type_.scale or 0)
    if type_.kind == "time":
        return _seconds(*_groups(_TIME, text)) * PER_SECOND[type_.unit or "ns"]
    seconds = _moment(text, type_)
    return seconds / _DAY if type_.kind == "date" else seconds * PER_SECOND[type_.unit or "ns"]


def _number(text: str) -> Fraction:
    exponent = _EXPONENT.search(text)
    if len(text) > _LARGEST or (exponent and abs(int(exponent[1])) > _LARGEST):
        raise OverflowError
    return Fraction(text)


def _whole(number: Fraction) -> str:
    if number.denominator != 1:
        raise ValueError
    return str(number.numerator)


def _float(literal: Literal, type_: Type) -> str:
    number = float(literal.text)
    if literal.kind == "text" and literal.text.lower().lstrip("-") not in {"nan", "infinity"}:
        raise ValueError
    return struct.pack(FLOATS[type_.bits or 64], number).hex()


def _days(text: str) -> int:
    return (dt.datetime.strptime(text, "%Y-%m-%d").date() - _EPOCH).days  # noqa: DTZ007 - a day has no zone


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError
    return match.groups("")


def _seconds(hours: str, minutes: str, seconds: str, fraction: str) -> Fraction:
    """Return the time of a day, in seconds."""
    whole = int(hours or 0) * 3_600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + Fraction(int(fraction or 0), 10 ** len(fraction))


def _moment(text: str, type_: Type) -> Fraction:
    """Return a timestamp in seconds: a wall clock, or a moment, in UTC unless a zone is named."""
    day, *clock, zone = _groups(_MOMENT, text)
    if zone and not type_.utc:
        raise ValueError
    return _days(day) * _DAY + _seconds(*clock) - _offset(zone)


def _offset(zone: str) -> int:
    if zone in {"", "Z"}:
        return 0
    size = int(zone[1:3]) * 3_600 + int(zone[4:]) * 60
    return -size if zone[0] == "-" else size
