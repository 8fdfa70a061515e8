"""The tasks of a run, which can be scheduled, lost and repeated.

Sheets lie on disk (`sheets.py`); the run has only their places in memory, and sends those to tasks.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from harness.judging.places import Place, Process

PLAN = "plan.ndjson"
FILES_PER_TASK = 500  # of a light engine
HEAVY_FILES_PER_TASK = 50  # of one of several heavy engines: a gate reads a file under dozens of switches
_MOST_ALONE = 4  # tasks of a heavy engine that is the only one
TASKS_PER_CORE = 4  # of one stage and engine, at most: tasks are small so that cores end together
_FILE_BYTES = 100_000  # so many bytes count as one more small file


class SheetAt(NamedTuple):
    """The place of a sheet: its id, its part and the offset there, the number of its files and their bytes.

    `crc` is the checksum of its line, which is read without the rest of the part.
    """

    id: str
    offset: int
    files: int
    size: int = 0
    source: str = PLAN
    crc: int = 0

    @property
    def weight(self) -> int:
        """Return the cost of the sheet, in small files."""
        return self.files + self.size // _FILE_BYTES


@dataclass(frozen=True)
class Task:
    """Work for one process of the pipeline, which commits one part after the other.

    kind: `generate` (`numbers` of generated sheets); `write` (names of `tables`), `execute`, `fresh`, `again`
    (`rechecks` by sheet id), all of one engine `process`, the last three of `sheets`; `derive` of `sheets`,
    by the process of the reference; `judge`, `settle` and `pair` of `sheets` alone.
    """

    kind: str
    process: int = -1
    sheets: tuple[SheetAt, ...] = ()
    tables: tuple[str, ...] = ()
    rechecks: tuple[tuple[str, tuple[Place, ...]], ...] = ()
    numbers: tuple[int, int] = (0, 0)


def engine_tasks(processes: Sequence[Process], places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield `execute` tasks, those of heavy engines first.

    A heavy engine has a task for every two cores, or for many files one for each of up to four cores: its
    process keeps hardly more than one busy. Several have more tasks, by turns: versions
    of Spark do not take equally long, and the cores of the quicker one help the slower. A light engine has a
    task for each FILES_PER_TASK files.
    """
    files, most = sum(place.weight for place in places), TASKS_PER_CORE * cores
    heavy = [index for index, process in enumerate(processes) if process.heavy]
    count = max(1, cores // 2, min(cores, _MOST_ALONE, files // FILES_PER_TASK))
    if len(heavy) > 1:
        count = max(count, min(most, files // HEAVY_FILES_PER_TASK))
    for share in shares(places, count):
        yield from (Task("execute", index, sheets=share) for index in heavy)
    for index, process in enumerate(processes):
        if not process.heavy:
            for share in shares(places, min(most, 1 + files // FILES_PER_TASK)):
                yield Task("execute", index, sheets=share)


def judge_tasks(kind: str, places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield tasks of kind `judge`, `settle` or `pair`."""
    for share in shares(places, TASKS_PER_CORE * cores):
        yield Task(kind, sheets=share)


def shares(places: Sequence[SheetAt], count: int) -> Iterator[tuple[SheetAt, ...]]:
    """Distribute the sheets over at most `count` tasks of similar weight, heavy sheets first in each."""
    held: list[list[SheetAt]] = [[] for _ in range(min(count, len(places)))]
    loads = [(0, number) for number in range(len(held))]
    for place in sorted(places, key=attrgetter("weight"), reverse=True):
        load, number = loads[0]
        held[number].append(place)
        heapq.heapreplace(loads, (load + place.weight, number))
    return map(tuple, held)
