"""Compression chunks (ORCv1.md, "Compression"): every part of a file but the postscript.

    stream := chunk*      chunk := header body
    header    3 bytes, little endian: length of the body * 2 + isOriginal
    body      `length` bytes: the bytes themselves (isOriginal), or a compressed block of them

A chunk has no more bytes uncompressed than the postscript's compressionBlockSize. Without compression there
are no headers. Chunks are independent of each other, so that a position can name a chunk by the place of its
header.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from reference_impl.compression import SIZE, STREAM, TRAILING, Trailing, expand
from reference_impl.errors import BreachHandler, LimitExceeded, Malformed, ReferenceError_, refuse
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.schema import CompressionKind

HEADER = 3
DEFAULT_BLOCK_SIZE = 1 << 18  # "The default compression chunk size is 256K"
MAX_BLOCK_SIZE = (1 << 23) - 1  # the length in the header has 23 bits
_RULES = {SIZE: "ORC-COMP-003", STREAM: "ORC-COMP-004", TRAILING: "ORC-COMP-006"}


class Chunk(NamedTuple):
    """A chunk: `start` of its header in the stream, `length` of its body; `original`: uncompressed."""

    start: int
    length: int
    original: bool


class Stream:
    """A stream of a stripe, or a part of the tail: `raw` are its bytes in the file, at `base`.

    `breach` gets the errors that decompression does not stop at.
    """

    def __init__(
        self,
        raw: memoryview,
        codec: CompressionKind,
        block_size: int,
        base: int,
        limits: Limits,
        *,
        breach: BreachHandler = refuse,
    ) -> None:
        self.raw = raw
        self.codec = codec
        self.block_size = block_size
        self.base = base
        self.limits = limits
        self.breach = breach
        self._data: memoryview | None = None
        self._chunks: tuple[Chunk, ...] | None = None
        self._starts: list[int] = []  # where each chunk's bytes begin in `data`, and the end of the last

    @property
    def compressed(self) -> bool:
        """Whether the stream has chunks with headers, and positions two numbers instead of one."""
        return self.codec != CompressionKind.NONE

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks, none without compression. Raises Malformed (ORC-COMP-001, -002)."""
        if self._chunks is None:
            self._chunks = tuple(_chunks(self.raw, self.base)) if self.compressed else ()
        return self._chunks

    @property
    def data(self) -> memoryview:
        """All bytes, decompressed at first use. Raises Malformed (ORC-COMP-*), Unsupported, LimitExceeded."""
        if self._data is None:
            self._data = self._decompress() if self.compressed else self.raw
        return self._data

    def locate(self, start: int, offset: int) -> int:
        """Return the place in `data` that is `offset` bytes into the chunk whose header begins at `start`.

        Without compression there is one chunk, at 0. Raises Malformed (ORC-INDEX-003) if there is no such
        place; the end of the last chunk is a place, with offset 0.
        """
        if not self.compressed:
            if start or offset > len(self.raw):
                raise self._astray(f"byte {offset} of {len(self.raw)}")
            return offset
        size = len(self.data)
        if start == len(self.raw) and not offset:
            return size
        index = bisect_left(self.chunks, start, key=lambda chunk: chunk.start)
        if index == len(self.chunks) or self.chunks[index].start != start:
            raise self._astray(f"a chunk at {start}, where none begins")
        length = self._starts[index + 1] - self._starts[index]
        if offset > length:
            raise self._astray(f"byte {offset} of the {length} of a chunk")
        return self._starts[index] + offset

    @property
    def data_base(self) -> int:
        """The offset of `data[0]` in errors: its offset in the file without compression, 0 with it."""
        return 0 if self.compressed else self.base

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Turn the offset in `data` of an error that passes through into the offset of its chunk."""
        try:
            yield
        except ReferenceError_ as error:
            self._place(error)
            raise

    def located(self, error: Malformed, *path: str) -> Malformed:
        """Return an error that did not pass through `decoding`, with the path and the offset of its chunk."""
        error.path = (*path, *error.path)
        self._place(error)
        return error

    def _place(self, error: ReferenceError_) -> None:
        """Turn the offset of an error in `data`; errors of decompression are placed already."""
        if self._data is not None and error.offset is not None and self.chunks:
            index = bisect_left(self._starts, error.offset + 1) - 1
            error.offset = self.base + self.chunks[max(0, min(index, len(self.chunks) - 1))].start

    def _astray(self, message: str) -> Malformed:
        return Malformed(f"a position names {message}", offset=self.base, rule="ORC-INDEX-003")

    def _decompress(self) -> memoryview:
        if len(self.chunks) == 1:
            only = self._body(self.chunks[0])
            self._starts = [0, len(only)]
            return only
        out, starts = bytearray(), [0]
        for chunk in self.chunks:
            out += self._body(chunk)
            starts.append(len(out))
            if len(out) > self.limits.page_bytes:
                message = f"a stream of more than {self.limits.page_bytes} bytes"
                raise LimitExceeded(message, offset=self.base + chunk.start)
        self._starts = starts
        return memoryview(out).toreadonly()

    def _body(self, chunk: Chunk) -> memoryview:
        at = chunk.start + HEADER
        body = self.raw[at : at + chunk.length]
        if chunk.original or not chunk.length:  # an empty chunk holds nothing, compressed or not
            if chunk.length > self.block_size:
                message = f"an original chunk of {chunk.length} bytes; the block has {self.block_size}"
                raise Malformed(message, offset=self.base + chunk.start, rule="ORC-COMP-003")
            return body
        try:
            return expand(self.codec.name, body, self.block_size, base=self.base + at)
        except Malformed as error:
            broken = Malformed(error.message, offset=error.offset, rule=_RULES[error.rule or STREAM])
            if not isinstance(error, Trailing):
                raise broken from error
            self.breach(broken)
            return error.decoded


def open_stream(
    raw: memoryview,
    codec: CompressionKind,
    block_size: int = DEFAULT_BLOCK_SIZE,
    base: int = 0,
    limits: Limits = DEFAULT,
    *,
    breach: BreachHandler = refuse,
) -> Stream:
    """Return a stream, of which nothing has been decompressed yet."""
    return Stream(raw, codec, block_size, base, limits, breach=breach)


def _chunks(raw: memoryview, base: int) -> list[Chunk]:
    out = []
    pos, size = 0, len(raw)
    while pos < size:
        if size - pos < HEADER:
            message = f"{size - pos} bytes of a chunk's header"
            raise Malformed(message, offset=base + pos, rule="ORC-COMP-001")
        header = raw[pos] | raw[pos + 1] << 8 | raw[pos + 2] << 16
        length = header >> 1
        if length > size - pos - HEADER:
            message = f"a chunk of {length} bytes, {size - pos - HEADER} are left"
            raise Malformed(message, offset=base + pos, rule="ORC-COMP-002")
        out.append(Chunk(pos, length, bool(header & 1)))
        pos += HEADER + length
    return out
