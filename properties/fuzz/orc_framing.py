# Any bytes are the chunks of a stream or a documented error. No chunk makes more bytes than the block has;
# chunk by chunk they are the whole; what was read is framed and read again to the same, and each byte has
# its position.
"""Compression chunks (ORCv1.md, "Compression")."""

from __future__ import annotations

from collections.abc import Iterable

from properties.fuzz import cut_orc, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, holds, same
from reference_impl.orc import framing, framing_writer, plan
from reference_impl.orc.schema import CompressionKind

NAME = "orc_framing"
_HEAD = 2
_KINDS = tuple(CompressionKind)


def seeds() -> Iterable[bytes]:
    """Return streams as stored, behind their codec and block size."""
    streams = (
        bytes([_KINDS.index(file.tail.codec), min(255, file.tail.block_size >> 8)]) + bytes(stream.raw)
        for file, stripe in cut_orc.stripes()
        for column, kind in stripe.places
        if (stream := stripe.stream(column, kind)) is not None
    )
    return inputs.some(streams)


def check(data: bytes) -> None:
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
