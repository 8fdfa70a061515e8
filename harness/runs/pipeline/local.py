"""Runs tasks in threads of this process; engines are child processes as on Spark."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from harness.children import processes
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.pool import POOL
from harness.runs.pipeline.stages import perform
from harness.runs.pipeline.task_process import KINDS, TaskProcess

_TICK_SECONDS = 0.2
_MANY_HEAVY = 4  # tasks for each core, for which starting one more engine is worth its time
_FEW_SHEETS = 32  # for each process: judging these takes longer than starting it
_MOST_PROCESSES = 8  # of 250 MiB each
_Perform = Callable[[Context, Task], Iterator[int]]
# What threads say to the one that waits: units done, an error, or None at their end.
_Done = queue.SimpleQueue[int | BaseException | None]


class LocalRunner:
    """A thread per core, each a daemon, so that an interrupted run does not wait for an engine.

    Tasks of engines have half as many threads more: an engine and the thread that asks it wait for each other
    (measured: a tenth of the time of light engines, a quarter of that of heavy ones). A few tasks of heavy
    engines alone have not, since one more of these would have to start.

    Tasks of many sheets that ask no engine are done by a task process, instead of a thread, for each core
    but one.
    """

    name = "local threads"

    def __init__(self, cores: int | None) -> None:
        self.cores = cores or processes.cores()
        self._is_given = cores is not None
        self._task_processes: list[TaskProcess] = []

    def run(self, context: Context, tasks: Iterable[Task], tick: Callable[[int], None]) -> None:
        """Do the tasks, calling `tick` with the units done since; raises PipelineError if a task fails."""
        tasks = list(tasks)
        others = self._processes(tasks) if all(task.kind in KINDS for task in tasks) else []
        threads_here = min(self._threads(context, tasks), len(tasks)) - len(others)
        performers = [perform] * threads_here + [each.perform for each in others]
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        done: _Done = queue.SimpleQueue()
        stopped = threading.Event()
        threads = [
            threading.Thread(target=_work, args=(each, context, waiting, done, stopped), daemon=True)
            for each in performers
        ]
        for thread in threads:
            thread.start()
        try:
            working = len(threads)
            while working:
                working -= _take(done, tick)
        finally:
            stopped.set()

    def _threads(self, context: Context, tasks: Iterable[Task]) -> int:
        light = heavy = 0
        for task in tasks:
            if task.process >= 0:
                is_heavy = context.processes[task.process].heavy
                light, heavy = light + (not is_heavy), heavy + (is_heavy and task.kind == "execute")
        has_more = not self._is_given and (light or heavy >= _MANY_HEAVY * self.cores)
        return self.cores + (self.cores // 2 if has_more else 0)

    def _processes(self, tasks: Sequence[Task]) -> list[TaskProcess]:
        """Return the task processes for tasks: those that are there, and more if they are worth it."""
        sheets = sum(len(task.sheets) + task.numbers[1] - task.numbers[0] for task in tasks)
        most = max(0, len(tasks) - 1)
        wanted = min(self.cores - 1, most, sheets // _FEW_SHEETS, _MOST_PROCESSES)
        with suppress(OSError):  # there is no room for one more: a thread does its tasks
            while len(self._task_processes) < wanted:
                self._task_processes.append(TaskProcess())
        return self._task_processes[:most]

    def close(self) -> None:
        """End the task processes, and the idle engines unless they are kept for another run."""
        for each in self._task_processes:
            each.close()
        POOL.end_run()


def _work(
    does: _Perform,
    context: Context,
    waiting: queue.SimpleQueue[Task],
    done: _Done,
    stopped: threading.Event,
) -> None:
    try:
        while not stopped.is_set():
            for count in does(context, waiting.get_nowait()):
                done.put(count)
                if stopped.is_set():
                    return
    except queue.Empty:
        return
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
        done.put(error)
    finally:
        done.put(None)


def _take(done: _Done, tick: Callable[[int], None]) -> int:
    """Wait a moment for what a thread has done; return the number of threads that have ended."""
    try:
        message = done.get(timeout=_TICK_SECONDS)
    except queue.Empty:
        tick(0)
        return 0
    if message is None:
        return 1
    if isinstance(message, BaseException):
        raise PipelineError(explained(message)) from message
    tick(message)
    return 0


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
