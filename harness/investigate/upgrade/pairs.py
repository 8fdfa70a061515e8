"""The outcomes of two versions of an engine for one case, place by place, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from corpora.cases import Case
from corpora.queries import Query
from corpora.tagged import Table
from harness.children.outcomes import Outcome
from harness.investigate.upgrade.classes import Class, Unlike, are_alike, differences_of
from harness.investigate.upgrade.comparable import are_answers, is_of_one, reason_of
from harness.judging import pushdown
from harness.judging.answers import Answered
from harness.judging.compare import compare
from harness.judging.places import Config, Place
from harness.judging.probing import read_place
from harness.judging.read_wrong import answer_without, probe_without
from harness.judging.rows import in_rows_of
from harness.judging.ways import is_unordered, is_unusual

OF_ROWS = frozenset({Class.ROWS, Class.VALUE, Class.NULLS, Class.ORDER})
_OF_VALUES = OF_ROWS - {Class.ROWS}
_OF_COLUMNS = frozenset({Class.SCHEMA, Class.VALUE, Class.NULLS})


class Pair(NamedTuple):
    """Both outcomes of a place, and their first difference or None; `others` are those of other columns.

    `apart`: names of columns that the versions read otherwise, without which answers are compared.
    """

    place: Place
    old: Outcome
    new: Outcome
    unlike: Unlike | None
    others: tuple[Unlike, ...] = ()
    apart: frozenset[str] = frozenset()


@dataclass
class Pairs:
    """The pairs of one case; `sides` are the old and the new version, `counts` those of the sheet.

    The first `given` queries of the case are those of the user.
    """

    case: Case
    index: int
    sides: list[Answered]
    counts: dict[str, Any]
    given: int = 0
    is_lost: bool = False  # one of the versions was not asked what the other was
    reason: str = ""  # why the first answer that is not compared is not
    read: dict[int, Table] = field(default_factory=dict)  # what the old version read, by configuration

    @property
    def configs(self) -> tuple[Config, ...]:
        """Return the configurations, which both versions have."""
        return self.sides[0].process.configs

    def reads(self) -> Iterator[tuple[int, Pair]]:
        """Yield how the whole file was read, with the number of each configuration that reads otherwise."""
        for number in range(len(self.configs)):
            if pushdown.reader(self.configs, number) == number:
                pair = self.pair(read_place(self.configs, number, self.index))
                if pair:
                    if not number:
                        self.counts["seconds"][0] += pair.old.seconds
                        self.counts["seconds"][1] += pair.new.seconds
                    yield number, pair

    def probes(self, apart: dict[int, frozenset[str] | None]) -> Iterator[Pair]:
        """Yield the answers to queries of the columns that both versions read alike."""
        for number in range(len(self.configs)):
            without = apart.get(pushdown.reader(self.configs, number))
            if without is None:
                continue
            for at in range(len(self.case.probes)):
                pair = self.pair(Place(number, self.index, at), without)
                if pair:
                    yield pair._replace(unlike=self._pushed(pair)) if pair.unlike else pair

    def pair(self, place: Place, apart: frozenset[str] = frozenset()) -> Pair | None:
        """Return the outcomes of a place, without the columns `apart`, and how they differ."""
        both = self._outcomes(place, apart)
        if both is None:
            return None
        old, new = both
        has_order = self.has_order(place.config)
        if not has_order and place.probe < 0:
            traits = self.sides[0].traits.under(self.configs[place.config].switches)
            new = in_rows_of(old.table, new, traits.claimed)
        in_way = is_unusual(self.sides[0].process, self.configs[place.config])
        if are_answers(old, new, in_way=in_way):
            self.counts["places"] += 1
            if not place.config and 0 <= place.probe < self.given:
                self.counts["queries"][str(self.case.probes[place.probe].query)] += 1
        else:
            self.reason = self.reason or reason_of([each.process.key for each in self.sides], both)
            self.is_lost |= is_of_one(both)
        if place.probe < 0 and old.table is not None:
            self.read[place.config] = old.table
        differences = differences_of(old, new, in_way=in_way)
        if place.probe >= 0:
            del differences[1:]  # a query is one question, whichever columns it returns
        if not has_order:  # of which a column of another type has none to compare rows by
            is_schema = any(each.cls is Class.SCHEMA for each in differences)
            dropped = _OF_VALUES if is_schema else {Class.ORDER}
            differences = [each for each in differences if each.cls not in dropped]
        first = differences[0] if differences else None
        return Pair(place, old, new, first, tuple(differences[1:]), apart)

    def _outcomes(self, place: Place, apart: frozenset[str]) -> tuple[Outcome, Outcome] | None:
        """Return both outcomes, without the columns `apart`; None if one is missing, or nothing is left."""
        old, new = (side.answers.get(place) for side in self.sides)
        if old is None or new is None:
            return None
        if apart:
            probe, read = self.case.probes[place.probe], self._read(place)
            if read is None or probe_without(probe, apart, read) is None:
                return None
            old, new = (_without(probe.query, outcome, apart) for outcome in (old, new))
        return old, new

    def _read(self, place: Place) -> Table | None:
        """Return what the old version read of the whole file, under the configuration of a place."""
        return self.read.get(read_place(self.configs, place.config, self.index).config)

    def key(self, pair: Pair) -> tuple[Class, str, str, int]:
        """Return what tells a difference from others of its case: class, cause, type of column, and query.

        The messages of errors may differ among configurations. A column has the type that it has by default;
        which column is the first depends on a switch where rows, not columns, differ.
        """
        assert pair.unlike is not None
        cls, number = pair.unlike.cls, pair.unlike.path.column
        are_tables = pair.old.table is not None and pair.new.table is not None
        cause = pair.unlike.cause if are_tables else ""
        table = self.read.get(0, pair.old.table)
        if number is None or table is None or number >= len(table.columns):
            return cls, cause, "", pair.place.probe
        is_of_column = pair.place.probe < 0 and cls in _OF_COLUMNS
        return cls, cause, str(table.columns[number].type) if is_of_column else "", pair.place.probe

    def has_order(self, config: int) -> bool:
        """Return whether rows have an order: those of several files and of unordered ways have none."""
        is_table = self.case.read is not None or self.case.file.is_dir()
        return not is_table and not is_unordered(self.sides[0].process, self.configs[config])

    def _pushed(self, pair: Pair) -> Unlike | None:
        """Return the difference of two answers, with class PUSHDOWN if it is absent without pushdown."""
        assert pair.unlike is not None
        without = pushdown.off(self.configs, pair.place.config)
        if without is None or pair.unlike.cls not in OF_ROWS:
            return pair.unlike
        both = self._outcomes(pair.place._replace(config=without), pair.apart)
        alike = both is not None and are_alike(*both)
        return pair.unlike._replace(cls=Class.PUSHDOWN) if alike else pair.unlike


def apart_of(pair: Pair, *, has_order: bool = True) -> frozenset[str] | None:
    """Return the columns that two versions read otherwise, None where none can be said to be alike.

    Without an order, rows cannot be put beside each other once a column has another type.
    """
    table = pair.old.table
    if table is None or pair.new.table is None:
        return None
    differences = compare(table, pair.new.table, ()).differences if pair.unlike else ()
    if not has_order and any(each.kind == "type" for each in differences):
        differences = tuple(each for each in differences if each.kind == "type")
    numbers = [each.path.column for each in differences]
    if None in numbers or (numbers and (table.spill is not None or pair.new.table.spill is not None)):
        return None
    return frozenset(table.columns[number].name for number in numbers if number is not None)


def _without(query: Query, outcome: Outcome, apart: frozenset[str]) -> Outcome:
    """Return the outcome of a query without some columns of the file."""
    if outcome.table is None:
        return outcome
    return replace(outcome, table=answer_without(query, outcome.table, apart))


def each_difference(pair: Pair) -> Iterator[Pair]:
    """Yield a pair for each of its differences."""
    for each in () if pair.unlike is None else (pair.unlike, *pair.others):
        yield pair._replace(unlike=each, others=())
