"""Short repeat ("Short Repeat"): one value, 3 to 10 times.

    | 0 0 | width - 1: 3 bits | length - 3: 3 bits | value: width bytes, big-endian |

    five times 10000    0a 27 10

The value is zigzag where it is signed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl.orc.encodings import varints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor

KIND = 0
SHORTEST, LONGEST = 3, 10


class Batch:
    """The short repeats of one call."""

    def __init__(self, *, signed: bool) -> None:
        self.signed = signed
        self.places: list[int] = []
        self.lengths: list[int] = []
        self.values: list[int] = []

    def read(self, cursor: Cursor, header: int, at: int) -> int:
        """Read what follows the first byte of a run whose values go to `at`; answer how many these are."""
        length = (header & 7) + SHORTEST
        size = (header >> 3) + 1
        # A run has no more than 10 values, so there may be many of them: no call where one byte is all.
        value = cursor.u8("value") if size == 1 else int.from_bytes(cursor.take(size, "value"), "big")
        self.places.append(at)
        self.lengths.append(length)
        self.values.append(value)
        return length

    def fill(self, out: NDArray[np.int64]) -> None:
        """Put the values into their places."""
        if not self.places:
            return
        values = np.array(self.values, np.uint64)
        found = varints.unzigzag(values) if self.signed else values.view(np.int64)
        lengths = np.array(self.lengths)
        ends = np.cumsum(lengths)
        places = np.repeat(np.array(self.places) - (ends - lengths), lengths) + np.arange(ends[-1])
        out[places] = np.repeat(found, lengths)


def encode(raw: int, length: int, extra_width: int = 0) -> bytes:
    """Answer a run of `length` values stored as `raw`, in as many bytes as needed and `extra_width` more."""
    width = min(8, max(1, (raw.bit_length() + 7) // 8) + extra_width)
    return bytes([KIND << 6 | width - 1 << 3 | length - SHORTEST]) + raw.to_bytes(width, "big")
