"""Comparison of a JSON text with a Variant.

The order of fields and the form of numbers are free: 1.50 is 1.5, and all digits are equal that are read as
the same float or double. Values without a JSON type (dates, times, bytes, UUIDs, numbers that are not finite)
are texts, in the form of Spark's `to_json` or of DuckDB (`variant_texts`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from corpora.tagged import Type, Value
from harness.judging.rewrites import Rewrite
from harness.judging.variant_texts import value_of
from reference_impl.errors import ReferenceError_
from reference_impl.variant.encoding import read
from reference_impl.variant.json_text import to_json
from reference_impl.variant.values import DECIMALS, INTEGERS, Array, Object, Primitive, number_of
from reference_impl.variant.values import Value as Held

_TEXTS = ("string", "json")  # the result of a function, or the type that a reader has for a Variant
_EXACT = (*INTEGERS, *DECIMALS)
_MOST_DIGITS = 1000  # of the exponent of a number: no number of a Variant has more


class _Number(str):
    """The text of a number, distinct from a string."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """The fields of an object, distinct from an array."""


def in_text(expected: Type, actual: Type) -> Rewrite | None:
    """Return a Variant as a text, in the form that `compared` takes."""
    if expected.kind != "variant" or actual.kind not in _TEXTS:
        return None
    return Rewrite(actual, lambda value: {"variant": value})


def compared(*, strict: bool) -> Callable[[Type, Type], Callable[[Value, Value], bool] | None]:
    """Return a comparison of Variants and JSON texts.

    `strict`: values without a JSON type are in the form of Spark, else in that of DuckDB.
    """

    def is_said(expected: Value, actual: Value) -> bool:
        if not isinstance(expected, dict) or not isinstance(actual, str):
            return False
        try:
            metadata, raw = map(bytes.fromhex, expected["variant"])
            value, parsed = read(metadata, raw), _parsed(actual)
        except (ReferenceError_, ValueError, TypeError, KeyError, RecursionError):
            return False
        return _says(parsed, value, strict=strict)

    return lambda _, actual: is_said if actual.kind in _TEXTS else None


def _parsed(text: str) -> Any:
    """Return the value of a JSON text; NaN and the infinities, which are no JSON, as texts in parentheses."""
    return json.loads(
        text, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number, parse_constant=_bracketed
    )


def _bracketed(text: str) -> str:
    return f"({text})"


def _says(parsed: Any, value: Held, *, strict: bool) -> bool:
    if isinstance(value, Object):
        if not isinstance(parsed, _Pairs) or len(parsed) != len(value.fields):
            return False
        by_name = dict(parsed)
        return all(
            name in by_name and _says(by_name[name], field, strict=strict) for name, field in value.fields
        )
    if isinstance(value, Array):
        is_array = isinstance(parsed, list) and not isinstance(parsed, _Pairs)
        return (
            is_array
            and len(parsed) == len(value.items)
            and all(
                _says(element, item, strict=strict) for element, item in zip(parsed, value.items, strict=True)
            )
        )
    return _says_primitive(parsed, value, strict=strict)


def _says_primitive(parsed: Any, value: Primitive, *, strict: bool) -> bool:
    if value.kind in _EXACT:
        return isinstance(parsed, _Number) and _decimal(parsed) == Decimal(to_json(value))
    if value.kind in ("float", "double") and np.isfinite(number_of(value)):
        return isinstance(parsed, _Number) and _is_float(parsed, value)
    if value.kind == "null":
        return parsed is None
    if value.kind == "boolean":
        return parsed is value.value
    if isinstance(parsed, (_Number, bool)) or not isinstance(parsed, str):
        return False
    if value.kind == "string" or strict:
        return bool(parsed == json.loads(to_json(value)))
    if value.kind in ("float", "double"):  # not finite
        return bool(parsed == _bracketed(json.loads(to_json(value))))
    return bool(value_of(value.kind, parsed) == value.value)


def _is_float(text: _Number, value: Primitive) -> bool:
    """Return whether digits are read as the value of a float or double, including the sign of zero."""
    number = number_of(value)
    given = float(text)
    if value.kind == "float":
        with np.errstate(over="ignore"):
            given = float(np.float32(given))
    return given == number and bool(np.signbit(given) == np.signbit(number))


def _decimal(text: _Number) -> Decimal | None:
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        return None
    return decimal if abs(decimal.adjusted()) < _MOST_DIGITS else None
