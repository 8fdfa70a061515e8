"""The plan of a night, and the source of its files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corpora.cases import Case
from corpora.known_failures import Entry
from harness.runs.history.records import Record
from harness.runs.nightly.rounds import (
    Round,
)
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import Progress, run


class Sources(Protocol):
    """The source of a night's files, and the engines that read them."""

    @property
    def engines(self) -> str:
        """Return a description of the engines and configurations that run."""

    @property
    def versions(self) -> Mapping[str, Sequence[str]]:
        """Return the versions of each engine that run."""

    def writes(self, kind: str, format_: str) -> bool:
        """Return whether an engine writes tables of a format in a kind of rounds, of `rounds.WRITING`."""

    def corpora(self) -> Mapping[str, Sequence[Case]]:
        """Return the cases of the corpora, by format."""

    def request(self, planned: Round, cases: Sequence[Case], records: Sequence[Record]) -> Request:
        """Return the request of a round without its folder; `records` are the findings that are replayed."""


@dataclass(frozen=True)
class Night:
    """The plan of a night: `request` has the folder, arguments and options; `budget` is in seconds.

    `fresh`: a share of the cases, which the night's day chooses, is asked in fresh processes.
    """

    request: Request
    history: Path
    budget: float
    formats: Sequence[str]
    sources: Sources
    entries: Sequence[Entry] = ()
    clock: Callable[[], float] = time.monotonic
    go: Callable[[Request, Progress], object] = run
    fresh: bool = False
