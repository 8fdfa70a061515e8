"""DELTA_LENGTH_BYTE_ARRAY = 6 (Encodings.md#DELTALENGTH): all lengths, then all bytes.

    | lengths: DELTA_BINARY_PACKED of 32-bit integers | bytes back to back |

"Hello", "World", "Foobar", "ABCDEF" are the lengths 5, 5, 6, 6 and HelloWorldFoobarABCDEF.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import delta_binary_packed
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

NEGATIVE, MISSING, TYPE = "PQ-DLBA-001", "PQ-DLBA-002", "PQ-DLBA-003"


def decode(cursor: Cursor, physical: Physical, count: int) -> ByteArrays:
    """Return `count` byte strings, a view of the cursor's bytes; the cursor is left behind the last string.

    Raises Malformed (PQ-DLBA-*, and PQ-DBP-* in the lengths).
    """
    if physical.type != Type.BYTE_ARRAY:
        raise cursor.fail(f"DELTA_LENGTH_BYTE_ARRAY for {physical}", rule=TYPE)
    return decode_any(cursor, count)


def decode_any(cursor: Cursor, count: int) -> ByteArrays:
    """As `decode`, for every physical type: DELTA_BYTE_ARRAY stores its suffixes so."""
    if not count and not cursor.remaining:
        return ByteArrays.of(())
    lengths = delta_binary_packed.decode_bits(cursor, 32, count).astype(np.int64)
    if count and int(lengths.min()) < 0:
        raise cursor.fail(f"a string of {lengths.min()} bytes", rule=NEGATIVE)
    with cursor.obeying(MISSING):
        data = cursor.take(int(lengths.sum()), "bytes of the strings")
    return ByteArrays.from_lengths(lengths, np.frombuffer(data, np.uint8))


def encode(values: ByteArrays, **layout: Any) -> bytes:
    """Return lengths and bytes; `layout` is as in `delta_binary_packed.encode`."""
    data = values.data[values.offsets[0] : values.offsets[-1]]
    return delta_binary_packed.encode(values.lengths.astype(np.int32), **layout) + data.tobytes()
