"""The cost of rounds, measured on earlier rounds: seconds = start + seconds per file × files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor

from harness.runs.nightly.rounds import Round

_LATEST = 8  # rounds: machines and engines change


@dataclass(frozen=True)
class Cost:
    """The cost of a round of one kind: `start` seconds, and `each` seconds per file."""

    start: float
    each: float

    def seconds(self, files: int) -> float:
        """Return the seconds for a number of files."""
        return self.start + self.each * files

    def files_within(self, seconds: float) -> int:
        """Return how many files fit into `seconds`."""
        return max(0, floor((seconds - self.start) / self.each))


def measured(rounds: Iterable[Round], like: Round) -> Cost | None:
    """Return the cost of rounds such as `like`, from the latest rounds of its kind; None without any.

    A least-squares line where the sizes differ enough to separate start and files, else seconds per file.
    """
    sizes_and_seconds = [
        (round_.files, round_.seconds) for round_ in rounds if round_.like(like) and round_.seconds > 0
    ]
    sizes_and_seconds = sizes_and_seconds[-_LATEST:]
    if not sizes_and_seconds:
        return None
    count = len(sizes_and_seconds)
    files, seconds = sum(size for size, _ in sizes_and_seconds), sum(took for _, took in sizes_and_seconds)
    spread = count * sum(size * size for size, _ in sizes_and_seconds) - files * files
    if spread > 0:
        each = (count * sum(size * took for size, took in sizes_and_seconds) - files * seconds) / spread
        start = (seconds - each * files) / count
        if each > 0 and start >= 0:
            return Cost(start, each)
    return Cost(0.0, seconds / files)
