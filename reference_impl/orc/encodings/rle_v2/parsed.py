"""A run whose header was read: how long it is, what is packed in it, and how values come of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Unsigned = "NDArray[np.unsignedinteger]"
NOTHING = memoryview(b"")
CUT, TOO_LONG = "ORC-RLE2-001", "ORC-RLE2-002"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A run of `length` values; `packed` holds `count` unsigned values of `width` bits, most significant first.

    `values` makes the run of those, as 64-bit words that wrap around.
    """

    length: int
    width: int
    count: int
    packed: memoryview
    values: Callable[[NDArray[np.uint64]], NDArray[np.int64]]


def from_zigzag(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Answer signed values of zigzag ones."""
    one = np.uint64(1)
    return ((values >> one) ^ (np.uint64(0) - (values & one))).view(np.int64)


def to_zigzag(values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Answer zigzag values of signed ones."""
    return ((values << np.int64(1)) ^ (values >> np.int64(63))).view(np.uint64)
