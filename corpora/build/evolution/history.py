"""A table as its writers left it: files of several schemas, in folders that hold partition columns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from corpora import tagged
from corpora.build.evolution import steps
from corpora.build.evolution.members import Schema, ids_of, table_of
from corpora.conversions import NULL_PARTITION
from corpora.table_files import TableFile
from corpora.tagged import Field, integer

_PARTITIONS: dict[str, tuple[Field, tuple[str | None, ...]]] = {
    "year": (Field("year", integer(32)), ("2020", "2021", "-1")),
    "day": (Field("day", tagged.DATE), ("2024-02-29", "1969-12-31", None)),
    "city": (Field("city", tagged.STRING), ("Ü/x", "a=b", "100%", "a b", None)),
}
_MOST_ROWS = 24


@dataclass(frozen=True)
class History:
    """The schemas of a table in the order of time, its files, and its partition columns."""

    steps: tuple[str, ...]
    schemas: tuple[Schema, ...]
    files: tuple[TableFile, ...]
    written: tuple[int, ...]  # of each file, the number of its schema
    partitions: tuple[Field, ...]


def history(format_: str, rng: random.Random, wanted: Sequence[str] = (), *, far: bool = False) -> History:
    """Return a table; `wanted` are the steps of its evolution, by default a few at random.

    `far`: unusual values are among its values (`members.far_scalar`).
    """
    names = steps.Names(format_)
    schemas, taken = [steps.base(rng, names)], []
    for name in wanted or rng.choices(sorted(steps.STEPS), k=rng.randrange(1, 4)):
        after = _stepped(name, schemas[-1], rng, names)
        if after is not None and after != schemas[-1]:
            schemas.append(after)
            taken.append(name)
    partitioned = rng.sample(sorted(_PARTITIONS), rng.choice([0, 0, 1, 2]))
    partitions = tuple(_PARTITIONS[name][0] for name in partitioned)
    return another(History(tuple(taken), tuple(schemas), (), (), partitions), rng, far=far)


def another(table: History, rng: random.Random, *, far: bool = False) -> History:
    """Return a table of the same schemas and partition columns, with other files; for `far` see `history`."""
    files, written = [], []
    for number, schema in enumerate(table.schemas):
        for part in range(rng.choice([1, 1, 2])):
            rows = rng.choice([0, 1, rng.randrange(2, _MOST_ROWS)])
            folders = "".join(f"{field.name}={_folder(field.name, rng)}/" for field in table.partitions)
            content = table_of(schema, rows, rng, far=far)
            files.append(TableFile(f"{folders}part-{number}-{part}", content, ids_of(schema)))
            written.append(number)
    return replace(table, files=tuple(files), written=tuple(written))


def _stepped(name: str, schema: Schema, rng: random.Random, names: steps.Names) -> Schema | None:
    """Return a schema after a step; one without anything to change gets a field first."""
    for _ in range(8):
        after = steps.STEPS[name](schema, rng, names)
        if after is not None:
            return after
        schema = steps.add(schema, rng, names)
    return None


def _folder(name: str, rng: random.Random) -> str:
    """Return the name of a folder behind `=`; special characters of ASCII are escaped, as Hive does."""
    text = rng.choice(_PARTITIONS[name][1])
    if text is None:
        return NULL_PARTITION
    return "".join(quote(letter, safe=" ") if letter.isascii() else letter for letter in text)
