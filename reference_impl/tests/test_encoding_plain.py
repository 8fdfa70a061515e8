"""PLAIN: every physical type there and back, and what is cut off."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import plain
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

BYTES = Physical(Type.BYTE_ARRAY)
FIXED = Physical(Type.FIXED_LEN_BYTE_ARRAY, 3)

TABLE = [  # physical type, values, bytes
    (Physical(Type.BOOLEAN), [True, False, True, True], b"\x0d"),
    (Physical(Type.BOOLEAN), [True] * 9, b"\xff\x01"),
    (Physical(Type.INT32), [1, -1, -(2**31)], b"\x01\0\0\0\xff\xff\xff\xff\0\0\0\x80"),
    (Physical(Type.INT64), [2**63 - 1], b"\xff" * 7 + b"\x7f"),
    (Physical(Type.INT96), [list(range(12))], bytes(range(12))),
    (Physical(Type.FLOAT), [1.5], struct.pack("<f", 1.5)),
    (Physical(Type.DOUBLE), [-0.0, float("inf")], struct.pack("<2d", -0.0, float("inf"))),
    (BYTES, [b"Hi", b"", b"you"], b"\x02\0\0\0Hi\0\0\0\0\x03\0\0\0you"),
    (FIXED, [[97, 98, 99], [0, 1, 2]], b"abc\0\1\2"),
    (Physical(Type.FIXED_LEN_BYTE_ARRAY, 0), [[], []], b""),
]


@pytest.mark.parametrize(("physical", "values", "data"), TABLE, ids=lambda value: str(value)[:20])
def test_table(physical, values, data):
    """Reader and writer agree with the bytes of the table; the cursor stops behind them."""
    cursor = Cursor(data + b"more")
    found = plain.decode(cursor, physical, len(values))
    assert cursor.remaining == 4
    if physical == BYTES:
        assert list(found) == values
    else:
        assert found.tolist() == values
    assert plain.encode(found, physical) == data


@pytest.mark.parametrize(("physical", "values", "data"), TABLE, ids=lambda value: str(value)[:20])
def test_cut_off(physical, values, data):
    """Without any of its last bytes a page is refused."""
    for size in range(len(data)):
        with refused("PQ-PLAIN-002" if physical == BYTES else "PQ-PLAIN-001"):
            plain.decode(Cursor(data[:size]), physical, len(values))


@pytest.mark.parametrize("physical", [row[0] for row in TABLE], ids=str)
def test_no_values(physical):
    """No values need no bytes and keep their type."""
    found = plain.decode(Cursor(b""), physical, 0)
    assert len(found) == 0
    assert isinstance(found, ByteArrays) == (physical == BYTES)
    assert plain.encode(found, physical) == b""


@given(st.lists(st.binary(max_size=300)))
def test_byte_arrays(strings):
    """Byte arrays of any content come back."""
    column = ByteArrays.of(strings)
    assert list(plain.decode(Cursor(plain.encode(column, BYTES)), BYTES, len(strings))) == strings


def test_error_names_the_string():
    """The error points at the length that lies, in the file's offsets."""
    data = b"\x01\0\0\0a" + b"\xff\xff\xff\xff" + b"zzzz" * 10
    with refused("PQ-PLAIN-002", offset=1005) as caught:
        plain.decode(Cursor(data, base=1000), BYTES, 3)
    assert "byte array 1 of 3" in caught.value.message


def test_count_is_checked_first():
    """A count beyond what the bytes can hold costs nothing."""
    for physical in (BYTES, FIXED, Physical(Type.INT64), Physical(Type.BOOLEAN)):
        with refused("PQ-PLAIN-002" if physical == BYTES else "PQ-PLAIN-001"):
            plain.decode(Cursor(b"\0" * 100), physical, 2**31 - 1)


def test_values_are_native():
    """Numbers come as the numpy types that types.py promises."""
    found = plain.decode(Cursor(np.arange(3, dtype="<i4").tobytes()), Physical(Type.INT32), 3)
    assert found.dtype == np.int32
