"""The model behind every report format: results of a run as a matrix, totals, cases and findings.

`reports.build` makes the model. All its text went through `harness.listings.text`: it is visible and bounded,
and has one line where a format needs one line. A format only has to escape its own syntax.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpora.cases import CONTESTED, MUST
from harness.judging.verdicts import PASSED, SIDES
from harness.listings.text import display_name
from harness.runs.history.records import UNEXPECTED
from reports.case_result import CaseResult, Known
from reports.verdicts import worst_first

SCHEMA_VERSION = 1
_MOST_CONTESTED = 1_000
_UNEXPECTED = {"", *UNEXPECTED}
NO_FEATURE = "(no feature)"


@dataclass
class Cell:
    """How many cases of one feature, or of all, have each verdict under one engine.

    `findings` counts the findings among the cases, `problems` by verdict, `known` the failures that
    `corpora/known` lists, `by_choice` the refusals of files and queries where both answers are allowed.
    """

    counts: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    known: int = 0
    by_choice: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    @property
    def cases(self) -> int:
        """Return the number of cases."""
        return self.counts.total()

    @property
    def passed(self) -> int:
        """Return the number of cases that passed."""
        return sum(count for verdict, count in self.counts.items() if verdict in PASSED)

    @property
    def worst(self) -> str:
        """Return the worst verdict; the cell has at least one case."""
        return worst_first(self.counts)[0]

    @property
    def headline(self) -> str:
        """Return the verdict to show: the worst finding, else known failure, else the most frequent."""
        if self.problems:
            return worst_first(self.problems)[0]
        worst = self.worst
        return self.counts.most_common(1)[0][0] if worst in PASSED else worst

    @property
    def failing(self) -> float:
        """Return the share of cases that are findings."""
        return self.findings / self.cases

    def add(self, result: CaseResult) -> None:
        """Count one result."""
        self.counts[result.verdict] += 1
        self.findings += result.finding
        self.problems.update([result.verdict] * result.finding)
        self.known += result.known is not None
        self.by_choice += result.is_by_choice


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
class FindingSummary:
    """A finding: `count` results of one engine with the same signature, of `cases` cases; the smallest case.

    `state` is the finding's state in the history, such as `new`, or ""; `since` is its first run.
    `share` says how many reads showed it, "" if each did. `level` is SHOULD if no MUST is broken.
    `basis` says how sure a blame from a vote is, and why, with the clause, and the known bug that it looks
    like. `file` is the file of `case`, with its digest, "" where no row has it.
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
    basis: str = ""
    share: str = ""
    level: str = MUST
    file: str = ""
    sha256: str = ""
    cases: int = 1

    @property
    def name(self) -> str:
        """Return how reports for people name `case`."""
        return display_name(self.case, self.file)


@dataclass
class Contested:
    """A case on which engines disagree, while neither a clause nor two lineages decide which is wrong.

    `sides` are the votes, `why` is the clause that decides, or the reason that nobody is blamed; `seen` is
    the first answer that differs from the reference's, and where, "" if there is none. `name` is how reports
    for people name the case.
    """

    case: str
    name: str
    sides: str
    why: str
    seen: str = ""


class Breach(NamedTuple):
    """A file that breaks rules and is still read; its writer is blamed, "" if the file names none."""

    name: str
    writer: str
    rules: tuple[str, ...]


@dataclass
class Disputes:
    """How many cases are contested, the first of them, how many files break a rule, the first breaches.

    `last` is the contested case that was counted last: it may have several results, only some of them
    contested.
    """

    contested: int = 0
    last: str = ""
    broken: int = 0
    first: list[Contested] = field(default_factory=list)
    read: int = 0
    breaches: list[Breach] = field(default_factory=list)

    def add(self, result: CaseResult) -> None:
        """Count the case of a result."""
        expectation = result.expectation
        self.broken += "rule" in expectation or expectation.get("kind") == "refuse"
        if "breach" in expectation:
            self.read += 1
            if len(self.breaches) < _MOST_CONTESTED:
                rules = tuple(expectation["breach"].split())
                self.breaches.append(
                    Breach(display_name(result.case, result.file), expectation.get("writer", ""), rules)
                )

    def see(self, result: CaseResult, engine: str) -> None:
        """Count the case of a contested result once, and note how an answer differs from the reference's."""
        expectation = result.expectation
        if expectation.get("certainty") == CONTESTED and result.case != self.last:
            self.last = result.case
            self.contested += 1
            if len(self.first) < _MOST_CONTESTED:
                votes, why = expectation.get("votes", ""), expectation.get("why", "")
                self.first.append(Contested(result.case, display_name(result.case, result.file), votes, why))
        case = self.first[-1] if self.first else None
        is_side = result.verdict in SIDES and not result.probe
        if case and case.case == result.case and is_side and not case.seen and result.gist:
            case.seen = f"{engine}: {result.gist}"

    @property
    def summary(self) -> str:
        """Return the counts as the end of a sentence, "" where both are 0."""
        contested = f", {self.contested:,} contested case{'s' * (self.contested != 1)}"
        broken = f", {self.broken:,} file{'s' * (self.broken != 1)} with broken rules"
        return contested * bool(self.contested) + broken * bool(self.broken)


class Choice(NamedTuple):
    """How many cases an engine refused that may be read or refused, for the reason that they share."""

    engine: str
    reason: str
    cases: int


@dataclass(frozen=True)
class Fixed:
    """A finding of earlier runs that no longer occurs; `became`: the signature of its new failure, or ""."""

    signature: str
    version: str
    case: str
    since: str
    became: str


@dataclass(frozen=True)
class History:
    """The run in the history: how many findings are in each state, and the fixed findings."""

    counts: dict[str, int]
    open: int
    fixed: list[Fixed]

    @property
    def summary(self) -> str:
        """Return the counts in one line."""
        return ", ".join(f"{count:,} {state}" for state, count in self.counts.items())


@dataclass(frozen=True)
class Skipped:
    """A file that no engine read, and the reason; `file` is its path."""

    case: str
    reason: str
    file: str

    @property
    def name(self) -> str:
        """Return how reports for people name it."""
        return display_name(self.case, self.file)


@dataclass(frozen=True)
class Report:
    """The content of a report; `cells` is by (feature, index of the engine).

    `not_asked` has `engine`, `question` and `reason`: what colconf cannot put to these versions. `known`
    counts known failures by name of the engine and reason, `written` is by (writer, index of the reader).
    `alike` has for an engine the other configurations of it that answered each case alike.

    Each iteration over `results` builds them again: a large run has more results than fit into memory.
    """

    run: dict[str, str]
    engines: list[Engine]
    unavailable: list[dict[str, str]]
    features: list[str]
    cells: dict[tuple[str, int], Cell]
    total: Cell
    cases: int
    results: Sequence[CaseResult]
    findings: list[FindingSummary]
    skipped: list[Skipped]
    history: History | None = None
    disputes: Disputes = field(default_factory=Disputes)
    not_asked: list[dict[str, str]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    known: Counter[tuple[str, Known]] = field(default_factory=Counter)
    written: dict[tuple[str, int], Cell] = field(default_factory=dict)
    alike: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def columns(self) -> list[int]:
        """Return the indexes of engines to show: of configurations with equal results, the first."""
        folded = {place for others in self.alike.values() for place in others}
        return [place for place in range(len(self.engines)) if place not in folded]

    @property
    def unexpected(self) -> int:
        """Return the number of findings that fail a run: with a history, only the new and regressed ones.

        With `--level must`, only findings of level MUST count.
        """
        every = self.run["level"] != "must"
        return sum(
            finding.state in _UNEXPECTED and (every or finding.level == MUST) for finding in self.findings
        )
