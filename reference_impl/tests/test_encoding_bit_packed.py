"""BIT_PACKED: levels there and back, exact size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import bit_packed
from reference_impl.tests.refusals import refused


def test_example():
    """Encodings.md: 0 to 7 in 3 bits."""
    data = bytes([0b00000101, 0b00111001, 0b01110111])
    assert bit_packed.encode(np.arange(8), 3) == data
    assert bit_packed.decode(Cursor(data), 3, 8).tolist() == list(range(8))


@given(st.integers(0, 16), st.data())
def test_round_trip(width, data):
    """Levels come back; the cursor stops behind their last byte."""
    levels = data.draw(st.lists(st.integers(0, (1 << width) - 1)))
    cursor = Cursor(bit_packed.encode(np.array(levels, np.uint16), width) + b"more")
    assert bit_packed.decode(cursor, width, len(levels)).tolist() == levels
    assert cursor.remaining == 4


@pytest.mark.parametrize(("size", "count"), [(7, 30), (0, 1), (100, 2**31 - 1)])
def test_missing_bytes(size, count):
    """Levels that are not there are refused before anything is allocated."""
    with refused("PQ-BITPACKED-001"):
        bit_packed.decode(Cursor(bytes(size)), 2, count)


def test_size_of_the_example():
    """Encodings.md: 30 values of 2 bits take 60 bits = 8 bytes."""
    cursor = Cursor(bytes(9))
    bit_packed.decode(cursor, 2, 30)
    assert cursor.pos == 8
