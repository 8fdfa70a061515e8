"""Answers for mutated files: requested together, and compared with those of the reader without a plant.

An engine of this selftest replies to `read_many` with its replies to a `read` of each file, which saves most
of the time of messages: an error is encoded as a table. If the process is lost on the way, or cannot reply,
each file is requested alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.cases import Expectation
from harness.children.connection import Connection, Limits
from harness.children.launch import Launch
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.selftest.fuzz.reading import ERROR
from harness.judging.records import PROBLEMS
from harness.judging.verdicts import is_amplified, judge

UNDOCUMENTED = "undocumented error"
_DOCUMENTED = "reference_impl.errors."
_MALFORMED = f"{_DOCUMENTED}Malformed"
_LIMIT = f"{_DOCUMENTED}LimitExceeded"
_ERRORS = (*(OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED, OutcomeKind.LIMITED),)
_SLOW = 0.2  # of the time limit: a slower healthy reader does not prove that another reader hangs


class Wrong(NamedTuple):
    """A verdict that is a problem, or UNDOCUMENTED, and the difference or error."""

    verdict: str
    message: str


def is_healthy(outcome: Outcome, size: int, seconds: float) -> bool:
    """Return whether an answer is a table or a documented error, at a sound cost; `seconds` is the limit."""
    if outcome.kind is not OutcomeKind.TABLE and not is_documented(outcome):
        return False
    return outcome.seconds < _SLOW * seconds and not is_amplified(outcome, size)


def is_documented(outcome: Outcome) -> bool:
    """Return whether an outcome is an error that the reader's interface documents."""
    return outcome.kind in _ERRORS and outcome.detail.error_class.startswith(_DOCUMENTED)


def wrong(right: Outcome, outcome: Outcome, size: int) -> Wrong | None:
    """Judge an answer by that of the reader without a plant, which is healthy; `size` is that of the file."""
    seen = " ".join(filter(None, (outcome.detail.error_class.rpartition(".")[2], outcome.detail.message)))
    if outcome.kind is not OutcomeKind.TABLE and outcome.detail.error_class and not is_documented(outcome):
        memory = outcome.detail.error_class == "MemoryError"
        return Wrong("out_of_memory" if memory else UNDOCUMENTED, seen)
    if outcome.detail.error_class == _LIMIT:  # a limit that the reader keeps; it is not out of memory
        return Wrong("refused_valid", seen) if right.kind is OutcomeKind.TABLE else None
    judged = judge(_expectation(right), outcome, file_bytes=size)
    if judged.verdict not in PROBLEMS:
        return None
    if judged.difference is not None:
        at = judged.difference
        seen = f"{at.path}: expected {at.expected}, got {at.actual}"
    elif outcome.kind is OutcomeKind.TABLE and not seen:
        seen = f"instead of {right.detail.message}"
    return Wrong(judged.verdict.value, seen)


def _expectation(right: Outcome) -> Expectation:
    if right.kind is OutcomeKind.TABLE:
        return Expectation("accept", "spec", right.table)
    if right.detail.error_class == _MALFORMED:
        return Expectation("refuse", "spec", clause="as the reader without the plant says")
    return Expectation("either", "spec", reason="not known, or beyond a limit")


ENGINES = "harness.investigate.selftest.fuzz.engines"


def connect(engine: str, limits: Limits, **variables: str) -> Connection:
    """Return a connection to one of the engines."""
    command = (sys.executable, "-P", "-m", "harness.children.worker", f"{ENGINES}:{engine}")
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
