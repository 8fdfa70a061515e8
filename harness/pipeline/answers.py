"""What an engine answers to a sheet: its files read whole and, of those that it could read, their probes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpora.answers import answer, settled
from harness.compare import compare
from harness.outcomes import Kind
from harness.pipeline import parts, pushdown
from harness.pipeline.ask import ask, ask_query
from harness.pipeline.plan import Place
from harness.probes import Traits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpora.cases import Case
    from harness.connection import Connection
    from harness.outcomes import Outcome
    from harness.pipeline.plan import Config, Process, Sheet


def answers(
    connection: Connection, process: Process, sheet: Sheet, *, everything: bool
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a part; `everything`: each value of `pushdown` is asked each query."""
    asking = _Asking(connection, process, sheet, everything)
    yield from asking.reads()
    yield from asking.probes()
    yield from asking.without_pushdown()


@dataclass
class _Asking:
    """`readable`: the cases that each reading configuration could read.

    `wrong`: those whose answers were, by the configuration without pushdown and the probe to ask it. `hung`:
    configurations and cases by which they hung, which are asked no more: it would take the time limit again.
    """

    connection: Connection
    process: Process
    sheet: Sheet
    everything: bool
    readable: dict[int, list[int]] = field(default_factory=dict)
    wrong: dict[tuple[int, int], dict[int, None]] = field(default_factory=dict)
    hung: set[tuple[int, int]] = field(default_factory=set)

    def reads(self) -> Iterator[dict[str, Any]]:
        """Have the files read, once for configurations that differ in pushdown alone.

        What the first configuration lacks, those that only read are not asked for.
        """
        configs, every = self.process.configs, range(len(self.sheet.cases))
        lacked: set[int] = set()
        for number, config in enumerate(configs):
            if pushdown.reader(configs, number) == number:
                self.readable[number] = []
                asked = every if config.probed else [index for index in every if index not in lacked]
                for index, outcome in self._read(config, asked):
                    if outcome.kind is Kind.TABLE:
                        self.readable[number].append(index)
                    if outcome.kind is Kind.UNSUPPORTED and not number:
                        lacked.add(index)
                    yield parts.answer(Place(number, index), outcome)

    def _read(self, config: Config, asked: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        if asked:
            cases = [self.sheet.cases[index] for index in asked]
            for place, outcome in ask(self.connection, self.process, config, cases):
                yield asked[place], outcome

    def probes(self) -> Iterator[dict[str, Any]]:
        """Ask each configuration its queries."""
        configs = self.process.configs
        for number in range(len(configs)):
            indices = self.readable[pushdown.reader(configs, number)]
            without = pushdown.off(configs, number)
            for at in range(len(self.sheet.cases[0].probes) if indices else 0):
                if self._asks(number, at):
                    later = without is not None and not self._asks(without, at)
                    for index, outcome in self._ask(number, at, indices):
                        yield parts.answer(Place(number, index, at), outcome)
                        if later and without is not None and self._is_wrong(number, index, at, outcome):
                            self.wrong.setdefault((without, at), {})[index] = None

    def without_pushdown(self) -> Iterator[dict[str, Any]]:
        """Ask again without pushdown where an answer was not the oracle's."""
        for (number, at), indices in self.wrong.items():
            for index, outcome in self._ask(number, at, sorted(indices)):
                yield parts.answer(Place(number, index, at), outcome)

    def _asks(self, number: int, at: int) -> bool:
        if not self.process.configs[number].probed:
            return False
        query = self.sheet.cases[0].probes[at].query
        return pushdown.asks(self.process, number, query, self.sheet.id, everything=self.everything)

    def _ask(self, number: int, at: int, indices: list[int]) -> Iterator[tuple[int, Outcome]]:
        left = [index for index in indices if (number, index) not in self.hung]
        if not left:
            return
        cases = [self.sheet.cases[index] for index in left]
        query, config = cases[0].probes[at].query, self.process.configs[number]
        for place, outcome in ask_query(self.connection, self.process, config, query, cases):
            if outcome.kind is Kind.HUNG:
                self.hung.add((number, left[place]))
            yield left[place], outcome

    def _is_wrong(self, number: int, index: int, at: int, outcome: Outcome) -> bool:
        case: Case = self.sheet.cases[index]
        if outcome.table is None or case.expectation.table is None:
            return outcome.kind is not Kind.UNSUPPORTED
        traits = Traits.of(self.connection.describe()).under(self.process.configs[number].switches)
        probe = case.probes[at]
        order = traits.order(probe.query)
        expected = answer(probe.query, case.expectation.table, order, probe.rows)
        return not compare(expected, settled(probe.query, outcome.table, order), traits.claimed).equal
