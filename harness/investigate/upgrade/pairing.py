"""A stage of the pipeline: each case under both versions, by configuration, read whole and by its probes.

A line describes a difference and names the configurations that show it. A difference that the default
configuration does not show has a line for each configuration. A line also holds the evidence for the cause:
configurations under which the new version behaves as the old version does by default (`restored`), and under
which the old version behaves as the new version does by default (`explained`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from corpora.cases import CERTAIN, Case, Expectation
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, Unlike, are_alike, line, who_is_right
from harness.investigate.upgrade.comparable import is_left_open, no_counts, right_answer
from harness.investigate.upgrade.pairs import OF_ROWS, Pair, Pairs, apart_of, each_difference
from harness.investigate.upgrade.values import texts_of
from harness.judging import judge as judge_cases
from harness.judging import pushdown
from harness.judging.answers import Answered
from harness.judging.ballots import REFERENCE
from harness.judging.case_files import features_in, size_of
from harness.judging.places import Config, Sheet
from harness.judging.probes import judge_probe
from harness.judging.probing import read_place
from harness.judging.query_subjects import about as about_query
from harness.judging.read_wrong import answer_without, probe_without, table_without
from harness.judging.refusals import is_expected
from harness.judging.rows import in_rows_of
from harness.judging.verdicts import PASSED, Judgement, Verdict
from harness.judging.verdicts import judge as judge_outcome
from harness.runs.pipeline import judging
from harness.runs.pipeline.context import Context


@dataclass
class _Difference:
    """A difference of a case: the first pair and all configurations that show it."""

    pair: Pair
    configs: list[int] = field(default_factory=list)


def pair(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield a line for each difference of a sheet's cases, then a line of counts."""
    counts = no_counts()
    sides = _sides(context, sheet)
    for index, case in enumerate(sheet.cases if len(sides) == 2 else ()):
        counts["cases"] += 1
        differs, before = False, counts["places"]
        compared = _Case(context, sheet, case, index, sides, counts)
        compared.pairs.given = sheet.given
        for difference in compared.lines():
            differs = True
            yield difference
        counts["differing"] += differs
        if compared.pairs.is_lost and counts["places"] == before and not differs:
            counts["unread"] += 1
            counts["reasons"][compared.pairs.reason] += 1
    yield counts


def _sides(context: Context, sheet: Sheet) -> list[Answered]:
    """Return the old and the new version; a version that did not start is absent."""
    there = {each.process.key: each for each in judging.answered(context, "execute", sheet)}
    assert context.comparison is not None
    return [there[key] for key in context.comparison.engines if key in there]


@dataclass
class _Case:
    """One case being compared."""

    context: Context
    sheet: Sheet
    case: Case
    index: int
    sides: list[Answered]
    counts: dict[str, Any]

    def __post_init__(self) -> None:
        self.pairs = Pairs(self.case, self.index, self.sides, self.counts)

    @property
    def configs(self) -> tuple[Config, ...]:
        return self.sides[0].process.configs

    @cached_property
    def features(self) -> list[str]:
        """Return the features of the file, which decide what of an engine's equivalences holds."""
        return sorted({*self.case.features, *features_in(self.case)})

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the differences of the case."""
        reads = dict(self.pairs.reads())
        differing = [*self._by_cause(list(reads.values()))]
        apart = {
            number: apart_of(pair, has_order=self.pairs.has_order(number)) for number, pair in reads.items()
        }
        differing += self._by_cause(list(self.pairs.probes(apart)))
        if differing:
            expectation = self._expectation()
            unstable = set(self._unstable())
            for difference in differing:
                if not self._is_choice(difference.pair, expectation):
                    yield self._line(difference, reads, expectation, unstable)

    def _is_choice(self, pair: Pair, expectation: Expectation) -> bool:
        """Return whether two answers with other rows are both right."""
        if pair.place.probe < 0 or pair.unlike is None or pair.unlike.cls not in {*OF_ROWS, Class.PUSHDOWN}:
            return False  # a query without pushdown may have been answered alike by chance
        query = self.case.probes[pair.place.probe].query
        file_order = self.sides[0].traits.reading(self.case.read).file_order
        if not is_left_open(query, pair.old, pair.new, file_order=file_order):
            return False
        if expectation.table is None:
            # Nobody knows whether the file has the rows that pushdown changes.
            return pair.unlike.cls is not Class.PUSHDOWN
        return PASSED.issuperset(self._verdicts(pair, expectation))

    def _by_cause(self, pairs: list[Pair]) -> Iterator[_Difference]:
        """Yield the differences of the default configuration, then those that only others show.

        Another configuration shows the same difference if the class is the same, and the type of the column:
        the messages may differ.
        """
        differing = [(each, self.pairs.key(each)) for pair in pairs for each in each_difference(pair)]
        of_default = {key for pair, key in differing if not pushdown.reader(self.configs, pair.place.config)}
        by_cause: dict[tuple[Class, str, str, int, int], _Difference] = {}
        for pair, key in differing:
            config = 0 if key in of_default else pair.place.config
            difference = by_cause.setdefault((*key, config), _Difference(pair))
            if pair.place.config not in difference.configs:
                difference.configs.append(pair.place.config)
        yield from by_cause.values()

    def _expectation(self) -> Expectation:
        answered = judging.answered(self.context, "execute", self.sheet)
        given = judge_cases.in_one_order(
            self.case, list(judge_cases.given_of(answered, self.index)), self.features
        )
        expectation = judge_cases.expectation_by_reference(self.case, given, self.features)
        read = [each.outcome for each in given if each.answered.process.name != REFERENCE]
        if expectation.kind == "refuse" and not any(is_expected(expectation, each) for each in read):
            # The reference alone refuses the file, by which a version that reads it is not to be blamed.
            expectation = judge_cases.expectation_of(self.case, given, self.features)
        return judge_cases.allowing_refusal(self.case, expectation, given)

    def _unstable(self) -> Iterator[tuple[str, str]]:
        """Yield version and configuration of each repeated read with another result."""
        for stage in ("settle", "judge"):
            part = self.context.part(stage, self.sheet.id)
            if part.exists():
                for line in judging.rows(self.context, stage, self.sheet.id):
                    row = line["stored"]["row"]
                    if row["case"] == self.case.id and row["verdict"] == Verdict.UNSTABLE:
                        yield row["version"], row["config"]
                return

    def _line(
        self,
        difference: _Difference,
        reads: dict[int, Pair],
        expectation: Expectation,
        unstable: set[tuple[str, str]],
    ) -> dict[str, Any]:
        pair = difference.pair
        assert pair.unlike is not None
        is_probe = pair.place.probe >= 0
        probe = self.case.probes[pair.place.probe] if is_probe else None
        everywhere = pushdown.reader(self.configs, pair.place.config) == 0
        verdicts = self._verdicts(pair, expectation)
        scope = "" if everywhere else pushdown.apart(self.configs[pair.place.config])
        signature = pair.unlike.signature(
            self.sides[0].process.name,
            scope,
            query=probe.query.kind if probe else "",
            cell=self._cell(pair, expectation),
        )
        texts = [self.configs[number].text for number in difference.configs]
        versions = [side.process.version for side in self.sides]
        changed = [version for version in versions if any((version, text) in unstable for text in texts)]
        old, new = texts_of(pair.unlike, pair.old.table)
        return line(
            pair.unlike.cls,
            Right.UNSPECIFIED
            if self._is_undefined(pair, expectation)
            else self._right(expectation, verdicts),
            self.case,
            signature=signature,
            by=expectation.source,
            size=size_of(self.case.file),
            probe=str(probe.query) if probe else None,
            query=probe.query.to_json() if probe else None,
            configs=texts,
            of=len(reads),
            path=str(pair.unlike.path),
            old=old,
            new=new,
            verdicts=[verdict.value for verdict in verdicts],
            features=self.features,
            unstable=bool(changed),
            changed=changed,
            **self._evidence(pair, reads, everywhere=everywhere and not is_probe),
        )

    def _evidence(self, pair: Pair, reads: dict[int, Pair], *, everywhere: bool) -> dict[str, list[str]]:
        restored, explained = [], []
        tried = [number for number in reads if everywhere and number != pair.place.config]
        for number in tried:
            if are_alike(pair.old, reads[number].new):
                restored.append(self.configs[number].text)
            if are_alike(reads[number].old, pair.new):
                explained.append(self.configs[number].text)
        return {
            "tried": [self.configs[number].text for number in tried],
            "restored": restored,
            "explained": explained,
        }

    def _cell(self, pair: Pair, expectation: Expectation) -> str:
        """Return the type of the first differing cell, or the subject of a query."""
        assert pair.unlike is not None
        if not pair.unlike.kind:
            return ""
        if pair.place.probe >= 0:
            query = self.case.probes[pair.place.probe].query
            file = expectation.table
            return about_query(query, file, self.case.read) if file else ""
        if pair.unlike.kind != "value" or pair.old.table is None:
            return ""
        number = pair.unlike.path.column
        return "" if number is None else str(pair.old.table.columns[number].type)

    def _verdicts(self, pair: Pair, expectation: Expectation) -> tuple[Verdict, Verdict]:
        old, new = (
            self._verdict(side, outcome, pair, expectation)
            for side, outcome in zip(self.sides, (pair.old, pair.new), strict=True)
        )
        return old, new

    def _verdict(self, side: Answered, outcome: Outcome, pair: Pair, expectation: Expectation) -> Verdict:
        place, apart = pair.place, pair.apart
        traits = side.traits.under(self.configs[place.config].switches).about(self.features)
        if place.probe < 0:
            if not self.pairs.has_order(place.config):
                outcome = in_rows_of(expectation.table, outcome, traits.claimed)
            return _of_column(judge_outcome(expectation, outcome, traits.claimed), pair.unlike)
        probe, file = self.case.probes[place.probe], expectation.table
        wanted = None if file is None else right_answer(probe, file, traits)
        if file is None or wanted is None:
            if outcome.kind is OutcomeKind.PANICKED:
                return Verdict.PANICKED
            return Verdict.AGREE if outcome.kind is OutcomeKind.TABLE else Verdict.REFUSED_AS_EXPECTED
        read = side.answers.get(read_place(self.configs, place.config, self.index))
        own = read.table if read else None
        traits = traits.reading(self.case.read)
        if apart:
            narrowed = probe_without(probe, apart, file)
            wanted = answer_without(probe.query, wanted, apart)
            file, own = table_without(file, apart), own and table_without(own, apart)
            probe = narrowed or probe
        return judge_probe(probe, wanted, outcome, traits, file=file, read=own).judgement.verdict

    def _is_undefined(self, pair: Pair, expectation: Expectation) -> bool:
        """Return whether both versions answered a query of a known file that has no right result."""
        if pair.place.probe < 0 or expectation.table is None or not (pair.old.table and pair.new.table):
            return False
        probe = self.case.probes[pair.place.probe]
        return right_answer(probe, expectation.table, self.sides[0].traits) is None

    def _right(self, expectation: Expectation, verdicts: tuple[Verdict, Verdict]) -> Right:
        is_excused = expectation.rule is not None or expectation.certainty == CERTAIN  # `allowing_refusal`
        is_judged = expectation.table is not None and is_excused
        if expectation.kind == "either" and expectation.source == "vote" and not is_judged:
            return Right.UNSPECIFIED
        return who_is_right(*verdicts)


def _of_column(judgement: Judgement, unlike: Unlike | None) -> Verdict:
    """Return the verdict on the column that a difference is about: another one may be wrong."""
    number = None if unlike is None else unlike.path.column
    if number is None or judgement.verdict is not Verdict.DIFFERENT or judgement.difference is None:
        return judgement.verdict
    wrong = {each.path.column for each in (judgement.difference, *judgement.others)}
    if None in wrong or number in wrong or (unlike and unlike.cls is Class.ORDER):
        return judgement.verdict
    return Verdict.AGREE
