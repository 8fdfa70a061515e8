"""Cutting streams into compression chunks, with the position of each byte ("Compression").

    header, 3 bytes little-endian: length of the body << 1 | isOriginal        body

Without compression a stream is stored as it is, and there are no headers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle, repeat

from reference_impl import compression
from reference_impl.errors import UsageError
from reference_impl.orc.plan import Chunks, Empty, Original
from reference_impl.orc.schema import CompressionKind

MAX_BLOCK = (1 << 23) - 1  # the length of a chunk has 23 bits
_EMPTY = b"\1\0\0"  # a chunk of no bytes, stored as they are


@dataclass(frozen=True)
class Framed:
    """A stream as it is stored.

    `starts`: for each chunk, where it begins before compression and where its header begins; None without
    compression. `length` is the size before compression.
    """

    data: bytes
    length: int
    starts: tuple[tuple[int, int], ...] | None = None

    def position(self, offset: int) -> tuple[int, ...]:
        """Return the position of a byte ("Row Group Index"): one number, or two with compression.

        The end of the stream is the end of its last chunk; a byte between two chunks is the start of the
        second.
        """
        if self.starts is None:
            return (offset,)
        if not self.starts:
            return (0, 0)
        before, header = self.starts[bisect_right(self.starts, (offset, len(self.data))) - 1]
        return header, offset - before


def frame(kind: CompressionKind, chunks: Chunks, block_size: int, data: bytes) -> Framed:
    """Return a stream cut into chunks; an empty stream has none.

    Raises UsageError for chunks that are larger than the block, or empty; Unsupported for LZO without its
    library.
    """
    if kind is CompressionKind.NONE:
        return Framed(data, len(data))
    if not all(0 < size <= block_size for size in chunks.sizes):
        raise UsageError(f"chunks of {chunks.sizes} bytes in blocks of {block_size}")
    sizes: Iterable[int] = cycle(chunks.sizes) if chunks.sizes else repeat(block_size)
    out, starts, at = bytearray(), [], 0
    for number, size in enumerate(sizes):
        part = data[at : at + size]
        if not part:
            break
        if chunks.empty is (Empty.BETWEEN if number else Empty.FIRST):
            out += _EMPTY
        starts.append((at, len(out)))
        out += chunk(kind, part, level=chunks.level, original=_original(chunks.original, number))
        at += size
    if out and chunks.empty is Empty.LAST:
        out += _EMPTY
    return Framed(bytes(out), len(data), tuple(starts))


def chunk(kind: CompressionKind, part: bytes, *, level: int | None = None, original: bool = False) -> bytes:
    """Return a chunk with its header; original if asked for, or if compression does not make it smaller."""
    body = part if original else squeezed(kind, part, level)
    original = original or len(body) >= len(part)
    body = part if original else body
    return (len(body) << 1 | original).to_bytes(3, "little") + body


def squeezed(kind: CompressionKind, part: bytes, level: int | None = None) -> bytes:
    """Return the bytes of a codec's stream: ZLIB is raw DEFLATE, LZ4 and LZO are bare blocks."""
    return compression.shrink(kind.name, part, level=level)


def _original(which: Original, number: int) -> bool:
    return which is Original.ALWAYS or (which is Original.MIXED and number % 2 == 1)
