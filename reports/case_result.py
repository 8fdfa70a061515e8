"""The result of one case under one engine, ready to show."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.cases import MUST
from harness.judging.order import KIND as ORDER
from harness.judging.wording import in_words
from harness.listings import text


@dataclass(frozen=True)
class Difference:
    """The first difference between the values of a file and the engine's result."""

    path: str
    expected: str
    actual: str
    kind: str


@dataclass(frozen=True)
class Known:
    """The reason and the address of a known failure."""

    reason: str
    url: str


@dataclass(frozen=True)
class CaseResult:
    """The result of one case under one engine, ready to show; unknown fields are empty text or None.

    `engine` is an index into `Report.engines`; `expectation` has those of the keys `kind`, `source`, `rule`,
    `clause`, `reason`, `votes`, `certainty`, `why`, `breach` and `writer` that are not empty. `probe` is
    the query that the verdict is about, "" for the whole file. `state` is the state of the finding in the
    history, `share` says how many reads showed it, "" if each did. `level` is MUST, or that of
    the clause which the verdict breaks. `seconds` is wall time. `is_by_choice`: the file or a
    query of it was refused, and may be. `column_features` are those of the columns that a problem is about.
    """

    case: str
    sha256: str
    format: str
    file: str
    features: tuple[str, ...]
    engine: int
    verdict: str
    outcome: str
    finding: bool
    expectation: dict[str, str]
    error: dict[str, str]
    difference: Difference | None
    equivalences: tuple[str, ...]
    probe: str
    known: Known | None
    state: str
    seconds: float
    peak_rss_bytes: int
    share: str = ""
    level: str = MUST
    is_by_choice: bool = False
    column_features: tuple[str, ...] = ()

    @property
    def gist(self) -> str:
        """Return one line that describes the failure; empty without a failure."""
        problem = self._problem
        return text.first_line(f"{self.probe}: {problem}" if self.probe and problem else problem)

    @property
    def _problem(self) -> str:
        if self.difference is not None:
            at = self.difference
            where = f"{at.path}: " if at.path else ""
            kind = f"{at.kind}: " * (at.kind != ORDER)
            return f"{where}{kind}{in_words(self.verdict, at.kind, at.expected, at.actual)}"
        problem = ": ".join(part for part in (self.error.get("class"), self.error.get("message")) if part)
        if not problem and self.error.get("signal"):
            problem = f"ended by signal {self.error['signal']}"
        if not problem and self.error.get("exit status"):
            problem = f"ended with exit status {self.error['exit status']}"
        return problem
