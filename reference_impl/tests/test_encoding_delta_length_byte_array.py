"""DELTA_LENGTH_BYTE_ARRAY: there and back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import delta_binary_packed
from reference_impl.parquet.encodings import delta_length_byte_array as encoding
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

BYTES = Physical(Type.BYTE_ARRAY)


def lengths(*values):
    """Lengths as they are stored."""
    return delta_binary_packed.encode(np.array(values, np.int32))


def test_example():
    """Encodings.md: Hello, World, Foobar, ABCDEF."""
    strings = [b"Hello", b"World", b"Foobar", b"ABCDEF"]
    data = lengths(5, 5, 6, 6) + b"HelloWorldFoobarABCDEF"
    assert encoding.encode(ByteArrays.of(strings)) == data
    assert list(encoding.decode(Cursor(data), BYTES, 4)) == strings


@given(st.lists(st.binary(max_size=100)), st.sampled_from([(128, 4), (256, 1)]))
def test_round_trip(strings, layout):
    """Strings come back, in any layout of the lengths; the cursor stops behind the last one."""
    data = encoding.encode(ByteArrays.of(strings), block_size=layout[0], miniblocks=layout[1])
    cursor = Cursor(data + b"more")
    assert list(encoding.decode(cursor, BYTES, len(strings))) == strings
    assert cursor.remaining == 4


def test_no_values():
    """No strings are the header of no lengths, or nothing."""
    assert list(encoding.decode(Cursor(b""), BYTES, 0)) == []
    assert list(encoding.decode(Cursor(lengths()), BYTES, 0)) == []


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (lengths(1, -1), "PQ-DLBA-001"),
        (lengths(2, 1) + b"ab", "PQ-DLBA-002"),
        (lengths(2**31 - 1, 2**31 - 1), "PQ-DLBA-002"),
        (lengths(1), "PQ-DBP-004"),
        (b"", "PQ-DBP-001"),
    ],
)
def test_refused(data, rule):
    """Lengths that cannot be, and bytes that are not there."""
    with refused(rule):
        encoding.decode(Cursor(data), BYTES, 2)


def test_types():
    """BYTE_ARRAY only."""
    with refused("PQ-DLBA-003"):
        encoding.decode(Cursor(lengths(1) + b"a"), Physical(Type.FIXED_LEN_BYTE_ARRAY, 1), 1)
