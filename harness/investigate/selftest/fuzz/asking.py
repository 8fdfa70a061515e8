"""Asking an engine of this selftest about many files at once: most of the time would go to the conversation.

Such an engine answers to `read_many` what it would answer to a `read` of each file: where it raised, the
error is in a table. If the process is lost on the way, or cannot answer, each file is asked about alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harness.children.connection import Connection
from harness.children.launch import Launch
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.selftest.fuzz.reading import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.children.connection import Limits

ENGINES = "harness.investigate.selftest.fuzz.engines"


def connect(engine: str, limits: Limits, **variables: str) -> Connection:
    """Return a connection to one of the engines."""
    command = (sys.executable, "-m", "harness.children.worker", f"{ENGINES}:{engine}")
    return Connection(command, limits, env={**Launch(command).environment(), **variables})


def ask(connection: Connection, files: Sequence[Path], format_: str) -> Iterator[Outcome]:
    """Yield the outcome of each file."""
    found = together(connection, files, format_)
    yield from (connection.read(file, format_, {}) for file in files) if found is None else found


def together(connection: Connection, files: Sequence[Path], format_: str) -> list[Outcome] | None:
    """Return the outcomes of files that were asked about at once, None if that failed."""
    found = connection.read_many(files, format_, {})
    return [_outcome(one) for one in found] if isinstance(found, list) else None


def _outcome(found: Outcome) -> Outcome:
    table = found.table
    if table is None or [one.name for one in table.columns] != [ERROR]:
        return found
    kind, class_, message = map(str, table.column(0))
    detail = Detail(class_, message, "read")
    return Outcome(OutcomeKind(kind), None, detail, found.seconds, found.peak_rss_bytes, found.idle_rss_bytes)
