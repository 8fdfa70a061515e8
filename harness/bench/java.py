"""The engines in Java ÷ Spark, which reads with the same libraries: reads and queries of generated files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.queries import Query
from harness.bench.ratio import Ratio
from harness.children.connection import Connection, worker_command
from harness.engines.registry import ENGINES
from properties.generate import generate

FILES = 1_000
_WARM = 20  # files read before the clock starts
_QUERIES = 1  # filters of a sheet
_PAIRS = {"parquet": "parquet_java", "orc": "orc_java"}
_TENTH = 0.1
_SEED = 20


class Work(NamedTuple):
    """The files of a sheet, and filters that are asked of each."""

    files: tuple[Path, ...]
    queries: tuple[Query, ...]


def ratios(folder: Path) -> list[Ratio]:
    """Time reads and filters of the same files of each format, file by file, and Spark's reads by sheets."""
    measured = []
    for format_, name in _PAIRS.items():
        work = _work(folder / format_, format_)
        ours, theirs = _timed(name, format_, work), _timed("spark", format_, work)
        count = sum(len(sheet.files) for sheet in work)
        labels = (
            (f"{name}: reads of {count} generated files, one by one ÷ Spark's", _TENTH),
            (f"{name}: filters of these files ÷ Spark's", _TENTH),
            (f"{name}: reads of {count} generated files ÷ Spark's by sheets", 1.0),
        )
        pairs = zip((ours[0], ours[1], ours[0]), theirs, labels, strict=True)
        measured += [Ratio(label, own, base, target) for own, base, (label, target) in pairs]
    return measured


def _work(folder: Path, format_: str) -> list[Work]:
    """Write sheets until there are enough files."""
    folder.mkdir()
    work: list[Work] = []
    number = count = 0
    while count < FILES:
        for sheet in generate(_SEED, number, number + 16, format_):
            files = []
            for generated in sheet.files[: FILES - count]:
                files.append(folder / f"{count}.{format_}")
                files[-1].write_bytes(generated.data)
                count += 1
            filters = [query for query in sheet.queries if query.kind == "filter"]
            work.append(Work(tuple(files), tuple(filters[:_QUERIES])))
        number += 16
    return [sheet for sheet in work if sheet.files]


def _timed(name: str, format_: str, work: Sequence[Work]) -> tuple[float, float, float]:
    """Return the seconds of all reads and of all filters, file by file, and of the reads by sheets."""
    files = [file for sheet in work for file in sheet.files]
    with Connection(worker_command(ENGINES[name])) as engine:

        def read() -> None:
            for file in files:
                engine.read(file, format_, {})

        def ask() -> None:
            for sheet in work:
                for query in sheet.queries:
                    for file in sheet.files:
                        engine.query([file], format_, {}, query)

        def read_sheets() -> None:
            for sheet in work:
                engine.read_many(sheet.files, format_, {})

        for file in files[:_WARM]:
            engine.read(file, format_, {})
        return _seconds(read), _seconds(ask), _seconds(read_sheets)


def _seconds(perform: Callable[[], None]) -> float:
    begun = time.perf_counter()
    perform()
    return time.perf_counter() - begun
