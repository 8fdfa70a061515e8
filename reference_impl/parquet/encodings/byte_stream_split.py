"""BYTE_STREAM_SPLIT = 9 (Encodings.md#BYTESTREAMSPLIT): the first bytes of all values, then the second, ...

    values     AA BB CC DD   00 11 22 33   A3 B4 C5 D6
    encoded    AA 00 A3   BB 11 B4   CC 22 C5   DD 33 D6

Nothing is padded; "the end of the streams is also the end of data page".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

SIZE, TYPE = "PQ-BSS-001", "PQ-BSS-002"
TYPES = (Type.INT32, Type.INT64, Type.FLOAT, Type.DOUBLE, Type.FIXED_LEN_BYTE_ARRAY)


def decode(cursor: Cursor, physical: Physical, count: int) -> NDArray[np.generic]:
    """Return `count` values, which take all bytes of the cursor; raises Malformed (PQ-BSS-*)."""
    if physical.type not in TYPES:
        raise cursor.fail(f"BYTE_STREAM_SPLIT for {physical}", rule=TYPE)
    width = physical.width
    if cursor.remaining != count * width:
        message = f"{count} values of {width} bytes, but {cursor.remaining} bytes are there"
        raise cursor.fail(message, rule=SIZE)
    streams = np.frombuffer(cursor.take(count * width), np.uint8).reshape(width, count)
    values = np.empty((count, width), np.uint8)
    for byte, stream in enumerate(streams):
        values[:, byte] = stream
    return values if physical.dtype is None else values.view(physical.dtype).reshape(count)


def encode(values: NDArray[np.generic]) -> bytes:
    """Return the streams; `values` are arrays as in parquet/types.py."""
    width = values.dtype.itemsize if values.ndim == 1 else values.shape[1]
    rows = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), width)
    return np.ascontiguousarray(rows.T).tobytes()
