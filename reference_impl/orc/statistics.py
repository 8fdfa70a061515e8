"""Column statistics ("Column Statistics"), computed from values or read from messages.

A `Summary` holds both, so that they can be compared. Bounds are keys: Python values in the order
of their type, where

    integers, dates   int                          FLOAT, DOUBLE    float; the zeros are equal, NaN has no key
    text              bytes                        DECIMAL          int at scale 38
    timestamps        nanoseconds since 1970, of a TIMESTAMP those of the wall clock as if it were UTC
    BOOLEAN           False, True                  LIST, MAP        numbers of children

and BINARY, STRUCT, UNION, GEOMETRY and GEOGRAPHY have no bounds.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from math import isinf, isnan
from typing import Any

from reference_impl.orc import types
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.values import MAX_SCALE, decimal_key, number
from reference_impl.wkb import Extent, extent_of

INTEGERS, TEXTS, TIMES = types.INTEGERS, types.STRINGS, types.TIMES
FLOATS = (TypeKind.FLOAT, TypeKind.DOUBLE)
COLLECTIONS = (TypeKind.LIST, TypeKind.MAP)
BOUNDED = (*INTEGERS, *FLOATS, *TEXTS, *TIMES, TypeKind.DATE, TypeKind.DECIMAL)
GEOSPATIAL = (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY)
FIELDS = {
    TypeKind.BOOLEAN: "bucket_statistics",
    TypeKind.DECIMAL: "decimal_statistics",
    TypeKind.DATE: "date_statistics",
    TypeKind.BINARY: "binary_statistics",
    **dict.fromkeys(INTEGERS, "int_statistics"),
    **dict.fromkeys(FLOATS, "double_statistics"),
    **dict.fromkeys(TEXTS, "string_statistics"),
    **dict.fromkeys(TIMES, "timestamp_statistics"),
    **dict.fromkeys(COLLECTIONS, "collection_statistics"),
    **dict.fromkeys(GEOSPATIAL, "geospatial_statistics"),
}
_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)
_MILLI = 10**6
_NANOS = 10**9
_LAST_NANO = _MILLI - 1
_PLAIN = re.compile(r"[+-]?\d{1,80}(\.\d{0,80})?", re.ASCII)


@dataclass(frozen=True)
class Summary:
    """Statistics of the values of a column, or of some of its rows; None is unknown.

    `count`: values that are not null. `has_null`: whether there are nulls. `low` and `high` are keys,
    `low_value` and `high_value` tell whether a value has the bound. `sum`: of numbers (DECIMAL at scale 38),
    of lengths of text and bytes, of trues, of children; None also where the specification records none.
    `extent`: of geometries.
    """

    count: int | None
    has_null: bool | None
    low: Any = None
    high: Any = None
    low_value: bool = True
    high_value: bool = True
    sum: Any = None
    extent: Extent | None = field(default=None, compare=False)

    def widened(self, by: int, *, certain: tuple[int, int]) -> Summary:
        """Return the summary with each bound that is not in the range `certain` moved outwards by `by`."""
        (begin, end), low, high = certain, self.low, self.high
        return replace(
            self,
            low=low if low is None or begin <= low < end else low - by,
            high=high if high is None or begin <= high < end else high + by,
        )


def key_of(kind: TypeKind, value: Any, scale: int = 0) -> Any:
    """Return the key of a value of a plan; None if the type has no order, or the value no place in it."""
    if kind in FLOATS:
        wide = number(kind, value)
        return None if isnan(wide) else wide
    if kind in TIMES:
        seconds, nanos = value
        return seconds * _NANOS + nanos
    if kind is TypeKind.DECIMAL:
        return decimal_key(value, scale)
    if kind in COLLECTIONS:
        return len(value)
    return value if kind in (*INTEGERS, *TEXTS, TypeKind.BOOLEAN, TypeKind.DATE) else None


def summarize(kind: TypeKind, values: Sequence[Any], *, scale: int = 0) -> Summary:
    """Return the summary of values of a plan, None being null; `scale` is that of DECIMAL.

    There are no bounds if a value is NaN, which has no order. A sum that leaves its type "at any point
    during the calculation" is None; a sum with a NaN is NaN.
    """
    present = [value for value in values if value is not None]
    keys = [key_of(kind, value, scale) for value in present]
    total = _sum(kind, present, keys)
    nulls = len(present) < len(values)
    if not keys or any(key is None for key in keys):
        return Summary(len(present), nulls, sum=total, extent=extent_in(kind, present))
    return Summary(len(present), nulls, min(keys), max(keys), sum=total)


def extent_in(kind: TypeKind, values: Iterable[bytes]) -> Extent | None:
    """Return the extent of geometries; None for other types, or if a value is no geometry."""
    if kind not in GEOSPATIAL:
        return None
    try:
        return extent_of(values)
    except (ValueError, struct.error):
        return None


def _sum(kind: TypeKind, values: list[Any], keys: list[Any]) -> Any:
    if kind in INTEGERS:
        running = list(accumulate(keys, initial=0))
        return running[-1] if min(running) >= _LEAST and max(running) <= _MOST else None
    if kind in FLOATS:
        numbers = [number(kind, value) for value in values]
        total = sum(numbers)  # "If the sum overflows a double, no sum is recorded"
        return None if isinf(total) and not any(map(isinf, numbers)) else float(total)
    if kind in (*TEXTS, TypeKind.BINARY):
        return sum(map(len, values))
    if kind is TypeKind.BOOLEAN or kind is TypeKind.DECIMAL or kind in COLLECTIONS:
        return sum(keys)
    return None


def merge(kind: TypeKind, parts: Iterable[Summary]) -> Summary:
    """Return the summary of all parts together: a stripe is the merge of its row groups."""
    merged = Summary(0, has_null=False, sum=empty_sum(kind), extent=extent_in(kind, ()))
    for part in parts:
        merged = _merged(kind, merged, part)
    return merged


def empty_sum(kind: TypeKind) -> Any:
    """Return the sum of no values, None where the type has no sum."""
    return _sum(kind, [], [])


def _merged(kind: TypeKind, left: Summary, right: Summary) -> Summary:
    count = None if left.count is None or right.count is None else left.count + right.count
    nulls = None if left.has_null is None or right.has_null is None else False
    total = None if left.sum is None or right.sum is None else left.sum + right.sum
    if kind in INTEGERS and total is not None and not _LEAST <= total <= _MOST:
        total = None
    if kind in FLOATS and total is not None and isinf(total):
        total = total if isinf(left.sum) or isinf(right.sum) else None
    filled = [part for part in (left, right) if part.count != 0]
    low = _outer(filled, "low", min)
    high = _outer(filled, "high", max)
    return Summary(
        count,
        True if left.has_null or right.has_null else nulls,
        low[0],
        high[0],
        low[1],
        high[1],
        total,
        left.extent.joined(right.extent) if left.extent and right.extent else None,
    )


def _outer(parts: list[Summary], name: str, choose: Callable[..., Any]) -> tuple[Any, bool]:
    bounds = [(getattr(part, name), getattr(part, f"{name}_value")) for part in parts]
    if not bounds or any(bound is None for bound, _ in bounds):
        return None, True
    best = choose(bound for bound, _ in bounds)
    return best, any(is_value for bound, is_value in bounds if bound == best)


def read(kind: TypeKind, message: ColumnStatistics) -> Summary:
    """Return the summary of a message for a column of this type; fields that cannot be used are unknown.

    Statistics of another type are ignored. The caller has to know whether the writer can be trusted
    (ORC-135, ORC-517, HIVE-8732); the order of bounds is not checked.
    """
    count = message.number_of_values
    typed = getattr(message, FIELDS.get(kind, ""), None)
    if typed is None:
        return Summary(count, message.has_null, sum=empty_sum(kind) if count == 0 else None)
    low, high, total = typed_bounds(kind, typed, count)
    values = True, True
    if kind in TEXTS:
        values = typed.minimum is not None, typed.maximum is not None
    elif kind in TIMES:
        values = typed.minimum_utc is not None, typed.maximum_utc is not None
    return Summary(count, message.has_null, low, high, *values, total)


def typed_bounds(kind: TypeKind, typed: Any, count: int | None) -> tuple[Any, Any, Any]:
    """Return minimum, maximum and sum of the message of a type."""
    if kind is TypeKind.BOOLEAN:
        return _of_buckets(typed, count)
    if kind in COLLECTIONS:
        return typed.min_children, typed.max_children, typed.total_children
    if kind in TIMES:
        return (
            _moment(typed.minimum_utc, typed.minimum_nanos, 0),
            _moment(typed.maximum_utc, typed.maximum_nanos, _LAST_NANO),
            None,
        )
    if kind is TypeKind.BINARY:
        return None, None, typed.sum
    if kind is TypeKind.DECIMAL:
        return decimal_of(typed.minimum), decimal_of(typed.maximum), decimal_of(typed.sum)
    if kind in FLOATS:
        nan = any(map(_is_nan, (typed.minimum, typed.maximum, typed.sum)))
        return (None, None, typed.sum) if nan else (typed.minimum, typed.maximum, typed.sum)
    if kind in TEXTS:
        low = typed.minimum if typed.minimum is not None else typed.lower_bound
        high = typed.maximum if typed.maximum is not None else typed.upper_bound
        return _utf8(low), _utf8(high), typed.sum
    if kind is TypeKind.DATE:
        return typed.minimum, typed.maximum, None
    if kind in INTEGERS:
        return typed.minimum, typed.maximum, typed.sum
    return None, None, None


def _of_buckets(typed: Any, count: int | None) -> tuple[Any, Any, Any]:
    """Read "the count of false and true values": the only bucket counts the trues."""
    if len(typed.count) != 1:
        return None, None, None
    trues = typed.count[0]
    if count is None or trues > count or not count:
        return None, None, trues
    return trues == count, trues > 0, trues


def _moment(millis: int | None, nanos: int | None, default: int) -> int | None:
    """Return nanoseconds; `nanos` within the millisecond are stored plus one, `default` if absent."""
    if millis is None:
        return None
    within = default if not nanos else nanos - 1
    return millis * _MILLI + (within if 0 <= within < _MILLI else default)


def _utf8(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def decimal_of(text: str | None) -> Any:
    """Return the key of a DECIMAL in plain decimal notation, None for another text."""
    if text is None or not _PLAIN.fullmatch(text):
        return None
    key = Fraction(text) * 10**MAX_SCALE
    return key.numerator if key.denominator == 1 else key


def _is_nan(value: float | None) -> bool:
    return value is not None and isnan(value)
