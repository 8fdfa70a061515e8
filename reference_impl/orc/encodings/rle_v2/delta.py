"""Delta: values that only rise, only fall, or go on by one step.

    11 wwwww l   lllllllll    code of the width (0: no deltas follow), length - 1
    varint                    the first value, zigzag if signed
    varint                    the step to the second one, zigzag; its sign is that of all steps
    packed                    the steps to the third and following ones, without a sign

Without packed steps all steps are the first one. A first step of 0 in front of packed ones counts as rising.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_impl import bits
from reference_impl.orc.encodings.rle_v2.parsed import CUT, NOTHING, TOO_LONG, Parsed
from reference_impl.orc.encodings.rle_v2.widths import CODES, WIDTHS, closest, header
from reference_impl.orc.encodings.varints import varint, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from reference_impl.cursor import Cursor

KIND = 3
TOO_SHORT = "ORC-RLE2-009"
_LEAST = 2  # bits of a packed step: code 0, which is 1 bit elsewhere, says here that there are none


def read(cursor: Cursor, first: int, *, signed: bool) -> Parsed:
    """Read the run behind its first byte."""
    length = ((first & 1) << 8 | cursor.u8("length of a delta run")) + 1
    code = first >> 1 & 31
    width = WIDTHS[code] if code else 0
    base = wrapped(varint(cursor, CUT, TOO_LONG, signed=signed))
    step = varint(cursor, CUT, TOO_LONG, signed=True)
    if not width:
        return Parsed(length, 0, 0, NOTHING, lambda _: np.arange(length, dtype=np.int64) * step + np.int64(base))
    if length == 1:
        raise cursor.fail("a delta run of one value has steps", rule=TOO_SHORT)
    packed = cursor.take(bits.size(length - 2, width), "steps of a delta run")

    def values(steps: NDArray[np.uint64]) -> NDArray[np.int64]:
        out = np.empty(length, np.int64)
        out[0], out[1] = base, step
        out[2:] = steps.view(np.int64)
        if step < 0:
            np.negative(out[2:], out=out[2:])
        return np.cumsum(out, out=out)

    return Parsed(length, width, length - 2, packed, values)


def reach(values: Sequence[int]) -> int:
    """Answer how many of these values (1 at least) one delta run can hold."""
    if len(values) < 2 or not _fits(first := values[1] - values[0]):  # noqa: PLR2004 - a step needs two
        return 1
    length = 2
    for before, value in zip(values[1:], values[2:], strict=False):
        step = value - before
        # "The first two numbers can not be identical" in front of packed steps.
        if not _fits(step) or (step != 0 if first == 0 else step * first < 0):
            break
        length += 1
    return length


def _fits(step: int) -> bool:
    return -(1 << 63) < step < 1 << 63


def write(values: Sequence[int], *, signed: bool, extra_width: int = 0) -> bytes:
    """Answer a run of values that `reach` covers."""
    steps = [after - before for before, after in zip(values, values[1:], strict=False)] or [0]
    rest = [abs(step) for step in steps[1:]]
    fixed = steps[0] == 0 or (not extra_width and all(step == abs(steps[0]) for step in rest))
    width = 0 if fixed or not rest else closest(max(_LEAST, max(rest).bit_length()), extra_width)
    base = bits.zigzag(values[0]) if signed else bits.uleb128(values[0])
    head = header(KIND, CODES[width] if width else 0, len(values)) + base + bits.zigzag(steps[0])
    return head + bits.pack_msb(np.array(rest, np.int64), width) if width else head
