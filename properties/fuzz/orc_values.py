"""Targets of ORC's streams: values, of the count that four bytes in front say, and compression chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from properties.fuzz import cut_orc, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.targets import Table
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc import framing, framing_writer, plan
from reference_impl.orc.encodings import (
    boolean_rle,
    byte_rle,
    decimal,
    rle_v1,
    rle_v2,
    scan,
    string,
    timestamp,
)
from reference_impl.orc.schema import CompressionKind

TABLE = Table()
_MOMENTS = 64
_HEAD = 2
_KINDS = tuple(CompressionKind)


def _change(encoding: scan.Encoding) -> Callable[[bytes, Random], bytes]:
    """Return a mutator of runs and of the values in them."""

    def mutate(data: bytes, random: Random) -> bytes:
        return inputs.mutated(data, random, lambda body: runs.mutate(body, encoding, random)[0])

    return mutate


def _check_runs(data: bytes, rle: Any) -> None:
    """Read the bytes as runs; `choice` of their values are skipped."""
    _, count, skip, body = inputs.given(data)
    values = attempt(rle.decode, Cursor(body), count)
    if values is None:
        return
    same(len(values), count, "values")
    written = rle.encode(values)
    same(rle.decode(Cursor(written.data), count), values, "read, written and read")
    skip = min(skip, count)
    if rle is byte_rle:
        same(rle.decode(Cursor(body), count - skip, skip=skip), values[skip:], "behind the first")
    start, *inside = written.position(skip)  # of booleans, a position has bits too
    named = dict(zip(("skip", "bits"), inside, strict=False))
    rest = rle.decode(Cursor(written.data[start:]), count - skip, **named)
    same(rest, values[skip:], "from a position on")


for _name, _values, _rle, _encoding in (
    ("boolean", "booleans", boolean_rle, scan.Encoding.BOOLEAN),
    ("byte", "bytes", byte_rle, scan.Encoding.BYTE_RLE),
):
    TABLE.target(
        f"orc_{_name}_rle",
        f'{_name.title()} run length encoding (ORCv1.md, "{_name.title()} Run Length Encoding").',
        f"Any bytes decode to `count` {_values} in runs, or raise a documented error. Decoded values "
        "survive writing and reading; decoding from a position in the middle returns the remaining "
        "values.",
        partial(cut_orc.runs, _rle),
        _change(_encoding),
    )(partial(_check_runs, rle=_rle))


@TABLE.target(
    "orc_decimal",
    'Unscaled values of decimals (ORCv1.md, "Decimal Columns").',
    "Any bytes decode to `count` unscaled values, or raise a documented error. Decoded values survive"
    " writing and reading; reading in two steps returns the same values.",
    partial(cut_orc.runs, decimal),
    _change(scan.Encoding.VARINTS),
)
def check_decimal(data: bytes) -> None:
    """Read the bytes as varints, `choice` of them first."""
    _, count, choice, body = inputs.given(data)
    values = attempt(decimal.decode, Cursor(body), count)
    if values is None:
        return
    numbers = values.tolist()
    holds(len(numbers) == count and all(-(1 << 127) <= each < 1 << 127 for each in numbers), "128 bits")
    again = decimal.decode(Cursor(decimal.encode(numbers).data), count)
    same(again.tolist(), numbers, "read, written and read")
    cursor, first = Cursor(body), min(choice, count)
    parts = [decimal.decode(cursor, each).tolist() for each in (first, count - first)]
    same(parts[0] + parts[1], numbers, "read in two parts")


def _check_integers(data: bytes, rle: Any) -> None:
    """Read the bytes as integers, without a sign if `choice` is odd; half of `choice` is skipped."""
    _, count, choice, body = inputs.given(data)
    signed, skip = choice % 2 == 0, min(choice // 2, count)
    notes: list[Malformed] = []
    values = attempt(rle.decode, Cursor(body), count, signed=signed, notes=notes)
    if values is None:
        return
    same(rle.decode(Cursor(body), count, signed=signed), values, "without notes")
    holds(len(values) == count and (signed or not count or int(values.min()) >= 0), "so many, of this sign")
    written = rle.encode(values, signed=signed)
    same(rle.decode(Cursor(written.data), count, signed=signed), values, "read, written and read")
    same(rle.decode(Cursor(body), skip, signed=signed), values[:skip], "the first")
    start, before = written.position(skip)
    rest = rle.decode(Cursor(written.data[start:]), count - skip, skip=before, signed=signed)
    same(rest, values[skip:], "from a position on")


for _version, _rle, _encoding in ((1, rle_v1, scan.Encoding.RLE_V1), (2, rle_v2, scan.Encoding.RLE_V2)):
    TABLE.target(
        f"orc_rle_v{_version}",
        f'Integer run length encoding (ORCv1.md, "Integer Run Length Encoding, version {_version}").',
        f"Any bytes decode to `count` integers in runs of version {_version}, or raise a documented "
        "error. Decoded values survive writing and reading; a smaller count returns the first values;"
        " decoding from a position in the middle returns the remaining values.",
        partial(cut_orc.integers, _rle),
        _change(_encoding),
    )(partial(_check_integers, rle=_rle))


@TABLE.target(
    "orc_string",
    'Strings, direct or of a dictionary (ORCv1.md, "String, Char, and VarChar Columns").',
    "Any lengths and bytes decode to strings, directly or through a dictionary, or raise a documented"
    " error. The strings, joined, are the bytes; a lookup returns the entry of each id, within the "
    "limit of bytes.",
    lambda: [seed + bytes(range(64)) for seed in cut_orc.integers(rle_v2)],
    _change(scan.Encoding.RLE_V2),
)
def check_string(data: bytes) -> None:
    """Read the bytes as lengths and, behind them, text; then as ids too, `choice` times."""
    _, count, choice, body = inputs.given(data)
    cursor = Cursor(body)
    lengths = attempt(rle_v2.decode, cursor, count, signed=False)
    if lengths is None:
        return
    text = bytes(cursor.data[cursor.pos :])
    words = attempt(string.cut, lengths, cursor)
    if words is None:
        return
    same(b"".join(words), text[: int(lengths.sum())], "the strings together")
    same([len(word) for word in words], lengths.tolist(), "their lengths")
    left = cursor.remaining
    whole = attempt(string.dictionary, lengths, Cursor(text))
    same(whole, None if left else words, "a dictionary has no bytes left over")
    ids = np.tile(lengths, choice % 8)
    strings = attempt(string.look_up, words, ids, limits(data).page_bytes)
    if strings is not None:
        same(list(strings), [words[at] for at in ids.tolist()], "what ids name")


@TABLE.target(
    "orc_timestamp",
    'Seconds and nanoseconds of timestamps (ORCv1.md, "Timestamp Columns").',
    "Any two streams of integers decode to seconds and nanoseconds, or raise a documented error. "
    "Nanoseconds are below a second; values that can be written survive writing and reading.",
    partial(cut_orc.integers, rle_v2),
    _change(scan.Encoding.RLE_V2),
)
def check_timestamp(data: bytes) -> None:
    """Read the bytes as nanoseconds, and their unsigned values as seconds."""
    _, count, choice, body = inputs.given(data)
    packed = attempt(rle_v2.decode, Cursor(body), min(count, _MOMENTS), signed=False)
    nanos = attempt(timestamp.unpack, packed) if packed is not None else None
    if packed is None or nanos is None:
        return
    holds(all(0 <= each < 1_000_000_000 for each in nanos.tolist()), "less than a second")
    same(attempt(timestamp.unpack, packed), nanos, "unpacked again")
    sign = -1 if choice % 2 else 1
    moments = timestamp.seconds((packed >> 8) * sign, nanos).tolist()
    for moment, nano in zip(moments, nanos.tolist(), strict=True):
        stored = attempt(timestamp.stored, moment, nano)
        if stored is not None:
            same(_read(*stored), (moment, nano), "stored and read")


def _read(second: int, packed: int) -> tuple[int, int]:
    nanos = timestamp.unpack(_array(packed))
    return int(timestamp.seconds(_array(second), nanos)[0]), int(nanos[0])


def _array(number: int) -> NDArray[np.int64]:
    return np.array([number], np.int64)


def _framed() -> list[bytes]:
    """Return streams as stored, behind their codec and block size."""
    streams = (
        bytes([_KINDS.index(file.tail.codec), min(255, file.tail.block_size >> 8)]) + bytes(stream.raw)
        for file, stripe in cut_orc.stripes()
        for column, kind in stripe.places
        if (stream := stripe.stream(column, kind)) is not None
    )
    return inputs.some(streams)


@TABLE.target(
    "orc_framing",
    'Compression chunks (ORCv1.md, "Compression").',
    "Any bytes are read as the chunks of a stream, or raise a documented error. No chunk expands "
    "beyond the block size; chunks read one by one equal the whole; the content survives framing and "
    "reading, and each byte has its position.",
    _framed,
)
def check_framing(data: bytes) -> None:
    """Read the bytes as chunks: the first byte selects the codec, the second the block size."""
    kind = _KINDS[data[0] % len(_KINDS)] if data else CompressionKind.NONE
    block_size = (data[1] << 8) + 1 if len(data) > 1 else 1
    raw = memoryview(data)[_HEAD:]
    stream = framing.open_stream(raw, kind, block_size, limits=limits(data))
    whole = attempt(lambda: bytes(stream.data))
    if whole is None:
        return
    parts, at = [], 0
    for chunk in stream.chunks:
        same(stream.locate(chunk.start, 0), at, "where a chunk begins")
        behind = chunk.start + framing.HEADER + chunk.length
        parts.append(bytes(framing.open_stream(raw[chunk.start : behind], kind, block_size).data))
        at += len(parts[-1])
        holds(len(parts[-1]) <= block_size, "no chunk is larger than a block")
    holds(not stream.compressed or b"".join(parts) == whole, "chunk by chunk")
    if kind != CompressionKind.LZO:
        written = framing_writer.frame(kind, plan.Chunks(), block_size, whole)
        again = framing.open_stream(memoryview(written.data), kind, block_size)
        same(bytes(again.data), whole, "read, framed and read")
        middle = len(whole) // 2
        position = written.position(middle)
        same(again.locate(*position) if stream.compressed else position[0], middle, "position of a byte")
