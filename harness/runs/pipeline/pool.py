"""Engine processes that outlive a task: each process of the pipeline has a few idle ones for later tasks.

Starting an engine takes from a tenth of a second to ten seconds, a task of few sheets hardly more. The pool
holds idle connections; a connection is closed when there are too many, when the run ends, or, by the kernel,
with the process that holds it (`harness/children/leash.py`). A command of several runs may keep idle
connections between them: a JVM takes the CPU time of some hundred requests until it is warm.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.children.connection import Connection
from harness.children.scratch import scratch_folder
from harness.judging.places import Process
from harness.runs.pipeline.context import Context

_IDLE = 4  # connections
_IDLE_HEAVY = 2  # of heavy engines, so that two of them can take turns
_IDLE_KEPT = 4  # of heavy engines between runs: as many as run at a time on two cores


class Pool:
    """Idle connections, the most recently used at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[Hashable, bool, Connection]] = []
        self._scratch: Path | None = None  # of connections that outlive a run

    @contextmanager
    def across_runs(self) -> Iterator[None]:
        """Keep idle connections at the end of a run, for the next run in this block."""
        with scratch_folder() as scratch:
            self._scratch = scratch
            try:
                yield
            finally:
                self._scratch = None
                self.close()

    @contextmanager
    def lent(self, context: Context, process: Process) -> Iterator[Connection]:
        """Lend a connection to an engine process of a run; after an exception it is closed."""
        run = None if self._scratch else context.out
        key = (run, context.variables, context.limits, process.launch)
        connection = self._taken(key) or connect(context, process, self._scratch)
        context.spill.mkdir(exist_ok=True)
        connection.spill_into(context.spill)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._keep(key, connection, heavy=process.heavy)

    def end_run(self) -> None:
        """Close the idle connections of a run that has ended, unless they are kept."""
        if self._scratch is None:
            self.close()

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, _, connection in idle:
            connection.close()

    def _taken(self, key: Hashable) -> Connection | None:
        with self._lock:
            for place in reversed(range(len(self._idle))):
                if self._idle[place][0] == key:
                    return self._idle.pop(place)[2]
        return None

    def _keep(self, key: Hashable, connection: Connection, *, heavy: bool) -> None:
        with self._lock:
            self._idle.append((key, heavy, connection))
            heavies = [entry for entry in self._idle if entry[1]]
            most = _IDLE_KEPT if self._scratch else _IDLE_HEAVY
            surplus = heavies[:-most] if heavy else self._idle[:-_IDLE]
            self._idle = [entry for entry in self._idle if entry not in surplus]
        for _, _, old in surplus:
            old.close()


def connect(context: Context, process: Process, scratch: Path | None = None) -> Connection:
    """Return a new connection to an engine process of a run; `scratch`: if it may outlive the run."""
    context.spill.mkdir(exist_ok=True)
    python, *rest = process.command
    if not process.apart and not Path(python).exists():
        python = sys.executable  # of another machine, where our Python lies elsewhere
    launch, env = replace(process.launch, command=(python, *rest)), context.environment(process)
    scratch = scratch or context.scratch
    return Connection(launch, context.limits, spill=context.spill, env=env, scratch=scratch)


POOL = Pool()
atexit.register(POOL.close)
