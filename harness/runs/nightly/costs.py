"""What rounds cost, by those that were run: seconds = what it takes to start + seconds per file."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.runs.nightly.rounds import Round

_LATEST = 8  # rounds: machines and engines change


@dataclass(frozen=True)
class Cost:
    """Of a round of one kind: `start` seconds, and `each` second per file."""

    start: float
    each: float

    def seconds(self, files: int) -> float:
        """Return what so many files take."""
        return self.start + self.each * files

    def files_within(self, seconds: float) -> int:
        """Return how many files can be done in `seconds`, 0 if none can."""
        return max(0, floor((seconds - self.start) / self.each))


def measured(rounds: Iterable[Round], like: Round) -> Cost | None:
    """Return the cost of rounds such as `like`, by the latest of its kind, None if there was none.

    A line by least squares where sizes differ enough to tell a start from files, else seconds per file.
    """
    found = [(one.files, one.seconds) for one in rounds if one.like(like) and one.seconds > 0]
    found = found[-_LATEST:]
    if not found:
        return None
    count = len(found)
    files, seconds = sum(size for size, _ in found), sum(took for _, took in found)
    spread = count * sum(size * size for size, _ in found) - files * files
    if spread > 0:
        each = (count * sum(size * took for size, took in found) - files * seconds) / spread
        start = (seconds - each * files) / count
        if each > 0 and start >= 0:
            return Cost(start, each)
    return Cost(0.0, seconds / files)
