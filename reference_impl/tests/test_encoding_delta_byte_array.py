"""DELTA_BYTE_ARRAY: there and back, and what is refused."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded
from reference_impl.parquet.encodings import delta_binary_packed
from reference_impl.parquet.encodings import delta_byte_array as encoding
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

BYTES = Physical(Type.BYTE_ARRAY)
FIXED = Physical(Type.FIXED_LEN_BYTE_ARRAY, 3)


def numbers(*values):
    """Lengths as they are stored."""
    return delta_binary_packed.encode(np.array(values, np.int32))


def test_example():
    """Encodings.md: axis, axle, babble, babyhood."""
    strings = [b"axis", b"axle", b"babble", b"babyhood"]
    data = numbers(0, 2, 0, 3) + numbers(4, 2, 6, 5) + b"axislebabbleyhood"
    assert encoding.encode(ByteArrays.of(strings)) == data
    assert list(encoding.decode(Cursor(data), BYTES, 4)) == strings


@given(st.lists(st.lists(st.sampled_from([b"a", b"b", b"abc"]), max_size=6)), st.booleans())
def test_round_trip(pieces, shared):
    """Strings come back, prefixes used or not; the cursor stops behind the last one."""
    strings = [b"".join(piece) for piece in pieces]
    prefixes = None if shared else [0] * len(strings)
    cursor = Cursor(encoding.encode(ByteArrays.of(strings), prefixes=prefixes) + b"more")
    assert list(encoding.decode(cursor, BYTES, len(strings))) == strings
    assert cursor.remaining == 4


@given(st.lists(st.binary(min_size=3, max_size=3)))
def test_fixed(strings):
    """FIXED_LEN_BYTE_ARRAY comes back as rows of bytes."""
    rows = np.frombuffer(b"".join(strings), np.uint8).reshape(-1, 3)
    found = encoding.decode(Cursor(encoding.encode(rows)), FIXED, len(strings))
    assert found.dtype == np.uint8
    assert np.array_equal(found, rows)


def test_no_values():
    """No strings are two headers, or nothing."""
    assert list(encoding.decode(Cursor(b""), BYTES, 0)) == []
    assert list(encoding.decode(Cursor(numbers() + numbers()), BYTES, 0)) == []
    assert encoding.decode(Cursor(b""), FIXED, 0).shape == (0, 3)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (numbers(1, 0) + numbers(1, 1) + b"ab", "PQ-DBA-001"),  # the first has none before
        (numbers(0, 2) + numbers(1, 1) + b"ab", "PQ-DBA-001"),
        (numbers(0, -1) + numbers(1, 1) + b"ab", "PQ-DBA-001"),
        (numbers(0, 1) + numbers(1, -1) + b"ab", "PQ-DLBA-001"),
        (numbers(0, 1) + numbers(1, 1) + b"a", "PQ-DLBA-002"),
        (numbers(0, 1) + numbers(1, 1, 1) + b"abc", "PQ-DBP-004"),
        (numbers(0, 1), "PQ-DBP-001"),
    ],
)
def test_refused(data, rule):
    """Prefixes that the string before has not, and all that can be wrong inside."""
    with refused(rule):
        encoding.decode(Cursor(data), BYTES, 2)


@pytest.mark.parametrize("length", [2, 4])
def test_fixed_length(length):
    """Every value has the type's length, together and alone."""
    for values in ([bytes(length)] * 3, [b"abc", bytes(length)], [bytes(length), bytes(6 - length)]):
        with refused("PQ-DBA-002"):
            encoding.decode(Cursor(encoding.encode(ByteArrays.of(values))), FIXED, len(values))


def test_types():
    """BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY only."""
    with refused("PQ-DBA-003"):
        encoding.decode(Cursor(b""), Physical(Type.INT32), 0)


def test_repeated_long_strings():
    """Each string may repeat all of the one before: the sum is compared with the limit before it is built."""
    count = 100_000
    prefixes, suffixes = np.full(count, 1 << 20), np.zeros(count)
    prefixes[0], suffixes[0] = 0, 1 << 20
    data = numbers(*prefixes) + numbers(*suffixes) + bytes(1 << 20)
    start = time.process_time()
    with pytest.raises(LimitExceeded):
        encoding.decode(Cursor(data), BYTES, count)
    assert time.process_time() - start < 1
    with pytest.raises(LimitExceeded):
        encoding.decode(Cursor(numbers(0, 3) + numbers(3, 0) + b"abc"), BYTES, 2, limit=5)
