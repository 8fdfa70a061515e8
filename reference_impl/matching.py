"""Tests of a column against bounds, in any format: whether a value between them may match.

Values are compared by keys, which each format derives from its own values. In doubt the result is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reference_impl.errors import UsageError

FLOAT_ORDERS = ("ieee", "nan-greatest", "total")

# Whether a value between two bounds (None: no bound) may match; keys compare.
_BETWEEN: dict[str, Callable[..., bool]] = {
    "=": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high),
    "in": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high),
    "<": lambda low, _, x: low is None or low < x,
    "<=": lambda low, _, x: low is None or low <= x,
    ">": lambda _, high, x: high is None or high > x,
    ">=": lambda _, high, x: high is None or high >= x,
    "!=": lambda low, high, x: low is None or high is None or not low == x == high,
}


def check(operator: str, constants: int, float_order: str) -> None:
    """Raise UsageError for an unknown operator or float order, or a wrong number of constants.

    Operators are = != < <= > >= with one constant, `in` with any number, `starts-with` with a prefix, "is
    null" and "is not null". The float order places NaN and -0.0: `ieee` (NaN matches nothing but !=),
    `nan-greatest` (NaN equals itself, and is greater than all), `total` (IEEE 754 totalOrder, where -0.0 is
    less than +0.0).
    """
    counts = {"is null": 0, "is not null": 0, "in": constants, "starts-with": 1}
    wanted = counts.get(operator, 1 if operator in _BETWEEN else None)
    if wanted != constants:
        raise UsageError(f"{operator!r:.40} with {constants} constants is no test")
    if float_order not in FLOAT_ORDERS:
        raise UsageError(f"there is no float order {float_order!r:.40}; there are {', '.join(FLOAT_ORDERS)}")


def nan_may_match(operator: str, float_order: str, *, has_nan: bool) -> bool:
    """Return whether a NaN may match; `has_nan`: one of the constants is NaN."""
    if float_order == "ieee":
        return operator == "!="
    if float_order == "total":  # NaN with its sign stands at either end
        return operator not in {"=", "in"} or has_nan
    return operator in {">", ">=", "!="} or has_nan


def between(operator: str, low: Any, high: Any, constants: Iterable[Any]) -> bool:
    """Return whether a value between two bounds (None: no bound) may match."""
    if operator not in _BETWEEN:
        return True
    if low is not None and high is not None and low > high:
        return True  # contradictory bounds exclude nothing
    return any(_BETWEEN[operator](low, high, constant) for constant in constants)


def may_start(prefix: bytes, low: bytes | None, high: bytes | None) -> bool:
    """Return whether a value between two bounds may start with a prefix."""
    if low is not None and low[: len(prefix)] > prefix:
        return False
    return high is None or high[: len(prefix)] >= prefix
