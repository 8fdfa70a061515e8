"""The content of the site: runs, and the newest answer of each version to each case.

All text went through `harness.listings.text` when it was collected (`reports.site.collect`), so that a page
only has to escape its own syntax.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from corpora.known_failures import GENERATED
from harness.judging.verdicts import PASSED
from reports.case_result import Difference, Known
from reports.site.places import Place, Version, by_age
from reports.site.runs import Change, Run
from reports.verdicts import severity

UNSUPPORTED = "unsupported"
NOT_ASKED = frozenset({"skipped", "not_asked"})
UNDECIDED = NOT_ASKED | {"refused_otherwise", "contested"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The newest answer of an engine to a case; `run` is an index into `Site.runs`.

    `finding` is the problem that the result shows: the id of a confirmed finding or of another known failure
    (`reports.known.FindingIds`), or a signature, "" without.
    """

    verdict: str
    outcome: str
    run: int
    is_by_choice: bool = False
    finding: str = ""
    gist: str = ""
    probe: str = ""
    error: tuple[tuple[str, str], ...] = ()
    difference: Difference | None = None
    known: Known | None = None
    equivalences: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_right(self) -> bool:
        """Return whether the case passed."""
        return self.verdict in PASSED

    @property
    def is_wrong(self) -> bool:
        """Return whether the answer is a problem, and not only one that the engine reports as unsupported."""
        return self.counts and not self.is_right and self.verdict != UNSUPPORTED

    @property
    def counts(self) -> bool:
        """Return whether the answer says anything about the engine: it was put to it, and judged."""
        return self.verdict not in UNDECIDED


@dataclass
class CaseRecord:
    """A case, its expectation in the newest run, and its answers by place.

    Answers about other bytes under the same id are left out: `sha256` is that of the newest run.
    """

    id: str
    sha256: str
    format: str
    file: str
    features: tuple[str, ...]
    expectation: Mapping[str, str]
    level: str
    answers: dict[Place, Answer] = field(default_factory=dict)

    @cached_property
    def right(self) -> dict[Version, bool]:
        """Return by version whether it answers right in all of its configurations, where it was asked."""
        states: dict[Version, bool] = {}
        for place, answer in self.answers.items():
            if answer.counts:
                states[place.version] = states.get(place.version, True) and answer.is_right
        return states

    @property
    def worst(self) -> str:
        """Return the worst verdict of the answers, "" without any."""
        return min((answer.verdict for answer in self.answers.values()), key=severity, default="")


@dataclass(frozen=True)
class Comparison:
    """A release and the one before, over the cases and configurations that both were asked, by case id.

    `better` and `worse` are pairs of case and (place of the newer release, verdict before, verdict after).
    `right` is how many of these results were right before.
    """

    before: Version
    after: Version
    common: int
    better: list[Change]
    worse: list[Change]
    right: int

    @property
    def sentence(self) -> str:
        """Return the outcome in words."""
        if not self.common:
            return f"no case was read by both {self.after.version} and {self.before.version}"
        better, worse = len(self.better), len(self.worse)
        counts = (
            f"{better:,} result{'s' * (better != 1)} better, {worse:,} worse, of {self.common:,} that both"
            f" were asked; of these {_percent(self.right, self.common)} % were right, and"
            f" {_percent(self.right + better - worse, self.common)} % are"
        )
        word = (
            "neither better nor worse than"
            if not (better or worse)
            else "better in part, and worse in part, than"
        )
        if bool(better) != bool(worse):
            word = "better than" if better else "worse than"
        return f"{self.after.version} is {word} {self.before.version}: {counts}"


@dataclass
class Site:
    """All runs, the oldest first, and all cases by id.

    `numbers` numbers the ids of all cases that any run asked. `listed` has the engine and the reason of known
    failures that are no confirmed findings, by their id.
    """

    runs: list[Run]
    cases: dict[str, CaseRecord]
    numbers: dict[str, int] = field(default_factory=dict)
    listed: dict[str, tuple[str, Known]] = field(default_factory=dict)

    @cached_property
    def versions(self) -> list[Version]:
        """Return each version that was ever asked, by engine and from old to new."""
        return sorted({version for run in self.runs for version in run.versions}, key=by_age)

    @cached_property
    def engines(self) -> dict[str, list[Version]]:
        """Return the versions of each engine, from old to new."""
        engines: dict[str, list[Version]] = {}
        for version in self.versions:
            engines.setdefault(version.engine, []).append(version)
        return engines

    @cached_property
    def by_version(self) -> dict[Version, dict[tuple[str, str], Answer]]:
        """Return the answers of each version by case and configuration."""
        answers: dict[Version, dict[tuple[str, str], Answer]] = {version: {} for version in self.versions}
        for record in self.cases.values():
            for place, answer in record.answers.items():
                answers[place.version][record.id, place.config] = answer
        return answers

    @cached_property
    def by_feature(self) -> dict[str, list[CaseRecord]]:
        """Return the cases of each feature, in the order of ids.

        A generated file mixes many features, so that its failure tells little of each: it stands only for
        features of which there is no other case.
        """
        groups = _grouped(
            (feature, self.cases[case])
            for case in sorted(self.cases)
            for feature in self.cases[case].features
        )
        handmade = {
            feature: [record for record in records if not record.id.startswith(GENERATED)]
            for feature, records in groups.items()
        }
        return {feature: handmade[feature] or records for feature, records in groups.items()}

    @cached_property
    def by_rule(self) -> dict[str, list[CaseRecord]]:
        """Return the cases that break each rule, in the order of ids."""
        return _grouped(
            (rule, self.cases[case])
            for case in sorted(self.cases)
            for rule in self.cases[case].expectation.get("rule", "").split()
        )

    def compare(self, before: Version, after: Version) -> Comparison:
        """Return what a release answers better and worse than another one."""
        old, new = self.by_version[before], self.by_version[after]
        better: list[Change] = []
        worse: list[Change] = []
        common = right = 0
        for key in sorted(old.keys() & new.keys()):
            if not (old[key].counts and new[key].counts):
                continue
            common += 1
            right += old[key].is_right
            if old[key].is_right == new[key].is_right:
                continue
            change = Change(key[0], Place(after, key[1]), old[key].verdict, new[key].verdict)
            (better if new[key].is_right else worse).append(change)
        return Comparison(before, after, common, better, worse, right)

    def releases(self, engine: str) -> Iterator[Comparison]:
        """Yield each release of an engine, but the oldest, compared with the one before."""
        versions = self.engines[engine]
        for before, after in itertools.pairwise(versions):
            yield self.compare(before, after)


def _grouped(pairs: Iterable[tuple[str, CaseRecord]]) -> dict[str, list[CaseRecord]]:
    groups: dict[str, list[CaseRecord]] = {}
    for key, record in pairs:
        groups.setdefault(key, []).append(record)
    return groups


def _percent(right: int, of: int) -> str:
    """Return a share in percent, rounded down to a tenth: only all of them are 100."""
    return f"{int(1000 * right / of) / 10:g}"


def verdicts(answers: Iterable[Answer]) -> Counter[str]:
    """Return how many answers have each verdict."""
    return Counter(answer.verdict for answer in answers)
