"""A stage of the pipeline: each case under both versions, by configuration, read whole and by its probes.

A difference that the default configuration shows is of every configuration that shows it alike; a line says
which do. What only another configuration shows is a difference of that one. Beside the difference, a line
holds the evidence for its cause: configurations under which the new version does what the old one does by
default (`restored`), and under which the old one does what the new one does by default (`explained`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.answers import answer
from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, Unlike, plain, unlike, who_is_right
from harness.judging import judge as judge_cases
from harness.judging import pushdown
from harness.judging.places import Place
from harness.judging.probes import about as about_query
from harness.judging.probes import judge_probe
from harness.judging.probing import read_place
from harness.judging.verdicts import Verdict
from harness.judging.verdicts import judge as judge_outcome
from harness.runs.pipeline import judging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.cases import Case, Expectation
    from harness.children.outcomes import Outcome
    from harness.judging.answers import Answered
    from harness.judging.places import Config, Sheet
    from harness.runs.pipeline.context import Context

_BY_VOTE = "vote"


class _Pair(NamedTuple):
    """Both outcomes of one place, and how they differ (None: they do not)."""

    place: Place
    old: Outcome
    new: Outcome
    unlike: Unlike | None


@dataclass
class _Found:
    """A difference of a case: where it was seen first, and all configurations that show it."""

    pair: _Pair
    configs: list[int] = field(default_factory=list)


def pair(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield a line for each difference of a sheet's cases, and one of counts (`cases`) at the end."""
    counts: dict[str, Any] = {"cases": 0, "places": 0, "differing": 0, "seconds": [0.0, 0.0]}
    sides = _sides(context, sheet)
    for index, case in enumerate(sheet.cases if len(sides) == 2 else ()):
        counts["cases"] += 1
        differs = False
        for line in _Case(context, sheet, case, index, sides, counts).lines():
            differs = True
            yield line
        counts["differing"] += differs
    yield counts


def _sides(context: Context, sheet: Sheet) -> list[Answered]:
    """Return the old and the new version, as far as they started."""
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

    @property
    def configs(self) -> tuple[Config, ...]:
        return self.sides[0].process.configs

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the differences of the case."""
        reads = dict(self._reads())
        differing = [*self._by_cause(list(reads.values()))]
        fine = {number for number, one in reads.items() if one.unlike is None and one.old.table is not None}
        differing += self._by_cause(list(self._probes(fine)))
        if differing:
            expectation = self._expectation()
            unstable = set(self._unstable())
            for found in differing:
                yield self._line(found, reads, expectation, unstable)

    def _reads(self) -> Iterator[tuple[int, _Pair]]:
        for number in range(len(self.configs)):
            if pushdown.reader(self.configs, number) == number:
                one = self._pair(read_place(self.configs, number, self.index))
                if one:
                    if not number:
                        self.counts["seconds"][0] += one.old.seconds
                        self.counts["seconds"][1] += one.new.seconds
                    yield number, one

    def _probes(self, fine: set[int]) -> Iterator[_Pair]:
        """Yield the answers to queries of files that both versions read alike."""
        for number in range(len(self.configs)):
            if pushdown.reader(self.configs, number) in fine:
                for at in range(len(self.case.probes)):
                    one = self._pair(Place(number, self.index, at))
                    if one:
                        yield one._replace(unlike=self._pushed(one)) if one.unlike else one

    def _pair(self, place: Place) -> _Pair | None:
        old, new = (side.answers.get(place) for side in self.sides)
        if old is None or new is None:
            return None
        self.counts["places"] += 1
        found = unlike(old, new)
        if found and found.cls is Class.ORDER and self.case.file.is_dir():
            found = None  # the rows of a folder's files have no order between them
        return _Pair(place, old, new, found)

    def _pushed(self, one: _Pair) -> Unlike | None:
        """Return the difference of two answers, as one of pushdown if without it they are alike."""
        assert one.unlike is not None
        without = pushdown.off(self.configs, one.place.config)
        if without is None or one.unlike.cls not in {Class.ROWS, Class.VALUE, Class.NULLS, Class.ORDER}:
            return one.unlike
        old, new = (side.answers.get(one.place._replace(config=without)) for side in self.sides)
        alike = old is not None and new is not None and unlike(old, new) is None
        return one.unlike._replace(cls=Class.PUSHDOWN) if alike else one.unlike

    def _by_cause(self, pairs: list[_Pair]) -> Iterator[_Found]:
        """Yield differences: each of the default configuration once, then what only others show.

        Another configuration shows the same one if it is of the same class: its words may be others.
        """
        differing = [(one, (one.unlike.cls, one.place.probe)) for one in pairs if one.unlike]
        of_default = {key for one, key in differing if pushdown.reader(self.configs, one.place.config) == 0}
        found: dict[tuple[Class, int, int], _Found] = {}
        for one, key in differing:
            shared = found.setdefault((*key, 0 if key in of_default else one.place.config), _Found(one))
            shared.configs.append(one.place.config)
        yield from found.values()

    def _expectation(self) -> Expectation:
        answered = judging.answered(self.context, "execute", self.sheet)
        return judge_cases.expectation_of(self.case, list(judge_cases.given_of(answered, self.index)))

    def _unstable(self) -> Iterator[tuple[str, str]]:
        """Yield version and configuration of what was read twice, with two results."""
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
        found: _Found,
        reads: dict[int, _Pair],
        expectation: Expectation,
        unstable: set[tuple[str, str]],
    ) -> dict[str, Any]:
        one, numbers = found.pair, found.configs
        assert one.unlike is not None
        is_probe = one.place.probe >= 0
        probe = self.case.probes[one.place.probe] if is_probe else None
        everywhere = pushdown.reader(self.configs, one.place.config) == 0
        verdicts = self._verdicts(one, expectation)
        told = one.unlike.told
        cell = self._cell(one, expectation)
        what = " in ".join(filter(None, (told, cell)))
        scope = "" if everywhere else pushdown.apart(self.configs[one.place.config])
        kind = f"{probe.query.kind}: " if probe else ""
        engine = self.sides[0].process.name
        texts = [self.configs[number].text for number in numbers]
        shaky = any((side.process.version, text) in unstable for side in self.sides for text in texts)
        name = f"{engine}:{scope}" if scope else engine
        return {
            "signature": plain(" | ".join((name, one.unlike.cls, kind + what))),
            "class": one.unlike.cls.value,
            "right": self._right(expectation, verdicts).value,
            "by": expectation.source,
            "case": self.case.id,
            "format": self.case.format,
            "file": str(self.case.file),
            "sha256": self.case.sha256,
            "size": judge_cases.size_of(self.case.file),
            "probe": str(probe.query) if probe else None,
            "query": probe.query.to_json() if probe else None,
            "configs": texts,
            "of": len(reads),
            "path": str(one.unlike.path),
            "old": one.unlike.old,
            "new": one.unlike.new,
            "verdicts": [verdict.value for verdict in verdicts],
            "features": sorted({*self.case.features, *judge_cases.features_in(self.case)}),
            "unstable": shaky,
            **self._evidence(one, reads, everywhere=everywhere and not is_probe),
        }

    def _evidence(self, one: _Pair, reads: dict[int, _Pair], *, everywhere: bool) -> dict[str, list[str]]:
        restored, explained = [], []
        tried = [number for number in reads if everywhere and number != one.place.config]
        for number in tried:
            if unlike(one.old, reads[number].new) is None:
                restored.append(self.configs[number].text)
            if unlike(reads[number].old, one.new) is None:
                explained.append(self.configs[number].text)
        return {
            "tried": [self.configs[number].text for number in tried],
            "restored": restored,
            "explained": explained,
        }

    def _cell(self, one: _Pair, expectation: Expectation) -> str:
        """Return what the cell is in which values differ, or of a query what it looks at."""
        assert one.unlike is not None
        if not one.unlike.kind:
            return ""
        if one.place.probe >= 0:
            query = self.case.probes[one.place.probe].query
            return about_query(query, expectation.table) if expectation.table else ""
        if one.unlike.kind != "value" or one.old.table is None:
            return ""
        number = one.unlike.path.column
        return "" if number is None else str(one.old.table.columns[number].type)

    def _verdicts(self, one: _Pair, expectation: Expectation) -> tuple[Verdict, Verdict]:
        old, new = (
            self._verdict(side, outcome, one.place, expectation)
            for side, outcome in zip(self.sides, (one.old, one.new), strict=True)
        )
        return old, new

    def _verdict(self, side: Answered, outcome: Outcome, place: Place, expectation: Expectation) -> Verdict:
        traits = side.traits.under(self.configs[place.config].switches)
        if place.probe < 0:
            return judge_outcome(expectation, outcome, traits.claimed).verdict
        probe, file = self.case.probes[place.probe], expectation.table
        if file is None:
            return Verdict.AGREE if outcome.kind is OutcomeKind.TABLE else Verdict.REFUSED_AS_EXPECTED
        read = side.answers.get(read_place(self.configs, place.config, self.index))
        wanted = answer(probe.query, file, traits.order(probe.query), probe.rows)
        own = read.table if read else None
        return judge_probe(probe, wanted, outcome, traits, file=file, read=own).judgement.verdict

    def _right(self, expectation: Expectation, verdicts: tuple[Verdict, Verdict]) -> Right:
        if expectation.kind == "either" and expectation.source == _BY_VOTE:
            return Right.UNSPECIFIED
        return who_is_right(*verdicts)
