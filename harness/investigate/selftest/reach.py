"""Which cases make the reader without plants reach the place of each plant; others rarely reveal the plant.

A planted reader behaves like the healthy one until it reaches the plant, so that a case that does not reach
the plant reveals nothing; except for code that runs once for many cases, such as code that fills a cache.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from corpora.cases import Case
from harness.children.connection import Connection
from harness.investigate.selftest.cases import Cases, connect
from harness.investigate.selftest.plant import REFUSAL
from harness.investigate.selftest.planting import NOTES

Ask = Callable[[Connection, Case, str], object]
_MARKED = "harness.investigate.selftest.engines:marked"
_MARKED_STRICT = "harness.investigate.selftest.engines:marked-strict"


class Reach:
    """Asks the marked reader about a case when its places are wanted; threads may share it.

    `ask` asks an engine all that a hunt asks of a case, by the kind of plants that are looked for.
    """

    def __init__(self, cases: Cases, ask: Ask) -> None:
        self._cases = cases
        self._ask = ask
        self._known: dict[tuple[str, int], frozenset[str]] = {}
        self._locks: defaultdict[tuple[str, int], threading.Lock] = defaultdict(threading.Lock)
        self._own = threading.local()
        self._opened: list[Connection] = []

    def of(self, shows: str, number: int) -> frozenset[str]:
        """Return the plants whose places a case reaches, by the kind of plants and the number of the case."""
        key = shows, number
        with self._locks[key]:
            if key not in self._known:
                self._known[key] = self._reached(shows, self._cases.by_kind[shows][number])
            return self._known[key]

    def close(self) -> None:
        """End the processes."""
        for connection in self._opened:
            connection.close()

    def _reached(self, shows: str, case: Case) -> frozenset[str]:
        connection, notes = self._connection(_MARKED_STRICT if shows == REFUSAL else _MARKED)
        notes.unlink(missing_ok=True)
        self._ask(connection, case, shows)
        return frozenset(notes.read_text("utf-8").split() if notes.exists() else ())

    def _connection(self, engine: str) -> tuple[Connection, Path]:
        """Return the connection of this thread, and the file of its notes."""
        mine: dict[str, tuple[Connection, Path]] = self._own.__dict__
        if engine not in mine:
            notes = self._cases.context.out / f"notes-{threading.get_ident()}-{engine.rpartition(':')[2]}"
            mine[engine] = connect(self._cases, engine, {NOTES: str(notes)}), notes
            self._opened.append(mine[engine][0])
        return mine[engine]
