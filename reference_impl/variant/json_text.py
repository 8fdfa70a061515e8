"""Conversion from JSON to Variant and back, as in Spark: `parse_json` and `to_json`.

A JSON number becomes the narrowest integer that holds it, else a decimal of at most 38 digits if it is
written without an exponent, else a double. Values that JSON has no type for become text: dates, timestamps
(with the offset of the zone, here always UTC), binary as Base64, and a double or float that is not finite.
"""

from __future__ import annotations

import base64
import json
import uuid
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from reference_impl.errors import LimitExceeded, UsageError
from reference_impl.variant.values import (
    BY_KIND,
    DECIMALS,
    INTEGERS,
    MAX_DEPTH,
    MAX_SCALE,
    NULL,
    Array,
    Object,
    Primitive,
    Value,
    decimal,
    double,
    integer,
    normal,
    number_of,
    object_of,
)

_DIGITS = 38
_LONG = 19  # digits of an int64, at most
_EPOCH = date(1970, 1, 1).toordinal()
_PLAIN = (1e-3, 1e7)  # the range in which Java writes a double without an exponent


def parse_json(text: str) -> Value:
    """Return the value of a JSON text.

    Raises UsageError for a text that is no JSON, has a name twice in an object, or is not Unicode;
    LimitExceeded for values nested deeper than `MAX_DEPTH`.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs, parse_int=_integer, parse_float=_number, parse_constant=_constant
    )
    try:
        text.encode("utf-8")
        return _parsed(decoder.decode(text), 0)
    except RecursionError as error:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}") from error
    except ValueError as error:
        raise UsageError(f"not a JSON text: {error}") from error


class _Pairs(list[tuple[str, Any]]):
    """The fields of an object, distinct from an array."""


def _parsed(parsed: Any, depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
    if parsed is None:
        return NULL
    if isinstance(parsed, Primitive):
        return parsed
    if isinstance(parsed, bool):
        return Primitive("boolean", parsed)
    if isinstance(parsed, str):
        parsed.encode("utf-8")  # raises for a lone surrogate, written as an escape
        return Primitive("string", parsed)
    if isinstance(parsed, _Pairs):
        for name, _ in parsed:
            name.encode("utf-8")
        return object_of((name, _parsed(value, depth + 1)) for name, value in parsed)
    return Array(tuple(_parsed(value, depth + 1) for value in parsed))


def _integer(text: str) -> Primitive:
    digits = len(text.lstrip("-"))
    if digits <= _LONG and integer(int(text)).kind in INTEGERS:
        return integer(int(text))
    return decimal(int(text), 0) if digits <= _DIGITS else double(float(text))


def _number(text: str) -> Primitive:
    whole, point, fraction = text.partition(".")
    if point and fraction.isdigit() and len(fraction) <= MAX_SCALE:
        unscaled = int((whole + fraction)[: _DIGITS * 3])
        if len(whole) < 2 * _DIGITS and len(str(abs(unscaled))) <= _DIGITS:
            return decimal(unscaled, len(fraction))
    return double(float(text))


def _constant(text: str) -> Primitive:
    raise ValueError(f"{text} is no JSON")


def to_json(value: Value, depth: int = 0) -> str:
    """Return the JSON text of a value; raises LimitExceeded below `MAX_DEPTH`."""
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
    if isinstance(value, Array):
        return f"[{','.join(to_json(item, depth + 1) for item in value.items)}]"
    if isinstance(value, Object):
        fields = (f"{_quoted(name)}:{to_json(each, depth + 1)}" for name, each in value.fields)
        return f"{{{','.join(fields)}}}"
    if value.kind == "null":
        return "null"
    if value.kind == "boolean":
        return "true" if value.value else "false"
    if value.kind in (*INTEGERS, *DECIMALS):
        unscaled, scale = normal(value.value, value.scale)
        digits = tuple(map(int, str(abs(unscaled))))
        return format(Decimal((int(unscaled < 0), digits, -scale)), "f")
    if value.kind in ("float", "double"):
        text = _java(value)
        return text if text[-1].isdigit() else f'"{text}"'
    return _quoted(_text(value))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _java(value: Primitive) -> str:
    """Return a number as Java 19 writes it: the fewest digits that identify it, with a fraction."""
    number = number_of(value)
    if number != number:  # noqa: PLR0124 - NaN
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    sign, digits, exponent = Decimal(_shortest(value, number)).normalize().as_tuple()
    assert isinstance(exponent, int)  # finite
    text = "".join(map(str, digits))
    minus, point = "-" * sign, len(text) + exponent  # the place of the point, counted from the first digit
    if number == 0:
        return f"{minus}0.0"
    if _PLAIN[0] <= abs(number) < _PLAIN[1]:
        whole = text[: max(point, 0)].ljust(max(point, 0), "0") or "0"
        return f"{minus}{whole}.{'0' * max(-point, 0)}{text[max(point, 0) :] or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def _shortest(value: Primitive, number: float) -> str:
    """Return the shortest decimal that is read as this float or double."""
    if value.kind == "double":
        return repr(number)
    import numpy as np  # noqa: PLC0415 - only numpy writes the shortest decimal of a float

    return str(np.float32(number))


def _text(value: Primitive) -> str:
    """Return the text of a value that JSON has no type for."""
    if value.kind == "string":
        return str(value.value)
    if value.kind == "binary":
        return base64.b64encode(value.value).decode("ascii")
    if value.kind == "uuid":
        return str(uuid.UUID(bytes=value.value))
    if value.kind == "date":
        return _date(value.value)
    nanos = value.value if value.kind.endswith("_nanos") else value.value * 1000
    days, rest = divmod(nanos, 86_400 * 10**9)
    seconds, fraction = divmod(rest, 10**9)
    clock = str(timedelta(seconds=seconds)).zfill(8)
    if fraction:
        clock += f".{fraction:09}".rstrip("0")
    if value.kind == "time":
        return clock
    offset = "+00:00" if BY_KIND[value.kind].equivalence == "timestamp" else ""
    return f"{_date(days)} {clock}{offset}"


def _date(days: int) -> str:
    """Return a day of the proleptic Gregorian calendar, of any year, as in ISO 8601 and Java."""
    eras, day = divmod(days + _EPOCH - 1, 146_097)  # 400 years
    inside = date.fromordinal(day + 1)
    year = inside.year + 400 * eras
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{inside.month:02}-{inside.day:02}"
