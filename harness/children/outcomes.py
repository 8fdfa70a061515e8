"""Outcomes of requests to engines: a closed set of kinds, with details."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from corpora.tagged import Table


class OutcomeKind(StrEnum):
    """The closed set of outcomes."""

    TABLE = "table"  # it returned values
    REFUSED = "refused"  # it raised a clean error
    PANICKED = "panicked"  # its own code failed, and the error says nothing of the file
    UNSUPPORTED = "unsupported"  # it reported that it lacks the feature
    CRASHED = "crashed"  # its process died
    HUNG = "hung"  # it did not answer within the time limit, and was killed
    OUT_OF_MEMORY = "out_of_memory"  # it exceeded the memory limit (and was killed), or reported that itself
    LIMITED = "limited"  # our reference reached a limit of its own, or tables that of the run: nobody's fault
    MISSPOKE = "misspoke"  # it broke the protocol, and was killed; or, by its origin, our adapter is wrong


# What leaves no process of the engine.
LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE})


@dataclass(frozen=True)
class Detail:
    """The details of an outcome; empty where they do not apply.

    `phase` is the request (`start`, `read`, `read_many`, `write`; `answer`: the table was read but could not
    be sent; `control`: the request was not sent), `signal` the number of the signal that ended the process,
    `exit_status` its status otherwise, `stderr` the end of its standard error. `origin`: whose Python code
    has the mistake that was raised, `adapter` or `binding`, else "". `step`: what raised while a file was
    read, `open` or `rows`, "" where the engine's interface does not tell these apart.
    """

    error_class: str = ""
    message: str = ""
    phase: str = ""
    signal: int | None = None
    exit_status: int | None = None
    stderr: str = ""
    origin: str = ""
    step: str = ""

    @property
    def summary(self) -> str:
        """Return the error as one line, "" without an error."""
        text = ": ".join(filter(None, (self.error_class, self.message)))
        return next(iter(text.splitlines()), "")


@dataclass(frozen=True)
class Outcome:
    """One engine's outcome of one case.

    `seconds` is wall time from request to reply, `peak_rss_bytes` the highest resident set of the child
    and its descendants meanwhile (0 where the platform does not tell), `idle_rss_bytes` that before the
    request, `cpu_seconds` the CPU time of the child alone, for an answer or an error (0: unknown). A file of
    a sheet has its share of the sheet's seconds, and the sheet's memory. A successful write is a TABLE
    without a table.
    """

    kind: OutcomeKind
    table: Table | None = None
    detail: Detail = field(default_factory=Detail)
    seconds: float = 0.0
    peak_rss_bytes: int = 0
    idle_rss_bytes: int = 0
    cpu_seconds: float = 0.0

    @property
    def is_ours(self) -> bool:
        """Return whether colconf could not put the question: that says nothing of engine or file."""
        return self.kind is OutcomeKind.MISSPOKE and bool(self.detail.origin)
