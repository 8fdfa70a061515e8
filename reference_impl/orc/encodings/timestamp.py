"""Timestamps ("Timestamp Columns"): seconds since 2015 in DATA, packed nanoseconds in SECONDARY.

    nanoseconds    | digits, without trailing zeros: value >> 3 | zeros - 1, 0 for none: 3 bits |
    1000 as 0a     100000 as 0c

Trailing zeros are removed if there are at least two. Writers truncate seconds towards 0, not downwards, where
there are more than 999,999 nanoseconds (they divide milliseconds); readers subtract a second again if the
result is negative. This fails between -1 s and 0, so that these timestamps cannot be stored. All of this
applies to seconds since 1970 UTC; a TIMESTAMP is then shifted by the writer's time zone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import Malformed, UsageError

EPOCH = 1_420_070_400  # 2015-01-01 00:00:00 in seconds since 1970
BILLION = 1_000_000_000
NANOS, UNSTORABLE = "ORC-TIME-001", "ORC-TIME-003"
_ONE_SECOND_OFF = 999_999  # with more nanoseconds than this, seconds are truncated
_FACTORS = np.array([1, *(10 ** (code + 1) for code in range(1, 8))], np.int64)


def unpack(packed: NDArray[np.int64], offset: int | None = None) -> NDArray[np.int64]:
    """Return nanoseconds of SECONDARY (not negative), each 0 to 999,999,999.

    Raises Malformed (ORC-TIME-001, at `offset`) for more.
    """
    digits, factors = packed >> 3, _FACTORS[packed & 7]
    wrong = np.flatnonzero(digits > (BILLION - 1) // factors)
    if len(wrong):
        most = int(digits[wrong[0]]) * int(factors[wrong[0]])
        raise Malformed(f"{most} nanoseconds", offset=offset, rule=NANOS)
    nanos: NDArray[np.int64] = digits * factors
    return nanos


def pack(nanos: int) -> int:
    """Return nanoseconds (0 to 999,999,999) packed for SECONDARY; raises UsageError for others."""
    if not 0 <= nanos < BILLION:
        raise UsageError(f"{nanos} nanoseconds", rule=NANOS)
    if nanos == 0 or nanos % 100:
        return nanos << 3
    zeros = len(str(nanos)) - len(str(nanos).rstrip("0"))
    return nanos // int(10**zeros) << 3 | zeros - 1


def seconds(stored: NDArray[np.int64], nanos: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return seconds since 1970 rounded down, given those of DATA with the epoch added."""
    return stored - ((stored < 0) & (nanos > _ONE_SECOND_OFF))


def stored(moment: int, nanos: int) -> tuple[int, int]:
    """Return seconds since 1970 and packed nanoseconds to store: the inverse of `seconds` and `unpack`.

    `moment` is in seconds since 1970, rounded down. Raises UsageError (ORC-TIME-003) for the last second
    before 1970 except its first millisecond, which readers would take for the second after it.
    """
    packed = pack(nanos)
    if moment >= 0 or nanos <= _ONE_SECOND_OFF:
        return moment, packed
    if moment == -1:
        raise UsageError(f"-1 s and {nanos} ns cannot be stored", rule=UNSTORABLE)
    return moment + 1, packed
