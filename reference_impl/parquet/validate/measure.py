"""The least and the greatest value of pages, and of several pages together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reference_impl.parquet.orders import Order, bounds, is_nan, key, nans
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values


class Measure(NamedTuple):
    """The bounds of `values` values, of which `nans` are NaN; NaN is a bound only if all values are NaN.

    Bounds are None without values, without an order, or if no value has a place in the order.
    """

    low: bytes | None
    high: bytes | None
    values: int
    nans: int


def is_float(node: Node) -> bool:
    """Return whether a leaf has "physical type FLOAT or DOUBLE, or logical type FLOAT16"."""
    assert node.physical is not None
    is_half = node.logical is not None and node.logical.name == "FLOAT16"
    return is_half or node.physical.type in (Type.FLOAT, Type.DOUBLE)


def measure(node: Node, order: Order, values: Values) -> Measure:
    """Return the measure of some values of a leaf."""
    nan_count = int(np.count_nonzero(nans(values))) if is_float(node) else 0
    low, high = bounds(order, values) or (None, None)
    return Measure(low, high, len(values), nan_count)


def joined(order: Order, parts: Iterable[Measure]) -> Measure:
    """Return the measure of all parts together; bounds of NaN count only if all values are NaN."""
    measured = list(parts)
    count, not_numbers = sum(part.values for part in measured), sum(part.nans for part in measured)
    lows = [part.low for part in measured if part.low is not None]
    highs = [part.high for part in measured if part.high is not None]
    if order is Order.FLOAT_TOTAL and not_numbers < count:
        lows = [raw for raw in lows if not is_nan(raw)]
        highs = [raw for raw in highs if not is_nan(raw)]
    if not lows or not highs:
        return Measure(None, None, count, not_numbers)
    low, high = min(lows, key=lambda raw: key(order, raw)), max(highs, key=lambda raw: key(order, raw))
    return Measure(low, high, count, not_numbers)


def comparable(order: Order) -> bool:
    """Return whether every value has a place in the order; NaN has none in FLOAT."""
    return order not in (Order.UNDEFINED, Order.FLOAT)
