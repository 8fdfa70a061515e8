"""Table cases: a folder of files, a read, and what it must return."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from corpora.build.evolution import orc, parquet
from corpora.build.evolution.history import History, history
from corpora.build.evolution.members import Schema
from corpora.build.evolution.reads import reads
from corpora.cases import Case, Expectation
from corpora.evolution import CONVERSIONS, Evolved, TableFile, Undefined, read_as
from corpora.files import write_whole
from corpora.folders import digest
from corpora.formats import ORC, PARQUET
from corpora.table_reads import TableRead
from corpora.tagged import Table

_PLAIN = "the rows of all files, each once"
WRITERS: dict[str, Callable[[Schema, Table, random.Random], bytes]] = {
    PARQUET: parquet.file,
    ORC: orc.file,
}


def generated(format_: str, seed: str, name: str, folder: Path, steps: Sequence[str] = ()) -> Iterator[Case]:
    """Yield the cases of a table that a seed decides; writes its files into `folder`/files."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    table = history(format_, rng, steps)
    files = folder / "files"
    paths = write(format_, table, files, rng)
    sha256 = digest(files)
    named = [file._replace(path=path) for file, path in zip(table.files, paths, strict=True)]
    for read_name, read in reads(format_, table, rng):
        expectation = expected(named, read)
        if expectation is not None:
            notes = f"{' '.join(table.steps) or 'one schema'}: {read}"
            yield Case(
                f"{name}/{read_name}",
                format_,
                files,
                sha256,
                expectation,
                features=(f"{format_}/other/table",),
                spec=expectation.clause or _PLAIN,
                source="generator",
                notes=notes,
                read=read,
            )


def write(format_: str, table: History, folder: Path, rng: random.Random) -> list[str]:
    """Write the files of a table; return their paths within the folder."""
    paths = []
    for file, number in zip(table.files, table.written, strict=True):
        path = f"{file.path}.{format_}"
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, WRITERS[format_](table.schemas[number], file.table, rng), durable=False)
        paths.append(path)
    return paths


def expected(files: Sequence[TableFile], read: TableRead) -> Expectation | None:
    """Return what a read must return, None where no text says so.

    Where a conversion is not one that all readers of tables document, a reader may refuse.
    """
    try:
        evolved = read_as(files, read)
    except Undefined:
        return None
    clause = "; ".join(sorted({CONVERSIONS[name].authority for name in evolved.conversions}))
    optional = sorted(name for name in evolved.conversions if not CONVERSIONS[name].universal)
    if not optional:
        return _accepted(evolved, clause)
    reason = "not every reader has: " + ", ".join(optional)
    return Expectation.either(reason, clause=clause, table=evolved.table, source="generator")


def _accepted(evolved: Evolved, clause: str) -> Expectation:
    return Expectation("accept", "generator", table=evolved.table, clause=clause or None)
