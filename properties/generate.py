"""Sheets by number: what a seed and a number stand for is the same whenever and wherever it is asked for.

Each sheet depends on its seed and number alone, and on the versions of colconf and Hypothesis. A seed may
have its focus on a feature (`properties.focus`): a feature that a field has is in all files then; of others,
of a few sheets that a number could stand for, the first with such a file is taken.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS

from corpora.build.formats import FORMATS
from properties.choices import Uniform
from properties.focus import SEEDS, focus_of
from properties.strategies import schemas, sheets
from properties.strategies.orc import sheets as orc_sheets
from reference_impl.plans import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.internal.conjecture.data import ConjectureData
    from hypothesis.strategies import SearchStrategy

    from corpora.queries import Query
    from corpora.tagged import Table
    from properties.strategies.sheet import Sheet

_BACKEND = "colconf-seeded"
_TRIES = 4  # sheets to find one in that has the feature that a seed has its focus on
_BLOCK = 16  # sheets drawn at a time, and so held in memory
_FILES = 4, 16  # of a sheet: a heavy engine answers a query of all of them at once, at nearly the cost of one
_LOCK = threading.Lock()  # a source of choices is known to Hypothesis by its name alone, hence to all threads
AVAILABLE_PROVIDERS[_BACKEND] = Uniform


_SHEETS: dict[str, SearchStrategy[Sheet[Any, Any]]] = {
    "parquet": sheets.sheets(*_FILES),
    "orc": orc_sheets.sheets(*_FILES),
}
_FOCUSED = {feature: sheets.sheets(*_FILES, feature) for feature in schemas.OF_FEATURES}


@dataclass(frozen=True)
class GeneratedFile:
    """A file: its plan, its bytes, and the table that it must be read as.

    `groups`: the ordinals of the rows of each row group (stripe).
    """

    plan: Any
    data: bytes = field(repr=False)
    table: Table = field(repr=False)
    groups: list[range] = field(repr=False)
    format: str = "parquet"

    @property
    def text(self) -> str:
        """Return the plan as Python."""
        return show(self.plan)

    @property
    def features(self) -> tuple[str, ...]:
        """Return the ids of the features that the file uses."""
        return FORMATS[self.format].features(self.data, None)


@dataclass(frozen=True)
class GeneratedSheet:
    """Files of one schema, and what is asked of each. `number` and the seed are its name."""

    seed: int
    number: int
    files: tuple[GeneratedFile, ...]
    queries: tuple[Query, ...]


def generate(
    seed: int,
    start: int,
    stop: int,
    format: str = "parquet",  # noqa: A002 - its name
    step: int = 1,
) -> Iterator[GeneratedSheet]:
    """Yield the sheets `start` to `stop` (exclusive) of a seed, in a format: parquet or orc.

    `step`: only one in so many of them.
    """
    numbers, focus = range(start, stop, step), focus_of(seed)
    for first in range(0, len(numbers), _BLOCK):
        block = numbers[first : first + _BLOCK]
        yield from _focused(seed, block, format, focus) if focus else _sheets(seed, block, format)


def _sheets(seed: int, numbers: Sequence[int], format_: str, turn: int = 0) -> Iterator[GeneratedSheet]:
    """Yield the sheets that numbers stand for in a turn."""
    parts = FORMATS[format_]
    names = [number + turn * SEEDS for number in numbers]
    for number, sheet in zip(numbers, drawn(seed, names, format_), strict=True):
        files = [
            GeneratedFile(plan, parts.write(plan, None), parts.table(plan), parts.parts(plan), format_)
            for plan in sheet.plans
        ]
        yield GeneratedSheet(seed, number, tuple(files), sheet.queries)


def _focused(seed: int, numbers: Sequence[int], format_: str, focus: str) -> Iterator[GeneratedSheet]:
    """Yield, of each number's sheets, the first with a file that has the feature, else the first."""
    first: dict[int, GeneratedSheet] = {}
    focused: dict[int, GeneratedSheet] = {}
    for turn in range(_TRIES):
        for sheet in _sheets(seed, [number for number in numbers if number not in focused], format_, turn):
            first.setdefault(sheet.number, sheet)
            if any(focus in file.features for file in sheet.files):
                focused[sheet.number] = sheet
        if len(focused) == len(numbers):
            break
    for number in numbers:
        yield focused.get(number, first[number])


def drawn(seed: int, numbers: Sequence[int], format: str = "parquet") -> list[Sheet[Any, Any]]:  # noqa: A002 - its name
    """Return sheets as their strategy makes them."""
    drawn_sheets: list[Sheet[Any, Any]] = []
    focus = focus_of(seed)
    strategy = _FOCUSED[focus] if format == "parquet" and focus in _FOCUSED else _SHEETS[format]

    @settings(
        max_examples=len(numbers) + 1,  # the first is always the simplest there is, whatever the source says
        backend=_BACKEND,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(sheet: Sheet[Any, Any]) -> None:
        drawn_sheets.append(sheet)

    with _LOCK:
        AVAILABLE_PROVIDERS[_BACKEND] = _choices(seed, numbers, drawn_sheets)
        collect()
    if len(drawn_sheets) != len(numbers) + 1:
        raise RuntimeError(f"{len(drawn_sheets) - 1} of sheets {numbers} of seed {seed} could be drawn")
    return drawn_sheets[1:]


def _choices(seed: int, numbers: Sequence[int], drawn_sheets: list[Sheet[Any, Any]]) -> type[Uniform]:
    """Return the source of choices: that of a sheet depends on seed, number, and how often it was tried."""
    tried: Counter[int] = Counter()

    class Choices(Uniform):
        def __init__(self, data: ConjectureData | None) -> None:
            # The first to be tried, which is not kept, is that of no number.
            number = numbers[len(drawn_sheets) - 1] if drawn_sheets else numbers[0] - 1
            super().__init__(data, f"{seed}/{number}/{tried[number]}")
            tried[number] += 1

    return Choices
