"""The engines in Java ÷ Spark, which reads with the same libraries: reads and queries of generated files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.queries import Query
from harness.bench.ratio import Ratio
from harness.children.connection import Connection, worker_command
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.registry import ENGINES
from properties.generate import generate

FILES = 300
_PAIRS = {"parquet": "parquet_java", "orc": "orc_java"}
_TENTH = 0.1
_SEED = 20


class Work(NamedTuple):
    """The files of a sheet, and those of them that are asked a filter, with it."""

    files: tuple[Path, ...]
    questions: tuple[tuple[Path, Query], ...]


def ratios(folder: Path, wanted: int = FILES) -> list[Ratio]:
    """Time reads and filters of `wanted` files of each format, file by file, and Spark's reads by sheets.

    Files and filters that either engine refuses are left out: a refusal is no work.
    """
    measured = []
    for format_, name in _PAIRS.items():
        work = _work(folder / format_, format_, wanted)
        with _engine(name) as own, _engine("spark") as spark:
            for engine in (own, spark):
                work = [_answered(engine, format_, sheet) for sheet in work]
            ours, theirs = _timed(own, format_, work), _timed(spark, format_, work)
        files, filters = (sum(map(len, counted)) for counted in zip(*work, strict=True))
        labels = (
            (f"{name}: reads of {files} generated files, one by one ÷ Spark's", _TENTH),
            (f"{name}: {filters} filters of these files ÷ Spark's", _TENTH),
            (f"{name}: reads of {files} generated files ÷ Spark's by sheets", 1.0),
        )
        pairs = zip((ours[0], ours[1], ours[0]), theirs, labels, strict=True)
        measured += [Ratio(label, seconds, base, target) for seconds, base, (label, target) in pairs]
    return measured


def _engine(name: str) -> Connection:
    return Connection(worker_command(ENGINES[name]))


def _work(folder: Path, format_: str, wanted: int) -> list[Work]:
    """Write sheets until there are enough files."""
    folder.mkdir()
    work: list[Work] = []
    number = count = 0
    while count < wanted:
        for sheet in generate(_SEED, number, number + 16, format_):
            files = []
            for generated in sheet.files[: wanted - count]:
                files.append(folder / f"{count}.{format_}")
                files[-1].write_bytes(generated.data)
                count += 1
            filters = [query for query in sheet.queries if query.kind == "filter"][:1]
            work.append(Work(tuple(files), tuple((file, query) for query in filters for file in files)))
        number += 16
    return work


def _answered(engine: Connection, format_: str, sheet: Work) -> Work:
    """Return what an engine answers of a sheet; its code is warm after that."""
    files = tuple(file for file in sheet.files if _is_table(engine.read(file, format_, {})))
    questions = tuple(
        (file, query)
        for file, query in sheet.questions
        if file in files and _is_table(engine.query([file], format_, {}, query))
    )
    return Work(files, questions)


def _is_table(answer: Outcome | list[Outcome]) -> bool:
    outcomes = answer if isinstance(answer, list) else [answer]
    return all(outcome.kind is OutcomeKind.TABLE for outcome in outcomes)


def _timed(engine: Connection, format_: str, work: Sequence[Work]) -> tuple[float, float, float]:
    """Return the seconds of all reads and of all filters, file by file, and of the reads by sheets."""
    files = [file for sheet in work for file in sheet.files]
    questions = [question for sheet in work for question in sheet.questions]
    sheets = [sheet.files for sheet in work if sheet.files]
    return (
        _seconds(lambda: [engine.read(file, format_, {}) for file in files]),
        _seconds(lambda: [engine.query([file], format_, {}, query) for file, query in questions]),
        _seconds(lambda: [engine.read_many(group, format_, {}) for group in sheets]),
    )


def _seconds(perform: Callable[[], Sequence[Outcome | list[Outcome]]]) -> float:
    """Return the seconds of some work; raises RuntimeError if an answer is no table."""
    begun = time.perf_counter()
    answers = perform()
    seconds = time.perf_counter() - begun
    if not all(map(_is_table, answers)):
        raise RuntimeError("an engine refused what it had answered before")
    return seconds
