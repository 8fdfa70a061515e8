"""The 5 bit width encoding table of version 2, and many bit-packed runs unpacked together.

    code     0      1 ... 23    24  25  26  27  28  29  30  31
    bits     1 (0)  2 ... 24    26  28  30  32  40  48  56  64

Code 0 means 0 bits for deltas only. The text calls other widths than 1, 2, 4, 8, 16, 24, 32, 40 ...
deprecated; patched base still needs them, and readers have to support them all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.bits import Unsigned

if TYPE_CHECKING:
    import numpy as np

WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)
_ALIGNED = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64)


def closest(width: int, extra: int = 0) -> int:
    """Return the smallest width of the table that holds `width` bits, or the one `extra` steps further."""
    width_held: int = WIDTHS[min(bisect_left(WIDTHS, width) + extra, len(WIDTHS) - 1)]
    return width_held


def aligned(width: int, extra: int = 0) -> int:
    """As `closest`, beginning with a width that is not deprecated."""
    return closest(next(bits for bits in _ALIGNED if bits >= width), extra)


def code(width: int) -> int:
    """Return the code of a width of the table; 0 for no bits at all."""
    return bisect_left(WIDTHS, width)


def header(kind: int, width: int, length: int) -> bytes:
    """Return the 2 bytes of direct and delta, with which patched base begins: kind, width, length - 1."""
    return (kind << 14 | code(width) << 9 | length - 1).to_bytes(2, "big")


def needed(values: NDArray[np.uint64]) -> int:
    """Return how many bits the largest of the values has."""
    return int(values.max()).bit_length() if len(values) else 0


class Packed:
    """Bit-packed bodies, each padded to a byte, that are unpacked together by width."""

    def __init__(self) -> None:
        self._bodies: dict[int, tuple[list[int], list[int], list[bytes | memoryview]]] = {}

    def add(self, width: int, at: int, count: int, body: memoryview) -> None:
        """Add a body of `count` values that go to the places from `at` on."""
        body_lists = self._bodies.get(width)
        if body_lists is None:
            body_lists = self._bodies[width] = ([], [], [])
        places, counts, parts = body_lists
        places.append(at)
        counts.append(count)
        parts.append(body)
        if count % 8:  # the next body begins with a new group of eight
            parts.append(bytes((count + 7) // 8 * width - len(body)))

    def unpack(self) -> Iterator[tuple[list[int], list[int], Unsigned]]:
        """Yield places, counts and values of each width; the values of each body fill up groups of eight."""
        for width, (places, counts, parts) in self._bodies.items():
            total = sum((count + 7) // 8 * 8 for count in counts)
            yield places, counts, bits.unpack_msb(b"".join(parts), width, total)


def scatter(
    out: NDArray[np.int64], places: list[int], counts: list[int], values: NDArray[np.integer]
) -> None:
    """Copy values of `Packed.unpack` to their places."""
    start = 0
    for place, count in zip(places, counts, strict=True):
        out[place : place + count] = values[start : start + count]
        start += (count + 7) // 8 * 8
