"""A change point in a series, by Pettitt's test.

A. N. Pettitt, "A Non-Parametric Approach to the Change-Point Problem", Applied Statistics 28 (1979): with
`U(t)` the sum of the signs of `x[i] - x[j]` over `i < t <= j`, `K = max |U(t)|`, and about
`2 exp(-6 K² / (n³ + n²))` the probability of such a K without a change. It compares ranks alone, so that one
slow night is no change, and assumes neither a distribution nor a size of the change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LEAST = 8  # values; of fewer the approximation says nothing
ALPHA = 0.05


class ChangePoint(NamedTuple):
    """The place of the first value after the change, and the probability of it without a change."""

    place: int
    probability: float


def pettitt(values: Sequence[float]) -> ChangePoint | None:
    """Return the change point of a series, None if there is none at the level `ALPHA`, or too few values."""
    count = len(values)
    if count < LEAST:
        return None
    best, place = 0, 0
    for cut in range(1, count):
        rank = abs(sum((x > y) - (x < y) for x in values[:cut] for y in values[cut:]))
        if rank > best:
            best, place = rank, cut
    probability = min(1.0, 2 * math.exp(-6 * best**2 / (count**3 + count**2)))
    return ChangePoint(place, probability) if probability < ALPHA else None
