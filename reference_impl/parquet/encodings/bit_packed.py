"""BIT_PACKED = 4 (Encodings.md#BITPACKED), deprecated: levels back to back, MSB first, only the end padded.

    width 3, values 0 to 7    00000101 00111001 01110111
                              ABCDEFGH IJKLMNOP QRSTUVWX

No size precedes the levels: it follows from the number of values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.bits import Unsigned
from reference_impl.cursor import Cursor

if TYPE_CHECKING:
    import numpy as np

MISSING = "PQ-BITPACKED-001"


def decode(cursor: Cursor, width: int, count: int) -> Unsigned:
    """Return `count` levels of `width` bits (0 to 32) as the smallest unsigned type that holds them.

    The cursor is left behind the byte of the last level. The bits that pad it "are 0s", which no reader
    checks. Raises Malformed (PQ-BITPACKED-001) if bytes are missing.
    """
    with cursor.obeying(MISSING):
        data = cursor.take(bits.size(count, width), f"{count} levels of {width} bits")
    return bits.unpack_msb(data, width, count)


def encode(levels: NDArray[np.integer], width: int) -> bytes:
    """Return the levels packed."""
    return bits.pack_msb(levels, width)
