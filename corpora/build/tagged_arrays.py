"""Arrays of the reference as tagged values, for both formats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corpora.tagged import Value


def numbers(values: NDArray[np.generic]) -> list[Value]:
    """Write integers in decimal."""
    return list(map(str, values.tolist()))


def bits(values: NDArray[np.generic]) -> list[Value]:
    """Write floats as their bits, big-endian."""
    raw = values.byteswap().view(np.uint8).reshape(len(values), values.dtype.itemsize)
    return list(texts(raw))


def texts(values: NDArray[np.generic]) -> list[str]:
    """Write each row of an (n, width) uint8 array as hex."""
    width = 2 * values.shape[1]
    text = values.tobytes().hex()
    return [text[at * width : (at + 1) * width] for at in range(len(values))]
