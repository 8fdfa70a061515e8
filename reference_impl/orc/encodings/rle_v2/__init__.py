"""Integer run length encoding, version 2 ("Integer Run Length Encoding, version 2"): four kinds of runs.

The two highest bits of a run's first byte are its kind: 0 short repeat, 1 direct, 2 patched base, 3 delta.
Each kind has its module, with a diagram of its bytes. Runs follow each other without gaps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc.encodings import byte_rle, varints
from reference_impl.orc.encodings.rle_v2 import delta, direct, patched_base, short_repeat
from reference_impl.orc.encodings.runs import V2_KINDS, Encoded, Run, RunKind, endless
from reference_impl.orc.encodings.varints import encodable, not_negative

CUT = "ORC-RLE2-001"
LONGEST = 512


def decode(
    cursor: Cursor, count: int, *, signed: bool, skip: int = 0, notes: list[Malformed] | None = None
) -> NDArray[np.int64]:
    """Return `count` integers behind the first `skip` of the run at the cursor, left behind the last run.

    Values of delta and patched base that overflow 64 bits wrap around, and a patch of 0 changes nothing, as
    in all readers; `notes` gets an ORC-RLE2-010 or ORC-RLE2-006 for each such run. Raises Malformed (the
    other ORC-RLE2-*, ORC-INT-002 an unsigned integer of 2^63 or more).
    """
    total, wanted = 0, skip + count if count else 0
    batches = (
        short_repeat.Batch(wanted, signed=signed),
        direct.Batch(signed=signed),
        patched_base.Batch(notes=notes),
        delta.Batch(signed=signed, notes=notes),
    )
    with cursor.obeying(CUT):
        while total < wanted:
            header = cursor.u8("header of a run")
            total += batches[header >> 6].read(cursor, header, total)
        out = np.empty(total, np.int64)
        for batch in batches:
            batch.fill(out)
    values = out[skip : skip + count]
    if not signed:
        not_negative(cursor, values)
    return values


def encode(values: Sequence[int] | NDArray[np.integer], *, signed: bool, runs: Sequence[Run] = ()) -> Encoded:
    """Return runs of integers.

    A kind that cannot hold the values is replaced by DIRECT. The kinds hold:

    * SHORT_REPEAT: 3 to 10 equal values.
    * DELTA: values that do not change direction, the first two of them different, or all equal; at least 3,
      if that many are wanted and left.
    * PATCHED_BASE: up to 512 values of which a few have more bits above the least value, but not too
      many (`patched_base.layouts`).
    * DIRECT: any 512 values; in place of a SHORT_REPEAT without a length, up to the next 3 equal values.

    Raises UsageError for integers that cannot be stored, and as `endless`.
    """
    array = encodable(values, signed)
    writer = _Writer(array, signed)
    parts, counts = [], []
    at = 0
    for run in endless(runs, V2_KINDS):
        if at >= len(array):
            break
        part, length = writer.run(at, run)
        parts.append(part)
        counts.append(length)
        at += length
    return Encoded.of(parts, counts)


class _Writer:
    """Writes the runs of a sequence of values."""

    def __init__(self, values: NDArray[np.int64], signed: bool) -> None:
        self.values = values
        self.signed = signed
        self.raw = varints.zigzag(values) if signed else values.view(np.uint64)
        self.equal = byte_rle.equal_extents(values)

    def run(self, at: int, run: Run) -> tuple[bytes, int]:
        """Return the run that begins with value `at`, and how many values it holds."""
        window = self.values[at : at + min(LONGEST, run.length or LONGEST)]
        if run.kind is RunKind.CHOSEN:
            return self._chosen(at, window, run)
        encoded = None
        if run.kind is RunKind.SHORT_REPEAT:
            encoded = self._short_repeat(at, window, run)
        elif run.kind is RunKind.DELTA:
            encoded = self._delta(window, run, 3)
        elif run.kind is RunKind.PATCHED_BASE:
            encoded = self._patched_base(window, run)
        if encoded is None and run.kind is RunKind.SHORT_REPEAT and run.length is None:
            window = window[: self._until_repeat(at, len(window), short_repeat.SHORTEST)]
        return encoded or self._direct(at, len(window), run)

    def _short_repeat(self, at: int, window: NDArray[np.int64], run: Run) -> tuple[bytes, int] | None:
        length = min(len(window), int(self.equal[at]), short_repeat.LONGEST)
        if length < short_repeat.SHORTEST:
            return None
        return short_repeat.encode(int(self.raw[at]), length, run.extra_width), length

    def _delta(self, window: NDArray[np.int64], run: Run, least: int) -> tuple[bytes, int] | None:
        length = delta.longest(window)
        if length < min(least, len(window)):
            return None
        return delta.encode(window[:length], signed=self.signed, extra_width=run.extra_width), length

    def _patched_base(self, window: NDArray[np.int64], run: Run) -> tuple[bytes, int] | None:
        layouts = patched_base.layouts(window)
        if not layouts:
            return None
        return patched_base.encode(window, layouts[min(run.extra_width, len(layouts) - 1)]), len(window)

    def _direct(self, at: int, length: int, run: Run) -> tuple[bytes, int]:
        return direct.encode(self.raw[at : at + length], run.extra_width), length

    def _chosen(self, at: int, window: NDArray[np.int64], run: Run) -> tuple[bytes, int]:
        """Choose as writers do: repeats and deltas where they are long, else the smaller encoding."""
        if short_repeat.SHORTEST <= self.equal[at] <= short_repeat.LONGEST:
            return self._short_repeat(at, window, run) or self._direct(at, len(window), run)
        encoded = self._delta(window, run, 10)
        if encoded:
            return encoded
        window = window[: self._until_repeat(at, len(window), short_repeat.LONGEST)]
        patched, plain = self._patched_base(window, run), self._direct(at, len(window), run)
        return patched if patched and len(patched[0]) < len(plain[0]) else plain

    def _until_repeat(self, at: int, length: int, least: int) -> int:
        """Return how many of `length` values stand before `least` equal ones, at least 1."""
        repeats = np.flatnonzero(self.equal[at + 1 : at + length] >= least)
        return int(repeats[0]) + 1 if len(repeats) else length
