"""How often a finding occurred, and how many repetitions are needed to say that it no longer occurs."""

from __future__ import annotations

import math
from typing import NamedTuple

MISSED = 0.01  # the chance, at most, that all of so many tries miss a finding that is still there
_MOST = 100


class Share(NamedTuple):
    """So many of the reads of a case failed; 0 of 0 if nothing was counted."""

    failed: int = 0
    reads: int = 0

    def __str__(self) -> str:
        return f"{self.failed:,} of {self.reads:,} reads" if self.reads else ""

    @property
    def is_intermittent(self) -> bool:
        """Return whether some reads failed and some did not."""
        return 0 < self.failed < self.reads

    @property
    def tries(self) -> int:
        """Return how many tries miss the finding with a chance below `MISSED`; 1 if it always shows.

        A share that is near 0 is an estimate from few reads: no more than a hundred tries are made.
        """
        if not self.is_intermittent:
            return 1
        return min(_MOST, math.ceil(math.log(MISSED) / math.log(1 - self.failed / self.reads)))

    def is_gone(self, fine: int) -> bool:
        """Return whether so many reads without the finding are enough to call it gone."""
        return fine >= self.tries

    def __add__(self, other: object) -> Share:
        if not isinstance(other, Share):
            return NotImplemented
        return Share(self.failed + other.failed, self.reads + other.reads)


ALWAYS = Share()  # nothing was counted: each read showed it
