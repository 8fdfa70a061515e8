"""A uniform source of choices for Hypothesis that depends only on a name.

Hypothesis's own source prefers small numbers and constants of the loaded modules, which helps to find bugs in
Python functions. Our strategies have their own edges and weights, and a sheet must be the same in each
process.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING, ClassVar

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider

if TYPE_CHECKING:
    from hypothesis.internal.conjecture.data import ConjectureData
    from hypothesis.internal.intervalsets import IntervalSet

_WIDE = 1 << 64  # range of integers that a strategy leaves unbounded
UNIFORM = "colconf-uniform"  # for `settings(backend=…)`
_LONGEST = 20  # of strings and bytes that a strategy leaves unbounded


class Uniform(PrimitiveProvider):
    """Draws every choice uniformly from the allowed values; without a name, differently each time."""

    lifetime: ClassVar = "test_case"

    def __init__(self, data: ConjectureData | None, name: str | None = None) -> None:
        super().__init__(data)
        self.random = random.Random(name)  # noqa: S311 - must be repeatable

    def draw_boolean(self, p: float = 0.5) -> bool:
        """Return True with probability `p`."""
        return self.random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """Return an integer; weights are ignored, because none of our strategies has any."""
        del weights, shrink_towards
        low = min_value if min_value is not None else (max_value or 0) - _WIDE
        return self.random.randint(low, max_value if max_value is not None else low + 2 * _WIDE)

    def draw_float(
        self,
        *,
        min_value: float = float("-inf"),
        max_value: float = float("inf"),
        allow_nan: bool = True,
        smallest_nonzero_magnitude: float,
    ) -> float:
        """Return a float of random bits if that is allowed, else one of the bounds."""
        (value,) = struct.unpack("<d", self.random.randbytes(8))
        if (value != value and allow_nan) or min_value <= value <= max_value:  # noqa: PLR0124 - NaN
            return value if value == 0 or abs(value) >= smallest_nonzero_magnitude else 0.0
        return min_value if abs(min_value) < abs(max_value) else max_value

    def draw_string(self, intervals: IntervalSet, *, min_size: int = 0, max_size: int = _LONGEST) -> str:
        """Return a string of allowed characters."""
        size = self.random.randint(min_size, min(max_size, min_size + _LONGEST)) if len(intervals) else 0
        return "".join(chr(intervals[self.random.randrange(len(intervals))]) for _ in range(size))

    def draw_bytes(self, min_size: int = 0, max_size: int = _LONGEST) -> bytes:
        """Return bytes."""
        return self.random.randbytes(self.random.randint(min_size, min(max_size, min_size + _LONGEST)))


AVAILABLE_PROVIDERS[UNIFORM] = Uniform
