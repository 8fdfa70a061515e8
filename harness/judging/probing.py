"""The probes of one case under one configuration: which of the engine's answers are wrong."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from corpora.cases import Case, Expectation, Probe
from corpora.queries import AggregateWhere, CountRows, Query, QueryError
from corpora.tagged import Table
from harness.children.outcomes import LOST, Outcome, OutcomeKind
from harness.judging import pushdown
from harness.judging.answers import Answers
from harness.judging.counted import as_filter, filters_of
from harness.judging.in_part import of_other_types
from harness.judging.oracle import Oracle
from harness.judging.places import READ, Config, Place
from harness.judging.probes import Probed, judge_against_off, judge_probe
from harness.judging.read_wrong import answer_without, probe_without, table_without
from harness.judging.refusals import may_be
from harness.judging.traits import Traits
from harness.judging.verdicts import Judgement, Verdict

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


class WholeRead(NamedTuple):
    """How an engine read a whole file under a configuration, and data to judge its query results.

    `wrong` are the names of the columns that it read wrong, None where none can be said to be right; `own` is
    the table that it read, if it needed an equivalence to agree (`judge_probe`). `file_bytes` is the number
    of bytes that explain memory and time.
    """

    configs: tuple[Config, ...]
    traits: Traits
    own: Table | None = None
    file_bytes: int = 0
    wrong: frozenset[str] | None = frozenset()


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

    def judge(self, answers: Answers, place: Place, whole: WholeRead, *, in_part: bool = False) -> Tested:
        """Judge the query results of the configuration and case `place`.

        If no column was read correctly, only missing results are judged. If the engine reported that it
        cannot read the whole file (`in_part`), the results are judged as well.
        """
        traits = whole.traits
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
            if outcome.kind in LOST or (is_answer and (whole.wrong is not None or in_part)):
                probed = self._judged(answers, here, whole, outcome)
                if probed is None:
                    continue
                if (
                    isinstance(probe.query, AggregateWhere | CountRows)
                    and probed.judgement.verdict is Verdict.DIFFERENT
                ):
                    probed = self._like_filter(answers, here, probe.query, whole, outcome, probed)
                if other_types is not None:
                    probed = Probed(other_types, pushed=False)
                if probed.misled:
                    tested = tested._replace(misled=tested.misled + 1)
                elif probed.judgement.verdict is Verdict.REFUSED_AS_EXPECTED:
                    tested = tested._replace(by_choice=tested.by_choice + 1)
                elif probed.judgement.verdict in self._problems:
                    tested = tested._replace(wrongs=(*tested.wrongs, Wrong(number, outcome, probed)))
        return tested

    def _judged(self, answers: Answers, place: Place, whole: WholeRead, outcome: Outcome) -> Probed | None:
        """Judge an answer; None if it depends on a column that was read wrong."""
        wrong, traits, probe = whole.wrong or (), whole.traits, self._case.probes[place.probe]
        expected = self._answer(place.probe, probe, traits.order(probe.query))
        traits = traits.reading(self._case.read)
        without = pushdown.off(whole.configs, place.config)
        off = None if without is None else answers.get(place._replace(config=without))
        if self._file is None or expected is None:
            return judge_against_off(probe, outcome, off, traits, file_bytes=whole.file_bytes)
        narrowed = probe_without(probe, wrong, self._file)
        if narrowed is None and outcome.kind in _ANSWERED:
            return None
        right = answer_without(probe.query, expected, wrong)
        given, given_off = (_without(probe.query, each, wrong) for each in (outcome, off))
        assert given is not None
        file = table_without(self._file, wrong)
        own = None if whole.own is None else table_without(whole.own, wrong)

        def judged(off: Outcome | None = None) -> Probed:
            size = whole.file_bytes
            return judge_probe(
                narrowed or probe, right, given, traits, file=file, read=own, off=off, file_bytes=size
            )

        first = judged()
        if first.judgement.verdict is Verdict.REFUSED_VALID and may_be(self._expectation, outcome):
            return Probed(Judgement(Verdict.REFUSED_AS_EXPECTED), pushed=False)
        if first.judgement.verdict not in self._problems:
            return first
        return first if given_off is None else judged(given_off)

    def _like_filter(  # noqa: PLR0917 - a count, its judgement, and where its filter's answers are
        self,
        answers: Answers,
        place: Place,
        query: AggregateWhere | CountRows,
        whole: WholeRead,
        count: Outcome,
        counted: Probed,
    ) -> Probed:
        """Return the judgement on a wrong count, as that on its filter if this has the same wrong rows."""
        own, configs = place.config, whole.configs
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
                    filtered = self._judged(answers, there, whole, rows)
                    if filtered is None:
                        continue
                    alike = as_filter(query, counted, count, filtered, rows, whole.traits)
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


def _without(query: Query, outcome: Outcome | None, wrong: Collection[str]) -> Outcome | None:
    """Return the outcome of a query without the `wrong` columns of the file."""
    if outcome is None or outcome.table is None:
        return outcome
    table = answer_without(query, outcome.table, wrong)
    return outcome if table is outcome.table else replace(outcome, table=table)


def read_place(configs: tuple[Config, ...], config: int, case: int) -> Place:
    """Return the place of the read that counts for a configuration."""
    return Place(pushdown.reader(configs, config), case, READ)
