"""What a bench measures: two times (or sizes) of one run on one machine, and what their ratio should be."""

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
        """The ratio."""
        return self.seconds / self.base

    def line(self) -> str:
        """Return the ratio as a line of text."""
        met = "met" if self.value <= self.target else "MISSED"
        ours, theirs = self.seconds * self.factor, self.base * self.factor
        times = f"{ours:10.1f} {self.unit} ÷ {theirs:10.1f} {self.unit}"
        return f"{self.value:8.2f}  (target ≤ {self.target:g}, {met})  {times}  {self.name}"
