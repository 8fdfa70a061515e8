"""The time that a night has spent, and who writes it down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.runs.pipeline.run import Progress

_SAVED_EVERY = 10.0  # seconds


@dataclass
class Clock:
    """The time that was spent, also before a kill."""

    now: Callable[[], float]
    before: float
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.now()

    @property
    def spent(self) -> float:
        """Return seconds."""
        return self.before + self.now() - self.began


class Saving:
    """Progress that also has the night saved now and then."""

    def __init__(self, progress: Progress, clock: Callable[[], float], save: Callable[[], None]) -> None:
        self.stage = progress.stage
        self.note = progress.note
        self._progress, self._clock, self._save = progress, clock, save
        self._next = clock() + _SAVED_EVERY

    def advance(self, count: int) -> None:
        """Pass it on."""
        self._progress.advance(count)
        if self._clock() >= self._next:
            self._next = self._clock() + _SAVED_EVERY
            self._save()
