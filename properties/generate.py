"""Sheets by number: a seed and a number give the same sheet, whenever and wherever it is generated.

Each sheet depends only on its seed and number, and on the versions of colconf and Hypothesis. A seed may have
its focus on a feature (`properties.focus`): if a strategy of its own draws that feature, all files have it;
otherwise a few sheets are drawn for a number, and the first with such a file is taken. Without a focus, every
DEPTH-th sheet has files of thousands of rows, in which filters skip pages or row groups (`strategies/depth`),
and every ENCRYPTED-th sheet has encrypted files (`strategies/encryptions`). Sheets of a file of more than
65,536 rows (`strategies/large`) are drawn only with their focus. In a run of both formats Parquet has the
even numbers.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS

from corpora.build.formats import FORMATS, ORC, PARQUET, Format
from corpora.build.silences import alike_names, far_moments, may_refuse
from corpora.build.value_features import features_of_values
from corpora.features import many_rows
from corpora.keys import Keys
from corpora.queries import Query
from corpora.tagged import Table
from properties.choices import Uniform
from properties.focus import SEEDS, focus_of
from properties.strategies import depth, encryptions, large, partitions, schemas, sheets
from properties.strategies import tables as written_tables
from properties.strategies.orc import depth as orc_depth
from properties.strategies.orc import encryptions as orc_encryptions
from properties.strategies.orc import large as orc_large
from properties.strategies.orc import sheets as orc_sheets
from properties.strategies.orc.layouts import silence as orc_silence
from properties.strategies.sheet import Sheet
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan
from reference_impl.plans import show

if TYPE_CHECKING:
    from hypothesis.internal.conjecture.data import ConjectureData
    from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")
DEPTH, ENCRYPTED = 32, 64
FIRST_DEEP = {PARQUET.name: 16, ORC.name: 17}
FIRST_ENCRYPTED = {PARQUET.name: 40, ORC.name: 41}
_BACKEND = "colconf-seeded"
_TRIES = 4  # sheets drawn for a number, until one has the feature of the focus
_BLOCK = 16  # sheets drawn, and held in memory, at a time
_FILES = 4, 16  # of a sheet: a heavy engine runs a query of all files at nearly the cost of one
_LOCK = threading.Lock()  # Hypothesis knows a source of choices by its name, which all threads share
AVAILABLE_PROVIDERS[_BACKEND] = Uniform


_SHEETS: dict[str, SearchStrategy[Sheet[Any, Any]]] = {
    PARQUET.name: sheets.sheets(*_FILES),
    ORC.name: orc_sheets.sheets(*_FILES),
}
_DEEP: dict[str, SearchStrategy[Sheet[Any, Any]]] = {
    PARQUET.name: depth.sheets(),
    ORC.name: orc_depth.sheets(),
}
_ENCRYPTED: dict[str, SearchStrategy[Sheet[Any, Any]]] = {
    PARQUET.name: encryptions.sheets(*_FILES),
    ORC.name: orc_encryptions.sheets(*_FILES),
}
_KEYS: dict[str, Callable[[Any], Keys | None]] = {
    PARQUET.name: encryptions.keys_of,
    ORC.name: orc_encryptions.keys_of,
}
_FOCUSED: dict[str, dict[str, SearchStrategy[Sheet[Any, Any]]]] = {
    PARQUET.name: {
        **{feature: sheets.sheets(*_FILES, feature) for feature in schemas.OF_FEATURES},
        **dict.fromkeys(encryptions.FEATURES, _ENCRYPTED[PARQUET.name]),
        depth.FEATURE: _DEEP[PARQUET.name],
        many_rows(PARQUET.name): large.sheets(),
    },
    ORC.name: {
        orc_encryptions.FEATURE: _ENCRYPTED[ORC.name],
        many_rows(ORC.name): orc_large.sheets(),
    },
}


@dataclass(frozen=True)
class GeneratedFile:
    """A file: its plan, its bytes, and the expected table.

    `groups`: the ordinals of the rows of each row group (stripe). `keys` open an encrypted file.
    """

    plan: Any
    data: bytes = field(repr=False)
    table: Table = field(repr=False)
    groups: list[range] = field(repr=False)
    format: str = PARQUET.name
    keys: Keys | None = None

    @property
    def silence(self) -> str:
        """Return why a reader may refuse the file, though it breaks no MUST; "" if it must not."""
        if isinstance(self.plan, FilePlan):
            return orc_silence(self.plan) or may_refuse(OrcFile(self.data))
        return encryptions.silence(self.plan) or far_moments(self.table) or alike_names(self.table)

    @property
    def text(self) -> str:
        """Return the plan as Python."""
        return show(self.plan)

    @property
    def features(self) -> tuple[str, ...]:
        """Return the ids of the features that the file uses."""
        of_values = features_of_values(self.table, self.format)
        return tuple(sorted({*FORMATS[self.format].features(self.data, self.keys), *of_values}))


@dataclass(frozen=True)
class GeneratedSheet:
    """Files of one schema, and the queries of each. `seed` and `number` identify the sheet."""

    seed: int
    number: int
    files: tuple[GeneratedFile, ...]
    queries: tuple[Query, ...]


def generate(
    seed: int,
    start: int,
    stop: int,
    format: str = PARQUET.name,  # noqa: A002 - its name
    step: int = 1,
) -> Iterator[GeneratedSheet]:
    """Yield the sheets `start` to `stop` (exclusive) of a seed, in a format: parquet or orc.

    `step`: yield every `step`th sheet.
    """
    numbers, focus = range(start, stop, step), focus_of(seed)
    for first in range(0, len(numbers), _BLOCK):
        block = numbers[first : first + _BLOCK]
        yield from _focused(seed, block, format, focus) if focus else _sheets(seed, block, format)


def _sheets(seed: int, numbers: Sequence[int], format_: str, turn: int = 0) -> Iterator[GeneratedSheet]:
    """Yield the sheets of numbers; each turn has other sheets."""
    parts = FORMATS[format_]
    names = [number + turn * SEEDS for number in numbers]
    for number, sheet in zip(numbers, drawn(seed, names, format_), strict=True):
        files = tuple(_file(plan, parts) for plan in sheet.plans)
        yield GeneratedSheet(seed, number, files, sheet.queries)


def _file(plan: Any, parts: Format) -> GeneratedFile:
    keys = _KEYS[parts.name](plan)
    return GeneratedFile(
        plan, parts.write(plan, None), parts.table(plan), parts.parts(plan), parts.name, keys
    )


def _focused(seed: int, numbers: Sequence[int], format_: str, focus: str) -> Iterator[GeneratedSheet]:
    """Yield for each number the first of its sheets with a file that has the feature, else the first."""
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


def drawn(seed: int, numbers: Sequence[int], format: str = PARQUET.name) -> list[Sheet[Any, Any]]:  # noqa: A002 - its name
    """Return sheets as their strategies draw them."""
    by_strategy: dict[SearchStrategy[Sheet[Any, Any]], list[int]] = {}
    for number in numbers:
        by_strategy.setdefault(_strategy(format, focus_of(seed), number), []).append(number)
    sheets_drawn: dict[int, Sheet[Any, Any]] = {}
    for strategy, alike in by_strategy.items():
        sheets_drawn.update(zip(alike, _drawn(seed, alike, strategy), strict=True))
    return [sheets_drawn[number] for number in numbers]


def tables(seed: int, numbers: Sequence[int], format: str) -> list[list[Table]]:  # noqa: A002 - its name
    """Return for each number the tables of one schema that engines are given to write in a format."""
    return _drawn(seed, numbers, written_tables.BY_FORMAT[format])


def partitioned_tables(seed: int, numbers: Sequence[int], format: str) -> list[list[Table]]:  # noqa: A002 - its name
    """Return what `tables` does; the last columns of each table are those that it is partitioned by."""
    return _drawn(seed, numbers, partitions.BY_FORMAT[format])


def _strategy(format_: str, focus: str, number: int) -> SearchStrategy[Sheet[Any, Any]]:
    """Return the strategy that draws the sheet of a number."""
    if not focus and number % DEPTH == FIRST_DEEP[format_]:
        return _DEEP[format_]
    if not focus and number % ENCRYPTED == FIRST_ENCRYPTED[format_]:
        return _ENCRYPTED[format_]
    return _FOCUSED[format_].get(focus, _SHEETS[format_])


def _drawn(seed: int, numbers: Sequence[int], strategy: SearchStrategy[Drawn]) -> list[Drawn]:
    drawn_sheets: list[Drawn] = []

    @settings(
        max_examples=len(numbers) + 1,  # the first example is always the simplest, independent of the source
        backend=_BACKEND,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(sheet: Drawn) -> None:
        drawn_sheets.append(sheet)

    with _LOCK:
        AVAILABLE_PROVIDERS[_BACKEND] = _choices(seed, numbers, drawn_sheets)
        collect()
    if len(drawn_sheets) != len(numbers) + 1:
        raise RuntimeError(f"{len(drawn_sheets) - 1} of the sheets {numbers} of seed {seed} could be drawn")
    return drawn_sheets[1:]


def _choices(seed: int, numbers: Sequence[int], drawn_sheets: Sequence[object]) -> type[Uniform]:
    """Return the source of choices: for a sheet it depends on the seed, number, and the tries so far."""
    tried: Counter[int] = Counter()

    class Choices(Uniform):
        def __init__(self, data: ConjectureData | None) -> None:
            # The first example is dropped, and belongs to no number.
            number = numbers[len(drawn_sheets) - 1] if drawn_sheets else numbers[0] - 1
            super().__init__(data, f"{seed}/{number}/{tried[number]}")
            tried[number] += 1

    return Choices
