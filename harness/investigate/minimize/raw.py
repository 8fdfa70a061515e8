"""Reductions of bytes, where no part is left to be left out.

With seals mended: bytes of page bodies and of what lies beside and between them, and all the rest is laid out
anew. Without: bytes of the file, wherever they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.orc import anatomy as orc
from reference_impl.orc.anatomy import edits
from reference_impl.parquet import anatomy as parquet

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS = 256  # pieces that bytes are cut into at the finest


def _finest(count: int) -> int:
    return max(1, count // _STEPS)


def sealed_parquet(data: bytes) -> Sites:
    """Leave out stored bytes of pages; sizes and offsets follow."""
    own = parquet.dissect(data)
    sizes = [len(page.stored) for chunk in own.chunks() for page in chunk.pages]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        first = 0
        pages = [page for chunk in new.chunks() for page in chunk.pages]
        for page, size in zip(pages, sizes, strict=True):
            low, high = max(start, first) - first, min(stop, first + size) - first
            if low < high:
                page.stored = page.stored[:low] + page.stored[high:]
                page.raw = None
                size_ = page.header.uncompressed_page_size - (high - low)
                page.header = replace(page.header, uncompressed_page_size=max(0, size_))
            first += size
        return parquet.assemble(new)

    return Sites(sum(sizes), reduced)


def sealed_orc(data: bytes) -> Sites:
    """Leave out bytes of streams, inside of their compression; lengths and offsets follow."""
    own = orc.dissect(data)
    streams = [(number, place, own.opened(part.stored)) for number, place, part in own.all_streams()]

    def reduced(start: int, stop: int) -> bytes:
        new, first = own, 0
        for number, place, inside in streams:
            size = len(inside or b"")
            low, high = max(start, first) - first, min(stop, first + size) - first
            if inside is not None and low < high:
                kept = inside[:low] + inside[high:]
                new = edits.with_stream(new, number, place, kept, keep_index=True)
            first += size
        return orc.assemble(new)

    return Sites(sum(len(inside or b"") for _, _, inside in streams), reduced)


def whole(data: bytes) -> Sites:
    """Leave out bytes of the file."""
    return Sites(len(data), lambda start, stop: data[:start] + data[stop:])


def zeros(data: bytes) -> Sites:
    """Have bytes of the file be 0."""
    places = [at for at, byte in enumerate(data) if byte]

    def reduced(start: int, stop: int) -> bytes:
        new = bytearray(data)
        for at in places[start:stop]:
            new[at] = 0
        return bytes(new)

    return Sites(len(places), reduced)


def reductions(sealed: Callable[[bytes], Sites]) -> tuple[Reduction, ...]:
    """Return those of a format."""
    return (
        Reduction("bytes, sealed", sealed, finest=_finest),
        Reduction("bytes", whole, finest=_finest),
    )


PARQUET = reductions(sealed_parquet)
ORC = reductions(sealed_orc)
