"""The tasks that repeat cases: unknown problems, and chosen cases in fresh processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from harness.judging.places import Place
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import SheetAt, Task, shares

SEEN_AGAIN = 16  # of the problems that are alike, so many are read again


def rechecked(tasks: Iterable[Task]) -> int:
    """Return how many outcomes tasks look at again."""
    return sum(len(places) for task in tasks for _, places in task.rechecks)


def second(context: Context, by_id: Mapping[str, SheetAt], cores: int) -> list[Task]:
    """Return the tasks that read the files of unknown problems again, each file separately."""
    wanted: dict[str, dict[str, dict[Place, None]]] = {}
    for identity, (engine, *which) in _unknown(context, by_id.values()):
        wanted.setdefault(engine, {}).setdefault(identity, {})[Place(*which)] = None
    tasks: list[Task] = []
    for number, process in sorted(enumerate(context.processes), key=lambda numbered: not numbered[1].heavy):
        cases = {identity: tuple(places) for identity, places in wanted.get(process.key, {}).items()}
        count = max(1, cores // 2) if process.heavy else 1
        tasks += _tasks("again", number, cases, by_id, count)
    return tasks


def fresh(context: Context, by_id: Mapping[str, SheetAt], cases: Mapping[str, Sequence[Place]]) -> list[Task]:
    """Return the tasks that ask cases, by the id of their sheet, in fresh processes."""
    chosen = {identity: tuple(places) for identity, places in cases.items()}
    reported = [number for number, process in enumerate(context.processes) if process.reported]
    return [task for number in reported for task in _tasks("fresh", number, chosen, by_id, 1)]


def _tasks(
    kind: str,
    number: int,
    cases: Mapping[str, tuple[Place, ...]],
    by_id: Mapping[str, SheetAt],
    count: int,
) -> Iterator[Task]:
    for share in shares([by_id[identity] for identity in cases], count):
        yield Task(kind, number, share, rechecks=tuple((place.id, cases[place.id]) for place in share))


def _unknown(context: Context, places: Iterable[SheetAt]) -> Iterator[tuple[str, list[Any]]]:
    """Yield sheet and place of the problems to be seen again: of those alike, the smallest files."""
    alike: dict[tuple[str, ...], list[tuple[int, str, list[Any]]]] = {}
    for place in places:
        head = context.head(context.part("judge", place.id))
        for what, size, which in head["recheck"]:
            candidates = alike.setdefault(tuple(what), [])
            candidates.append((size, place.id, which))
            if len(candidates) > 2 * SEEN_AGAIN:
                candidates.sort(key=itemgetter(0))
                del candidates[SEEN_AGAIN:]
    for candidates in alike.values():
        for _, identity, which in sorted(candidates, key=itemgetter(0))[:SEEN_AGAIN]:
            yield identity, which
