"""Unscaled values of decimals ("Decimal Columns"): zigzag varints of any length, one after the other.

    0    00        -1    01        10^18    80 80 a0 f6 f4 ac db e0 1b

38 digits, the most that a decimal has, need 127 bits and a sign: a varint of more than 128 bits is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.orc.encodings import varints
from reference_impl.orc.encodings.runs import EncodedVarints

TOO_LONG, CUT = "ORC-DEC-001", "ORC-DEC-004"
_BITS = 128
_LONGEST = (_BITS + 6) // 7  # bytes; needless continuation bytes are accepted up to this length
_SHORT = 9  # bytes of a varint of 63 bits


def decode(cursor: Cursor, count: int) -> NDArray[Any]:
    """Return `count` values: int64, or an object array of int if one does not fit.

    The cursor is left behind the last one. Raises Malformed (ORC-DEC-004 cut short, ORC-DEC-001 beyond 128
    bits).
    """
    raw = np.frombuffer(cursor.data, np.uint8)[cursor.pos : cursor.pos + _LONGEST * count]
    ends = np.flatnonzero(raw < 0x80)[:count] + 1
    starts = np.concatenate((np.zeros(1, np.int64), ends))
    # A varint that does not end within the longest legal length is too long, or the data ends first.
    sizes = np.diff(starts if len(ends) == count else np.append(starts, len(raw)))
    if count and int(sizes.max()) > _LONGEST:
        cursor.pos += int(starts[int((sizes > _LONGEST).argmax())])
        raise cursor.fail("a varint of more than 128 bits", rule=TOO_LONG)
    if len(ends) < count:
        raise cursor.fail(f"{count} values wanted, {len(ends)} are whole", rule=CUT)
    if count and int(sizes.max()) > _SHORT:
        values = _long(cursor, raw, starts[:-1], sizes)
    else:
        values = varints.unzigzag(varints.payload(raw, starts[:-1], sizes))
    cursor.pos += int(starts[-1])
    return values


def _long(
    cursor: Cursor, raw: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[Any]:
    """Return values of up to 128 bits, computed as two numbers of 64 bits."""
    low, middle, high = (
        varints.payload(raw, starts + at, np.clip(sizes - at, 0, _SHORT)) for at in range(0, _LONGEST, _SHORT)
    )
    wide = np.flatnonzero(high >> np.uint64(_BITS - 2 * 7 * _SHORT))
    if len(wide):
        cursor.pos += int(starts[wide[0]])
        raise cursor.fail("a varint of more than 128 bits", rule=TOO_LONG)
    unit, rest = np.uint64(1), np.uint64(63)  # of 64 bits
    low, high = low | middle << rest, middle >> unit | high << np.uint64(62)
    sign = -(low & unit)
    low, high = (low >> unit | high << rest) ^ sign, (high >> unit) ^ sign
    values: NDArray[Any] = low.view(np.int64)
    if np.array_equal(values >> 63, high.view(np.int64)):
        return values
    wider: NDArray[Any] = high.view(np.int64).astype(object) << 64 | low.astype(object)
    return wider


def encode(values: Sequence[int] | NDArray[Any]) -> EncodedVarints:
    """Return the values as varints; raises UsageError for a value of more than 128 bits."""
    parts = [bits.zigzag(int(value)) for value in values]
    if any(not -(1 << 127) <= int(value) < 1 << 127 for value in values):
        raise UsageError("a decimal of more than 128 bits")
    return EncodedVarints.of(parts, [1] * len(parts))
