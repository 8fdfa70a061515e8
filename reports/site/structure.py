"""The bytes of a case's file: the listing of its parts with byte ranges, and a dump in hexadecimal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from corpora import folders
from corpora.build.formats import FORMATS, ORC, PARQUET
from corpora.files import check_regular
from harness.formats import format_of
from harness.listings import Listed, orc, parquet
from harness.listings.text import line
from reference_impl.errors import ReferenceError_
from reports.site.model import CaseRecord

LARGEST = 1 << 20  # bytes of a file that the site has to download
DESCRIBED = 64 << 10  # bytes of a file that is described
DUMPED = 4 << 10  # bytes of a dump: those at the front and, of a longer file, as many at the end
LISTED = 400  # lines of a listing
_LISTINGS = {PARQUET.name: parquet.lines, ORC.name: orc.lines}


class Part(NamedTuple):
    """A line of the listing, and the byte range that it is about; both 0 without."""

    text: str
    first: int
    end: int


class DumpRow(NamedTuple):
    """Sixteen bytes: where they stand, in hexadecimal, and as ASCII."""

    offset: int
    hexadecimal: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Bytes:
    """The site's view of a case's file; `problem` says why there is no listing, "" with one."""

    size: int
    name: str
    parts: tuple[Part, ...]
    dump: tuple[DumpRow, ...]
    problem: str = ""


def bytes_of(record: CaseRecord, sources: tuple[Path, ...]) -> tuple[Bytes, bytes] | None:
    """Return the view of a case's file and its content; None if no source has it as the run read it.

    A source is a path where the file may be; it counts only if it is a plain file of the run's digest.
    """
    for path in sources:
        data = _content(path, record.sha256)
        if data is not None:
            return _view(record, data), data
    return None


def corpus_file(case: str) -> tuple[str, bytes] | None:
    """Return name and content of the file of a case that is checked in, None if there is none."""
    for format_ in FORMATS.values():
        path = format_.folder.parent / f"{case}.{format_.name}"
        if case.startswith(f"{format_.name}/") and path.is_file():
            data = path.read_bytes()
            return f"{hashlib.sha256(data).hexdigest()[:16]}.{format_.name}", data
    return None


def _content(path: Path, sha256: str) -> bytes | None:
    try:
        check_regular(path)
        if path.stat().st_size > LARGEST or folders.digest_of(path) != sha256:
            return None
        return path.read_bytes()
    except (OSError, ValueError):  # not there any more, or a name that no file can have
        return None


def _view(record: CaseRecord, data: bytes) -> Bytes:
    name = f"{record.sha256[:16]}.{record.format if record.format in FORMATS else 'bin'}"
    if len(data) > DESCRIBED:
        return Bytes(
            len(data),
            name,
            (),
            tuple(_dump(data)),
            f"files of more than {DESCRIBED:,} bytes are not described",
        )
    try:
        format_ = format_of(record.file, data)
        content = format_.inspect(data, (None, None, True), None)
    except ReferenceError_ as error:
        return Bytes(len(data), name, (), tuple(_dump(data)), line(error.message))
    parts = list(map(_part, islice(_LISTINGS[format_.name]("", dict(content)), 1, None)))
    more = f"{len(parts) - LISTED:,} more lines: `colconf inspect` shows them" if len(parts) > LISTED else ""
    return Bytes(len(data), name, tuple(parts[:LISTED]), tuple(_dump(data)), more)


def _part(row: Listed) -> Part:
    """Return a line with its byte range, which spans all given ranges, such as a page's header and body."""
    ranges = [offsets for offsets in row.ranges if offsets]
    text = line(row.text.removeprefix("\n"), 300)
    if not ranges:
        return Part(text, 0, 0)
    return Part(text, min(first for first, _ in ranges), max(end for _, end in ranges))


def _dump(data: bytes) -> Iterator[DumpRow]:
    for offset in range(0, len(data), 16):
        if len(data) > 2 * DUMPED and DUMPED <= offset < len(data) - DUMPED:
            continue
        row = data[offset : offset + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
        yield DumpRow(offset, tuple(f"{byte:02x}" for byte in row), text)
