"""Reductions of bytes, for files without removable parts.

The sealed reductions remove bytes of page bodies or of streams, and lay out the rest anew with right lengths
and offsets. The others remove bytes anywhere in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.investigate.minimize.reduction import Reduction, Sites, overlaps
from reference_impl.orc import anatomy as orc
from reference_impl.orc.anatomy import edits
from reference_impl.parquet import anatomy as parquet

_STEPS = 256  # parts that bytes are divided into at the finest


def _finest(count: int) -> int:
    return max(1, count // _STEPS)


def sealed_parquet(data: bytes) -> Sites:
    """Leave out stored bytes of pages; sizes and offsets follow."""
    own = parquet.dissect(data)
    sizes = [len(page.stored) for chunk in own.chunks() for page in chunk.pages]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        pages = [page for chunk in new.chunks() for page in chunk.pages]
        for number, low, high in overlaps(start, stop, sizes):
            page = pages[number]
            page.stored = page.stored[:low] + page.stored[high:]
            page.raw = None
            size = page.header.uncompressed_page_size - (high - low)
            page.header = replace(page.header, uncompressed_page_size=max(0, size))
        return parquet.assemble(new)

    return Sites(sum(sizes), reduced)


def sealed_orc(data: bytes) -> Sites:
    """Leave out uncompressed bytes of streams; lengths and offsets follow."""
    own = orc.dissect(data)
    streams = [(stripe, place, own.opened(part.stored) or b"") for stripe, place, part in own.all_streams()]
    sizes = [len(inside) for _, _, inside in streams]

    def reduced(start: int, stop: int) -> bytes:
        new = own
        for number, low, high in overlaps(start, stop, sizes):
            stripe, place, inside = streams[number]
            new = edits.with_stream(new, stripe, place, inside[:low] + inside[high:], keep_index=True)
        return orc.assemble(new)

    return Sites(sum(sizes), reduced)


def whole(data: bytes) -> Sites:
    """Leave out bytes of the file."""
    return Sites(len(data), lambda start, stop: data[:start] + data[stop:])


def zeros(data: bytes) -> Sites:
    """Set bytes of the file to 0."""
    places = [at for at, byte in enumerate(data) if byte]

    def reduced(start: int, stop: int) -> bytes:
        new = bytearray(data)
        for at in places[start:stop]:
            new[at] = 0
        return bytes(new)

    return Sites(len(places), reduced)


def reductions(sealed: Callable[[bytes], Sites]) -> tuple[Reduction, ...]:
    """Return the reductions of bytes of a format."""
    return (
        Reduction("bytes, sealed", sealed, finest=_finest),
        Reduction("bytes", whole, finest=_finest),
    )


PARQUET = reductions(sealed_parquet)
ORC = reductions(sealed_orc)
