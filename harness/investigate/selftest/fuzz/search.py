"""Looking for plants of broken files: each mutant is read once without a plant, then by whom it concerns.

A plant is asked only about files with which the reader without it came to the plant's place: what does not
run there is read alike. A format is searched by one thread, so that two cores are busy with both.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.children.outcomes import OutcomeKind
from harness.investigate.selftest.fuzz.asking import ask, connect
from harness.investigate.selftest.fuzz.judging import Wrong, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.children.connection import Connection, Limits
    from harness.children.outcomes import Outcome
    from harness.investigate.selftest.fuzz.mutants import Mutant, Mutants
    from harness.investigate.selftest.plant import Plant

_TWICE = {
    OutcomeKind.TABLE,
    OutcomeKind.REFUSED,
    OutcomeKind.HUNG,
}  # asked again, as a busy machine may delay any answer


@dataclass
class Hunt:
    """What is known of a plant: with how many files it was asked, and what it was found by.

    `files` are all that were made until then, `seconds` run from the begin of the search.
    """

    plant: Plant
    asked: int = 0
    files: int = 0
    seconds: float = 0.0
    wrong: Wrong | None = None
    operations: tuple[str, ...] = ()


@dataclass
class Search:
    """The search in a format, with an engine for each plant that is not found yet."""

    mutants: Mutants
    hunts: Sequence[Hunt]
    limits: Limits
    tick: Callable[[int], None]
    seconds: float = 0.0
    failure: BaseException | None = None
    _engines: dict[str, Connection] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def run(self, deadline: float) -> None:
        """Search until all are found, or until `deadline` (of `time.monotonic`); note what goes wrong."""
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
            some = [one for one in batch if hunt.plant.name in one.reached]
            if hunt.wrong is not None or not some:
                continue
            if time.monotonic() >= deadline:
                return
            if self._ask(hunt, some):
                hunt.seconds = time.monotonic() - begun
                self._engines.pop(hunt.plant.name).close()
                self.tick(1)

    def _ask(self, hunt: Hunt, some: Sequence[Mutant]) -> bool:
        """Ask a plant about files, up to the first one that it reads wrongly; tell whether there is one."""
        engine = self._engine(hunt.plant.name)
        outcomes = ask(engine, [one.file for one in some], self.mutants.format)
        for mutant, outcome in zip(some, outcomes, strict=True):
            hunt.asked += 1
            found = self._confirmed(engine, mutant, outcome)
            if found is not None:
                hunt.wrong, hunt.operations, hunt.files = found, mutant.operations, mutant.number
                return True
        return False

    def _engine(self, name: str) -> Connection:
        if name not in self._engines:
            self._engines[name] = self._stack.enter_context(connect(name, self.limits))
        return self._engines[name]

    def _confirmed(self, engine: Connection, mutant: Mutant, outcome: Outcome) -> Wrong | None:
        """Judge an answer, and what is a problem a second time."""
        found = wrong(mutant.right, outcome, mutant.size)
        if found is None or outcome.kind not in _TWICE:
            return found
        second = wrong(mutant.right, engine.read(mutant.file, self.mutants.format, {}), mutant.size)
        return found if second is not None and second.verdict == found.verdict else None


def search(searches: Sequence[Search], deadline: float) -> None:
    """Run searches side by side; raises what goes wrong in one of them."""
    threads = [threading.Thread(target=one.run, args=(deadline,), daemon=True) for one in searches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in searches:
        if one.failure is not None:
            raise one.failure
