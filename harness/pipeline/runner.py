"""What schedules tasks, and how it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.pipeline.context import Context
    from harness.pipeline.plan import Task


class PipelineError(Exception):
    """A task could not be done, for a reason that is no engine's; the message is one line."""


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


def explained(error: BaseException) -> str:
    """Return an exception as one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
