"""The runs that an encoder writes: what plans (`reference_impl.orc.plan.Column`) ask for, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError


class RunKind(StrEnum):
    """Kinds of runs: of bytes and integers (version 1), then of integers (version 2)."""

    CHOSEN = "chosen"  # the kind that suits the next values, in both versions
    REPEAT = "repeat"
    LITERALS = "literals"
    SHORT_REPEAT = "short_repeat"
    DIRECT = "direct"
    PATCHED_BASE = "patched_base"
    DELTA = "delta"


V1_KINDS = (RunKind.CHOSEN, RunKind.REPEAT, RunKind.LITERALS)
V2_KINDS = (RunKind.CHOSEN, RunKind.SHORT_REPEAT, RunKind.DIRECT, RunKind.PATCHED_BASE, RunKind.DELTA)


@dataclass(frozen=True)
class Run:
    """One run. `length`: how many values, None for as many as it can hold; never more than that.

    `extra_width`: widths are by so many steps wider than usual: the bytes of a short repeat, the
    bits of direct values and of deltas (usual widths are those that are not deprecated), and the bits of
    patched base as long as a value is patched. Version 1 and bytes ignore it.

    A kind that cannot hold the next values is replaced: REPEAT by LITERALS, all kinds of
    version 2 by DIRECT, of the same length. The encodings document which values each kind can hold.
    """

    kind: RunKind = RunKind.CHOSEN
    length: int | None = None
    extra_width: int = 0


def endless(runs: Sequence[Run], kinds: tuple[RunKind, ...]) -> Iterator[Run]:
    """Yield the runs in turn for ever, or CHOSEN runs if there are none.

    Raises UsageError for a kind that is not among `kinds`, a length below 1, a negative width.
    """
    for run in runs:
        if run.kind not in kinds:
            raise UsageError(f"a run of kind {run.kind}, which is none of {', '.join(kinds)}")
        if (run.length is not None and run.length < 1) or run.extra_width < 0:
            raise UsageError(f"no run can be {run}")
    while True:
        yield from runs or (Run(),)


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
