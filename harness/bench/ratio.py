"""What a bench measures: two times of one run on one machine, and what their ratio should be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """`seconds` of ours divided by `base` seconds of what it is compared with; `target` is an upper bound."""

    name: str
    seconds: float
    base: float
    target: float

    @property
    def value(self) -> float:
        """The ratio."""
        return self.seconds / self.base

    def line(self) -> str:
        """Answer the ratio as a line of text."""
        met = "met" if self.value <= self.target else "MISSED"
        times = f"{self.seconds * 1000:10.1f} ms ÷ {self.base * 1000:10.1f} ms"
        return f"{self.value:8.2f}  (target ≤ {self.target:g}, {met})  {times}  {self.name}"
