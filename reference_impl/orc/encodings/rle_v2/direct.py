"""Direct: 1 to 512 values, packed at one width.

    01 wwwww l   lllllllll    code of the width, length - 1; then the values, zigzag if signed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl import bits
from reference_impl.orc.encodings.rle_v2.parsed import Parsed, from_zigzag, to_zigzag
from reference_impl.orc.encodings.rle_v2.widths import CODES, WIDTHS, closest, header

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor

KIND = 1


def read(cursor: Cursor, first: int, *, signed: bool) -> Parsed:
    """Read the run behind its first byte."""
    length = ((first & 1) << 8 | cursor.u8("length of a direct run")) + 1
    width = WIDTHS[first >> 1 & 31]
    packed = cursor.take(bits.size(length, width), "values of a direct run")
    return Parsed(length, width, length, packed, from_zigzag if signed else _plain)


def _plain(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    return values.view(np.int64)


def write(values: NDArray[np.int64], *, signed: bool, extra_width: int = 0) -> bytes:
    """Answer a run of 1 to 512 values."""
    words = to_zigzag(values) if signed else values.view(np.uint64)
    width = closest(int(words.max()).bit_length(), extra_width)
    return header(KIND, CODES[width], len(values)) + bits.pack_msb(words.view(np.int64), width)
