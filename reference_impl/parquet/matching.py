"""Tests of a column against statistics: whether any value within the statistics may match.

In doubt the result is true: absent or unknown statistics exclude nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from reference_impl import matching
from reference_impl.parquet import orders
from reference_impl.parquet.orders import Order
from reference_impl.parquet.schema import Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node


class Test:
    """A test `leaf OPERATOR constants`.

    `operator` and `float_order` are those of `reference_impl.matching.check`. `constants` are PLAIN bytes (a
    byte array without its length); a constant that is no value of the leaf's type excludes nothing. They
    compare as the type's values do, INT96 by day, then nanoseconds.

    Raises UsageError for another operator, number of constants, or float order.
    """

    __test__ = False  # pytest does not collect it

    def __init__(self, node: Node, operator: str, constants: Sequence[bytes], float_order: str) -> None:
        self.node = node
        self.operator = operator
        self.constants = list(constants)
        self.float_order = float_order
        matching.check(operator, len(self.constants), float_order)
        self.is_float = orders.type_order(node) is Order.FLOAT
        self.fits = operator == "starts-with" or all(
            orders.fits(node, constant) for constant in self.constants
        )
        self.has_nan = self.is_float and self.fits and any(map(orders.is_nan, self.constants))

    @property
    def is_of_bytes(self) -> bool:
        """Whether a value matches only if its bytes (or those of the other zero) are those of a constant.

        This does not hold for NaN, which has many forms, nor for decimals as byte arrays, which may begin
        with any number of sign bytes.
        """
        assert self.node.physical is not None
        many = self.node.physical.type == Type.BYTE_ARRAY and orders.type_order(self.node) is not Order.BYTES
        return self.operator in {"=", "in"} and self.fits and not self.has_nan and not many

    def may_match_nan(self) -> bool:
        """Return whether a NaN may match, which bounds do not include."""
        if not self.is_float:
            return False
        if not self.fits:
            return True
        return matching.nan_may_match(self.operator, self.float_order, has_nan=self.has_nan)

    def may_match_between(self, order: Order, low: bytes | None, high: bytes | None) -> bool:
        """Return whether a value that is neither null nor NaN may match, given bounds that may be absent."""
        if order is Order.UNDEFINED or self.has_nan or not self.fits:
            return True
        if self.operator == "starts-with":
            return order is not Order.BYTES or matching.may_start(self.constants[0], low, high)
        compared = order
        if self.is_float:
            compared = Order.FLOAT
            if self.float_order == "total":
                compared = Order.FLOAT_TOTAL
                low, high = _both_zeros(order, low, high)
        lower = None if low is None else orders.key(compared, low)
        upper = None if high is None else orders.key(compared, high)
        tests = (orders.key(compared, constant) for constant in self.constants)
        return matching.between(self.operator, lower, upper, tests)

    def may_match_null(self) -> bool:
        """Return whether nulls match."""
        return self.operator == "is null"


def _both_zeros(order: Order, low: bytes | None, high: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Return bounds for a query that distinguishes the zeros.

    In TYPE_ORDER, "if the min is +0, the row group may contain -0 values as well", and +0 if the max is -0.
    """
    if order is Order.FLOAT_TOTAL:
        return low, high
    if low is not None and orders.number(low) == 0:
        low = bytes(len(low) - 1) + b"\x80"
    if high is not None and orders.number(high) == 0:
        high = bytes(len(high))
    return low, high


def may_match(test: Test, order: Order, stats: Statistics, entries: int) -> bool:
    """Return whether any of `entries` entries with these statistics may match."""
    nulls = stats.null_count  # absent: "readers MUST NOT assume null_count == 0"
    if test.may_match_null():
        return nulls != 0
    if nulls == entries:
        return False
    if test.operator == "is not null":
        return True
    if test.may_match_nan():
        if stats.nan_count != 0:  # absent: "readers MUST assume NaNs may be present"
            return True
    elif test.is_float and nulls is not None and nulls + (stats.nan_count or 0) == entries:
        return False  # "to deduce whether all non-null values are NaN"
    low, high = stats.min_value, stats.max_value
    if low is None and high is None:
        order, low, high = orders.deprecated_order(test.node), stats.min, stats.max
    low, high = usable(test.node, order, low), usable(test.node, order, high)
    return test.may_match_between(order, low, high)


def usable(node: Node, order: Order, raw: bytes | None) -> bytes | None:
    """Return a bound, or None for one that must be ignored: no value of the type, or NaN."""
    if raw is None or not orders.fits(node, raw):
        return None
    return None if order.is_float and orders.is_nan(raw) else raw
