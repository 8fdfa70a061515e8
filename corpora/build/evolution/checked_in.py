"""The table cases that are checked in: written by `colconf corpus build`, compared by `colconf corpus lint`.

corpora/evolved/FORMAT/STEPS/files/…   the folder of a table whose schema took these steps
corpora/evolved/FORMAT/STEPS/READ.json a case: the folder, a read, and what it must return
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from corpora import own_cases
from corpora.build.evolution import by_hand, by_hand_declared, by_hand_queries
from corpora.build.evolution.by_hand import HandMade
from corpora.build.evolution.cases import generated, made_by_hand
from corpora.build.evolution.reading import read_folder
from corpora.build.evolution.steps import STEPS, UNCHANGED
from corpora.build.formats import FORMATS
from corpora.cases import Case, CaseError, dump, load
from corpora.folders import digest, files_of
from corpora.table_files import Undefined
from reference_impl.errors import ReferenceError_

_TOGETHER = (
    "add widen",
    "drop-inside reorder",
    "rename recase",
    "add-inside widen relax",
    "widen add drop",
    "recase add-inside",
    "add drop",
)
TABLES = (*sorted(STEPS), *_TOGETHER)
_MEND = "run colconf corpus build"


def cases(format_: str, folder: Path) -> Iterator[Case]:
    """Yield the cases of a format; writes their files into `folder`."""
    for steps in TABLES:
        if format_ in UNCHANGED.get(steps, ()):
            continue
        name = steps.replace(" ", "-")
        where = folder / format_ / name
        yield from generated(format_, f"corpus {steps}", f"evolved/{format_}/{name}", where, steps.split())
    for table in (table for table in _hand_made() if format_ in table.formats):
        where = folder / format_ / table.name
        yield from made_by_hand(format_, table, f"evolved/{format_}/{table.name}", where)


def _hand_made() -> Iterator[HandMade]:
    yield from by_hand.tables()
    yield from by_hand_queries.tables()
    yield from by_hand_declared.tables()


def folder_of_all() -> Path:
    """Return the folder of these cases; raises UserError."""
    return own_cases.folder() / own_cases.TABLES


def write(format_: str, folder: Path) -> int:
    """Write the cases of a format in place of those that are there, and return their number."""
    shutil.rmtree(folder / format_, ignore_errors=True)
    count = 0
    for count, case in enumerate(cases(format_, folder), 1):  # noqa: B007 - the number of the last one
        dump(case, case.file.parent / f"{_name(case)}.json", durable=False)
    return count


def stored(format_: str, folder: Path | None = None) -> Iterator[Case]:
    """Yield the cases that are checked in; raises UserError."""
    yield from map(load, sorted(((folder or folder_of_all()) / format_).glob("*/*.json")))


def problems(format_: str, folder: Path | None = None) -> Iterator[str]:
    """Yield a line for each case that differs from what the seeds make, or from what the reference reads."""
    try:
        there = {case.id: case for case in stored(format_, folder)}
    except CaseError as error:
        yield str(error)
        return
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases(format_, Path(scratch)):
            if case.id not in there:
                yield f"{case.id}: missing; {_MEND}"
                continue
            yield from _differences(case, there.pop(case.id))
    yield from (f"{name}: no seed makes this case; {_MEND}" for name in there)


def _differences(built: Case, there: Case) -> Iterator[str]:
    """Yield a line for each way in which a checked-in case is not as it should be."""
    if digest(there.file) != there.sha256:
        yield f"{there.id}: sha256 is not that of its folder"
    if replace(there, file=built.file, sha256=built.sha256) != built:
        yield f"{there.id}: differs from the output of colconf corpus build"
    if not _same_files(built, there):
        yield f"{there.id}: its files differ from the output of colconf corpus build"
    assert there.read is not None
    try:
        table = read_folder(there.file, there.format, there.read)
    except (ReferenceError_, Undefined) as error:
        yield f"{there.id}: the reference reads no table: {error}"
        return
    if table != there.expectation.table:
        yield f"{there.id}: the reference reads another table"


def _same_files(built: Case, there: Case) -> bool:
    """Return whether two folders have the same files, apart from how they are compressed."""
    same = FORMATS[built.format].same
    left = {path.relative_to(built.file): path.read_bytes() for path in files_of(built.file)}
    right = {path.relative_to(there.file): path.read_bytes() for path in files_of(there.file)}
    return left.keys() == right.keys() and all(same(data, right[path]) for path, data in left.items())


def _name(case: Case) -> str:
    return case.id.rpartition("/")[2]
