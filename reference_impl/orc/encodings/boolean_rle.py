"""Boolean run length encoding ("Boolean Run Length Encoding"): bits, the highest first, in runs of bytes.

    ff 80    one literal byte 80: true, and seven times false

The bits behind the last boolean in its byte are padding of any value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import byte_rle
from reference_impl.orc.encodings.runs import EncodedBits, Run

CUT = "ORC-BOOL-001"


def decode(cursor: Cursor, count: int, *, skip: int = 0, bits: int = 0) -> NDArray[np.bool_]:
    """Return `count` booleans behind `skip` bytes of the run at the cursor and `bits` bits of the next byte.

    The cursor is left behind the last run. Raises Malformed (ORC-BOOL-001) where the runs end early.
    """
    size = (bits + count + 7) // 8 if count else 0
    packed = byte_rle.decode(cursor, size, skip=skip, rule=CUT)
    return np.unpackbits(packed, count=bits + count if count else 0)[bits:].view(np.bool_)


def encode(
    values: Sequence[bool] | NDArray[np.bool_], *, runs: Sequence[Run] = (), padding: bool = False
) -> EncodedBits:
    """Return runs of bytes, cut as in `byte_rle.encode`; bits of `padding` fill up the last byte.

    ORCv1.md, Boolean Run Length Encoding, does not say which bits do.
    """
    bits = np.asarray(values, np.bool_)
    packed = np.packbits(bits)
    if padding and len(bits) % 8:
        packed[-1] |= (1 << -len(bits) % 8) - 1
    encoded = byte_rle.encode(packed, runs=runs)
    return EncodedBits(encoded.data, encoded.starts, encoded.counts, len(bits))
