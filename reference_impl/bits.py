"""Integers of any width packed without gaps, in both bit orders that Parquet uses; LEB128.

    LSB first (RLE hybrid, deltas), width 3, values 0 to 7    MSB first (deprecated BIT_PACKED levels)
    byte     0        1        2                              0        1        2
    bits  10001000 11000110 11111010                       00000101 00111001 01110111
          HIDEFABC RMNOJKLG VWXSTUPQ                       ABCDEFGH IJKLMNOP QRSTUVWX

Value 0 is ABC, value 1 is DEF and so on. Eight values of width w fill w bytes, whatever the order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Unsigned = NDArray[np.unsignedinteger]
_SHORT = [bytes([value]) for value in range(0x80)]  # LEB128 of the numbers that take one byte


def size(count: int, width: int) -> int:
    """Return the bytes that `count` packed values of `width` bits fill, the last byte padded."""
    return (count * width + 7) // 8


def dtype_for(width: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest little-endian unsigned type that holds `width` bits (0 to 64)."""
    for bits in (8, 16, 32):
        if width <= bits:
            return np.dtype(f"<u{bits // 8}")
    return np.dtype("<u8")


def unpack(data: bytes | memoryview, width: int, count: int) -> Unsigned:
    """Return `count` values of `width` bits (0 to 64), LSB first, as `dtype_for(width)`.

    `data` must hold `size(count, width)` bytes (the caller has checked); bytes behind these are ignored.
    """
    dtype = dtype_for(width)
    if width == 0 or count == 0:
        return np.zeros(count, dtype)
    raw = np.frombuffer(data, np.uint8, size(count, width))
    if width == 1:
        return np.unpackbits(raw, count=count, bitorder="little")
    if width == dtype.itemsize * 8:
        return raw.view(dtype)
    groups = (count + 7) // 8
    # Words are loaded at any byte, so zeros must follow the last byte: up to 8 of a word, and a group.
    padded = np.zeros(groups * width + 8, np.uint8)
    padded[: len(raw)] = raw
    values = _spread(padded, width, groups) if width < 8 else _gather(padded, width, groups, dtype)
    return values[:count]


def _words(padded: NDArray[np.uint8], start: int, stride: int, groups: int, dtype: str) -> Unsigned:
    """Return the word of each group that begins `start` bytes into the group."""
    view: Unsigned = np.ndarray((groups,), dtype, padded, start, (stride,))
    return view


def _spread(padded: NDArray[np.uint8], width: int, groups: int) -> Unsigned:
    """Unpack widths below 8: a group is one 64-bit word, whose halves are drawn apart three times."""
    words = _words(padded, 0, width, groups, "<u8").astype("<u8")
    for fields in (4, 2, 1):
        lane = 16 * fields  # bits of the word that hold 2 * fields values now, and will hold them after
        low = ((1 << (fields * width)) - 1) * sum(1 << at for at in range(0, 64, lane))
        high = (words >> np.uint64(fields * width)) & np.uint64(low)
        words &= np.uint64(low)
        words |= high << np.uint64(lane // 2)
    return words.view(np.uint8)


def _gather(
    padded: NDArray[np.uint8], width: int, groups: int, dtype: np.dtype[np.unsignedinteger]
) -> Unsigned:
    """Unpack any width: the k-th value of each group begins at the same bit of the group."""
    out = np.empty((groups, 8), dtype)
    load = "<u4" if width <= 25 else "<u8"  # 7 bits of shift and the value fit
    scalar = np.dtype(load).type
    mask = scalar((1 << width) - 1)
    for k in range(8):
        start, shift = divmod(k * width, 8)
        words = _words(padded, start, width, groups, load) >> scalar(shift)
        if shift + width > 64:
            words |= _words(padded, start + 8, width, groups, "<u1").astype(load) << scalar(64 - shift)
        out[:, k] = words & mask
    return out.reshape(-1)


def pack(values: NDArray[np.integer], width: int) -> bytes:
    """Pack the low `width` bits (0 to 64) of each value, LSB first; the last byte is padded with zeros."""
    words = np.ascontiguousarray(values).astype("<u8").view(np.uint8).reshape(-1, 8)
    bits = np.unpackbits(words[:, : (width + 7) // 8], axis=1, bitorder="little")[:, :width]
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes()


def unpack_msb(data: bytes | memoryview, width: int, count: int) -> Unsigned:
    """Return `count` values of `width` bits (0 to 64), MSB first; otherwise as `unpack`."""
    dtype = dtype_for(width)
    if width == 0 or count == 0:
        return np.zeros(count, dtype)
    raw = np.frombuffer(data, np.uint8, size(count, width))
    if width == 1:
        return np.unpackbits(raw, count=count)
    if width == dtype.itemsize * 8:
        return raw.view(dtype.newbyteorder(">")).astype(dtype)
    groups = (count + 7) // 8
    padded = np.zeros(groups * width + 8, np.uint8)
    padded[: len(raw)] = raw
    return _gather_msb(padded, width, groups, dtype)[:count]


def _gather_msb(
    padded: NDArray[np.uint8], width: int, groups: int, dtype: np.dtype[np.unsignedinteger]
) -> Unsigned:
    """As `_gather`, MSB first: the next value of a word stands in lower bits, not in higher ones."""
    out = np.empty((groups, 8), dtype)
    bits = 32 if width <= 25 else 64  # of a word: 7 bits before the value and the value fit
    load = np.dtype(f"<u{bits // 8}")
    mask = load.type((1 << width) - 1)
    for k in range(8):
        start, before = divmod(k * width, 8)
        words = _words(padded, start, width, groups, f">u{bits // 8}").astype(load)
        behind = bits - before - width
        if behind >= 0:
            words >>= load.type(behind)
        else:
            words <<= load.type(-behind)
            words |= _words(padded, start + 8, width, groups, "<u1").astype(load) >> load.type(8 + behind)
        out[:, k] = words & mask
    return out.reshape(-1)


def pack_msb(values: NDArray[np.integer], width: int) -> bytes:
    """Pack the low `width` bits (0 to 64) of each value, MSB first; the last byte is padded with zeros."""
    words = np.ascontiguousarray(values).astype(">u8").view(np.uint8).reshape(-1, 8)
    bits = np.unpackbits(words, axis=1)[:, 64 - width :]
    return np.packbits(bits.reshape(-1)).tobytes()


def uleb128(value: int) -> bytes:
    """Return the shortest unsigned LEB128 of a value that is not negative."""
    if 0 <= value <= 0x7F:
        return _SHORT[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    """Return the zigzag LEB128 of a signed value."""
    return uleb128(2 * value if value >= 0 else -2 * value - 1)
