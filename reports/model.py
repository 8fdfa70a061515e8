"""The model that every report format shows: results of a run as a matrix, totals, cases and findings.

`reports.build` makes it. All its text went through `harness.text`: it is visible, bounded, and of one line
where one is wanted; a format only has to escape its own syntax.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness import text
from harness.history.records import UNEXPECTED
from reports.verdicts import PASSED, worst_first

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_VERSION = 1
_UNEXPECTED = {"", *UNEXPECTED}
NO_FEATURE = "(no feature)"


@dataclass
class Cell:
    """The cases of one feature (or of all) under one engine: how many have each verdict.

    `findings` of them are findings, `known` are failures that `corpora/known` lists.
    """

    counts: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    known: int = 0

    @property
    def cases(self) -> int:
        """Return the number of cases."""
        return self.counts.total()

    @property
    def passed(self) -> int:
        """Return the number of cases with a verdict that is no problem."""
        return sum(count for verdict, count in self.counts.items() if verdict in PASSED)

    @property
    def worst(self) -> str:
        """Return the worst verdict; the cell has at least one case."""
        return worst_first(self.counts)[0]

    @property
    def headline(self) -> str:
        """Return the verdict to show: the worst if it is a problem, else the one that most cases have."""
        worst = self.worst
        return self.counts.most_common(1)[0][0] if worst in PASSED else worst

    @property
    def failing(self) -> float:
        """Return the share of cases that are findings."""
        return self.findings / self.cases

    def add(self, shown: CaseResult) -> None:
        """Count one result."""
        self.counts[shown.verdict] += 1
        self.findings += shown.finding
        self.known += shown.known is not None


@dataclass(frozen=True)
class Difference:
    """The first difference between what a file means and what the engine answered."""

    path: str
    expected: str
    actual: str
    kind: str


@dataclass(frozen=True)
class Known:
    """Why a failure is known."""

    reason: str
    url: str


@dataclass(frozen=True)
class CaseResult:
    """One case under one engine, ready to show; empty text and None where nothing is known.

    `engine` is an index into `Report.engines`; `expectation` has the keys `kind`, `source`, `rule`, `clause`,
    `reason` and `votes` as far as they say something. `probe` is the query that the verdict is about, "" if
    it is about the whole file. `state` is what a history says of its finding. `seconds` is wall time.
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

    @property
    def gist(self) -> str:
        """Return the most telling line about what went wrong; empty if nothing did."""
        told = self._told
        return text.first_line(f"{self.probe}: {told}") if self.probe and told else text.first_line(told)

    @property
    def _told(self) -> str:
        if self.difference is not None:
            at = self.difference
            where = f"{at.path}: " if at.path else ""
            return f"{where}{at.kind}: expected {at.expected}, got {at.actual}"
        told = ": ".join(part for part in (self.error.get("class"), self.error.get("message")) if part)
        if not told and self.error.get("signal"):
            told = f"ended by signal {self.error['signal']}"
        if not told and self.error.get("exit status"):
            told = f"ended with exit status {self.error['exit status']}"
        return told


@dataclass(frozen=True)
class Engine:
    """One column of the matrix; `label` is `name@version:config`."""

    label: str
    name: str
    version: str
    config: str
    runtime: str
    total: Cell


@dataclass(frozen=True)
class FindingShown:
    """A finding: `count` cases of one engine that fail alike, with the smallest of them.

    `state` is what a history says of it, `new` and so on, "" without one, `since` when it was seen first.
    """

    signature: str
    engine: str
    verdict: str
    count: int
    case: str
    features: tuple[str, ...]
    gist: str
    state: str = ""
    since: str = ""


@dataclass(frozen=True)
class Fixed:
    """A finding of earlier runs whose case is fine now; `became`: the signature by which it fails, or ""."""

    signature: str
    version: str
    case: str
    since: str
    became: str


@dataclass(frozen=True)
class History:
    """What a history says of the run: how many findings are in each state, and those that are fixed."""

    counts: dict[str, int]
    open: int
    fixed: list[Fixed]

    @property
    def told(self) -> str:
        """Return the counts in one line."""
        return ", ".join(f"{count:,} {state}" for state, count in self.counts.items())


@dataclass(frozen=True)
class Skipped:
    """A file that no engine was asked to read, and why."""

    case: str
    reason: str


@dataclass(frozen=True)
class Report:
    """Everything a format may show; `cells` is by (feature, index of the engine).

    `results` are made anew whenever they are gone through: a large run has more than memory holds.
    """

    run: dict[str, str]
    engines: list[Engine]
    unavailable: list[dict[str, str]]
    features: list[str]
    cells: dict[tuple[str, int], Cell]
    total: Cell
    cases: int
    results: Sequence[CaseResult]
    findings: list[FindingShown]
    skipped: list[Skipped]
    history: History | None = None

    @property
    def unexpected(self) -> int:
        """Return the number of findings that nobody knew of; without a history, of all."""
        return sum(finding.state in _UNEXPECTED for finding in self.findings)
