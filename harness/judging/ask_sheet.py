"""Requests to an engine for a sheet: its files, and the probes of the files that it could read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product

from corpora.answers import arranged, settled
from corpora.build.questions.answers import BY_DIGEST, MOST_ROWS
from corpora.cases import Case
from corpora.known_failures import GENERATED
from corpora.predicates import Predicate
from corpora.queries import Filter, QueryError, predicate_of
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging import pushdown, ways
from harness.judging.affected import is_left_out
from harness.judging.ask import ask, ask_query
from harness.judging.ballots import REFERENCE
from harness.judging.barred import Bars
from harness.judging.compare import compare
from harness.judging.in_part import in_turns, is_unread
from harness.judging.large_answers import Expected, ask_large, expected
from harness.judging.oracle import Oracle
from harness.judging.places import Config, Place, Process, Sheet
from harness.judging.probes import paired
from harness.judging.traits import Traits

_TURNS = 2  # a file that an engine wrote is asked one in so many of the queries of its table
_REFERENCE_CELLS = (
    1 << 20
)  # values of a file from which derived queries are the oracle's alone, not the reference's
_HEAVY_QUERIES = 20  # about, of a generated sheet, which may have 70, are asked of a heavy engine
_HEAVY_SHARE = 3  # a heavy engine is asked one in so many of the derived queries


def outcomes_of(
    connection: Connection, process: Process, sheet: Sheet, *, everything: bool, ways: int | None = 0
) -> Iterator[tuple[Place, Outcome]]:
    """Yield the outcomes of a sheet; `everything`: each query is asked under each value of `pushdown`.

    `ways`: in how many other ways a file is read or a query asked, None for all (`harness/judging/ways.py`).
    """
    requests = _Requests(connection, process, sheet, everything, ways)
    yield from requests.reads()
    yield from requests.in_other_ways()
    yield from requests.probes()
    yield from requests.without_pushdown()
    yield from requests.probes_in_other_ways()


@dataclass
class _Requests:
    """The requests of a sheet; `readable`: the cases that each reading configuration could read.

    `in_part`: those that it could not, which are asked for some of their columns.
    `own`: the tables of those, where the queries were derived and nothing is recorded of the values.
    `wrong`: the cases with a wrong answer, by the configuration without pushdown and the probe to ask again.
    `large`: the latest expected answer over the engine's own table, None without.
    `unread`: the cases that the first configuration could not read, which would fail a sheet again.
    `usual`: the outcomes of configurations that others are but for the way, by these and the case.
    `hung`: pairs of configuration and case that hung and are not asked again, to save the time limit.
    """

    connection: Connection
    process: Process
    sheet: Sheet
    everything: bool
    ways: int | None
    readable: dict[int, list[int]] = field(default_factory=dict)
    in_part: dict[int, list[int]] = field(default_factory=dict)
    own: dict[tuple[int, int], Table] = field(default_factory=dict)
    wrong: dict[tuple[int, int], dict[int, None]] = field(default_factory=dict)
    large: dict[tuple[int, int, int], Expected | None] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)
    usual: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    hung: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.bars = Bars(self.process, self.sheet.cases)
        self.oracle = Oracle(self.connection.spill)
        cases = self.sheet.cases
        self.off_follows = self.sheet.derived and all(case.expectation.table is not None for case in cases)
        self._has_few = self.process.heavy and not self.everything and cases[0].id.startswith(GENERATED)
        self._filters: dict[Predicate | None, int] = {
            probe.query.predicate: at
            for at, probe in reversed(list(enumerate(cases[0].probes)))
            if isinstance(probe.query, Filter)
        }
        self.is_one_table = self.off_follows and len(cases) >= _TURNS  # in many layouts

    def reads(self) -> Iterator[tuple[Place, Outcome]]:
        """Read the files, once for all configurations that differ only in pushdown.

        A configuration skips files of other formats than its own. A configuration that only reads skips the
        files that the first configuration does not support, and those whose result it cannot change.
        """
        configs, every = self.process.configs, range(len(self.sheet.cases))
        lacked: set[int] = set()
        usual = {self._usual(number) for number in range(len(configs))}
        is_of_format = self.sheet.cases[0].format in self.process.formats
        for number, config in enumerate(configs):
            if pushdown.reader(configs, number) == number:
                self.readable[number], self.in_part[number] = [], []
                wanted = [index for index in every if not self._is_left_out(number, index, lacked)]
                for index, outcome in self._read(config, wanted):
                    if outcome.table is not None:
                        self.readable[number].append(index)
                        if self.sheet.derived:
                            self.own[number, index] = outcome.table
                    if is_of_format and is_unread(outcome, self.sheet.cases[index]):
                        self.in_part[number].append(index)
                    if outcome.kind is not OutcomeKind.TABLE and not number:
                        self.unread.add(index)
                    if outcome.kind is OutcomeKind.UNSUPPORTED and not number:
                        lacked.add(index)
                    if number in usual:
                        self.usual[number, index] = outcome
                    yield Place(number, index), outcome

    def _is_left_out(self, number: int, index: int, lacked: Collection[int]) -> bool:
        case, config = self.sheet.cases[index], self.process.configs[number]
        if config.probed:
            return not config.is_for(case.format)
        features = self.bars.features(index)
        unread = index in self.unread
        return index in lacked or is_left_out(
            self.process, number, case.format, case.id, features, unread=unread
        )

    def _read(self, config: Config, wanted: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        left = []
        for index in wanted:
            outcome = self.bars.read(config, index)
            if outcome is None:
                left.append(index)
            else:
                yield index, outcome
        alone = [index for index in left if index in self.unread]
        for some in filter(None, ([index for index in left if index not in alone], *([at] for at in alone))):
            cases = [self.sheet.cases[index] for index in some]
            for place, outcome in ask(self.connection, self.process, config, cases):
                yield some[place], outcome

    def _usual(self, number: int) -> int | None:
        """Return the configuration whose reads are those of `number` in the default way, None if none is."""
        usual = ways.usual(self.process, number)
        return None if usual is None else pushdown.reader(self.process.configs, usual)

    def in_other_ways(self) -> Iterator[tuple[Place, Outcome]]:
        """Read in other ways the files that a configuration could read; in the default way, all of them."""
        for number, readable in self.readable.items():
            by_way: dict[str, list[int]] = {}
            is_unusual = ways.is_unusual(self.process, self.process.configs[number])
            bounded = (
                readable if self.ways is None or not self.process.heavy else readable[: ways.HEAVY_FILES]
            )
            for index in range(len(self.sheet.cases)) if is_unusual else bounded:
                for way in self._ways(number, index):
                    by_way.setdefault(way, []).append(index)
            for way, indices in by_way.items():
                place, usual = Place(number, 0, way=way), self._usual(number)
                config = ways.config_at(self.process, place)
                known = {
                    at: outcome for (of, at), outcome in self.usual.items() if of == usual and at in indices
                }
                yield from ((place._replace(case=index), outcome) for index, outcome in known.items())
                for index, outcome in self._read(config, [index for index in indices if index not in known]):
                    yield place._replace(case=index), outcome

    def _ways(self, number: int, index: int) -> tuple[str, ...]:
        case = self.sheet.cases[index]
        if case.expectation.kind == "refuse":
            return ()  # what an engine makes of a broken file need not be the same in all ways
        if not self._has_ways(case):
            return ()
        return ways.compared(self.process, number, case.format, self._salt(case), self.ways)

    def _has_ways(self, case: Case) -> bool:
        return case.read is None or ways.has_ways_of_tables(self.process)

    def probes(self) -> Iterator[tuple[Place, Outcome]]:
        """Ask the queries under each configuration."""
        configs = self.process.configs
        for number in range(len(configs)):
            without = pushdown.off(configs, number)
            for at, indices in self._indices(pushdown.reader(configs, number)):
                if self._asks(number, at):
                    later = without is not None and not self._asks(without, at)
                    for index, outcome in self._ask(number, at, self._in_turns(at, indices)):
                        yield Place(number, index, at), outcome
                        if later and without is not None and self._is_wrong(number, index, at, outcome):
                            self.wrong.setdefault((without, at), {})[index] = None

    def _indices(self, reader: int) -> Iterator[tuple[int, list[int]]]:
        """Yield each probe and the cases that get it: those that could be read, then those in part."""
        for at, probe in enumerate(self.sheet.cases[0].probes):
            some = in_turns(self.in_part[reader], at, probe.query, heavy=self.process.heavy)
            yield from ((at, indices) for indices in (self.readable[reader], some) if indices)

    def without_pushdown(self) -> Iterator[tuple[Place, Outcome]]:
        """Ask again without pushdown where an answer was wrong."""
        for (number, at), indices in self.wrong.items():
            for index, outcome in self._ask(number, at, sorted(indices)):
                yield Place(number, index, at), outcome

    def probes_in_other_ways(self) -> Iterator[tuple[Place, Outcome]]:
        """Ask some of the queries in other ways, of files that the default way could read."""
        for number, at in product(self.readable, range(len(self.sheet.cases[0].probes))):
            by_way: dict[str, list[int]] = {}
            for index in self.readable[number] if self._asks(number, at) else ():
                for way in self._ways_of_query(number, index, at):
                    by_way.setdefault(way, []).append(index)
            for way, indices in by_way.items():
                place = Place(number, 0, at, way)
                for index, outcome in self._ask(number, at, indices, ways.config_at(self.process, place)):
                    yield place._replace(case=index), outcome

    def _ways_of_query(self, number: int, index: int, at: int) -> tuple[str, ...]:
        case = self.sheet.cases[index]
        if case.expectation.kind == "refuse" or case.probes[at].misled is not None:
            return ()
        if not self._has_ways(case):
            return ()
        salt = f"{self._salt(case)} {case.probes[at].query}"
        return ways.compared(self.process, number, case.format, salt, self.ways, of_queries=True)

    def _salt(self, case: Case) -> str:
        """Return what chooses the ways of a case: a heavy engine has a sheet's cases in the same ones."""
        return self.sheet.id if self.process.heavy else case.sha256

    def _in_turns(self, at: int, indices: list[int]) -> list[int]:
        """Return the files on which a query is run: of one table in many layouts, every other file, in turns.

        The reference, which reads slowly, runs no query that is derived from a large file: the right results
        are computed from the table that it read.
        """
        if self.sheet.derived and self.process.name == REFERENCE:
            indices = [index for index in indices if not self._is_large(index)]
        is_given = at < self.sheet.given
        if self.everything or is_given or self.process.heavy or not self.is_one_table:
            return indices
        return [index for index in indices if (index + at) % _TURNS == 0]

    def _is_large(self, index: int) -> bool:
        own, recorded = self.own.get((0, index)), self.sheet.cases[index].expectation.table
        return recorded is None and own is not None and own.num_rows * len(own.columns) > _REFERENCE_CELLS

    def _asks(self, number: int, at: int) -> bool:
        if not self.process.configs[number].probed:
            return False
        probes, given = self.sheet.cases[0].probes, self.sheet.given
        if self.sheet.derived and at >= given:
            share = _HEAVY_SHARE * (_TURNS if self.is_one_table else 1) if self.process.heavy else 1
            derived = pushdown.DerivedQueries(self.process.configs, share, self.sheet.id)
            if not derived.asks(number, at - given, len(probes) - given):
                return False
        query = probes[at].query
        # Rows are counted of filters that are run as well: if both are wrong, it is one failure.
        leader = self._filters.get(predicate_of(query), at)
        if self._has_few and not pushdown.is_among(leader, len(probes), _HEAVY_QUERIES, self.sheet.id):
            return False
        return pushdown.asks(
            self.process,
            number,
            query,
            self.sheet.id,
            everything=self.everything or at < given,
            off_follows=self.off_follows,
        )

    def _ask(
        self, number: int, at: int, indices: list[int], way: Config | None = None
    ) -> Iterator[tuple[int, Outcome]]:
        """Ask a query under a configuration, or in the way of another one in its place."""
        left, config = [], self.process.configs[number]
        query = self.sheet.cases[0].probes[at].query
        for index in indices:
            barred = self.bars.query(config, index, query)
            if barred is not None:
                yield index, barred
            elif (number, index) not in self.hung:
                left.append(index)
        if not left:
            return
        for index, outcome in self._answers(number, at, left, way or config):
            if outcome.kind is OutcomeKind.HUNG:
                self.hung.add((number, index))
            yield index, outcome

    def _answers(
        self, number: int, at: int, indices: Sequence[int], config: Config
    ) -> Iterator[tuple[int, Outcome]]:
        """Ask a query of files: by digests where the engine's own table says that the answer is large."""
        query, cases = self.sheet.cases[0].probes[at].query, self.sheet.cases
        reader = pushdown.reader(self.process.configs, number)
        left = []
        for index in indices:
            own = self.own.get((reader, index))
            if (
                own is None
                or cases[index].read is not None  # a digest is of a file, whatever the read
                or own.num_rows <= MOST_ROWS
                or not own.columns
                or not isinstance(query, BY_DIGEST)
                or "digest" not in self.connection.describe().get("ops", ["digest"])
            ):
                left.append(index)
            else:
                right = partial(self._expected, (reader, index, at), own)
                yield index, ask_large(self.connection, cases[index], config.switches, query, right)
        if left:
            some = [cases[index] for index in left]
            for place, outcome in ask_query(self.connection, self.process, config, query, some):
                yield left[place], outcome

    def _expected(self, key: tuple[int, int, int], own: Table) -> Expected | None:
        """Return the right answer over the engine's own table; None if its types do not fit the query.

        Queries are asked one after the other, under each configuration: the latest answer is held.
        """
        if key not in self.large:
            _, index, at = key
            probe, traits = self.sheet.cases[index].probes[at], Traits.of(self.connection.describe())
            self.large.clear()
            self.large[key] = None
            with suppress(QueryError):
                right = arranged(probe.query, self.oracle.answer(probe, own, traits.order(probe.query)))
                self.large[key] = expected(right, self.connection.spill)
        return self.large[key]

    def _is_wrong(self, number: int, index: int, at: int, outcome: Outcome) -> bool:
        case: Case = self.sheet.cases[index]
        reader = pushdown.reader(self.process.configs, number)
        file = case.expectation.table or self.own.get((reader, index))
        if any(large and outcome.table is large.table for large in self.large.values()):
            return False
        if outcome.table is None and index in self.in_part[reader]:
            return False
        if outcome.table is None or file is None:
            return outcome.kind is not OutcomeKind.UNSUPPORTED and not outcome.is_ours
        traits = Traits.of(self.connection.describe()).under(self.process.configs[number].switches)
        probe = case.probes[at]
        order = traits.order(probe.query)
        try:
            expected = self.oracle.answer(probe, file, order)
        except QueryError:  # the engine reads another type than the constants have
            return True
        actual = settled(probe.query, outcome.table, order)
        return not compare(*paired(probe.query, expected, actual, traits, file), traits.claimed).equal
