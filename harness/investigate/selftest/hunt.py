"""The search for planted bugs uses the children, the judge and the second look of a run.

A plant is found by the first answer that is a problem, if the reader without the plant has no problem there.
Within a time limit, a short look is taken at each plant first, then longer looks; the plant that has taken
the least time so far is next, so that plants which are hard to find do not delay the others. Cases that do
not reach the place of a plant come last.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from corpora.cases import Case
from harness.children.connection import Connection
from harness.children.outcomes import Outcome
from harness.engines.registry import ENGINES
from harness.investigate.selftest.cases import Cases, connect
from harness.investigate.selftest.plant import QUERY, REFUSAL, TABLE_QUERY, Plant
from harness.investigate.selftest.planting import REACHED
from harness.investigate.selftest.reach import Reach
from harness.judging.ask import query_one, read_one
from harness.judging.places import READ, Config, Place
from harness.judging.probing import Probing, WholeRead
from harness.judging.records import PROBLEMS
from harness.judging.traits import Traits
from harness.judging.verdicts import Judgement, judge, judge_again

_REFERENCE = ENGINES["reference"]
# The truth is known, so that a wrong answer shows without comparing it to that of `off`.
_CONFIG = Config("pushdown=on", {"pushdown": "on"})
_ENGINES = "harness.investigate.selftest.engines"
_STRICT = "harness.investigate.selftest.strict:Strict"


class Wrong(NamedTuple):
    """A problem: its case and query (None: the whole file), its verdict, and the difference or error."""

    case: str
    query: str | None
    verdict: str
    message: str

    def to_json(self) -> dict[str, str | None]:
        """Return the JSON form."""
        return {"case": self.case, "query": self.query, "verdict": self.verdict, "told": self.message}


@dataclass
class Hunt:
    """The state of the search for a plant: cases tried, seconds taken, and the problem that shows the plant.

    `reached`: the changed code was run. `seen`: so many cases were tried, or put off to `later`, by number.
    """

    plant: Plant
    tried: int = 0
    seconds: float = 0.0
    wrong: Wrong | None = None
    reached: bool = False
    seen: int = 0
    later: list[int] = field(default_factory=list)


@dataclass
class Hunter:
    """Looks for plants with the same cases; `healthy`: whether the reader without a plant is right."""

    cases: Cases
    healthy: dict[str, bool] = field(default_factory=dict)
    _probing: dict[str, Probing] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reach = Reach(self.cases, self.wrong)

    def look(self, hunt: Hunt, most: int, deadline: float) -> None:
        """Try at most `most` cases, until `deadline` (`time.monotonic`), or to the first problem."""
        mark = self.cases.context.out / f"reached-{hunt.plant.name}"
        engine = f"{_ENGINES}:{hunt.plant.name}"
        with connect(self.cases, engine, {REACHED: str(mark)}) as connection:
            for number in self._next(hunt, most):
                begun = time.monotonic()
                if begun >= deadline:
                    break
                hunt.tried += 1
                case = self.cases.of(hunt.plant)[number]
                wrong = self.wrong(connection, case, hunt.plant.shows)
                if wrong and self._is_healthy(case, hunt.plant.shows):
                    hunt.wrong = wrong
                hunt.seconds += time.monotonic() - begun
                if hunt.wrong:
                    break
        hunt.reached = mark.exists()

    def _next(self, hunt: Hunt, most: int) -> Iterator[int]:
        """Yield numbers of at most `most` cases; when all are seen, of those that were put off."""
        left = most
        while left and hunt.seen < min(most * _SEEN, len(self.cases.of(hunt.plant))):
            number = hunt.seen
            hunt.seen += 1
            if not hunt.plant.module or hunt.plant.name in self.reach.of(hunt.plant.shows, number):
                left -= 1
                yield number
            else:
                hunt.later.append(number)
        if hunt.seen == len(self.cases.of(hunt.plant)):
            for number in hunt.later[:left]:
                hunt.later.remove(number)
                yield number

    def wrong(self, connection: Connection, case: Case, shows: str) -> Wrong | None:
        """Return the first problem of an engine with a case."""
        is_query = shows in {QUERY, TABLE_QUERY}
        return self._queried(connection, case) if is_query else self._read(connection, case)

    def _is_healthy(self, case: Case, shows: str) -> bool:
        key = f"{shows} {case.id}"
        if key not in self.healthy:
            engine = _STRICT if shows == REFUSAL else f"{_REFERENCE.module}:{_REFERENCE.class_name}"
            with connect(self.cases, engine, {}) as connection:
                self.healthy[key] = self.wrong(connection, case, shows) is None
        return self.healthy[key]

    def _read(self, connection: Connection, case: Case) -> Wrong | None:
        switches = _CONFIG.switches
        outcome = read_one(connection, case, switches)
        judgement = judge(case.expectation, outcome, file_bytes=case.file.stat().st_size)
        if judgement.verdict not in PROBLEMS:
            return None
        again = judge_again(outcome, read_one(connection, case, switches)) if outcome.table else None
        return _wrong(case, None, outcome, again or judgement)

    def _queried(self, connection: Connection, case: Case) -> Wrong | None:
        assert case.expectation.table is not None
        probing = self._probing.setdefault(case.id, Probing(case, case.expectation, PROBLEMS))
        traits = Traits.of(connection.describe())
        live, size = _Live(connection, case), case.file.stat().st_size
        tested = probing.judge(live, Place(0, 0), WholeRead((_CONFIG,), traits, None, size))
        if not tested.wrongs:
            return None
        wrong = tested.wrongs[0]
        return _wrong(case, str(case.probes[wrong.number].query), wrong.outcome, wrong.probed.judgement)


class _Live:
    """The answers of an engine for a case, queried at the first access."""

    def __init__(self, connection: Connection, case: Case) -> None:
        self._connection = connection
        self._case = case
        self._answers: dict[Place, Outcome] = {}

    def get(self, place: Place) -> Outcome | None:
        """Return the outcome of a query."""
        if place.probe == READ:
            return None
        if place not in self._answers:
            query = self._case.probes[place.probe].query
            self._answers[place] = query_one(self._connection, self._case, _CONFIG.switches, query)
        return self._answers[place]


def _wrong(case: Case, query: str | None, outcome: Outcome, judgement: Judgement) -> Wrong:
    seen = outcome.detail.message
    if judgement.difference is not None:
        at = judgement.difference
        seen = f"{at.path}: expected {at.expected}, got {at.actual}"
    return Wrong(case.id, query, judgement.verdict.value, seen)


_FIRST = 12  # cases of the first look; each further look has _MORE times as many
_MORE = 4
_SEEN = 16  # so many cases are seen for each that may be tried: most do not reach a plant in rare code
_TICK_SECONDS = 0.2


class _Look(NamedTuple):
    """A look at a plant with at most `most` cases; sorts by the order of the search."""

    seconds: float
    number: int
    most: int


def search(
    cases: Cases, plants: Iterable[Plant], deadline: float, jobs: int, tick: Callable[[int], None]
) -> list[Hunt]:
    """Look for plants until all are found, all cases are tried or `deadline` (`time.monotonic`) has passed.

    `tick` counts finished plants. Raises any exception of the search itself.
    """
    hunts = [Hunt(plant) for plant in plants]
    waiting: queue.PriorityQueue[_Look] = queue.PriorityQueue()
    done: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    for number in range(len(hunts)):
        waiting.put(_Look(0.0, number, _FIRST))
    hunter = Hunter(cases)
    threads = [
        threading.Thread(target=_work, args=(hunter, hunts, waiting, done, deadline), daemon=True)
        for _ in range(jobs)
    ]
    for thread in threads:
        thread.start()
    with closing(hunter.reach):
        while any(thread.is_alive() for thread in threads) or not done.empty():
            try:
                count = done.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                continue
            if isinstance(count, BaseException):
                raise count
            tick(count)
    return hunts


def _work(
    hunter: Hunter,
    hunts: Sequence[Hunt],
    waiting: queue.PriorityQueue[_Look],
    done: queue.SimpleQueue[int | BaseException],
    deadline: float,
) -> None:
    """Take plants from the queue; a plant that is not found returns to the queue, for more cases."""
    try:
        while time.monotonic() < deadline:
            look = waiting.get_nowait()
            hunt = hunts[look.number]
            hunter.look(hunt, look.most, deadline)
            if hunt.wrong is None and (hunt.later or hunt.seen < len(hunter.cases.of(hunt.plant))):
                waiting.put(_Look(hunt.seconds, look.number, look.most * _MORE))
            else:
                done.put(1)
    except queue.Empty:
        return
    except BaseException as error:  # noqa: BLE001 - the caller raises it
        done.put(error)
