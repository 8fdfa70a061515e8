"""Sheets: cases that are asked together, and their form on disk.

A sheet has up to SHEET_FILES files with the same format, schema and queries, or folders with the same read,
since a query engine reads those at once; fewer files if they have many rows, which are in memory at once. Its
id is a digest of its contents: a continued run uses the parts of unchanged sheets only.

A sheet is a line of a file: sheets of imported and written files are in the plan (`write_plan`), sheets of
generated files in the part of their stage (`commit_sheets`), whose first line has the place of each sheet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any
from zlib import crc32

from corpora.build.formats import ORC, PARQUET
from corpora.cases import Case
from corpora.folders import size_of
from corpora.queries import Query
from harness.judging.places import Sheet
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.parts import DamagedPart
from harness.runs.pipeline.plan import PLAN, SheetAt
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import schema_key
from reference_impl.wire import protobuf

SHEET_FILES = 32
SHEET_ROWS = 262_144  # of files, by their footers; a file with more is a sheet of its own


def sheets(cases: Iterable[Case], *, derived: bool = False, given: Collection[Query] = ()) -> list[Sheet]:
    """Return the cases in sheets, in the order of their first cases; for `derived` see `Sheet`.

    `given` are the queries of the user.
    """
    full: list[tuple[int, Sheet]] = []
    filling: dict[tuple[str, str, str], _Filling] = {}
    for place, case in enumerate(cases):
        schema, rows = _schema_and_rows(case)
        key = (case.format, schema, _queries(case))
        held = filling.get(key)
        if held is not None and held.rows + rows > SHEET_ROWS:
            full.append(_sheet(filling.pop(key).cases, derived=derived, given=given))
        held = filling.setdefault(key, _Filling())
        held.cases.append((place, case))
        held.rows += rows
        if len(held.cases) == SHEET_FILES:
            full.append(_sheet(filling.pop(key).cases, derived=derived, given=given))
    full += (_sheet(held.cases, derived=derived, given=given) for held in filling.values())
    return [sheet for _, sheet in sorted(full, key=lambda numbered: numbered[0])]


@dataclass
class _Filling:
    """A sheet to which cases are added: cases, each with its place, and the number of their rows."""

    cases: list[tuple[int, Case]] = field(default_factory=list)
    rows: int = 0


def _schema_and_rows(case: Case) -> tuple[str, int]:
    """Return the key that files of a sheet share, and a file's number of rows by its footer; 0 of a folder.

    A file with an unreadable schema is a sheet of its own.
    """
    if case.read is not None:
        return json.dumps(case.read.to_json()), 0
    key_text = "" if case.keys is None else json.dumps(case.keys.to_json())
    try:
        schema, rows = _FOOTERS[case.format](case)
    except (ReferenceError_, OSError):
        return case.id, 0  # the engine process of the reference reports the error
    return schema + key_text, rows


def _of_parquet(case: Case) -> tuple[str, int]:
    file = ParquetFile.open(case.file, case.keys)
    return schema_key(file), max(file.metadata.num_rows, 0)


def _of_orc(case: Case) -> tuple[str, int]:
    """Return a digest of an ORC file's types, their attributes included, and its rows; none: unknown."""
    footer = OrcFile.open(case.file).footer
    return hashlib.sha256(
        b"".join(map(protobuf.encode, footer.types))
    ).hexdigest(), footer.number_of_rows or 0


_FOOTERS: dict[str, Callable[[Case], tuple[str, int]]] = {PARQUET.name: _of_parquet, ORC.name: _of_orc}


def _queries(case: Case) -> str:
    return json.dumps([probe.query.to_json() for probe in case.probes])


def given_first(case: Case, given: Collection[Query]) -> int:
    """Return how many of the first queries of a case are given by the user."""
    return sum(1 for _ in takewhile(lambda probe: probe.query in given, case.probes))


def _sheet(held: Sequence[tuple[int, Case]], *, derived: bool, given: Collection[Query]) -> tuple[int, Sheet]:
    """Return a sheet, and the place of its first case."""
    digest = hashlib.sha256()
    for _, case in held:
        # Engines get nothing else of a case: neither its expectation nor the folder of its file changes their
        # answers, and the same run in another folder asks the same queries (`pushdown.asks`).
        described = [case.id, case.format, case.sha256, _queries(case)]
        described += [] if case.keys is None else [json.dumps(case.keys.to_json())]
        described += [] if case.read is None else [json.dumps(case.read.to_json())]
        digest.update(json.dumps(described).encode())
    if derived:
        digest.update(b"derived")
    count = given_first(held[0][1], given)
    if count:
        digest.update(f"given {count}".encode())
    return held[0][0], Sheet(digest.hexdigest()[:20], tuple(case for _, case in held), derived, count)


def write_plan(context: Context, planned: Iterable[Sheet]) -> list[SheetAt]:
    """Write sheets to the plan's file, and return their places."""
    places = []

    def lines() -> Iterable[str]:
        offset = 0
        for sheet in planned:
            line = _line(sheet)
            places.append(_at(sheet, offset, PLAN, line))
            offset += len(line) + 1
            yield line

    context.commit_text(context.plan, lines())
    return places


def commit_sheets(context: Context, part: Path, planned: Iterable[Sheet], **notes: object) -> None:
    """Write sheets as a part, with notes of the stage for its head."""
    index, lines, offset = [], [], 0
    for sheet in planned:
        line = _line(sheet)
        identity, _, count, size, _, crc = _at(sheet, offset, "", line)
        index.append([identity, offset, count, size, crc])
        lines.append(line)
        offset += len(line) + 1
    context.commit_text(part, [json.dumps({"sheets": index, **notes}), *lines])


def places_in(context: Context, part: Path) -> list[SheetAt]:
    """Return the places of the sheets of a part."""
    head = context.head(part)
    first = len(json.dumps(head)) + 1
    source = part.relative_to(context.parts).as_posix()
    return [
        SheetAt(identity, first + offset, files, size, source, crc)
        for identity, offset, files, size, crc in head["sheets"]
    ]


def read_sheet(context: Context, place: SheetAt) -> Sheet:
    """Read the sheet at a place; raises OSError and DamagedPart."""
    part = context.here(context.parts / place.source)
    with part.open("rb") as plan:
        plan.seek(place.offset)
        line = plan.readline().rstrip(b"\n")
    if crc32(line) != place.crc:
        context.set_aside(part)
        raise DamagedPart(part, f"sheet {place.id} is not as it was written")
    data: dict[str, Any] = json.loads(line)
    return Sheet(data["id"], tuple(map(Case.from_json, data["cases"])), data["derived"], data["given"])


def _at(sheet: Sheet, offset: int, source: str, line: str) -> SheetAt:
    crc = crc32(line.encode("ascii"))
    return SheetAt(sheet.id, offset, len(sheet.cases), sum(map(_size, sheet.cases)), source, crc)


def _size(case: Case) -> int:
    try:
        return size_of(case.file)
    except OSError:
        return 0


def _line(sheet: Sheet) -> str:
    cases = [case.to_json() for case in sheet.cases]
    line = {"id": sheet.id, "derived": sheet.derived, "given": sheet.given, "cases": cases}
    return json.dumps(line, separators=(",", ":"))
