"""BYTE_STREAM_SPLIT: there and back, exact size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import byte_stream_split, plain
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

TYPES = [
    *map(Physical, (Type.FLOAT, Type.DOUBLE, Type.INT32, Type.INT64)),
    Physical(Type.FIXED_LEN_BYTE_ARRAY, 1),
    Physical(Type.FIXED_LEN_BYTE_ARRAY, 5),
]


def test_example():
    """Encodings.md: three 32-bit floats."""
    values = plain.decode(Cursor(bytes.fromhex("AABBCCDD00112233A3B4C5D6")), TYPES[0], 3)
    data = bytes.fromhex("AA00A3BB11B4CC22C5DD33D6")
    assert byte_stream_split.encode(values) == data
    assert byte_stream_split.decode(Cursor(data), TYPES[0], 3).tobytes() == values.tobytes()


@given(st.sampled_from(TYPES), st.integers(0, 20), st.data())
def test_round_trip(physical, count, data):
    """Any bytes of any type come back, NaN payloads included."""
    size = count * physical.width
    values = plain.decode(Cursor(data.draw(st.binary(min_size=size, max_size=size))), physical, count)
    cursor = Cursor(byte_stream_split.encode(values) if count else b"")
    found = byte_stream_split.decode(cursor, physical, count)
    assert (found.shape, found.dtype) == (values.shape, values.dtype)
    assert found.tobytes() == values.tobytes()
    assert not cursor.remaining


@pytest.mark.parametrize("size", [0, 7, 9, 16])
def test_size(size):
    """Neither padding nor missing bytes; a count from the file costs nothing."""
    for count in (2, 2**31 - 1):
        with refused("PQ-BSS-001"):
            byte_stream_split.decode(Cursor(bytes(size)), Physical(Type.FLOAT), count)


@pytest.mark.parametrize("kind", [Type.BOOLEAN, Type.BYTE_ARRAY, Type.INT96])
def test_types(kind):
    """The five types of the table only."""
    with refused("PQ-BSS-002"):
        byte_stream_split.decode(Cursor(b""), Physical(kind), 0)


@pytest.mark.parametrize("values", [np.zeros(0, "<f4"), np.zeros((0, 5), np.uint8)])
def test_no_values(values):
    """No values take no bytes."""
    assert byte_stream_split.encode(values) == b""
