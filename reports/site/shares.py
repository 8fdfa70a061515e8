"""The share of right answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from reports.model import Cell
from reports.site.model import UNDECIDED, Answer


class Share(NamedTuple):
    """How many of the answers that say anything are right."""

    right: int
    of: int

    @property
    def percent(self) -> float:
        """Return the share in percent, rounded down to a tenth: only all of them are 100."""
        return int(1000 * self.right / self.of) / 10 if self.of else 0.0


def share(answers: Iterable[Answer]) -> Share:
    """Return the share of right answers; an unsupported file counts as not right."""
    judged = [answer.is_right for answer in answers if answer.counts]
    return Share(sum(judged), len(judged))


def share_of(cell: Cell) -> Share:
    """Return the share of right answers in a cell."""
    undecided = sum(cell.counts[verdict] for verdict in UNDECIDED)
    return Share(cell.passed, cell.cases - undecided)
