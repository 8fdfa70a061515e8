"""Checks of a lower and an upper bound, with different rules in statistics and in column indexes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reference_impl.parquet.orders import Order, fits, is_nan, key, number
from reference_impl.parquet.tree import Node
from reference_impl.parquet.validate.measure import Measure
from reference_impl.parquet.validate.values import not_of_type

Add = Callable[[str, str], None]


class Rules(NamedTuple):
    """The rules of a pair of bounds.

    length: bytes of a PLAIN value · valid: a value of the logical type · crossed: low above high, `low` and
    `high`: a value outside · nan: a bound is NaN · all_nan: bounds, though all values are NaN · total: NaN,
    or no NaN, contrary to IEEE 754 total order · zero_low, zero_high: the sign of a bound that is zero.
    """

    length: str
    valid: str
    crossed: str
    low: str
    high: str
    nan: str
    all_nan: str
    total: str
    zero_low: str
    zero_high: str


class Pair(NamedTuple):
    """Bounds (None: absent); their names in the file; the measure of the values, None if not known."""

    low: bytes | None
    high: bytes | None
    names: tuple[str, str]
    measure: Measure | None


def check(rules: Rules, node: Node, order: Order, pair: Pair, add: Add) -> bool:
    """Check bounds; return whether they are right. Only the rule that is the cause is reported."""
    measure = pair.measure
    both = ((pair.names[0], pair.low), (pair.names[1], pair.high))
    given = [(name, raw) for name, raw in both if raw is not None]
    for name, raw in given:
        if not fits(node, raw):
            add(rules.length, f"{name} has {len(raw)} bytes, for {node.physical}")
            return False
    if order is Order.UNDEFINED or not given:
        return True
    if order.is_float and not _nan(rules, order, given, measure, add):
        return False
    for name, raw in given:
        why = not_of_type(node, raw)
        # A bound that is a value of the data is wrong because the value is: only the value breaks a rule.
        if why and (measure is None or raw not in (measure.low, measure.high)):
            add(rules.valid, f"{name} {why}")
            return False
    return _inside(rules, order, pair, measure, add)


def _inside(rules: Rules, order: Order, pair: Pair, measure: Measure | None, add: Add) -> bool:
    low, high = pair.low, pair.high
    if low is not None and high is not None and key(order, low) > key(order, high):
        above = f"{pair.names[1]} {_show(order, high)}"
        add(rules.crossed, f"{pair.names[0]} {_show(order, low)} is above {above}")
        return False
    if measure is None or measure.low is None or measure.high is None:
        return True
    good = True
    if low is not None and key(order, measure.low) < key(order, low):
        contained = f"the data contain {_show(order, measure.low)}"
        add(rules.low, f"{pair.names[0]} is {_show(order, low)}, but {contained}")
        good = False
    if high is not None and key(order, measure.high) > key(order, high):
        contained = f"the data contain {_show(order, measure.high)}"
        add(rules.high, f"{pair.names[1]} is {_show(order, high)}, but {contained}")
        good = False
    if order is Order.FLOAT and good:
        _zeros(rules, pair, measure, add)
    return good


def _nan(
    rules: Rules, order: Order, given: list[tuple[str, bytes]], measure: Measure | None, add: Add
) -> bool:
    only = measure is not None and 0 < measure.values == measure.nans
    for name, raw in given:
        if order is Order.FLOAT and is_nan(raw):
            add(rules.nan, f"{name} is NaN")
            return False
        if order is Order.FLOAT and only:
            add(rules.all_nan, f"{name} is {number(raw)}, but all values are NaN")
            return False
        if order is Order.FLOAT_TOTAL and measure is not None and measure.values and is_nan(raw) != only:
            values = "all values are NaN" if only else "there are values that are not"
            add(rules.total, f"{name} is {number(raw)}, but {values}")
            return False
    return True


def _zeros(rules: Rules, pair: Pair, measure: Measure, add: Add) -> None:
    """Check that a minimum of zero is -0.0 and a maximum +0.0, so that both zeros are within."""
    if pair.low is not None and measure.low is not None and number(measure.low) == 0 and not any(pair.low):
        add(rules.zero_low, f"{pair.names[0]} is +0.0")
    high, most = pair.high, measure.high
    if high is not None and most is not None and number(most) == 0 == number(high) and any(high):
        add(rules.zero_high, f"{pair.names[1]} is -0.0")


def _show(order: Order, raw: bytes) -> str:
    if order.is_float:
        return repr(number(raw))
    if order in (Order.SIGNED, Order.UNSIGNED, Order.BOOLEAN, Order.DECIMAL_BYTES) and len(raw) <= 32:
        return str(key(order, raw))
    return f"{raw!r:.100}"
