"""Constants of queries: comparable tagged values, their order, and their text for people.

Text and bytes compare by unsigned bytes, decimals by value, timestamps by their instant, whatever their unit.
Engines document different orders of floats, so a caller names one of FLOAT_ORDERS:

* `ieee`: a NaN is neither less, equal nor greater than anything (so `!=` is TRUE); -0.0 equals 0.0.
* `nan-greatest`: all NaN are equal, and greater than everything else; -0.0 equals 0.0.
* `nan-greatest-signed-zeros`: as `nan-greatest`, but -0.0 < 0.0 (Java's Double.compare).
* `total`: totalOrder of IEEE 754-2008 §5.10: -0.0 < 0.0, NaN at the ends by their sign, then by payload.
* `total-equal-zeros`: as `total`, but -0.0 equals 0.0.

In the rows of a sort, NaN may also stand between the numbers and the nulls: `nan-beside-nulls`.
Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import math
import struct
from fractions import Fraction
from typing import Any

from corpora.tagged import NANOSECONDS, Type, Value

FLOAT_ORDERS = ("ieee", "nan-greatest", "nan-greatest-signed-zeros", "total", "total-equal-zeros")
NAN_BESIDE_NULLS = "nan-beside-nulls"
# Of the members of an engine's description; the last order needs a query that says where nulls are.
ORDERS = {
    "float_order": FLOAT_ORDERS,
    "aggregate_order": FLOAT_ORDERS,
    "sort_order": (*FLOAT_ORDERS, NAN_BESIDE_NULLS),
}
TEXT = ("string", "json", "enum")
BINARY = ("bytes", "uuid", "bson")
FAMILIES = {**dict.fromkeys(TEXT, "text"), **dict.fromkeys(BINARY, "bytes")}
_SINGLE = ("bool", "int", "float", "decimal", "date", "time", "timestamp", "duration", "int96")
FLOATS = {16: ">e", 32: ">f", 64: ">d"}  # the bytes of a tagged float, by its bits


class QueryError(ValueError):
    """A query does not have the documented form, or does not fit its table; the message has one line."""


class OnlyDigestError(QueryError):
    """A value is so large that only its digest is known, and a query asks for more of it than that."""

    def __init__(self) -> None:
        super().__init__("a value known only by its digest cannot be compared")


class UndefinedError(QueryError):
    """A function of a value whose result engines differ about, and no specification defines."""


def comparable(type_: Type) -> bool:
    """Return whether values can be compared: all but nested values, variants, intervals, shapes and nulls."""
    return type_.kind in _SINGLE or type_.kind in FAMILIES


def check_constant(type_: Type, value: Any) -> None:
    """Raise QueryError unless `value` is a tagged value of a type that can be compared, within its range."""
    if not comparable(type_):
        raise QueryError(f"constants of type {type_} cannot be compared")
    is_bool = type_.kind == "bool"
    if not (type(value) is bool if is_bool else isinstance(value, str) and _fits(type_, value)):
        raise QueryError(f"{value!r:.80} is not a constant of type {type_}")


def _fits(type_: Type, value: str) -> bool:
    kind = type_.kind
    try:
        if kind in TEXT:
            return isinstance(value.encode("utf-8", "surrogateescape"), bytes)
        if kind in BINARY:
            return bytes.fromhex(value).hex() == value
        if kind == "float":
            return len(value) * 4 == type_.bits and bytes.fromhex(value).hex() == value
        number = int(value)
    except ValueError:
        return False
    if str(number) != value:
        return False
    least, greatest = range_of(type_)
    return least <= number <= greatest


def range_of(type_: Type) -> tuple[int, int]:
    """Return the least and the greatest number of a type that counts units: of the digits of a decimal."""
    kind = type_.kind
    if kind == "decimal":
        greatest: int = 10 ** (type_.precision or 0) - 1
        return -greatest, greatest
    bits = {"int": type_.bits or 64, "date": 32}.get(kind, 96 if kind == "int96" else 64)
    if kind == "int" and not type_.signed:
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def order_key(type_: Type, value: Value, float_order: str) -> Any:
    """Return an object that compares as the value does; under `ieee`, a NaN is Python's NaN."""
    if isinstance(value, dict):
        raise OnlyDigestError
    kind = type_.kind
    if kind in FAMILIES:
        return bytes_of(type_, value)
    if kind == "float":
        return _float_key(type_, value, float_order)
    if kind == "bool":
        return value
    if kind == "decimal":
        scale = type_.scale or 0
        return Fraction(int(str(value)) * 10 ** max(-scale, 0), 10 ** max(scale, 0))
    if kind in ("time", "timestamp", "duration"):
        return int(str(value)) * NANOSECONDS[str(type_.unit)]
    if kind in ("int", "date", "int96"):
        return int(str(value))
    raise QueryError(f"values of type {type_} cannot be compared")


def bytes_of(type_: Type, value: Value) -> bytes:
    """Return the bytes of a constant of text or bytes."""
    if type_.kind in TEXT:
        return str(value).encode("utf-8", "surrogateescape")
    return bytes.fromhex(str(value))


def float_of(type_: Type, value: Value) -> float:
    """Return the float of a constant; every half and single float is a double (IEEE 754-2008 §3.6)."""
    (number,) = struct.unpack(FLOATS[type_.bits or 64], bytes.fromhex(str(value)))
    return float(number)


def _float_key(type_: Type, value: Value, float_order: str) -> Any:
    if float_order in ("total", "total-equal-zeros"):
        bits = int(str(value), 16)
        sign = 1 << ((type_.bits or 64) - 1)
        if bits == sign and float_order != "total":
            return 0
        return -1 - (bits ^ sign) if bits & sign else bits
    number = float_of(type_, value)
    if float_order == "ieee":
        return number
    if float_order not in FLOAT_ORDERS:
        raise QueryError(f"{float_order!r:.40} is not one of {', '.join(FLOAT_ORDERS)}")
    of_zero = math.copysign(1.0, number) if number == 0 and float_order != "nan-greatest" else 0.0
    return (1, 0.0, 0.0) if math.isnan(number) else (0, number, of_zero)


def show(type_: Type, value: Value) -> str:
    """Return a constant for people, on one line; exact, but a NaN shows its bits only if they are unusual."""
    kind = type_.kind
    if kind in TEXT:
        return json.dumps(value)
    if kind in BINARY:
        return f"X'{value}'"
    if kind == "bool":
        return str(value).upper()
    if kind == "float":
        return _show_float(type_, str(value))
    if kind == "decimal" and type_.scale:
        digits = str(value).lstrip("-").rjust(type_.scale + 1, "0")
        return f"{'-' * str(value).startswith('-')}{digits[: -type_.scale]}.{digits[-type_.scale :]}"
    if kind in ("time", "timestamp", "duration"):
        return f"{kind}({value} {type_.unit}{', utc' if type_.utc else ''})"
    return f"{kind}({value})" if kind in ("date", "int96") else str(value)


def _show_float(type_: Type, text: str) -> str:
    number = float_of(type_, text)
    if not math.isnan(number):
        return repr(number)
    usual = {16: ("7e00", "fe00"), 32: ("7fc00000", "ffc00000"), 64: ("7ff8" + "0" * 12, "fff8" + "0" * 12)}
    plain, negative = usual[type_.bits or 64]
    return {plain: "NaN", negative: "-NaN"}.get(text, f"NaN(0x{text})")
