"""Arrays of the reference as tagged values, for both formats."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corpora.tagged import BIG, Value, binary, text
from reference_impl.byte_arrays import ByteArrays

_SPAN = 1 << 16  # numbers that are written once, to be looked up
_WIDEST = 8  # bytes of an integer
_AT_ONCE = 64 << 20  # bytes


def numbers(values: NDArray[np.generic]) -> list[Value]:
    """Write integers in decimal; those of a narrow range once each, which are then looked up."""
    if values.ndim == 1 and values.dtype.kind in "iu" and len(values) > _SPAN:
        least, most = int(values.min()), int(values.max())
        if most - least < _SPAN:
            written = list(map(str, range(least, most + 1)))
            wide = values if values.dtype.itemsize == _WIDEST else values.astype(np.int64)
            return list(map(written.__getitem__, np.subtract(wide, wide.dtype.type(least)).tolist()))
    return list(map(str, values.tolist()))


def strings(values: ByteArrays) -> list[Value]:
    """Write byte strings as text, those of ASCII by cutting the text of all of them."""
    data = values.data
    if _is_small(values) and not (data & 0x80).any():
        return _cut(data.tobytes().decode("ascii"), values.offsets.tolist())
    return [text(raw) for raw in values]


def hexes(values: ByteArrays) -> list[Value]:
    """Write byte strings as hex."""
    if _is_small(values):
        return _cut(values.data.tobytes().hex(), (2 * values.offsets).tolist())
    return [binary(raw) for raw in values]


def _is_small(values: ByteArrays) -> bool:
    """Return whether all strings can be written at once, and none is too long for a message."""
    return len(values.data) <= _AT_ONCE and int(values.lengths.max(initial=0)) <= BIG


def _cut(written: str, offsets: Iterable[int]) -> list[Value]:
    return [written[start:stop] for start, stop in pairwise(offsets)]


def bits(values: NDArray[np.generic]) -> list[Value]:
    """Write floats as their bits, big-endian."""
    raw = values.byteswap().view(np.uint8).reshape(len(values), values.dtype.itemsize)
    return list(texts(raw))


def texts(values: NDArray[np.generic]) -> list[str]:
    """Write each row of an (n, width) uint8 array as hex."""
    width = 2 * values.shape[1]
    text = values.tobytes().hex()
    return [text[at * width : (at + 1) * width] for at in range(len(values))]
