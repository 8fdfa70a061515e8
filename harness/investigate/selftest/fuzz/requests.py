"""Requests to an engine of this selftest for many files at once, which saves most of the time of messages.

Such an engine replies to `read_many` with its replies to a `read` of each file: an error is encoded as a
table. If the process is lost on the way, or cannot reply, each file is requested alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.children.connection import Connection, Limits
from harness.children.launch import Launch
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.selftest.fuzz.reading import ERROR

ENGINES = "harness.investigate.selftest.fuzz.engines"


def connect(engine: str, limits: Limits, **variables: str) -> Connection:
    """Return a connection to one of the engines."""
    command = (sys.executable, "-m", "harness.children.worker", f"{ENGINES}:{engine}")
    return Connection(command, limits, env={**Launch(command).environment(), **variables})


def ask(connection: Connection, files: Sequence[Path], format_: str) -> Iterator[Outcome]:
    """Yield the outcome of each file."""
    outcomes = together(connection, files, format_)
    yield from (connection.read(file, format_, {}) for file in files) if outcomes is None else outcomes


def together(connection: Connection, files: Sequence[Path], format_: str) -> list[Outcome] | None:
    """Return the outcomes of files requested at once, None if that failed."""
    outcomes = connection.read_many(files, format_, {})
    return [_outcome(outcome) for outcome in outcomes] if isinstance(outcomes, list) else None


def _outcome(outcome: Outcome) -> Outcome:
    table = outcome.table
    if table is None or [column.name for column in table.columns] != [ERROR]:
        return outcome
    kind, class_, message = map(str, table.column(0))
    detail = Detail(class_, message, "read")
    cost = outcome.seconds, outcome.peak_rss_bytes, outcome.idle_rss_bytes
    return Outcome(OutcomeKind(kind), None, detail, *cost)
