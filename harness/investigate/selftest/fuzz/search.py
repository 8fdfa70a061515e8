"""The search for plants of broken files: each mutant is read without a plant, then by the plants it concerns.

An engine with a plant reads only files with which the reader without a plant reached the plant's place: other
files are read alike. A format is searched by one thread, so that both formats occupy two cores.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from harness.children.connection import Connection, Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.selftest.fuzz.judging import Wrong, ask, connect, wrong
from harness.investigate.selftest.fuzz.mutants import Mutant, Mutants
from harness.investigate.selftest.plant import Plant

# Read again, as a busy machine may delay any answer.
_TWICE = {OutcomeKind.TABLE, OutcomeKind.REFUSED, OutcomeKind.HUNG}


@dataclass
class Hunt:
    """The state of the search for a plant: the number of files offered, and the problem that shows the plant.

    `files` counts all files made until then, `seconds` run from the start of the search.
    """

    plant: Plant
    offered: int = 0
    files: int = 0
    seconds: float = 0.0
    wrong: Wrong | None = None
    operations: tuple[str, ...] = ()


@dataclass
class Search:
    """The search in a format, with an engine for each plant not found yet."""

    mutants: Mutants
    hunts: Sequence[Hunt]
    limits: Limits
    tick: Callable[[int], None]
    seconds: float = 0.0
    failure: BaseException | None = None
    _engines: dict[str, Connection] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def run(self, deadline: float) -> None:
        """Search until all are found, or until `deadline` (of `time.monotonic`); store an exception."""
        begun = time.monotonic()
        try:
            with closing(self.mutants), self._stack:
                while time.monotonic() < deadline and any(hunt.wrong is None for hunt in self.hunts):
                    self._offer(self.mutants.batch(), begun, deadline)
        except BaseException as error:  # noqa: BLE001 - the caller raises it
            self.failure = error
        self.seconds = time.monotonic() - begun

    def _offer(self, batch: Sequence[Mutant], begun: float, deadline: float) -> None:
        for hunt in self.hunts:
            some = [mutant for mutant in batch if hunt.plant.name in mutant.reached]
            if hunt.wrong is not None or not some:
                continue
            if time.monotonic() >= deadline:
                return
            if self._ask(hunt, some):
                hunt.seconds = time.monotonic() - begun
                self._engines.pop(hunt.plant.name).close()
                self.tick(1)

    def _ask(self, hunt: Hunt, some: Sequence[Mutant]) -> bool:
        """Return whether an engine reads a file wrongly; files after the first such file are not read."""
        engine = self._engine(hunt.plant.name)
        outcomes = ask(engine, [mutant.file for mutant in some], self.mutants.format)
        for mutant, outcome in zip(some, outcomes, strict=True):
            hunt.offered += 1
            problem = self._confirmed(engine, mutant, outcome)
            if problem is not None:
                hunt.wrong, hunt.operations, hunt.files = problem, mutant.operations, mutant.number
                return True
        return False

    def _engine(self, name: str) -> Connection:
        if name not in self._engines:
            self._engines[name] = self._stack.enter_context(connect(name, self.limits))
        return self._engines[name]

    def _confirmed(self, engine: Connection, mutant: Mutant, outcome: Outcome) -> Wrong | None:
        """Judge an answer, and confirm a problem by a second reading."""
        first = wrong(mutant.right, outcome, mutant.size)
        if first is None or outcome.kind not in _TWICE:
            return first
        second = wrong(mutant.right, engine.read(mutant.file, self.mutants.format, {}), mutant.size)
        return first if second is not None and second.verdict == first.verdict else None


def search(searches: Sequence[Search], deadline: float) -> None:
    """Run searches in parallel; raises any exception of a search."""
    threads = [threading.Thread(target=each.run, args=(deadline,), daemon=True) for each in searches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in searches:
        if each.failure is not None:
            raise each.failure
