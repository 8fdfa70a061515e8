"""Base 128 varints ("Base 128 Varint"), one by one and many at once; zigzag on arrays.

The encoding is that of Protocol Buffers:

    unsigned    7 bits a byte, the lowest first; the high bit says that the number continues
    signed      zigzag: 0, -1, 1, -2 as 0, 1, 2, 3

    129 as 81 01     16,384 as 80 80 01
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError

LONGEST = 10  # bytes of 64 bits
_BYTES = np.array([0x7F7F7F7F7F7F7F7F & ((1 << 8 * size) - 1) for size in range(9)], np.uint64)
_EVERY = {  # ones, at the lowest bit of every second lane of so many bits
    7: np.uint64(0x0001000100010001),
    14: np.uint64(0x0000000100000001),
    28: np.uint64(1),
}


def read(cursor: Cursor, cut_short: str, too_long: str) -> int:
    """Return one unsigned varint of at most 64 bits; raises Malformed with one of the two rules.

    Needless continuation bytes are accepted within the longest encoding of 64 bits.
    """
    value, data, end = 0, cursor.data, cursor.end
    for shift in range(0, 7 * LONGEST, 7):
        if cursor.pos >= end:
            raise cursor.fail("varint: 1 byte wanted, 0 left", rule=cut_short)
        byte = data[cursor.pos]
        cursor.pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    if byte >= 0x80 or value >> 64:
        raise cursor.fail("a varint of more than 64 bits", rule=too_long)
    return value


def payload(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the numbers (modulo 2^64) whose `sizes` bytes, 0 to 10 each, begin at `starts` in `data`.

    Eight bytes of each are one word, whose groups of 7 bits are merged by two, by four, by eight.
    """
    if not len(starts):
        return np.zeros(0, np.uint64)
    padded = np.zeros(len(data) + 8, np.uint8)
    padded[: len(data)] = data
    # A number of no bytes may begin far behind the data.
    words = np.ndarray((len(data) + 1,), "<u8", padded, 0, (1,))[np.minimum(starts, len(data))]
    words &= _BYTES[np.minimum(sizes, 8)]
    for bits in (7, 14, 28):
        lane = np.uint64((1 << bits) - 1) * _EVERY[bits]
        shift = np.uint64(bits // 7)
        words = (words & lane) | ((words >> shift) & (lane << np.uint64(bits)))
    if int(sizes.max()) > 8:
        for at in (8, 9):
            longer = np.flatnonzero(sizes > at)
            words[longer] |= (data[starts[longer] + at] & 0x7F).astype(np.uint64) << np.uint64(7 * at)
    return words


def unzigzag(values: NDArray[np.unsignedinteger]) -> NDArray[np.signedinteger]:
    """Return the signed values, in as many bits as the unsigned ones have."""
    bit = values.dtype.type(1)
    signed: NDArray[np.signedinteger] = ((values >> bit) ^ -(values & bit)).view(f"i{values.dtype.itemsize}")
    return signed


def zigzag(values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return signed values as unsigned ones."""
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


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
