"""Processes of a local run that do tasks which ask no engine: the threads of one process share a core.

`python -P -m harness.runs.pipeline.task_process` is such a process: it does the tasks that it reads from
standard input, as pickles, and writes how many units each step has done. It ends with the process that
started it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from harness.children.leash import hold_leash
from harness.children.leashed import leashed
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.stages import perform

KINDS = frozenset({"generate", "draw", "judge", "settle", "pair"})  # of tasks that ask no engine
_END = None  # of a task, behind its units
# What is raised if the process ends: nothing, part of a message, no reader, or a stream closed by `close`.
_LOST = (EOFError, pickle.UnpicklingError, OSError, ValueError)


class TaskProcess:
    """A process that does tasks, one at a time."""

    def __init__(self) -> None:
        """Start it; raises OSError."""
        self._is_closed = False
        self._process, self._leash = leashed([sys.executable, "-P", "-m", __name__], os.environ)

    def perform(self, context: Context, task: Task) -> Iterator[int]:
        """Have it do a task, yielding the units done by each step. Raises PipelineError.

        If the process is lost, this process does the task: parts that are there are not made again.
        """
        yielded = 0
        try:
            for count in self._units(context, task):
                yield count
                yielded += 1
        except _LOST:
            if self._is_closed:
                return
            for number, count in enumerate(perform(context, task)):
                if number >= yielded:
                    yield count

    def _units(self, context: Context, task: Task) -> Iterator[int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((context, task), self._process.stdin)
        self._process.stdin.flush()
        while (message := pickle.load(self._process.stdout)) is not _END:  # noqa: S301 - of our own process
            if isinstance(message, str):
                raise PipelineError(message)
            yield message

    def close(self) -> None:
        """End it, whatever it does."""
        self._is_closed = True
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # a request that it no longer reads
                    stream.close()
        self._process.wait()
        os.close(self._leash)


def _serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Do the tasks that are requested until there are no more."""
    while True:
        try:
            context, task = pickle.load(requests)  # noqa: S301 - of the process that started this one
        except EOFError:
            return
        try:
            for count in perform(context, task):
                _reply(replies, count)
        except Exception as error:  # noqa: BLE001 - raised again in the process that asked
            _reply(replies, explained(error))
        else:
            _reply(replies, _END)


def _reply(replies: BinaryIO, message: int | str | None) -> None:
    pickle.dump(message, replies)
    replies.flush()


def main() -> None:
    """Serve standard input and output; what a task prints goes to standard error."""
    hold_leash()
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
