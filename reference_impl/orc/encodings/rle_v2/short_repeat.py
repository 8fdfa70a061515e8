"""Short repeat: 3 to 10 copies of one value, in two bytes or more.

    00 www ccc    width in bytes - 1, count - 3; then the value, big endian, zigzag if signed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl.orc.encodings.rle_v2.parsed import NOTHING, Parsed
from reference_impl.orc.encodings.varints import wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor

SHORTEST, LONGEST = 3, 10


def read(cursor: Cursor, first: int, *, signed: bool) -> Parsed:
    """Read the run behind its first byte."""
    width, count = (first >> 3 & 7) + 1, (first & 7) + SHORTEST
    number = int.from_bytes(cursor.take(width, "value of a short repeat"), "big")
    value = wrapped((number >> 1) ^ -(number & 1) if signed else number)

    def values(_: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.full(count, value, np.int64)

    return Parsed(count, 0, 0, NOTHING, values)


def write(value: int, count: int, *, signed: bool, extra_width: int = 0) -> bytes:
    """Answer a run of `count` (3 to 10) copies."""
    number = (2 * value if value >= 0 else -2 * value - 1) if signed else value
    width = min(8, max(1, (number.bit_length() + 7) // 8) + extra_width)
    return bytes([width - 1 << 3 | count - SHORTEST]) + number.to_bytes(width, "big")
