"""Dictionary indices and what they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded
from reference_impl.parquet.encodings import dictionary
from reference_impl.tests.refusals import refused


@given(st.lists(st.integers(0, 2**32 - 1)), st.integers(0, 4))
def test_indices(indices, extra):
    """Indices come back in the smallest width and in any larger one."""
    need = max(indices, default=0).bit_length()
    array = np.array(indices, np.uint32)
    for width in (None, min(32, need + extra)):
        cursor = Cursor(dictionary.encode_indices(array, width=width))
        assert dictionary.decode_indices(cursor, len(indices)).tolist() == indices
        assert not cursor.remaining


def test_no_indices():
    """Without values the bit width may be there or not."""
    for data in (b"", b"\x05"):
        cursor = Cursor(data)
        assert len(dictionary.decode_indices(cursor, 0)) == 0
        assert not cursor.remaining


def test_bit_width():
    """A bit width is needed, and 32 is the largest."""
    with refused("PQ-DICT-001", offset=9):
        dictionary.decode_indices(Cursor(b"", base=9), 1)
    with refused("PQ-DICT-002", offset=9):
        dictionary.decode_indices(Cursor(b"\x21\x02" + bytes(5), base=9), 1)
    assert dictionary.decode_indices(Cursor(b"\x20\x02\xff\xff\xff\xff"), 1).tolist() == [2**32 - 1]
    with refused("PQ-RLE-006"):
        dictionary.decode_indices(Cursor(b"\x00"), 1)


@pytest.mark.parametrize(
    "values", [ByteArrays.of([b"a", b"", b"ccc"]), np.array([1.5, 2.5, -0.0]), np.eye(3, 12, dtype=np.uint8)]
)
def test_lookup(values):
    """Every kind of dictionary gives its values; an index outside is refused."""
    found = dictionary.lookup(values, np.array([2, 0, 2], np.uint8))
    assert len(found) == 3
    for at, index in enumerate((2, 0, 2)):
        assert np.array_equal(found[at], values[index])
    with refused("PQ-DICT-003"):
        dictionary.lookup(values, np.array([0, 3], np.uint8))
    with refused("PQ-DICT-003"):
        dictionary.lookup(ByteArrays.of([]), np.zeros(1, np.uint8))
    assert len(dictionary.lookup(values, np.zeros(0, np.uint8))) == 0


def test_repeated_long_strings():
    """A few bytes of indices may not blow a long string up without limit."""
    strings = ByteArrays.of([bytes(1000), b""])
    indices = np.zeros(1000, np.uint8)
    assert len(dictionary.lookup(strings, indices, limit=1_000_000).data) == 1_000_000
    with pytest.raises(LimitExceeded):
        dictionary.lookup(strings, indices, limit=999_999)
    assert len(dictionary.lookup(strings, indices + 1, limit=0)) == 1000
