"""Checks of integers that both versions of the integer run length encoding need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError

TOO_LARGE = "ORC-INT-002"


def not_negative(cursor: Cursor, values: NDArray[np.int64]) -> None:
    """Raise Malformed (ORC-INT-002) for an unsigned integer of 2^63 or more, which looks negative here.

    Unsigned integers of ORC are lengths, indexes or nanoseconds, and readers have 64-bit signed integers.
    """
    if len(values) and int(values.min()) < 0:
        message = f"an unsigned integer of {int(values.min()) & ((1 << 64) - 1)}"
        raise cursor.fail(message, rule=TOO_LARGE)


def encodable(values: Sequence[int] | NDArray[np.integer], signed: bool) -> NDArray[np.int64]:
    """Return the values as int64; raises UsageError if they do not fit, or are negative without `signed`."""
    try:
        array = np.array(values, np.int64)
    except OverflowError as error:
        raise UsageError("an integer of more than 64 bits") from error
    if not signed and len(array) and int(array.min()) < 0:
        raise UsageError(f"{int(array.min())} among unsigned integers")
    return array
