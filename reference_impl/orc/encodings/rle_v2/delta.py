"""Delta ("Delta"): 1 to 512 values that never change direction.

    | 1 1 | width code: 5 bits | length - 1: 9 bits | base: varint | delta base: signed varint |
    | deltas: length - 2 of them, width bits each, big-endian, padded to a byte |

    2, 3, 5, 7, 11, 13, 17, 19, 23, 29    c6 09 02 02 22 42 42 46

The base is zigzag where values are signed. The delta base is the difference of the first two values, always
zigzag; its sign is the sign of all deltas, which are stored as magnitudes. Width code 0 means no bits: then
all differences are the delta base, which may be 0. A width of one bit does not exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc.encodings import varints
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, Packed, aligned, header, needed

KIND = 3
LONGEST = 512
_RAMP = np.arange(LONGEST)
CUT, LONG = "ORC-RLE2-001", "ORC-RLE2-002"
STILL, SINGLE, WRAP = "ORC-RLE2-008", "ORC-RLE2-009", "ORC-RLE2-010"


class Batch:
    """The delta runs of one call."""

    def __init__(self, *, signed: bool, notes: list[Malformed] | None) -> None:
        self.signed = signed
        self.notes = notes
        self.runs: list[tuple[int, int, int, int, int]] = []  # place, length, base, delta base, offset
        self.constant: list[tuple[int, int, int, int, int]] = []  # runs without further deltas
        self.packed = Packed()

    def read(self, cursor: Cursor, header: int, at: int) -> int:
        """Read what follows the first byte of a run whose values go to `at`; return how many it has."""
        offset = cursor.offset - 1
        length = ((header & 1) << 8 | cursor.u8("length of a run")) + 1
        code = header >> 1 & 0x1F
        base = varints.read(cursor, CUT, LONG)
        first = varints.read(cursor, CUT, LONG)
        first = (first >> 1) ^ -(first & 1)
        if code and not first:
            raise cursor.fail("the first delta is 0, others may not be", rule=STILL)
        if code and length == 1:
            raise cursor.fail("a run of one value, and a width of deltas", rule=SINGLE)
        if self.signed:
            base = (base >> 1) ^ -(base & 1)
        run = (at, length, _wrapped(base), first, offset)
        if code and length > 2:
            width, left = WIDTHS[code], length - 2
            self.packed.add(width, len(self.runs), left, cursor.take(bits.size(left, width), "deltas"))
        else:
            self.constant.append(run)
        self.runs.append(run)
        return length

    def fill(self, out: NDArray[np.int64]) -> None:
        """Put the values into their places; `notes` gets the runs that leave 64 bits."""
        for numbers, counts, values in self.packed.unpack():
            self._sum(out, numbers, counts, values.astype(np.int64))
        _fill_constant(out, self.constant)
        if self.notes is not None:
            self._note_wraps(out, self.notes)

    def _sum(
        self, out: NDArray[np.int64], numbers: list[int], counts: list[int], deltas: NDArray[np.int64]
    ) -> None:
        """Put the values of runs with deltas (padded to groups of eight) into their places."""
        start = 0
        for number, count in zip(numbers, counts, strict=True):
            at, length, base, first, _ = self.runs[number]
            out[at] = base
            out[at + 1] = second = _wrapped(base + first)
            rest = out[at + 2 : at + length]
            np.cumsum(deltas[start : start + count], out=rest)
            if first < 0:
                np.negative(rest, out=rest)
            rest += second
            start += (count + 7) // 8 * 8

    def _note_wraps(self, out: NDArray[np.int64], notes: list[Malformed]) -> None:
        for at, length, _, first, offset in self.runs:
            values = out[at : at + length]
            steps = values[1:] < values[:-1] if first >= 0 else values[1:] > values[:-1]
            if steps.any():
                notes.append(Malformed("a delta run leaves 64 bits", offset=offset, rule=WRAP))


def _wrapped(value: int) -> int:
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def _fill_constant(out: NDArray[np.int64], runs: list[tuple[int, int, int, int, int]]) -> None:
    """Put the values of runs without deltas into their places."""
    for at, length, base, first, _ in runs:
        part = out[at : at + length]
        np.multiply(_RAMP[:length], first, out=part)
        part += base


def longest(values: NDArray[np.int64]) -> int:
    """Return how many of 1 to 512 values, from the first on, one run can hold."""
    if len(values) < 2:
        return len(values)
    first = int(values[1]) - int(values[0])
    if not -(1 << 63) <= first < 1 << 63:
        return 1
    if first == 0:
        breaks = np.flatnonzero(values[1:] != values[:-1])
    elif first > 0:
        breaks = np.flatnonzero(values[1:] < values[:-1])
    else:
        breaks = np.flatnonzero(values[1:] > values[:-1])
    return int(breaks[0]) + 1 if len(breaks) else len(values)


def encode(values: NDArray[np.int64], *, signed: bool, extra_width: int = 0) -> bytes:
    """Return a run of 1 to 512 values, at most `longest(values)`.

    Equal deltas have no bits, unless `extra_width` asks for some and the first delta is not 0.
    """
    base = int(values[0])
    first = int(values[1]) - base if len(values) > 1 else 0
    steps = (np.diff(values) if first >= 0 else -np.diff(values)).view(np.uint64)[1:]
    width = 0
    if first and (extra_width or bool((steps != abs(first)).any())):
        width = aligned(max(2, needed(steps)), extra_width)
    start = bits.zigzag(base) if signed else bits.uleb128(base)
    body = bits.pack_msb(steps, width) if width else b""
    return header(KIND, width, len(values)) + start + bits.zigzag(first) + body
