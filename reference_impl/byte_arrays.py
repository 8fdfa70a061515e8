"""A column of byte strings as two arrays: a million strings do not take a million Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = (1 << 31) - 1  # default limit of the strings of a page: 32-bit offsets address no more
_COPIED = 64 << 20  # bytes that iteration may copy whole
_BLOCK = 1 << 16


@dataclass(frozen=True)
class ByteArrays:
    """`n` byte strings: string `i` is `data[offsets[i]:offsets[i + 1]]`.

    `offsets` is int64 of n + 1 elements, ascending, not necessarily from 0; `data` is uint8.
    """

    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]

    @staticmethod
    def of(strings: Iterable[bytes]) -> ByteArrays:
        """Build from Python byte strings."""
        parts = list(strings)
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return ByteArrays(offsets, np.frombuffer(b"".join(parts), np.uint8))

    @staticmethod
    def from_lengths(lengths: NDArray[np.int64], data: NDArray[np.uint8]) -> ByteArrays:
        """Cut `data` into strings of these lengths; the caller has checked that they fit."""
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return ByteArrays(offsets, data)

    @staticmethod
    def concat(parts: list[ByteArrays]) -> ByteArrays:
        """Return all strings of all parts, in order."""
        if len(parts) == 1:
            return parts[0]
        lengths = [np.zeros(0, np.int64)] + [part.lengths for part in parts]
        data = [np.zeros(0, np.uint8)] + [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
        return ByteArrays.from_lengths(np.concatenate(lengths), np.concatenate(data))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each string in bytes."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """Number of bytes of all strings together."""
        return int(self.offsets[-1] - self.offsets[0])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> bytes:
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        # Slices of a bytes object are quickest; all data is copied only where it is small.
        raw = self.data.tobytes() if len(self.data) < _COPIED else self.data.data
        return (bytes(raw[start:stop]) for start, stop in pairwise(self.offsets.tolist()))

    def take(self, indices: NDArray[np.int64]) -> ByteArrays:
        """Return the strings at `indices`, in that order; the caller has checked range and total size."""
        starts = self.offsets[:-1][indices]
        lengths = self.offsets[1:][indices] - starts
        offsets = np.zeros(len(indices) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        total = int(offsets[-1])
        if total > 128 * len(indices):
            raw = self.data.data
            ends = (starts + lengths).tolist()
            parts = [raw[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]
            return ByteArrays(offsets, np.frombuffer(b"".join(parts), np.uint8))
        # Short strings byte by byte: byte j of the result comes from the string's start + (j - where the
        # string begins in the result). Blocks keep the index arrays small.
        data = np.empty(total, np.uint8)
        starts -= offsets[:-1]
        cuts = np.searchsorted(offsets, np.arange(0, total, _BLOCK)).tolist()
        for first, last in pairwise([*cuts, len(indices)]):
            begin, end = offsets[first], offsets[last]
            sources = np.repeat(starts[first:last], lengths[first:last])
            sources += np.arange(begin, end)
            data[begin:end] = self.data[sources]
        return ByteArrays(offsets, data)


# Values of a column: an array, or byte strings. Each format has its own table by type.
Values = NDArray[np.generic] | ByteArrays
