"""Mutation of encoded streams, uncompressed: levels, indices, deltas, lengths (Encodings.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from properties.strategies.mutations import scalars
from reference_impl.bits import uleb128, zigzag
from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.encodings import delta_binary_packed
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.types import Physical

_MOST_RUNS = 1 << 14
_WIDTHS = (0, 1, 7, 8, 9, 31, 32, 33, 64, 127, 255)
_U64 = (1 << 64) - 1


@dataclass(frozen=True)
class _Run:
    """A run of the RLE / bit-packing hybrid: its header as a number, and the bytes behind the header."""

    header: int
    body: bytes

    def built(self) -> bytes:
        return uleb128(self.header & _U64) + self.body


def hybrid(data: bytes, width: int, random: Random) -> bytes:
    """Mutate runs: their lengths, kinds, values and number."""
    runs, rest = _runs(data, width)
    if not runs or not random.randrange(8):
        return scalars.mutated(random, data)
    at = random.randrange(len(runs))
    run = runs[at]
    kind = random.randrange(8)
    if kind == 0:
        runs[at] = replace(run, header=run.header ^ 1)  # the other kind, with the same bytes
    elif kind <= 2:
        length = scalars.number(random, run.header >> 1)
        runs[at] = replace(run, header=length << 1 | run.header & 1)
    elif kind == 3:
        runs[at] = replace(run, body=scalars.mutated(random, run.body) if run.body else b"\0")
    elif kind == 4:
        value = random.choice((0, 1, 1 << max(width - 1, 0), (1 << width) - 1, 1 << width))
        size = (width + 7) // 8
        runs[at] = _Run(run.header & ~1 or 2, (value & (1 << 8 * size) - 1).to_bytes(size, "little"))
    elif kind == 5:
        del runs[at]
    elif kind == 6:
        runs[at:at] = [run] * random.choice((1, 1, 2, 50))
    else:
        runs.insert(at, _Run(random.choice((0, 1)), b""))  # a run of no values
    return b"".join(each.built() for each in runs) + rest


def _runs(data: bytes, width: int) -> tuple[list[_Run], bytes]:
    """Return the complete runs, and the bytes behind them."""
    cursor, end = Cursor(data), 0
    out: list[_Run] = []
    try:
        while cursor.remaining and len(out) < _MOST_RUNS:
            header = cursor.uleb128(64)
            size = (header >> 1) * width if header & 1 else (width + 7) // 8
            out.append(_Run(header, bytes(cursor.take(size))))
            end = cursor.pos
    except ReferenceError_:
        pass  # an incomplete run stays bytes
    return out, data[end:]


def levels(data: bytes, most: int, random: Random, *, prefixed: bool, encoding: Encoding | int) -> bytes:
    """Mutate levels; the size in front of levels of v1 is mostly adapted."""
    if encoding == Encoding.BIT_PACKED and prefixed:
        return scalars.mutated(random, data)
    if not prefixed:
        return hybrid(data, most.bit_length(), random)
    body = hybrid(data[4:], most.bit_length(), random) if random.randrange(8) else data[4:]
    size = len(body) if body != data[4:] and random.randrange(8) else scalars.number(random, len(body))
    return (size & 0xFFFFFFFF).to_bytes(4, "little") + body


def values(data: bytes, encoding: Encoding | int, physical: Physical | None, random: Random) -> bytes:
    """Mutate the values of a page by the structure of their encoding."""
    if not data or not random.randrange(10):
        return scalars.mutated(random, data)
    if encoding in (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY):
        return _indices(data, random)
    if encoding == Encoding.RLE:
        return levels(data, 1, random, prefixed=True, encoding=encoding)
    if encoding == Encoding.PLAIN and physical is not None and physical.type == Type.BYTE_ARRAY:
        return _lengths(data, random)
    change = _BY_ENCODING.get(encoding, _bytes)
    return change(data, random)


def _bytes(data: bytes, random: Random) -> bytes:
    return scalars.mutated(random, data)


def _indices(data: bytes, random: Random) -> bytes:
    """Mutate dictionary indices: a byte for their width, and runs."""
    if not random.randrange(4):
        width = random.choice((*_WIDTHS, data[0] + 1 & 0xFF, max(data[0] - 1, 0)))
        return bytes([width]) + data[1:]
    return data[:1] + hybrid(data[1:], data[0], random)


def _lengths(data: bytes, random: Random) -> bytes:
    """Mutate a length of a PLAIN byte string."""
    cursor = Cursor(data)
    places: list[int] = []
    try:
        while cursor.remaining and len(places) < _MOST_RUNS:
            places.append(cursor.pos)
            cursor.take(cursor.u32())
    except ReferenceError_:
        pass  # the places so far suffice
    if not places or not random.randrange(3):
        return scalars.mutated(random, data)
    at = random.choice(places)
    length = scalars.number(random, int.from_bytes(data[at : at + 4], "little")) & 0xFFFFFFFF
    return data[:at] + length.to_bytes(4, "little") + data[at + 4 :]


def delta(data: bytes, random: Random) -> bytes:
    """Mutate DELTA_BINARY_PACKED: header, min delta, bit widths, packed bytes."""
    cursor = Cursor(data)
    try:
        header = [cursor.uleb128(64) for _ in range(3)] + [cursor.zigzag(64)]
        body = data[cursor.pos :]
        kind = random.randrange(8)
        if kind < 4:
            choices = (0, 1, 32, 128, 256, 1024, 1 << 31, _U64, scalars.number(random, header[kind]))
            header[kind] = random.choice(choices)
        elif kind == 4:
            header[2] += random.choice((-1, 1, 8, 128))
        elif kind == 5:
            start = cursor.pos
            minimum = scalars.number(random, cursor.zigzag(64))
            body = _zigzag(minimum) + data[cursor.pos :] if cursor.pos > start else body
        elif kind == 6:
            cursor.zigzag(64)
            at = cursor.pos + random.randrange(max(1, min(header[1], 64)))
            widths = bytearray(data)
            widths[at : at + 1] = bytes([random.choice(_WIDTHS)])
            return bytes(widths)
        else:
            body = scalars.mutated(random, body)
    except ReferenceError_:
        return scalars.mutated(random, data)
    return b"".join(uleb128(number & _U64) for number in header[:3]) + _zigzag(header[3]) + body


def _zigzag(number: int) -> bytes:
    return zigzag((number & _U64 ^ 1 << 63) - (1 << 63))


def _delta_strings(data: bytes, random: Random) -> bytes:
    """Mutate the lengths in front of DELTA_LENGTH_BYTE_ARRAY, or the strings behind them.

    In DELTA_BYTE_ARRAY the lengths are those of prefixes, and the lengths of suffixes and the suffixes
    follow.
    """
    cursor = Cursor(data)
    try:
        for _ in range(2):
            cursor.uleb128(64)
        count = cursor.uleb128(64)
        cursor.pos = 0
        if count > 8 * len(data) * 128:
            return delta(data, random)
        delta_binary_packed.decode_bits(cursor, 32, count)
    except ReferenceError_:
        return delta(data, random)
    split = cursor.pos
    if random.randrange(2):
        return delta(data[:split], random) + data[split:]
    rest = data[split:]
    return data[:split] + (delta(rest, random) if random.randrange(2) else scalars.mutated(random, rest))


_BY_ENCODING: dict[int, Callable[[bytes, Random], bytes]] = {
    Encoding.DELTA_BINARY_PACKED: delta,
    Encoding.DELTA_LENGTH_BYTE_ARRAY: _delta_strings,
    Encoding.DELTA_BYTE_ARRAY: _delta_strings,
}
