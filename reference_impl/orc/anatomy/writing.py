"""Putting a file together: the seals are computed, and one of them may be broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy.parts import Anatomy, Message, S, Seal, StreamPart, StripePart
from reference_impl.orc.framing import HEADER
from reference_impl.orc.schema import (
    CompressionKind,
    Footer,
    PostScript,
    RowIndex,
    Stream,
    StreamKind,
    StripeInformation,
)
from reference_impl.wire import protobuf

_MASK64 = (1 << 64) - 1
_MOST = 255  # bytes of a postscript
_OF_STRIPES = (Seal.STRIPE_ROWS, Seal.STRIPE_OFFSET, Seal.INDEX_LENGTH, Seal.DATA_LENGTH)
_OF_FOOTERS = (Seal.STRIPE_FOOTER_LENGTH, Seal.ENCODINGS)
_OF_CHUNKS = (Seal.CHUNK_LENGTH, Seal.CHUNK_ORIGINAL)
_OF_INDEXES = (Seal.POSITIONS, Seal.ROW_GROUPS)
_COUNTS: dict[Seal, Callable[[Anatomy], int]] = {
    Seal.STATISTICS: lambda anatomy: len(anatomy.tail.statistics),
    Seal.STRIPE_STATISTICS: lambda anatomy: (
        len(anatomy.metadata.value.stripe_stats) if anatomy.metadata.value else 0
    ),
    Seal.METADATA_LENGTH: lambda anatomy: len(anatomy.metadata.stored),
    Seal.BLOCK_SIZE: lambda anatomy: anatomy.codec is not CompressionKind.NONE,
    Seal.CONTENT_LENGTH: lambda anatomy: anatomy.tail.content_length is not None,
    Seal.HEADER_LENGTH: lambda anatomy: anatomy.tail.header_length is not None,
    Seal.ROWS: lambda anatomy: anatomy.tail.number_of_rows is not None,
    Seal.MAGIC: lambda anatomy: anatomy.end.magic is not None,
}


def assemble(anatomy: Anatomy, broken: Seal | None = None, *, by: int = 1, at: int = 0) -> bytes:
    """Return the file; the seal `broken` is wrong.

    A number is off by `by`; the last element of a list is repeated, or missing if `by` is negative;
    the block size is `by`, however large blocks are; a flag or magic is another. `at` chooses among the
    stripes, streams or chunks that have such a seal, modulo their number. A seal that the file does not have
    (`seals`) leaves nothing broken.
    """
    return _Writer(anatomy, broken, by, at).file()


def seals(anatomy: Anatomy) -> tuple[Seal, ...]:
    """Return the seals that can be broken in a file."""
    indexed = any(_index_of(anatomy, stream) for _, _, stream in anatomy.all_streams())
    return tuple(seal for seal in Seal if (indexed if seal in _OF_INDEXES else _places(anatomy, seal)))


def _places(anatomy: Anatomy, seal: Seal) -> int:
    """Return how many places a seal has."""
    if seal in _OF_STRIPES:
        return sum(stripe.placed for stripe in anatomy.stripes)
    if seal in _OF_FOOTERS:
        return sum(stripe.footer.value is not None for stripe in anatomy.stripes)
    if seal is Seal.STREAM_LENGTH:
        return sum(1 for _ in anatomy.all_streams())
    if seal in _OF_INDEXES:
        return sum(_index_of(anatomy, stream) is not None for _, _, stream in anatomy.all_streams())
    if seal in _OF_CHUNKS:
        return anatomy.codec is not CompressionKind.NONE and sum(1 for _ in _framed_parts(anatomy))
    return int(_COUNTS[seal](anatomy) > 0) if seal in _COUNTS else 1


def _framed_parts(anatomy: Anatomy) -> list[bytes]:
    streams = [stream.stored for _, _, stream in anatomy.all_streams()]
    messages = [stripe.footer.stored for stripe in anatomy.stripes]
    tail = [anatomy.metadata.stored, anatomy.footer.stored]
    return [stored for stored in (*streams, *messages, *tail) if len(stored) >= HEADER]


def _index_of(anatomy: Anatomy, stream: StreamPart) -> RowIndex | None:
    """Return a row index that has positions, None for any other stream."""
    data = anatomy.opened(stream.stored) if stream.kind is StreamKind.ROW_INDEX else None
    if data is None:
        return None
    try:
        index = protobuf.decode(RowIndex, data)
    except ReferenceError_:
        return None
    return index if any(entry.positions for entry in index.entry) else None


def settled(declared: int | None, slip: int, truth: int) -> int | None:
    """Return a number that follows from others; a number that was left out stays so where it means 0."""
    if declared is None:
        return None if slip else truth or None
    return max(0, truth + slip) & _MASK64


class _Writer:
    def __init__(self, anatomy: Anatomy, broken: Seal | None, by: int, at: int) -> None:
        self.anatomy = anatomy
        self.by = by
        places = _places(anatomy, broken) if broken is not None else 0
        self.broken = broken if places else None
        self.left = at % places if places else 0  # places of the seal before the broken place
        self.out = bytearray(anatomy.header)

    def breaks(self, seal: Seal) -> bool:
        """Return whether this place of a seal is to be broken; to be called once for each place."""
        if seal is not self.broken:
            return False
        self.left -= 1
        return self.left == -1

    def number(self, seal: Seal, value: int | None) -> int | None:
        """Return a number, broken if it is its turn; `off` never makes it negative."""
        if not self.breaks(seal):
            return value
        return self.off(value or 0)

    def off(self, value: int) -> int:
        return value + self.by if value + self.by >= 0 else value - self.by

    def counted(self, seal: Seal, items: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.breaks(seal):
            return items
        return items[: self.by] if self.by < 0 else items + items[-1:] * self.by

    def file(self) -> bytes:
        anatomy, out = self.anatomy, self.out
        if self.breaks(Seal.HEADER):
            out[:] = bytes(byte ^ 0x20 for byte in out)
        # Streams first, then footers: the order of `_framed_parts`, in which chunks are counted.
        streams = [[self.stream(each) for each in stripe.streams] for stripe in anatomy.stripes]
        footers = [
            self.stripe_footer(stripe, contents)
            for stripe, contents in zip(anatomy.stripes, streams, strict=True)
        ]
        infos = []
        for stripe, contents, footer in zip(anatomy.stripes, streams, footers, strict=True):
            infos.append(self.stripe(stripe, contents, footer))
        end = len(out)
        out += anatomy.gap
        metadata = self.metadata()
        footer = self.footer(tuple(infos), end)
        postscript = self.postscript(len(footer), len(metadata))
        size = len(postscript)
        return b"".join((out, metadata, footer, postscript, bytes([self.postscript_length(size)])))

    def postscript_length(self, size: int) -> int:
        return (self.number(Seal.POSTSCRIPT_LENGTH, min(size, _MOST)) or 0) & 0xFF

    def stream(self, stream: StreamPart) -> bytes:
        stored = stream.stored
        if self.broken in _OF_INDEXES:
            stored = self.index(stream)
        return self.chunks(stored)

    def index(self, stream: StreamPart) -> bytes:
        """Break positions or entries of a row index."""
        index = _index_of(self.anatomy, stream)
        if index is None:
            return stream.stored
        entries = list(index.entry)
        if self.broken is Seal.ROW_GROUPS:
            entries = list(self.counted(Seal.ROW_GROUPS, index.entry))
        elif self.breaks(Seal.POSITIONS):
            last = max(number for number, entry in enumerate(entries) if entry.positions)
            first, *others = entries[last].positions
            entries[last] = replace(entries[last], positions=(self.off(first), *others))
        if entries == list(index.entry):
            return stream.stored
        return self.anatomy.framed(protobuf.encode(replace(index, entry=tuple(entries))))

    def chunks(self, stored: bytes) -> bytes:
        """Break the header of the first chunk."""
        if self.broken not in _OF_CHUNKS or len(stored) < HEADER:
            return stored
        header = int.from_bytes(stored[:HEADER], "little")
        if self.breaks(Seal.CHUNK_LENGTH):
            header = self.off(header >> 1) << 1 | header & 1
        elif self.breaks(Seal.CHUNK_ORIGINAL):
            header ^= 1
        return (header & 0xFFFFFF).to_bytes(HEADER, "little") + stored[HEADER:]

    def message(self, message: Message[S], sealed: S | None) -> bytes:
        """Return the framed bytes of a message; an unchanged message keeps its bytes."""
        if message.raw is not None:
            stored = self.anatomy.framed(message.raw)
        elif message.fixed or sealed is None or sealed == message.origin:
            stored = message.stored
        else:
            stored = self.anatomy.framed(protobuf.encode(sealed))
        return self.chunks(stored)

    def stripe_footer(self, stripe: StripePart, streams: list[bytes]) -> bytes:
        value = stripe.footer.value
        if value is None:
            return self.message(stripe.footer, None)
        infos = tuple(self.info(part, stored) for part, stored in zip(stripe.streams, streams, strict=True))
        columns = self.counted(Seal.ENCODINGS, value.columns)
        return self.message(stripe.footer, replace(value, streams=infos, columns=columns))

    def info(self, part: StreamPart, stored: bytes) -> Stream:
        length = self.number(Seal.STREAM_LENGTH, settled(part.info.length, part.slip, len(stored)))
        return part.info if length == part.info.length else replace(part.info, length=length)

    def stripe(self, stripe: StripePart, streams: list[bytes], footer: bytes) -> StripeInformation:
        """Put a stripe into the file; return its entry in the footer."""
        info, slips = stripe.info, stripe.slips
        if not stripe.placed:
            return info
        self.out += stripe.gap
        start = len(self.out)
        index = sum(len(stored) for part, stored in zip(stripe.streams, streams, strict=True) if part.index)
        self.out += b"".join(streams) + stripe.rest
        data = len(self.out) - start - index
        self.out += footer
        number = self.number
        length = settled(info.footer_length, slips.footer_length, len(footer))
        counted = stripe.footer.value is not None
        return replace(
            info,
            offset=number(Seal.STRIPE_OFFSET, settled(info.offset, slips.offset, start)),
            index_length=number(Seal.INDEX_LENGTH, settled(info.index_length, slips.index_length, index)),
            data_length=number(Seal.DATA_LENGTH, settled(info.data_length, slips.data_length, data)),
            footer_length=number(Seal.STRIPE_FOOTER_LENGTH, length) if counted else length,
            number_of_rows=number(Seal.STRIPE_ROWS, info.number_of_rows),
        )

    def metadata(self) -> bytes:
        value = self.anatomy.metadata.value
        if value is not None:
            value = replace(value, stripe_stats=self.counted(Seal.STRIPE_STATISTICS, value.stripe_stats))
        return self.message(self.anatomy.metadata, value)

    def footer(self, stripes: tuple[StripeInformation, ...], end: int) -> bytes:
        value, slips, number = self.anatomy.tail, self.anatomy.slips, self.number
        rows = sum(stripe.number_of_rows or 0 for stripe in stripes)
        header = settled(value.header_length, slips.header_length, len(self.anatomy.header))
        content = settled(value.content_length, slips.content_length, end)
        sealed: Footer = replace(
            value,
            header_length=number(Seal.HEADER_LENGTH, header),
            content_length=number(Seal.CONTENT_LENGTH, content),
            stripes=stripes,
            number_of_rows=number(Seal.ROWS, settled(value.number_of_rows, slips.rows, rows)),
            statistics=self.counted(Seal.STATISTICS, value.statistics),
        )
        return self.message(self.anatomy.footer, sealed)

    def postscript(self, footer: int, metadata: int) -> bytes:
        message, number = self.anatomy.postscript, self.number
        value = self.anatomy.end
        if message.raw is not None:
            return message.raw
        codec = value.compression
        if self.breaks(Seal.COMPRESSION):
            codec = CompressionKind(((codec or 0) + self.by) % len(CompressionKind))
        block_size = value.compression_block_size
        if self.breaks(Seal.BLOCK_SIZE):
            block_size = abs(self.by)
        length = settled(value.metadata_length, self.anatomy.slips.metadata_length, metadata)
        sealed: PostScript = replace(
            value,
            footer_length=number(Seal.FOOTER_LENGTH, footer),
            metadata_length=number(Seal.METADATA_LENGTH, length),
            compression=codec,
            compression_block_size=block_size,
            magic=value.magic[::-1] if value.magic and self.breaks(Seal.MAGIC) else value.magic,
        )
        return message.stored if sealed == message.origin else protobuf.encode(sealed)
