"""A measurement: two times (or sizes) on the same machine, and the upper bound of their ratio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """`seconds` of ours divided by `base` seconds of what it is compared with; `target` is an upper bound.

    They are shown in `unit`, `factor` of which make one: seconds, unless another pair is given.
    """

    name: str
    seconds: float
    base: float
    target: float
    unit: str = "ms"
    factor: float = 1_000.0

    @property
    def value(self) -> float:
        """Return the ratio."""
        return self.seconds / self.base

    def line(self) -> str:
        """Return the ratio as a line of text."""
        met = "met" if self.value <= self.target else "MISSED"
        ours, theirs = self.seconds * self.factor, self.base * self.factor
        times = f"{ours:10.1f} {self.unit} ÷ {theirs:10.1f} {self.unit}"
        return f"{self.value:8.2f}  (target ≤ {self.target:g}, {met})  {times}  {self.name}"
