"""PLAIN = 0 (Encodings.md#PLAIN): values back to back.

    BOOLEAN                     1 bit each, LSB first, the last byte padded
    INT32, INT64, FLOAT, DOUBLE 4 or 8 bytes, little-endian
    INT96                       12 bytes
    FIXED_LEN_BYTE_ARRAY        type_length bytes
    BYTE_ARRAY                  | length: 4 bytes, little-endian | bytes |

    "Hi", "", "you"             02 00 00 00  48 69   00 00 00 00   03 00 00 00  79 6f 75

The values are not padded, and their number is not stored.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical, Values

MISSING, LENGTH = "PQ-PLAIN-001", "PQ-PLAIN-002"


def decode(cursor: Cursor, physical: Physical, count: int) -> Values:
    """Return the next `count` values; the cursor is left behind the last value.

    Raises Malformed (PQ-PLAIN-*). Fixed-width values are a view of the cursor's bytes.
    """
    if physical.type == Type.BYTE_ARRAY:
        return _decode_byte_arrays(cursor, count)
    with cursor.obeying(MISSING):
        if physical.type == Type.BOOLEAN:
            data = cursor.take(bits.size(count, 1), f"{count} booleans")
            return bits.unpack(data, 1, count).view(np.bool_)
        data = cursor.take(count * physical.width, f"{count} values of {physical}")
    if physical.dtype is not None:
        return np.frombuffer(data, physical.dtype)
    return np.frombuffer(data, np.uint8).reshape(count, physical.width)


def _decode_byte_arrays(cursor: Cursor, count: int) -> ByteArrays:
    data = cursor.data[cursor.pos : cursor.end]
    ends = _ends(cursor, data, count)
    size = int(ends[-1]) if count else 0
    offsets = np.zeros(count + 1, np.int64)
    offsets[1:] = ends - np.arange(4, 4 * count + 4, 4)
    if size > 128 * count:  # long strings: a copy each, without a mask as large as the page
        cuts = zip(ends - np.diff(offsets), ends, strict=True)
        cursor.take(size)
        return ByteArrays(offsets, np.frombuffer(b"".join([data[a:b] for a, b in cuts]), np.uint8))
    keep = np.ones(size, np.bool_)
    starts = offsets[:-1] + np.arange(0, 4 * count, 4)
    for byte in range(4):
        keep[starts + byte] = False
    cursor.take(size)
    return ByteArrays(offsets, np.frombuffer(data, np.uint8, size)[keep])


def _ends(cursor: Cursor, data: memoryview, count: int) -> NDArray[np.int64]:
    """Return where each string ends in `data`; the length of the next string begins there."""
    ends: list[int] = []
    append = ends.append
    length_at = struct.Struct("<I").unpack_from
    at = 0
    try:
        for _ in range(count):
            at += 4 + length_at(data, at)[0]
            append(at)
    except struct.error:
        at = len(data) + 1
    if at > len(data):
        inside = [end for end in ends if end <= len(data)]
        cursor.pos += inside[-1] if inside else 0
        message = f"byte array {len(inside)} of {count} ends beyond the page"
        raise cursor.fail(message, rule=LENGTH)
    return np.array(ends, np.int64)


def encode(values: Values, physical: Physical) -> bytes:
    """Return the values back to back; `values` are arrays as in parquet/types.py."""
    if isinstance(values, ByteArrays):
        return b"".join(struct.pack("<I", len(string)) + string for string in values)
    if physical.type == Type.BOOLEAN:
        return bits.pack(values.astype(np.uint8), 1)
    return values.astype(physical.dtype or np.uint8, copy=False).tobytes()
