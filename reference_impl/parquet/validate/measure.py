"""The least and the greatest of many values, at the speed of arrays where the order has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.orders import Order, is_nan, key, raws, type_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from reference_impl.parquet.tree import Node
    from reference_impl.parquet.types import Values


class Measure(NamedTuple):
    """`low` and `high` of so many values, of which `nans` are NaN; NaN counts only if there is nothing else.

    None: no values, an order that has no least one, or values that have no place in it.
    """

    low: bytes | None
    high: bytes | None
    values: int
    nans: int


def measure(node: Node, order: Order, values: Values) -> Measure:
    """Answer the measure of some values of a leaf."""
    nans = np.zeros(0, np.bool_)
    if type_order(node) is Order.FLOAT and not isinstance(values, ByteArrays):
        floats = values if values.ndim == 1 else values.reshape(-1).view("<f2")
        nans = np.isnan(floats)
    found = int(np.count_nonzero(nans))
    if order is Order.UNDEFINED or not len(values) or (order is Order.FLOAT and found == len(values)):
        return Measure(None, None, len(values), found)
    if found and found < len(values) and not isinstance(values, ByteArrays):
        low, high = _extremes(order, values[~nans])
    else:
        low, high = _extremes(order, values)
    return Measure(low, high, len(values), found)


def _extremes(order: Order, values: Values) -> tuple[bytes, bytes]:
    if not isinstance(values, ByteArrays) and (keys := _array_keys(order, values)) is not None:
        low, high = int(keys.argmin()), int(keys.argmax())
        return raws(values[low : low + 1])[0], raws(values[high : high + 1])[0]
    # Few values are distinct in most columns whose keys are slow.
    distinct = set(raws(values))
    if order is Order.BYTES:
        return min(distinct), max(distinct)
    return min(distinct, key=lambda raw: key(order, raw)), max(distinct, key=lambda raw: key(order, raw))


def _array_keys(order: Order, values: NDArray[np.generic]) -> NDArray[np.generic] | None:
    """Answer an array that is ordered as the values are, None if they are no numbers."""
    if order is Order.FLOAT and values.ndim == 2:
        return values.reshape(-1).view("<f2")
    if values.ndim != 1:
        return None
    if order in (Order.BOOLEAN, Order.SIGNED, Order.FLOAT):
        return values
    if order is Order.UNSIGNED:
        return values.view(f"<u{values.dtype.itemsize}")
    return None


def joined(order: Order, parts: Iterable[Measure]) -> Measure:
    """Answer the measure of all parts together; a part of NaN only counts if all are."""
    told = list(parts)
    count, nans = sum(part.values for part in told), sum(part.nans for part in told)
    lows = [part.low for part in told if part.low is not None]
    highs = [part.high for part in told if part.high is not None]
    if order is Order.FLOAT_TOTAL and nans < count:
        lows = [raw for raw in lows if not is_nan(raw)]
        highs = [raw for raw in highs if not is_nan(raw)]
    if not lows or not highs:
        return Measure(None, None, count, nans)
    return Measure(
        min(lows, key=lambda raw: key(order, raw)), max(highs, key=lambda raw: key(order, raw)), count, nans
    )


def comparable(order: Order) -> bool:
    """Say whether every value has a place in the order: NaN has none in that of floating point."""
    return order not in (Order.UNDEFINED, Order.FLOAT)
