"""What an engine did with a case: a closed set, each with its detail."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpora.tagged import Table


class OutcomeKind(StrEnum):
    """The closed set of outcomes."""

    TABLE = "table"  # it answered values
    REFUSED = "refused"  # it raised a clean error
    UNSUPPORTED = "unsupported"  # it said that it lacks the feature
    CRASHED = "crashed"  # its process died
    HUNG = "hung"  # it did not answer within the time limit, and was killed
    OUT_OF_MEMORY = "out_of_memory"  # it passed the memory limit (and was killed), or said so itself
    MISSPOKE = "misspoke"  # it broke the protocol, and was killed


@dataclass(frozen=True)
class Detail:
    """What is known beyond the kind; empty where it does not apply.

    `phase` says what was being asked (`start`, `read`, `read_many`, `write`; `answer`: the table was there
    but could not be sent), `signal` is the number of
    the signal that ended the process, `exit_status` its status otherwise, `stderr` the end of what it wrote.
    """

    error_class: str = ""
    message: str = ""
    phase: str = ""
    signal: int | None = None
    exit_status: int | None = None
    stderr: str = ""

    @property
    def summary(self) -> str:
        """The error in one line, "" if there is none."""
        text = ": ".join(filter(None, (self.error_class, self.message)))
        return next(iter(text.splitlines()), "")


@dataclass(frozen=True)
class Outcome:
    """One engine's answer to one case.

    `seconds` is wall time from request to reply, `peak_rss_bytes` the highest resident set of the child
    and its descendants meanwhile (0 where the platform does not say), `idle_rss_bytes` what it was before.
    A file of a sheet carries its share of the sheet's seconds, and the sheet's memory.
    A write that went well is a TABLE without a table.
    """

    kind: OutcomeKind
    table: Table | None = None
    detail: Detail = field(default_factory=Detail)
    seconds: float = 0.0
    peak_rss_bytes: int = 0
    idle_rss_bytes: int = 0
