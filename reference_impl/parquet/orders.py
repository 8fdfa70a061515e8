"""Column orders: the comparison of a leaf's values in statistics (parquet.thrift, ColumnOrder).

Values are compared by the `key` of their PLAIN bytes (a byte array without its length).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.page_structs import BoundaryOrder
from reference_impl.parquet.schema import ColumnOrder, Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values

_FORMS = {2: "<e", 4: "<f", 8: "<d"}
_NO_ORDER = ("INTERVAL", "GEOMETRY", "GEOGRAPHY", "VARIANT", "FILE", "UNKNOWN", "NEW")
_PER_DAY = {"ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_TEXTS = ("STRING", "JSON", "ENUM")
_DEPRECATED = ("BOOLEAN", "SIGNED", "FLOAT")


class Order(Enum):
    """An order of values. UNDEFINED: no bounds are written, and bounds are ignored."""

    BOOLEAN = "false before true"
    SIGNED = "signed integers"
    UNSIGNED = "unsigned integers"
    FLOAT = "floating point, NaN left out, -0.0 and +0.0 not told apart"
    FLOAT_TOTAL = "IEEE 754 totalOrder, NaN left out unless there is nothing else"
    BYTES = "bytes, unsigned, one after the other"
    DECIMAL_BYTES = "signed big-endian integers of any length"
    INT96_TIMESTAMP = "days, then nanoseconds, both signed"
    UNDEFINED = "no order"

    @property
    def is_float(self) -> bool:
        """Whether values may be NaN."""
        return self in (Order.FLOAT, Order.FLOAT_TOTAL)


def order_of(node: Node, column_order: ColumnOrder | None) -> Order:
    """Return the order of a leaf's `min_value` and `max_value`.

    Without a column order their meaning is undefined (FileMetaData.column_orders), as with an unknown order
    or one that the type does not have.
    """
    which = column_order.which() if column_order is not None else None
    if which == "TYPE_ORDER":
        return type_order(node)
    if which == "IEEE_754_TOTAL_ORDER" and type_order(node) is Order.FLOAT:
        return Order.FLOAT_TOTAL
    if which == "INT96_TIMESTAMP_ORDER" and node.physical is not None and node.physical.type == Type.INT96:
        return Order.INT96_TIMESTAMP
    return Order.UNDEFINED


def type_order(node: Node) -> Order:
    """Return the order of the logical type, or else of the physical type (TYPE_ORDER)."""
    assert node.physical is not None
    kind, logical = node.physical.type, node.logical
    name = logical.name if logical else ""
    if name in _NO_ORDER or kind == Type.INT96:
        return Order.UNDEFINED
    if kind in (Type.FLOAT, Type.DOUBLE) or name == "FLOAT16":
        return Order.FLOAT
    if kind == Type.BOOLEAN:
        return Order.BOOLEAN
    if kind in (Type.INT32, Type.INT64):
        return Order.UNSIGNED if logical and name == "INTEGER" and not logical.signed else Order.SIGNED
    return Order.DECIMAL_BYTES if name == "DECIMAL" else Order.BYTES


def deprecated_order(node: Node) -> Order:
    """Return the order of a leaf's deprecated `min` and `max`, UNDEFINED if they cannot be used.

    They are "determined by signed comparison only": useless for unsigned integers and bytes, and for
    decimals in bytes, which old writers compared byte by byte.
    """
    order = type_order(node)
    return order if order.name in _DEPRECATED else Order.UNDEFINED


def is_text(node: Node) -> bool:
    """Return whether a bound must be UTF-8 to be "valid values within the column's logical type"."""
    return node.logical is not None and node.logical.name in _TEXTS


def number(raw: bytes) -> float:
    """Return a FLOAT16, FLOAT or DOUBLE from its bytes; raises ValueError for another length."""
    if len(raw) not in _FORMS:
        raise ValueError(f"{len(raw)} bytes are no floating point value")
    return float(struct.unpack(_FORMS[len(raw)], raw)[0])


def is_nan(raw: bytes) -> bool:
    """Return whether the bytes of a floating point value are NaN."""
    return math.isnan(number(raw))


def key(order: Order, raw: bytes) -> Any:
    """Return the key by which a value is compared. NaN has a place in FLOAT_TOTAL only.

    The bytes must be a value of the type (`fits`); raises ValueError for floating point of another length.
    """
    if order in (Order.BOOLEAN, Order.UNSIGNED):
        return int.from_bytes(raw, "little")
    if order is Order.SIGNED:
        return int.from_bytes(raw, "little", signed=True)
    if order is Order.FLOAT:
        return number(raw)
    if order is Order.FLOAT_TOTAL:
        bits, size = int.from_bytes(raw, "little"), 8 * len(raw)
        # Negative numbers in reverse, before the positive ones.
        return ~bits & ((1 << size) - 1) if bits >> (size - 1) else bits | 1 << (size - 1)
    if order is Order.DECIMAL_BYTES:
        return int.from_bytes(raw, "big", signed=True)
    if order is Order.INT96_TIMESTAMP:
        return int.from_bytes(raw[8:], "little", signed=True), int.from_bytes(raw[:8], "little", signed=True)
    return raw


def fits(node: Node, raw: bytes) -> bool:
    """Return whether bytes have the length of a value of the leaf; a byte array may have any length."""
    assert node.physical is not None
    kind = node.physical.type
    if kind == Type.BYTE_ARRAY:
        return True
    return len(raw) == (1 if kind == Type.BOOLEAN else node.physical.width)


def integer_limits(node: Node) -> tuple[int, int] | None:
    """Return the least and the greatest integer of the type, None if the physical type has no others."""
    assert node.physical is not None
    logical = node.logical
    if logical is None or node.physical.type not in (Type.INT32, Type.INT64):
        return None
    if logical.name == "INTEGER" and logical.bits < 8 * node.physical.width:
        bits = logical.bits
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if logical.signed else (0, (1 << bits) - 1)
    if logical.name == "DECIMAL":
        return 1 - 10**logical.precision, 10**logical.precision - 1
    if logical.name == "TIME":
        return 0, _PER_DAY[logical.unit] - 1
    return None


def raws(values: Values) -> list[bytes]:
    """Return the PLAIN bytes of each value, a BOOLEAN as one byte."""
    if isinstance(values, ByteArrays):
        return list(values)
    if values.ndim > 1:
        return [row.tobytes() for row in values]
    width, data = values.dtype.itemsize, values.tobytes()
    return [data[at : at + width] for at in range(0, len(data), width)]


def nans(values: Values) -> NDArray[np.bool_]:
    """Return whether each floating point value is NaN."""
    nan: NDArray[np.bool_] = np.isnan(_floats(values))
    return nan


def bounds(order: Order, values: Values) -> tuple[bytes, bytes] | None:
    """Return the least and the greatest of the values, None if no value counts.

    NaN counts only in IEEE 754 total order, and only if all values are NaN. The first of equal values is
    returned.
    """
    if order is Order.UNDEFINED or not len(values):
        return None
    if isinstance(values, ByteArrays) or order in (Order.BYTES, Order.DECIMAL_BYTES, Order.INT96_TIMESTAMP):
        candidates = dict.fromkeys(raws(values))
        return min(candidates, key=lambda raw: key(order, raw)), max(
            candidates, key=lambda raw: key(order, raw)
        )
    at = np.arange(len(values))
    if order.is_float:
        counted = np.flatnonzero(~nans(values))
        at = at if not len(counted) and order is Order.FLOAT_TOTAL else counted
    if not len(at):
        return None
    keys = _sortable(order, values)[at]
    return values[at[keys.argmin()]].tobytes(), values[at[keys.argmax()]].tobytes()


def _floats(values: Values) -> NDArray[np.floating[Any]]:
    assert not isinstance(values, ByteArrays)
    # FLOAT16 is stored as two bytes.
    floats = np.ascontiguousarray(values).view("<f2")[:, 0] if values.ndim > 1 else values
    return floats.astype(floats.dtype, copy=False)


def _sortable(order: Order, values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return numbers that numpy sorts by the order."""
    if order is Order.UNSIGNED:
        return values.view(f"<u{values.dtype.itemsize}")
    if order is Order.FLOAT:
        return _floats(values)
    if order is Order.FLOAT_TOTAL:
        floats = _floats(values)
        bits = floats.view(f"<u{floats.dtype.itemsize}")
        top = bits.dtype.type(1 << (8 * bits.dtype.itemsize - 1))
        return np.where(bits & top != 0, ~bits, bits | top)
    return values


def boundary_order(
    mins: Sequence[bytes], maxs: Sequence[bytes], null_pages: Sequence[bool], order: Order
) -> BoundaryOrder:
    """Return the order of the bounds of the pages, without pages of nulls (PageIndex.md)."""
    for direction in (BoundaryOrder.ASCENDING, BoundaryOrder.DESCENDING):
        if is_ordered(mins, maxs, null_pages, order, direction):
            return direction
    return BoundaryOrder.UNORDERED


def is_ordered(
    mins: Sequence[bytes],
    maxs: Sequence[bytes],
    null_pages: Sequence[bool],
    order: Order,
    stated: BoundaryOrder | int,
) -> bool:
    """Return whether a stated `boundary_order` is true; equal bounds are in both directions."""
    if stated not in (BoundaryOrder.ASCENDING, BoundaryOrder.DESCENDING):
        return True
    held = [
        (key(order, low), key(order, high))
        for low, high, null in zip(mins, maxs, null_pages, strict=True)
        if not null
    ]
    if stated == BoundaryOrder.DESCENDING:
        held.reverse()
    return all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(held))
