"""Buffers of numbers as one big integer, a lane for each: what numpy would do, with the standard library.

Python's big integers add, shift and mask a buffer at the speed of memory. A lane of `width` bytes is a
number, little-endian; nothing here carries from a lane into the next.
"""

from __future__ import annotations

import sys
from functools import lru_cache

_EXPONENTS = {2: 0x7C00, 4: 0x7F80_0000, 8: 0x7FF0_0000_0000_0000}
_QUIET = {2: 0x7E00, 4: 0x7FC0_0000, 8: 0x7FF8_0000_0000_0000}
_HIGH_BYTES = {  # the last bytes that NaNs and infinities have, of values that are seldom more than that
    2: [bytes((high,)) for high in (*range(0x7C, 0x80), *range(0xFC, 0x100))],
    4: [b"\x7f", b"\xff"],
    8: [b"\x7f", b"\xff"],
}
_BITS = [bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256)]


class LanesError(ValueError):
    """Numbers that are not what a buffer of their kind may hold."""

    __module__ = "harness.engines.lanes"  # as results have it; see harness/engines/errors.py


if sys.byteorder != "little":  # Arrow's buffers are in the machine's order, the digest's bytes are not
    raise ImportError("digests are made on little-endian machines only")


def bits(raw: memoryview, first: int, count: int) -> bytes:
    """Return a byte, 0 or 1, for each of `count` bits from bit `first`, the least significant first."""
    return b"".join(map(_BITS.__getitem__, raw))[first : first + count]


def both(left: bytes, right: bytes) -> bytes:
    """Return the bytes of 0 and 1 that both have set."""
    result = int.from_bytes(left, "little") & int.from_bytes(right, "little")
    return result.to_bytes(len(left), "little")


def zeroed(data: bytes, width: int, valid: bytes | None) -> bytes:
    """Return lanes with zeros where `valid`, a byte for each, is 0."""
    if valid is None or not width:
        return data
    unit_lanes = bytearray(len(data))
    unit_lanes[::width] = valid
    lanes = int.from_bytes(unit_lanes, "little")
    mask = (lanes << 8 * width) - lanes
    return (int.from_bytes(data, "little") & mask).to_bytes(len(data), "little")


def one_nan(data: bytes, width: int) -> bytes:
    """Return floats with every NaN as the same one."""
    high = data[width - 1 :: width]
    if not any(high_byte in high for high_byte in _HIGH_BYTES[width]):
        return data
    count, lane = len(high), 8 * width
    floats = int.from_bytes(data, "little")
    sign = 1 << lane - 1
    # NaNs are what is above infinity, sign apart: adding what infinity lacks to the top bit, less 1, sets it.
    above = _lanes(width, count, sign - 1 - _EXPONENTS[width])
    result = ((floats & _lanes(width, count, sign - 1)) + above) & _lanes(width, count, sign)
    if not result:
        return data
    unit_lanes = result >> lane - 1
    floats = (floats & ~((unit_lanes << lane) - unit_lanes)) | (unit_lanes * _QUIET[width])
    return floats.to_bytes(len(data), "little")


def lengths(offsets: memoryview, width: int) -> bytes:
    """Return the differences of `count + 1` offsets as 32-bit lanes.

    Raises LanesError for offsets that do not ascend, and for a difference of 4 GiB or more.
    """
    size = len(offsets) - width
    count = size // width
    first = int.from_bytes(offsets[:width], "little", signed=True)
    last = int.from_bytes(offsets[size:], "little", signed=True)
    top = _lanes(width, count, 1 << 8 * width - 1)
    # With the top bit lent to each, no lane borrows from the next; it is left over where the offset rose.
    ends = int.from_bytes(offsets[width:], "little")
    risen = (ends | top) - int.from_bytes(offsets[:size], "little")
    if first < 0 or ends & top or risen & top != top:
        raise LanesError("offsets that do not ascend")
    if last - first >= 1 << 32:
        raise LanesError(f"{last - first} bytes in {count} values")
    result = (risen ^ top).to_bytes(size, "little")
    return result if width == 4 else memoryview(result).cast("I")[::2].tobytes()


@lru_cache(maxsize=128)
def _lanes(width: int, count: int, value: int) -> int:
    """Return a value in each lane."""
    return int.from_bytes(value.to_bytes(width, "little") * count, "little")
