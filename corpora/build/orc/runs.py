"""The runs of a file's streams, from their headers alone, without the decoders of the reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reference_impl.orc.column_encodings import DICTIONARY_KINDS, V2_KINDS
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.statistics import TEXTS, TIMES
from reference_impl.orc.types import BINARIES

V2 = ("short-repeat", "direct", "patched-base", "delta")
WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)
_BITS = (TypeKind.BOOLEAN,)
_BYTES = (TypeKind.BYTE, TypeKind.UNION)
_SIGNED = (TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.DATE, *TIMES)


class Run(NamedTuple):
    """A run: its kind (`v1-run`, `direct`, `byte-literals` …), its length, and its width or widths."""

    kind: str
    length: int
    width: str = ""


def runs(data: bytes, sort: str) -> Iterator[Run]:
    """Yield the runs of a stream of a sort of `sort_of`, up to a run with a truncated header."""
    at = 0
    while at < len(data):
        try:
            run, at = _READERS[sort](data, at)
        except (IndexError, StopIteration):
            return
        yield run


def sort_of(kind: TypeKind, encoding: EncodingKind, stream: StreamKind) -> str | None:
    """Return the sort of a stream's runs: bytes, v1 or v2, the latter with `-signed`; None without runs."""
    if stream is StreamKind.PRESENT:
        return "bytes"
    version = "v2" if encoding in V2_KINDS else "v1"
    if stream is StreamKind.LENGTH or (stream is StreamKind.DATA and encoding in DICTIONARY_KINDS):
        return version
    if stream is StreamKind.SECONDARY:
        return f"{version}-signed" if kind is TypeKind.DECIMAL else version
    if stream is not StreamKind.DATA or kind in (*TEXTS, *BINARIES):
        return None
    if kind in (*_BITS, *_BYTES):
        return "bytes"
    return f"{version}-signed" if kind in _SIGNED else None


def _bytes(data: bytes, at: int) -> tuple[Run, int]:
    control = data[at]
    if control < 128:
        return Run("byte-run", control + 3), at + 2
    return Run("byte-literals", 256 - control), at + 1 + 256 - control


def _v1(data: bytes, at: int) -> tuple[Run, int]:
    control = data[at]
    if control < 128:
        return Run("v1-run", control + 3), _behind_varint(data, at + 2)
    end = at + 1
    for _ in range(256 - control):
        end = _behind_varint(data, end)
    return Run("v1-literals", 256 - control), end


def _v2(data: bytes, at: int) -> tuple[Run, int]:
    kind, first = V2[data[at] >> 6], data[at]
    if kind == "short-repeat":
        size = (first >> 3 & 7) + 1
        return Run(kind, (first & 7) + 3, str(size)), at + 1 + size
    length = ((first & 1) << 8 | data[at + 1]) + 1
    width = WIDTHS[first >> 1 & 31]
    if kind == "direct":
        return Run(kind, length, str(width)), at + 2 + _size(length, width)
    if kind == "delta":
        end = _behind_varint(data, _behind_varint(data, at + 2))
        width = width if first >> 1 & 31 else 0
        return Run(kind, length, str(width)), end + _size(max(0, length - 2), width)
    base, patch = (data[at + 2] >> 5) + 1, WIDTHS[data[at + 2] & 31]
    gap, patches = (data[at + 3] >> 5) + 1, data[at + 3] & 31
    entry = next(width for width in WIDTHS if width >= gap + patch)
    end = at + 4 + base + _size(length, width) + _size(patches, entry)
    return Run(kind, length, f"{width}/base-{base}/patch-{patch}/gap-{gap}/list-{patches}"), end


def _size(count: int, width: int) -> int:
    return (count * width + 7) // 8


def _behind_varint(data: bytes, at: int) -> int:
    while data[at] & 128:
        at += 1
    return at + 1


_READERS = {"bytes": _bytes, "v1": _v1, "v1-signed": _v1, "v2": _v2, "v2-signed": _v2}
