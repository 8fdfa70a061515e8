"""The probes of one case under one configuration: which of the engine's answers are wrong."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from corpora.cases import Case, Expectation, Probe
from corpora.queries import AggregateWhere, CountRows, QueryError
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging import pushdown
from harness.judging.answers import Answers
from harness.judging.counted import as_filter, filters_of
from harness.judging.in_part import of_other_types
from harness.judging.oracle import Oracle
from harness.judging.places import READ, Config, Place
from harness.judging.probes import Probed, Traits, judge_against_off, judge_probe
from harness.judging.refusals import may_be
from harness.judging.verdicts import Judgement, Verdict

_LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE})
_ANSWERED = frozenset({OutcomeKind.TABLE, OutcomeKind.REFUSED, OutcomeKind.PANICKED})


class Wrong(NamedTuple):
    """A wrong answer: the index of the probe in the case, the outcome, and its judgement."""

    number: int
    outcome: Outcome
    probed: Probed


class Tested(NamedTuple):
    """The result of a case's probes: numbers of queries and of unsupported ones, cost, and wrong answers.

    `not_asked`: how many colconf cannot put to this version. `misled`: how many answers follow false
    statistics, which a reader that skips rows may give. `by_choice`: how many were refused, and may be.
    `seconds` is the sum of all, `peak_rss_bytes` the highest.
    """

    queries: int = 0
    unsupported: int = 0
    seconds: float = 0.0
    peak_rss_bytes: int = 0
    wrongs: tuple[Wrong, ...] = ()
    misled: int = 0
    not_asked: int = 0
    by_choice: int = 0


class Probing:
    """The probes of one case; the expected answers are computed once for all engines.

    `expectation` is the recorded one or that of a vote. Without its table, or where a derived query does not
    fit its types, an answer is compared with the answer of the same engine without pushdown.
    """

    def __init__(
        self, case: Case, expectation: Expectation, problems: frozenset[Verdict], oracle: Oracle | None = None
    ) -> None:
        self._case = case
        self._oracle = oracle or Oracle()
        self._expectation = expectation
        self._file = expectation.table
        self._problems = problems
        self._expected: dict[tuple[int, str], Table | None] = {}

    def judge(  # noqa: PLR0917 - an engine's configuration, and where its answers are
        self,
        answers: Answers,
        configs: tuple[Config, ...],
        place: Place,
        traits: Traits,
        read: Table | None,
        file_bytes: int,
        *,
        read_is_fine: bool,
        in_part: bool = False,
    ) -> Tested:
        """Judge the answers of configuration and case `place`; for `read` see `judge_probe`.

        Where the whole file was not read well, only the absence of an answer is judged; where it could not be
        read, `in_part`, and that is said of the whole, answers are as well.
        """
        tested = Tested()
        for number, probe in enumerate(self._case.probes):
            here = place._replace(probe=number)
            outcome = answers.get(here)
            if outcome is None:
                continue
            tested = tested._replace(
                queries=tested.queries + 1,
                unsupported=tested.unsupported + (outcome.kind is OutcomeKind.UNSUPPORTED),
                seconds=tested.seconds + outcome.seconds,
                peak_rss_bytes=max(tested.peak_rss_bytes, outcome.peak_rss_bytes),
                not_asked=tested.not_asked + outcome.is_ours,
            )
            is_answer, other_types = outcome.kind in _ANSWERED, None
            if in_part:
                right = self._answer(number, probe, traits.order(probe.query))
                is_answer = False
                if right is not None and outcome.table is not None:
                    is_answer, other_types = True, of_other_types(right, outcome.table, traits.claimed)
            if outcome.kind in _LOST or (is_answer and (read_is_fine or in_part)):
                probed = self._judged(answers, configs, here, probe, traits, outcome, read, file_bytes)
                if (
                    isinstance(probe.query, AggregateWhere | CountRows)
                    and probed.judgement.verdict is Verdict.DIFFERENT
                ):
                    probed = self._like_filter(
                        answers, configs, here, probe.query, traits, outcome, probed, read, file_bytes
                    )
                if other_types is not None:
                    probed = Probed(other_types, pushed=False)
                if probed.misled:
                    tested = tested._replace(misled=tested.misled + 1)
                elif probed.judgement.verdict is Verdict.REFUSED_AS_EXPECTED:
                    tested = tested._replace(by_choice=tested.by_choice + 1)
                elif probed.judgement.verdict in self._problems:
                    tested = tested._replace(wrongs=(*tested.wrongs, Wrong(number, outcome, probed)))
        return tested

    def _judged(  # noqa: PLR0917 - see judge
        self,
        answers: Answers,
        configs: tuple[Config, ...],
        place: Place,
        probe: Probe,
        traits: Traits,
        outcome: Outcome,
        read: Table | None,
        file_bytes: int,
    ) -> Probed:
        traits = traits.reading(self._case.read)
        expected = self._answer(place.probe, probe, traits.order(probe.query))
        without = pushdown.off(configs, place.config)
        off = None if without is None else answers.get(place._replace(config=without))
        if self._file is None or expected is None:
            return judge_against_off(probe, outcome, off, traits, file_bytes=file_bytes)
        file = self._file

        def judged(off: Outcome | None = None) -> Probed:
            return judge_probe(
                probe, expected, outcome, traits, file=file, read=read, off=off, file_bytes=file_bytes
            )

        first = judged()
        if first.judgement.verdict is Verdict.REFUSED_VALID and may_be(self._expectation, outcome):
            return Probed(Judgement(Verdict.REFUSED_AS_EXPECTED), pushed=False)
        if first.judgement.verdict not in self._problems:
            return first
        return first if off is None else judged(off)

    def _like_filter(  # noqa: PLR0917 - see judge
        self,
        answers: Answers,
        configs: tuple[Config, ...],
        place: Place,
        query: AggregateWhere | CountRows,
        traits: Traits,
        count: Outcome,
        counted: Probed,
        read: Table | None,
        file_bytes: int,
    ) -> Probed:
        """Return the judgement on a wrong count, as that on its filter if this has the same wrong rows."""
        own = place.config
        off = pushdown.off(configs, own)
        has_off = off is not None and answers.get(place._replace(config=off)) is not None
        is_off = configs[own].switches.get(pushdown.PUSHDOWN) == pushdown.OFF
        others = () if is_off else (other for other in pushdown.alike(configs, own) if other != own)
        tried = (own, *others)
        for number in filters_of(query, self._case.probes):
            for config in tried:
                there = place._replace(config=config, probe=number)
                rows = answers.get(there)
                if rows is not None and rows.table is not None:
                    probe = self._case.probes[number]
                    filtered = self._judged(answers, configs, there, probe, traits, rows, read, file_bytes)
                    alike = as_filter(query, counted, count, filtered, rows, traits)
                    # Of a count that is wrong without pushdown, too, pushdown is not the cause.
                    if alike is not None and not (has_off and filtered.pushed != counted.pushed):
                        return alike
        return counted

    def _answer(self, number: int, probe: Probe, order: str) -> Table | None:
        """Return the oracle's answer, None if the expected table is not known or has other types."""
        key = number, order
        if key not in self._expected:
            self._expected[key] = None
            if self._file is not None:
                with suppress(QueryError):
                    self._expected[key] = self._oracle.answer(probe, self._file, order)
        return self._expected[key]


def read_place(configs: tuple[Config, ...], config: int, case: int) -> Place:
    """Return the place of the read that counts for a configuration."""
    return Place(pushdown.reader(configs, config), case, READ)
