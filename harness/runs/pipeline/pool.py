"""Engine processes that outlive a task: each process of the pipeline has a few idle ones for later tasks.

Starting an engine takes from a tenth of a second to ten seconds, a task of few sheets hardly more. The pool
holds idle connections; a connection is closed when there are too many, when the run ends, or, by the kernel,
with the process that holds it (`harness/children/leash.py`).
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
from harness.judging.places import Process
from harness.runs.pipeline.context import Context

_IDLE = 4  # connections
_IDLE_HEAVY = 2  # of heavy engines, so that two of them can take turns


class Pool:
    """Idle connections, the most recently used at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[Hashable, bool, Connection]] = []

    @contextmanager
    def lent(self, context: Context, process: Process) -> Iterator[Connection]:
        """Lend a connection to an engine process of a run; after an exception it is closed."""
        key = (context.out, context.variables, context.limits, process.launch)
        connection = self._taken(key) or connect(context, process)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._keep(key, connection, heavy=process.heavy)

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
            surplus = heavies[:-_IDLE_HEAVY] if heavy else self._idle[:-_IDLE]
            self._idle = [entry for entry in self._idle if entry not in surplus]
        for _, _, old in surplus:
            old.close()


def connect(context: Context, process: Process) -> Connection:
    """Return a new connection to an engine process of a run."""
    context.spill.mkdir(exist_ok=True)
    python, *rest = process.command
    if not process.apart and not Path(python).exists():
        python = sys.executable  # of another machine, where our Python lies elsewhere
    launch, env = replace(process.launch, command=(python, *rest)), context.environment(process)
    return Connection(launch, context.limits, spill=context.spill, env=env, scratch=context.scratch)


POOL = Pool()
atexit.register(POOL.close)
