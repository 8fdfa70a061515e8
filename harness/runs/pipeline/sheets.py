"""Sheets: cases that are asked together, and their form on disk.

A sheet has up to SHEET_FILES files with the same format, schema and queries, or folders with the same read,
since a query engine reads those at once. Its id is a digest of its contents: a continued run uses the parts
of unchanged sheets only.

A sheet is a line of a file: sheets of imported and written files are in the plan (`write_plan`), sheets of
generated files in the part of their stage (`commit_sheets`), whose first line has the place of each sheet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from corpora.build.formats import ORC, PARQUET
from corpora.cases import Case
from corpora.folders import size_of
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


def sheets(cases: Iterable[Case], *, derived: bool = False) -> list[Sheet]:
    """Return the cases in sheets, in the order of their first cases; for `derived` see `Sheet`."""
    full: list[tuple[int, Sheet]] = []
    filling: dict[tuple[str, str, str], list[tuple[int, Case]]] = {}
    for place, case in enumerate(cases):
        key = (case.format, _key(case), _queries(case))
        held = filling.setdefault(key, [])
        held.append((place, case))
        if len(held) == SHEET_FILES:
            full.append(_sheet(filling.pop(key), derived=derived))
    full += (_sheet(held, derived=derived) for held in filling.values())
    return [sheet for _, sheet in sorted(full, key=lambda numbered: numbered[0])]


def _key(case: Case) -> str:
    """Return the key that files of a sheet share; a file with an unreadable schema is a sheet of its own."""
    if case.read is not None:
        return json.dumps(case.read.to_json())
    key_text = "" if case.keys is None else json.dumps(case.keys.to_json())
    try:
        return _SCHEMA_KEYS[case.format](case) + key_text
    except (ReferenceError_, OSError):
        return case.id  # the engine process of the reference reports the error


def _orc_schema_key(file: OrcFile) -> str:
    """Return a digest of an ORC file's types, their attributes included."""
    return hashlib.sha256(b"".join(map(protobuf.encode, file.footer.types))).hexdigest()


_SCHEMA_KEYS: dict[str, Callable[[Case], str]] = {
    PARQUET.name: lambda case: schema_key(ParquetFile.open(case.file, case.keys)),
    ORC.name: lambda case: _orc_schema_key(OrcFile.open(case.file)),
}


def _queries(case: Case) -> str:
    return json.dumps([probe.query.to_json() for probe in case.probes])


def _sheet(held: Sequence[tuple[int, Case]], *, derived: bool) -> tuple[int, Sheet]:
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
    return held[0][0], Sheet(digest.hexdigest()[:20], tuple(case for _, case in held), derived)


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
    return Sheet(data["id"], tuple(map(Case.from_json, data["cases"])), data["derived"])


def _at(sheet: Sheet, offset: int, source: str, line: str) -> SheetAt:
    crc = crc32(line.encode("ascii"))
    return SheetAt(sheet.id, offset, len(sheet.cases), sum(map(_size, sheet.cases)), source, crc)


def _size(case: Case) -> int:
    try:
        return size_of(case.file)
    except OSError:
        return 0


def _line(sheet: Sheet) -> str:
    line = {"id": sheet.id, "derived": sheet.derived, "cases": [case.to_json() for case in sheet.cases]}
    return json.dumps(line, separators=(",", ":"))
