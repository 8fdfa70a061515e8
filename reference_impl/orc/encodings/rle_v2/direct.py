"""Direct ("Direct"): 1 to 512 values of a fixed width.

    | 0 1 | width code: 5 bits | length - 1: 9 bits | values: width bits each, big-endian, padded to a byte |

    23713, 43806, 57005, 48879    5e 03 5c a1 ab 1e de ad be ef

The values are zigzag where they are signed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import varints
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, Packed, aligned, header, needed, scatter

if TYPE_CHECKING:
    import numpy as np

KIND = 1
LONGEST = 512


class Batch:
    """The direct runs of one call."""

    def __init__(self, *, signed: bool) -> None:
        self.signed = signed
        self.packed = Packed()

    def read(self, cursor: Cursor, header: int, at: int) -> int:
        """Read what follows the first byte of a run whose values go to `at`; return how many it has."""
        length = ((header & 1) << 8 | cursor.u8("length of a run")) + 1
        width = WIDTHS[header >> 1 & 0x1F]
        self.packed.add(width, at, length, cursor.take(bits.size(length, width), "direct values"))
        return length

    def fill(self, out: NDArray[np.int64]) -> None:
        """Put the values into their places."""
        for places, counts, values in self.packed.unpack():
            # A decoded zigzag value has no more bits than the encoded one, so the narrow type suffices.
            scatter(out, places, counts, varints.unzigzag(values) if self.signed else values.astype("i8"))


def encode(raw: NDArray[np.uint64], extra_width: int = 0) -> bytes:
    """Return a run of 1 to 512 values, zigzag if they are signed."""
    width = aligned(needed(raw), extra_width)
    return header(KIND, width, len(raw)) + bits.pack_msb(raw, width)
