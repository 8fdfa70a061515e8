"""The interface of a runner, which schedules tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import Task


class Runner(Protocol):
    """Does tasks, `cores` of them at a time."""

    @property
    def name(self) -> str:
        """The name for messages."""

    @property
    def cores(self) -> int:
        """The number of tasks that run at a time."""

    def run(self, context: Context, tasks: Iterable[Task], tick: Callable[[int], None]) -> None:
        """Do the tasks, calling `tick` with the units done since; raises PipelineError."""

    def close(self) -> None:
        """Release all resources."""
