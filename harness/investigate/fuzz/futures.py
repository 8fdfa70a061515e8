"""Reactions of readers to files from the future: each file has one feature that no reader of today knows.

A file is sent together with the file that it was made from, and an engine's answers to both are compared with
each other, so that the engine's presentation of values does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from corpora.build.formats import ORC, PARQUET
from corpora.cases import Case
from corpora.queries import Project
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.fuzz.inputs import Input, Inputs
from harness.judging.ask import query_one
from harness.judging.compare import compare
from properties.strategies.mutations import futures as parquet
from properties.strategies.mutations.orc import futures as orc
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect

_SEEDS = 60  # that are tried for a feature
_COLUMNS = 6


class Grade(StrEnum):
    """The behaviour of a reader, from good to bad; some features require that a reader reads all."""

    READS = "reads all"
    OTHERS = "reads the other columns"
    NAMES = "names the feature"
    REFUSES = "refuses"
    GARBAGE = "silent garbage"
    CRASH = "crash"


@dataclass(frozen=True)
class Pair:
    """A file from the future, and the same file without the feature."""

    feature: str
    plain: Input
    future: Input


@dataclass(frozen=True)
class Question:
    """A file from the future, and the connection for further queries about the file."""

    feature: str
    connection: Connection
    switches: dict[str, str]
    case: Case


_WORDS = {
    "codec": r"codec|compress",
    "data relabelled": "stream|kind",
    "type kind": r"kind|type",
    "column encryption": r"crypt",
    "magic number": r"magic|PAR",
    "bloom filter": "bloom",
    "unknown fields": "field",
    "fields": "field",
}

# By format, the features, and what makes a file with a feature; raises ReferenceError_.
_FUTURES: dict[str, tuple[Iterable[str], Callable[[str, bytes, Random], bytes | None]]] = {
    PARQUET.name: (
        parquet.FUTURES,
        lambda feature, data, random: parquet.FUTURES[feature].make(data, random),
    ),
    ORC.name: (orc.FUTURES, lambda feature, data, random: orc.FUTURES[feature].make(dissect(data), random)),
}


def features(format_: str) -> list[str]:
    """Return the features of a format."""
    return list(_FUTURES[format_][0])


def pairs(feature: str, inputs: Inputs, count: int, random: Random) -> Iterator[Pair]:
    """Yield files with a feature: `count`, or fewer where the seeds allow fewer."""
    built = 0
    for _ in range(_SEEDS):
        if built == count:
            return
        seed = inputs.seed(random)
        if "/fault/" in seed.seed:
            continue
        data = _with(feature, inputs.format, seed.data, random)
        if data is not None and data != seed.data:
            built += 1
            yield Pair(
                feature,
                seed,
                Input(data, seed.seed, f"{seed.seed}: future: {feature}", future=True, keys=seed.keys),
            )


def _with(feature: str, format_: str, data: bytes, random: Random) -> bytes | None:
    try:
        return _FUTURES[format_][1](feature, data, random)
    except ReferenceError_:
        return None


def grade(question: Question, plain: Outcome, future: Outcome) -> Grade | None:
    """Return the grade of an engine's outcome for a file; None if the engine does not read the plain file."""
    if plain.table is None:
        return None
    if future.table is not None:
        return Grade.READS if compare(plain.table, future.table, ()).equal else Grade.GARBAGE
    if future.kind not in {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}:
        return Grade.CRASH
    others = _others(question, plain.table)
    if others is not None:
        return others
    words = [re.escape(part) for part in question.feature.split() if part.isalpha()]
    word = _WORDS.get(question.feature) or "|".join(words)
    message = f"{future.detail.error_class} {future.detail.message}"
    return Grade.NAMES if re.search(word, message, re.IGNORECASE) else Grade.REFUSES


def _others(question: Question, plain: Table) -> Grade | None:
    """Query the columns one by one; return the grade that follows, None if no column can be read."""
    names = [column.name for column in plain.columns]
    if not 1 < len(names) <= _COLUMNS or len(set(names)) < len(names):
        return None
    read = None
    for number, name in enumerate(names):
        answered = query_one(question.connection, question.case, question.switches, Project((name,)))
        if answered.table is None:
            if answered.kind not in {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}:
                return Grade.CRASH
            continue
        if answered.table.num_rows != plain.num_rows or answered.table.column(0) != plain.column(number):
            return Grade.GARBAGE
        read = Grade.OTHERS
    return read


def tally(table: dict[str, dict[str, dict[str, int]]], engine: str, feature: str, result: Grade) -> None:
    """Count a grade."""
    grades = table.setdefault(engine, {}).setdefault(feature, {})
    grades[result] = grades.get(result, 0) + 1
