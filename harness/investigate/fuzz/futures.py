"""What readers do with files from the future: each has one feature that no reader of today knows.

A file is sent beside the one that it was made of, and an engine's answers to both are held against each
other, so that how it shows values has no part in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from corpora.queries import Project
from harness.children.outcomes import OutcomeKind
from harness.investigate.fuzz.inputs import Input
from harness.judging.ask import query_one
from harness.judging.compare import compare
from properties.strategies.mutations import futures as parquet
from properties.strategies.mutations.orc import futures as orc
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from corpora.cases import Case
    from corpora.tagged import Table
    from harness.children.connection import Connection
    from harness.children.outcomes import Outcome
    from harness.investigate.fuzz.inputs import Inputs

_SEEDS = 60  # that are tried for a feature
_COLUMNS = 6


class Grade(StrEnum):
    """What a reader did, from good to bad; for some features, to read all is what a reader should do."""

    READS = "reads all"
    OTHERS = "reads the other columns"
    NAMES = "names the feature"
    REFUSES = "refuses"
    GARBAGE = "silent garbage"
    CRASH = "crash"


@dataclass(frozen=True)
class Pair:
    """A file from the future, and the one without the feature."""

    feature: str
    plain: Input
    future: Input


@dataclass(frozen=True)
class Question:
    """A file from the future, and whom to ask more about it."""

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


def features(format_: str) -> list[str]:
    """Return the features of a format."""
    return list(orc.FUTURES if format_ == "orc" else parquet.FUTURES)


def pairs(feature: str, inputs: Inputs, count: int, random: Random) -> Iterator[Pair]:
    """Yield files with a feature, as many as there are among some seeds."""
    made = 0
    for _ in range(_SEEDS):
        if made == count:
            return
        seed = inputs.seed(random)
        if "/fault/" in seed.seed:
            continue
        data = _with(feature, inputs.format, seed.data, random)
        if data is not None and data != seed.data:
            made += 1
            yield Pair(
                feature,
                seed,
                Input(data, seed.seed, f"{seed.seed}: future: {feature}", future=True, keys=seed.keys),
            )


def _with(feature: str, format_: str, data: bytes, random: Random) -> bytes | None:
    if format_ == "parquet":
        return parquet.FUTURES[feature].make(data, random)
    try:
        return orc.FUTURES[feature].make(dissect(data), random)
    except ReferenceError_:
        return None


def grade(asking: Question, plain: Outcome, found: Outcome) -> Grade | None:
    """Grade what an engine did with a file; None if it does not read the plain one."""
    if plain.table is None:
        return None
    if found.table is not None:
        return Grade.READS if compare(plain.table, found.table, ()).equal else Grade.GARBAGE
    if found.kind not in {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}:
        return Grade.CRASH
    others = _others(asking, plain.table)
    if others is not None:
        return others
    words = [re.escape(one) for one in asking.feature.split() if one.isalpha()]
    word = _WORDS.get(asking.feature) or "|".join(words)
    said = f"{found.detail.error_class} {found.detail.message}"
    return Grade.NAMES if re.search(word, said, re.IGNORECASE) else Grade.REFUSES


def _others(asking: Question, plain: Table) -> Grade | None:
    """Ask for the columns one by one; answer the grade that this shows, None if none can be read."""
    names = [column.name for column in plain.columns]
    if not 1 < len(names) <= _COLUMNS or len(set(names)) < len(names):
        return None
    read = None
    for number, name in enumerate(names):
        answered = query_one(asking.connection, asking.case, asking.switches, Project((name,)))
        if answered.table is None:
            if answered.kind not in {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED}:
                return Grade.CRASH
            continue
        if answered.table.num_rows != plain.num_rows or answered.table.column(0) != plain.column(number):
            return Grade.GARBAGE
        read = Grade.OTHERS
    return read


def tally(table: dict[str, dict[str, dict[str, int]]], engine: str, feature: str, found: Grade) -> None:
    """Count a grade."""
    grades = table.setdefault(engine, {}).setdefault(feature, {})
    grades[found] = grades.get(found, 0) + 1
