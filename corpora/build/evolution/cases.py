"""Table cases: a folder of files, a read, and what it must return."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from corpora.build.evolution import orc, parquet
from corpora.build.evolution.by_hand import HandMade
from corpora.build.evolution.filters import probes
from corpora.build.evolution.history import History, another, history
from corpora.build.evolution.members import Schema, ids_of
from corpora.build.evolution.reads import queried, reads
from corpora.cases import Case, Expectation, Probe
from corpora.conversions import CONVERSIONS, why_refused
from corpora.evolution import read_as
from corpora.features import TABLES
from corpora.files import write_whole
from corpora.folders import digest
from corpora.formats import ORC, PARQUET
from corpora.table_files import TableFile, Undefined
from corpora.table_reads import TableRead
from corpora.tagged import Table

_FAR_TABLES = 2
PLAIN = "the rows of all files, each once"
WRITERS: dict[str, Callable[[Schema, Table, random.Random], bytes]] = {
    PARQUET: parquet.file,
    ORC: orc.file,
}


def generated(
    format_: str, seed: str, name: str, folder: Path, steps: Sequence[str] = (), *, far: bool = False
) -> Iterator[Case]:
    """Yield the cases of a table that a seed decides; writes its files into `folder`/files.

    For `steps` and `far` see `history`.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    table = history(format_, rng, steps, far=far)
    written, named = _written(format_, table, name, folder, rng)
    listed = list(reads(format_, table, rng))
    yield from _cases(written, named, listed)
    yield from _queried(written, named, listed, seed)


def alike(format_: str, seed: str, name: str, folder: Path, count: int) -> Iterator[Case]:
    """Yield the cases of `count` tables of one history and other rows, each in a folder of its own.

    They have the same reads, so that a query engine reads all of them at once; the names of their cases end
    in `~` and the number of the table. Every other table has unusual values, among them texts for which no
    text says what a read as CHAR returns.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    table = history(format_, rng)
    listed: list[tuple[str, TableRead]] = []
    queries: dict[str, tuple[Probe, ...]] = {}
    for number in range(count):
        table = table if not number else another(table, rng, far=bool(number % _FAR_TABLES))
        written, named = _written(format_, table, name, folder / str(number), rng)
        listed = listed or list(reads(format_, table, rng))
        cases = {case.id.rpartition("/")[2]: case for case in _queried(written, named, listed, seed)}
        queries = queries or {read: case.probes for read, case in cases.items()}
        others = (replace(case, probes=queries.get(read, ())) for read, case in cases.items())
        for case in (*_cases(written, named, listed), *others):
            yield replace(case, id=f"{case.id}~{number}")


def _queried(
    table: _Written, files: Sequence[TableFile], named_reads: Iterable[tuple[str, TableRead]], seed: str
) -> Iterator[Case]:
    """Yield the cases of a table of which queries are asked."""
    rng = random.Random(f"{seed}, queries")  # noqa: S311 - no secret
    yield from _cases(table, files, queried(named_reads, rng), lambda _, rows, read: probes(rows, read, rng))


def _written(
    format_: str, table: History, name: str, folder: Path, rng: random.Random
) -> tuple[_Written, list[TableFile]]:
    """Write the files of a table into `folder`/files."""
    files = folder / "files"
    paths = write(format_, table, files, rng)
    named = [
        file._replace(path=path, size=(files / path).stat().st_size)
        for file, path in zip(table.files, paths, strict=True)
    ]
    notes = " ".join(table.steps) or "one schema"
    return _Written(format_, name, files, digest(files), notes), named


def made_by_hand(format_: str, table: HandMade, name: str, folder: Path) -> Iterator[Case]:
    """Yield the cases of a table that was made by hand; writes its files into `folder`/files."""
    files = folder / "files"
    listed = []
    writer = partial(parquet.file, metadata=table.metadata) if table.metadata else WRITERS[format_]
    for path, schema, rows in table.tables():
        target = f"{path}.{format_}"
        _put(files / target, writer(schema, rows, random.Random(name)))  # noqa: S311 - no secret
        listed.append(TableFile(target, rows, ids_of(schema), (files / target).stat().st_size))
    whole = (files / listed[0].path).read_bytes()
    for path, share, behind in table.broken:
        _put(files / f"{path}.{format_}", whole[: int(len(whole) * share)] + behind)
    queries = dict(table.queries)
    written = _Written(format_, name, files, digest(files), table.name)
    yield from _cases(written, listed, table.reads, lambda read, *_: tuple(map(Probe, queries.get(read, ()))))


class _Written(NamedTuple):
    """A table that was written: what its cases have in common."""

    format: str
    name: str
    files: Path
    sha256: str
    notes: str


# Returns the queries of a case, by its name, table and read.
_Probes = Callable[[str, Table, TableRead], tuple[Probe, ...]]


def _none(*_: object) -> tuple[Probe, ...]:
    return ()


def _cases(
    table: _Written,
    files: Sequence[TableFile],
    named_reads: Iterable[tuple[str, TableRead]],
    probes_of: _Probes = _none,
) -> Iterator[Case]:
    """Yield the cases of a table, except for reads whose result no specification defines."""
    for name, read in named_reads:
        expectation = expected(files, read)
        if expectation is not None and expectation.table is not None:
            yield Case(
                f"{table.name}/{name}",
                table.format,
                table.files,
                table.sha256,
                expectation,
                features=(TABLES[table.format],),
                spec=expectation.clause or PLAIN,
                source="generator",
                probes=probes_of(name, expectation.table, read),
                notes=f"{table.notes}: {read}",
                read=read,
            )


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data, durable=False)


def write(format_: str, table: History, folder: Path, rng: random.Random) -> list[str]:
    """Write the files of a table; return their paths within the folder."""
    paths = []
    for file, number in zip(table.files, table.written, strict=True):
        path = f"{file.path}.{format_}"
        _put(folder / path, WRITERS[format_](table.schemas[number], file.table, rng))
        paths.append(path)
    return paths


def expected(files: Sequence[TableFile], read: TableRead) -> Expectation | None:
    """Return the expectation of a read, None if no specification defines its result.

    If the read needs a conversion that not all readers of tables document, a reader may refuse it.
    """
    try:
        evolved = read_as(files, read)
    except Undefined:
        return None
    clause = "; ".join(sorted({CONVERSIONS[name].authority for name in evolved.conversions}))
    reason = why_refused(evolved.conversions)
    if not reason:
        return Expectation("accept", "generator", table=evolved.table, clause=clause or None)
    return Expectation.either(reason, clause=clause, table=evolved.table, source="generator")
