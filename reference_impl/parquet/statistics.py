"""Writing the statistics of values (parquet.thrift, Statistics and ColumnOrder)."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet import plan
from reference_impl.parquet.orders import (
    Order,
    boundary_order,
    bounds,
    deprecated_order,
    integer_limits,
    is_text,
    key,
    nans,
    number,
    order_of,
    raws,
    type_order,
)
from reference_impl.parquet.plan import Sides, Truth, Zeros
from reference_impl.parquet.schema import Type
from reference_impl.parquet.statistics_structs import Statistics as StatisticsStruct
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values
from reference_impl.truncation import decremented, incremented, shortened

__all__ = ["Order", "boundary_order", "bounds", "key", "make", "order_of", "raws", "type_order"]

_WIDEST = 16


class Bound(NamedTuple):
    """A bound (None if it cannot be written), and whether it is a value of the data."""

    raw: bytes | None
    exact: bool


def holds(values: Values, raw: bytes) -> bool:
    """Return whether the values include one with exactly these bytes."""
    if isinstance(values, ByteArrays) or values.ndim > 1:
        return raw in raws(values)
    bits = f"<u{values.dtype.itemsize}"
    return bool((values.view(bits) == np.frombuffer(raw, bits)).any())


def distinct(values: Values) -> int:
    """Return the number of values that differ in their bytes."""
    if isinstance(values, ByteArrays) or values.ndim > 1:
        return len(set(raws(values)))
    return len(np.unique(values.view(f"<u{values.dtype.itemsize}")))


def make(layout: plan.Statistics, node: Node, order: Order, values: Values, nulls: int) -> StatisticsStruct:
    """Return the statistics of a page or chunk with these non-null values and this number of nulls.

    Bounds are left out without an order, without values, and if all values are NaN.
    """
    out = StatisticsStruct()
    if layout.null_count:
        out.null_count = nulls
    if layout.distinct_count:
        out.distinct_count = distinct(values)
    if layout.nan_count and type_order(node) is Order.FLOAT:
        out.nan_count = int(np.count_nonzero(nans(values)))
    if layout.deprecated:
        _deprecated(out, layout, node, values)
    pair = bounds(order, values) if layout.modern else None
    if pair is None:
        return out
    low, high = _signed_zeros(pair, layout.zeros) if order is Order.FLOAT else pair
    lower = Bound(low, low == pair[0] or holds(values, low))
    upper = Bound(high, high == pair[1] or holds(values, high))
    if layout.truncate and order is Order.BYTES and _has_any_length(node):
        lower, upper = _truncated(lower, upper, layout.truncate, text=is_text(node))
    if layout.widen:
        lower, upper = _widened(order, node, lower, upper, layout.widen)
    if layout.sides is Sides.LEAST:
        upper = Bound(None, exact=False)
    if layout.sides is Sides.GREATEST:
        lower = Bound(None, exact=False)
    out.min_value, out.max_value = lower.raw, upper.raw
    out.is_min_value_exact = _exactness(layout.exact, lower)
    out.is_max_value_exact = _exactness(layout.exact, upper)
    return out


def _exactness(exact: Truth, bound: Bound) -> bool | None:
    if exact is Truth.ABSENT or bound.raw is None:
        return None
    return bound.exact and exact is Truth.STATED


def _deprecated(out: StatisticsStruct, layout: plan.Statistics, node: Node, values: Values) -> None:
    """Set `min` and `max`, "determined by signed comparison only", even if the type has another order.

    New files have them only "when the column order is signed". Old files, without the new fields,
    have them for unsigned integers and byte arrays too, where readers must not use them.
    """
    order = type_order(node)
    if order is Order.UNDEFINED or (layout.modern and deprecated_order(node) is Order.UNDEFINED):
        return
    signed = Order.SIGNED if order is Order.UNSIGNED else order
    if order is Order.BYTES:
        signed_values = raws(values)
        pair = (
            (min(signed_values, key=_signed_bytes), max(signed_values, key=_signed_bytes))
            if signed_values
            else None
        )
    else:
        pair = bounds(signed, values)
    if pair is not None:
        out.min, out.max = pair


def _signed_bytes(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"{len(raw)}b", raw)


def _signed_zeros(pair: tuple[bytes, bytes], signs: Zeros = Zeros.OUTWARD) -> tuple[bytes, bytes]:
    """Return the bounds with -0.0 for a minimum of zero and +0.0 for a maximum of zero, or the other way."""
    plus = bytes(len(pair[0]))
    minus = plus[:-1] + b"\x80"
    least, most = (minus, plus) if signs is Zeros.OUTWARD else (plus, minus)
    low, high = pair
    return least if number(low) == 0 else low, most if number(high) == 0 else high


def _has_any_length(node: Node) -> bool:
    return node.physical is not None and node.physical.type == Type.BYTE_ARRAY


def _truncated(lower: Bound, upper: Bound, most: int, *, text: bool) -> tuple[Bound, Bound]:
    low, high = lower.raw, upper.raw
    if low is not None and len(low) > most:
        lower = Bound(shortened(low, most, text=text), exact=False)
    if high is not None and len(high) > most:
        upper = Bound(incremented(shortened(high, most, text=text), text=text), exact=False)
    return lower, upper


def _widened(order: Order, node: Node, lower: Bound, upper: Bound, steps: int) -> tuple[Bound, Bound]:
    """Move bounds outwards by `steps`; a bound that is the last value of its type stays.

    Floating point is moved by steps of the bits, byte arrays by bytes; INT96 is not moved.
    """
    assert node.physical is not None
    low, high = lower.raw, upper.raw
    if order is Order.BYTES:
        if not _has_any_length(node):
            return lower, upper
        text = is_text(node)
        lower = _moved(lower, low and decremented(low, text=text))
        return lower, _moved(upper, None if high is None else high + b"a" * min(steps, _WIDEST))
    if order is Order.DECIMAL_BYTES and low is not None and high is not None:
        return _moved(lower, _decimal(node, low, -steps)), _moved(upper, _decimal(node, high, steps))
    if low is None or high is None or order not in (Order.SIGNED, Order.UNSIGNED, Order.FLOAT):
        return lower, upper
    if order is Order.FLOAT:
        low, high = _signed_zeros((_stepped(low, -steps), _stepped(high, steps)))
        return _moved(lower, low), _moved(upper, high)
    least, most = _range(node, order)
    size, signed = len(low), order is Order.SIGNED
    # Values outside of the logical type stay within their bounds, too.
    least, most = min(least, key(order, low)), max(most, key(order, high))
    low = max(least, key(order, low) - steps).to_bytes(size, "little", signed=signed)
    high = min(most, key(order, high) + steps).to_bytes(size, "little", signed=signed)
    return _moved(lower, low), _moved(upper, high)


def _decimal(node: Node, raw: bytes, steps: int) -> bytes:
    """Return a decimal that is moved within its precision; only in a BYTE_ARRAY it may get longer."""
    assert node.logical is not None
    most = 10 ** (node.logical.precision or 0) - 1
    before = key(Order.DECIMAL_BYTES, raw)
    after = max(min(before, -most), before + steps) if steps < 0 else min(max(before, most), before + steps)
    least = (after if after >= 0 else ~after).bit_length() // 8 + 1
    size = max(len(raw), least) if _has_any_length(node) else len(raw)
    return int(after).to_bytes(size, "big", signed=True)


def _moved(bound: Bound, raw: bytes | None) -> Bound:
    """Return the moved bound, which is not exact unless it has not moved."""
    return bound if raw == bound.raw else Bound(raw, exact=False)


def _range(node: Node, order: Order) -> tuple[int, int]:
    """Return the range of an integer column: bounds must be "valid values" of its type."""
    if (limits := integer_limits(node)) is not None:
        return limits
    assert node.physical is not None
    bits = 8 * node.physical.width
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if order is Order.SIGNED else (0, (1 << bits) - 1)


def _stepped(raw: bytes, steps: int) -> bytes:
    """Move a floating point value by steps of its bits, at most to infinity; the zeros are one value."""
    size = len(raw)
    half = 1 << (8 * size - 1)
    infinity = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}[size]
    bits = int.from_bytes(raw, "little")
    place = bits if bits < half else half - bits  # -0.0 is 0, and so is +0.0
    place = max(-infinity, min(infinity, place + steps))
    return (place if place >= 0 else half - place).to_bytes(size, "little")
