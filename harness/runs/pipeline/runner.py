"""What schedules tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.runs.pipeline.context import Context
    from harness.runs.pipeline.plan import Task


class Runner(Protocol):
    """Does tasks, `cores` of them at a time."""

    @property
    def name(self) -> str:
        """What it is, for people."""

    @property
    def cores(self) -> int:
        """How many tasks run at a time."""

    def run(self, context: Context, tasks: Iterable[Task], tick: Callable[[int], None]) -> None:
        """Do the tasks, `tick` being told how much was done since; raises PipelineError."""

    def close(self) -> None:
        """Give everything back."""
