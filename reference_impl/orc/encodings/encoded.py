"""The result of an encoder: bytes, and where in them each value begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError


@dataclass(frozen=True)
class Encoded:
    """`data`, in runs: run `i` begins at byte `starts[i]` and holds `counts[i]` values (both int64)."""

    data: bytes
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, parts: Sequence[bytes], counts: Sequence[int]) -> Self:
        """Join runs."""
        ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return cls(b"".join(parts), ends[:-1], np.array(counts, np.int64))

    def __len__(self) -> int:
        return int(self.counts.sum())

    def position(self, index: int) -> tuple[int, ...]:
        """Return the position of value `index` as in a row index: byte of its run, values of the run before.

        The end of the values is (len(data), 0). Raises UsageError for an index beyond it.
        """
        ends = np.cumsum(self.counts)
        values = int(ends[-1]) if len(ends) else 0
        if not 0 <= index <= values:
            raise UsageError(f"position of value {index} of {values}")
        if index == values:
            return len(self.data), 0
        run = int(np.searchsorted(ends, index, side="right"))
        return int(self.starts[run]), index - int(ends[run] - self.counts[run])


@dataclass(frozen=True)
class EncodedBits(Encoded):
    """Runs of bytes that hold `bits` booleans, eight a byte; a position also counts bits within the byte."""

    bits: int

    def __len__(self) -> int:
        return self.bits

    def position(self, index: int) -> tuple[int, ...]:
        """Return the byte of the run, bytes of the run before, bits of the byte before."""
        if not 0 <= index <= self.bits:
            raise UsageError(f"position of boolean {index} of {self.bits}")
        return *super().position(index // 8), index % 8


@dataclass(frozen=True)
class EncodedVarints(Encoded):
    """Varints without runs: a position is a byte."""

    def position(self, index: int) -> tuple[int, ...]:
        """Return the byte where the varint begins."""
        return super().position(index)[:1]
