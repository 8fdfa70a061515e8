"""The runs of a stream, found only by their headers, and the fields of these headers.

A field is a range of bits of the header, a big-endian number. In version 2 of the integer encoding, and in
version 1 and the byte encoding ("Integer Run Length Encoding", "Byte Run Length Encoding"):

    short repeat    kind 2 | width - 1: 3 | count - 3: 3
    direct, delta   kind 2 | width code 5 | length - 1: 9
    patched base    kind 2 | width code 5 | length - 1: 9 | base width - 1: 3 | patch width code 5
                    | gap width - 1: 3 | patches 5
    run, literals   length 8
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from reference_impl import bits
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, closest

_LONGEST_VARINT = 11  # bytes that are searched for the end of a varint
_LONGEST_HEAD = 2 + 2 * _LONGEST_VARINT
MOST_RUNS = 4096


class Encoding(StrEnum):
    """How a stream is encoded."""

    BYTE_RLE = "byte rle"
    BOOLEAN = "boolean"
    RLE_V1 = "rle v1"
    RLE_V2 = "rle v2"
    VARINTS = "varints"
    RAW = "raw"


class HeaderField(NamedTuple):
    """Bits of a header: the place of the lowest bit, and how many there are."""

    name: str
    low: int
    bits: int


class RunBytes(NamedTuple):
    """A run: its kind, size of its header, how many values it has, and all its bytes."""

    kind: str
    header: int
    length: int
    data: bytes

    def field(self, part: HeaderField) -> int:
        """Return the number in a field of the header."""
        return int.from_bytes(self.data[: self.header], "big") >> part.low & ((1 << part.bits) - 1)

    def with_field(self, part: HeaderField, value: int) -> bytes:
        """Return the bytes of the run with another number in a field of its header."""
        mask = ((1 << part.bits) - 1) << part.low
        old = int.from_bytes(self.data[: self.header], "big")
        new = old & ~mask | (value << part.low) & mask
        return new.to_bytes(self.header, "big") + self.data[self.header :]


_KIND = HeaderField("kind", 6, 2)
_DIRECT = (HeaderField("kind", 14, 2), HeaderField("width code", 9, 5), HeaderField("length", 0, 9))
FIELDS: dict[str, tuple[HeaderField, ...]] = {
    "short repeat": (_KIND, HeaderField("width", 3, 3), HeaderField("count", 0, 3)),
    "direct": _DIRECT,
    "delta": _DIRECT,
    "patched base": (
        HeaderField("kind", 30, 2),
        HeaderField("width code", 25, 5),
        HeaderField("length", 16, 9),
        HeaderField("base width", 13, 3),
        HeaderField("patch width code", 8, 5),
        HeaderField("gap width", 5, 3),
        HeaderField("patches", 0, 5),
    ),
    "run": (HeaderField("length", 0, 8),),
    "literals": (HeaderField("length", 0, 8),),
}
_KINDS = ("short repeat", "direct", "patched base", "delta")


def scan(data: bytes, encoding: Encoding) -> list[RunBytes]:
    """Return the first 4096 runs of a stream, up to the first run that is cut short."""
    out: list[RunBytes] = []
    at = 0
    while at < len(data) and len(out) < MOST_RUNS:
        run = _run(data, at, encoding)
        if run is None or at + len(run.data) > len(data):
            break
        out.append(run)
        at += len(run.data)
    return out


def _run(data: bytes, at: int, encoding: Encoding) -> RunBytes | None:
    """Return the run that begins at `at`, None if it is cut short."""
    if encoding is Encoding.VARINTS:
        end = varint_end(data, at)
        return None if end is None else RunBytes("varint", 0, 1, data[at:end])
    if encoding is Encoding.RLE_V2:
        kind = _KINDS[data[at] >> 6]
        header = {"short repeat": 1, "patched base": 4}.get(kind, 2)
        if at + header > len(data):
            return None
        size = size_v2(kind, data[at : at + _LONGEST_HEAD])
        if size is None or at + size > len(data):
            return None
        return RunBytes(kind, header, length_v2(kind, data[at : at + 2]), data[at : at + size])
    literal = data[at] >= 0x80
    length = 0x100 - data[at] if literal else data[at] + 3
    end = _end_v1(data, at, length if literal else None, encoding)
    return None if end is None else RunBytes("literals" if literal else "run", 1, length, data[at:end])


def _end_v1(data: bytes, at: int, literals: int | None, encoding: Encoding) -> int | None:
    if encoding is not Encoding.RLE_V1:
        end = at + 2 if literals is None else at + 1 + literals
        return end if end <= len(data) else None
    if literals is None:
        return varint_end(data, at + 2)
    stop: int | None = at + 1
    for _ in range(literals):
        stop = None if stop is None else varint_end(data, stop)
    return stop


def varint_end(data: bytes, at: int) -> int | None:
    """Return where a varint ends, None if no end is within its longest length."""
    for end in range(at, min(len(data), at + _LONGEST_VARINT)):
        if data[end] < 0x80:
            return end + 1
    return None


def length_v2(kind: str, data: bytes) -> int:
    """Return how many values a run of version 2 has."""
    return (data[0] & 7) + 3 if kind == "short repeat" else ((data[0] & 1) << 8 | data[1]) + 1


def size_v2(kind: str, data: bytes) -> int | None:
    """Return how many bytes a run of version 2 has by its header, None if the header is cut short."""
    if kind == "short repeat":
        return 2 + (data[0] >> 3 & 7)
    length, code = length_v2(kind, data), data[0] >> 1 & 0x1F
    if kind == "direct":
        return 2 + bits.size(length, WIDTHS[code])
    if kind == "delta":
        first = varint_end(data, 2)
        second = None if first is None else varint_end(data, first)
        if second is None:
            return None
        return second + (bits.size(max(0, length - 2), WIDTHS[code]) if code else 0)
    entry = closest((data[3] >> 5) + 1 + WIDTHS[data[2] & 0x1F])
    base = (data[2] >> 5) + 1
    return 4 + base + bits.size(length, WIDTHS[code]) + bits.size(data[3] & 0x1F, entry)
