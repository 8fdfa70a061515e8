"""The outcomes of one engine process for the cases of a sheet, stored or in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from harness.children.outcomes import Outcome
from harness.judging.places import Place, Process
from harness.judging.traits import Traits


class Answers(Protocol):
    """The outcomes of one process: those of a run are stored, those of a bench are in memory."""

    def get(self, place: Place) -> Outcome | None:
        """Return the outcome of a place, None if the process was not asked for it."""


@dataclass
class Remembered:
    """Outcomes in memory."""

    outcomes: dict[Place, Outcome] = field(default_factory=dict)

    def get(self, place: Place) -> Outcome | None:
        """Return the outcome of a place, None if the process was not asked for it."""
        return self.outcomes.get(place)


class Answered(NamedTuple):
    """An engine process with its answers and the traits of the engine.

    The equivalences of `traits` are those of the cases' format.
    """

    process: Process
    traits: Traits
    answers: Answers
