"""Short repeat ("Short Repeat"): one value, 3 to 10 times.

    | 0 0 | width - 1: 3 bits | length - 3: 3 bits | value: width bytes, big-endian |

    five times 10000    0a 27 10

The value is zigzag where it is signed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import varints

KIND = 0
SHORTEST, LONGEST = 3, 10


class Batch:
    """The short repeats of one call, of which `wanted` values are needed."""

    def __init__(self, wanted: int, *, signed: bool) -> None:
        self.wanted = wanted
        self.signed = signed
        self.data = memoryview(b"")
        self.headers: list[int] = []
        self.stops: list[int] = []  # where the runs end, in the data
        self.places: list[int] = []  # where their values go

    def read(self, cursor: Cursor, header: int, at: int) -> int:
        """Read a run behind its first byte, and the short repeats that follow; return their number of values.

        The first value goes to `at`. A run has at most 10 values, so this loop has to be quick.
        """
        self.data, stop = cursor.data, cursor.pos
        place = at
        while True:
            start = stop
            stop += (header >> 3) + 1
            if stop > cursor.end:
                cursor.pos = start
                raise cursor.fail(f"{stop - start} bytes of a repeated value, {cursor.remaining} are left")
            self.headers.append(header)
            self.stops.append(stop)
            self.places.append(place)
            place += (header & 7) + SHORTEST
            if place >= self.wanted or stop == cursor.end:
                break
            header = self.data[stop]
            if header >= 0x40:
                break
            stop += 1
        cursor.pos = stop
        return place - at

    def fill(self, out: NDArray[np.int64]) -> None:
        """Put the values into their places."""
        if not self.places:
            return
        headers = np.array(self.headers, np.uint64)
        lengths = (headers & np.uint64(7)).astype(np.int64) + SHORTEST
        values = self._values(headers >> np.uint64(3))
        repeated = np.repeat(varints.unzigzag(values) if self.signed else values.view(np.int64), lengths)
        ends = np.cumsum(lengths)
        out[np.repeat(np.array(self.places) - (ends - lengths), lengths) + np.arange(ends[-1])] = repeated

    def _values(self, codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the repeated values: the last bytes of each run, one more than its code."""
        begin, end = self.stops[0] - 8, self.stops[-1]
        padded = np.zeros(end - begin, np.uint8)
        raw = np.frombuffer(self.data, np.uint8)[max(begin, 0) : end]
        padded[len(padded) - len(raw) :] = raw
        words = np.ndarray((len(padded) - 7,), ">u8", padded, 0, (1,))
        unused = np.uint64(56) - codes * np.uint64(8)
        values: NDArray[np.uint64] = words[np.array(self.stops) - self.stops[0]].astype(np.uint64)
        values <<= unused
        values >>= unused
        return values


def encode(raw: int, length: int, extra_width: int = 0) -> bytes:
    """Return a run of `length` values stored as `raw`, in as many bytes as needed and `extra_width` more."""
    width = min(8, max(1, (raw.bit_length() + 7) // 8) + extra_width)
    return bytes([KIND << 6 | width - 1 << 3 | length - SHORTEST]) + raw.to_bytes(width, "big")
