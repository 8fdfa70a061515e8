"""The time that a night has spent, and progress that saves it regularly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.runs.pipeline.run import Progress

_SAVED_EVERY = 10.0  # seconds


@dataclass
class Clock:
    """The time that was spent, including the time before an interruption."""

    now: Callable[[], float]
    before: float
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.now()

    @property
    def spent(self) -> float:
        """Return the seconds spent."""
        return self.before + self.now() - self.began


class Saving:
    """Progress that also saves the night every few seconds."""

    def __init__(self, progress: Progress, clock: Callable[[], float], save: Callable[[], None]) -> None:
        self.stage = progress.stage
        self.note = progress.note
        self._progress, self._clock, self._save = progress, clock, save
        self._next = clock() + _SAVED_EVERY

    def advance(self, count: int) -> None:
        """Forward the count, and save if it is time."""
        self._progress.advance(count)
        if self._clock() >= self._next:
            self._next = self._clock() + _SAVED_EVERY
            self._save()
