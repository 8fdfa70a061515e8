"""DELTA_BINARY_PACKED: every legal layout there and back, the specification's examples, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.parquet.encodings import delta_binary_packed as delta
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical
from reference_impl.tests.refusals import refused

TYPES = {32: Physical(Type.INT32), 64: Physical(Type.INT64)}
LAYOUTS = [(128, 1), (128, 2), (128, 4), (256, 8), (384, 3), (1024, 4)]


@st.composite
def columns(draw):
    """Integers of one type: small or any, constant, or in steps; some hundreds, or few."""
    width = draw(st.sampled_from([32, 64]))
    most = 2 ** (width - 1)
    low, high = draw(st.sampled_from([(-most, most - 1), (-5, 5), (most - 3, most - 1)]))
    some = draw(st.lists(st.integers(low, high), max_size=20))
    return np.array(some * draw(st.sampled_from([1, 1, 15, 40])), f"i{width // 8}")


@given(
    columns(),
    st.sampled_from(LAYOUTS),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 255),
    st.integers(0, 64),
)
def test_layouts(values, layout, padding, unneeded, extra):
    """Values come back from every layout, whatever fills it up; the cursor stops behind it."""
    block_size, miniblocks = layout
    data = delta.encode(
        values,
        block_size=block_size,
        miniblocks=miniblocks,
        padding=padding,
        unneeded_width=unneeded,
        extra_bits=extra,
    )
    cursor = Cursor(data + b"more")
    found = delta.decode(cursor, TYPES[values.dtype.itemsize * 8], len(values))
    assert found.dtype == values.dtype
    assert np.array_equal(found, values)
    assert cursor.remaining == 4
    checked = Cursor(data + b"more")
    delta.check(checked, values.dtype.itemsize * 8, len(values))
    assert checked.remaining == 4


@pytest.mark.parametrize("width", [32, 64])
def test_wrap_around(width):
    """Differences that overflow the type come back "in 2's complement notation"."""
    low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    values = np.array([high, low, high, high, low, low, 0, low], f"i{width // 8}")
    data = delta.encode(values)
    assert delta.decode(Cursor(data), TYPES[width], 8).tolist() == values.tolist()


def test_min_delta_of_64_bits_for_32():
    """A writer that subtracts INT32 in 64 bits stores a min delta beyond 32 bits; it wraps around too."""
    data = b"\x80\x01\x04\x02" + bits.zigzag(2**31 - 1) + bits.zigzag(-(2**32) + 1) + bytes(4)
    assert delta.decode(Cursor(data), TYPES[32], 2).tolist() == [2**31 - 1, -(2**31)]


def blocks(data, first, count):
    """Decode blocks of one miniblock of 8 values, the size in the specification's examples."""
    out = np.empty(count, np.uint32)
    out[0] = first
    delta._deltas(Cursor(data), out[1:], 32, 1, 8)
    return np.cumsum(out, dtype=np.uint32).astype(np.int32).tolist()


def test_examples_of_the_specification():
    """Encodings.md, "Example 1" and "Example 2", whose block size of 8 a header must not have."""
    assert blocks(b"\x02\x00", 1, 5) == [1, 2, 3, 4, 5]
    packed = bits.pack(np.array([0, 0, 0, 3, 3, 3, 3, 0]), 2)
    assert blocks(b"\x03\x02" + packed, 7, 8) == [7, 5, 3, 1, 2, 3, 4, 5]
    with refused("PQ-DBP-002"):
        delta.decode(Cursor(b"\x08\x01\x05\x02\x02\x00"), TYPES[32], 5)


def test_example_in_a_legal_block():
    """The second example, in the layout that most writers use."""
    values = np.array([7, 5, 3, 1, 2, 3, 4, 5], np.int32)
    expected = b"\x80\x01\x04\x08\x0e" + b"\x03\x02\x00\x00\x00" + b"\xc0\x3f\x00\x00\x00\x00\x00\x00"
    assert delta.encode(values) == expected
    assert delta.decode(Cursor(expected), TYPES[32], 8).tolist() == values.tolist()


def test_no_values():
    """No values are a header alone, or nothing."""
    for physical in TYPES.values():
        cursor = Cursor(delta.encode(np.zeros(0, physical.dtype)))
        assert delta.decode(cursor, physical, 0).dtype == physical.dtype
        assert not cursor.remaining
        assert delta.decode(Cursor(b""), physical, 0).dtype == physical.dtype


@pytest.mark.parametrize(
    ("block_size", "miniblocks", "rule"),
    [
        (0, 1, "PQ-DBP-002"),
        (64, 1, "PQ-DBP-002"),
        (130, 1, "PQ-DBP-002"),
        (128, 0, "PQ-DBP-003"),
        (128, 3, "PQ-DBP-003"),
        (128, 8, "PQ-DBP-003"),
        (128, 128, "PQ-DBP-003"),
        (2**64 - 128, 2**40, "PQ-DBP-003"),
    ],
)
def test_sizes_refused(block_size, miniblocks, rule):
    """Block and miniblock sizes that the header must not have."""
    data = bits.uleb128(block_size) + bits.uleb128(miniblocks) + b"\x02\x02" + bytes(100)
    with refused(rule):
        delta.decode(Cursor(data), TYPES[32], 2)


GOOD = b"\x80\x01\x04\x22\x02" + b"\x02" + b"\x01\x02\xff\xff" + bytes(4) + bytes(8)  # 34 values


def test_cut_off_anywhere():
    """Without any of its bytes, padding of the last miniblock included, a page is refused."""
    assert len(delta.decode(Cursor(GOOD), TYPES[32], 34)) == 34
    for size in range(len(GOOD)):
        rule = "PQ-DBP-001" if size < 5 else "PQ-DBP-006" if size < 10 else "PQ-DBP-008"
        with refused(rule):
            delta.decode(Cursor(GOOD[:size]), TYPES[32], 34)
        with refused(rule):
            delta.check(Cursor(GOOD[:size]), 32, 34)


@pytest.mark.parametrize("count", [0, 33, 35])
def test_total_value_count(count):
    """The header's count is the page's, not more and not less."""
    with refused("PQ-DBP-004"):
        delta.decode(Cursor(GOOD), TYPES[32], count)
    with refused("PQ-DBP-004"):
        delta.check(Cursor(GOOD), 32, count)


@pytest.mark.parametrize(("width", "most"), [(32, 32), (64, 64)])
def test_bit_width(width, most):
    """No more bits than the type has, where values are."""
    header = b"\x80\x01\x04\x02\x00" + b"\x00"
    data = header + bytes([most, 255, 255, 255]) + bytes(4 * most)
    assert delta.decode(Cursor(data), TYPES[width], 2).tolist() == [0, 0]
    with refused("PQ-DBP-007"):
        delta.decode(Cursor(header + bytes([most + 1, 0, 0, 0]) + bytes(1000)), TYPES[width], 2)
    with refused("PQ-DBP-007"):
        delta.check(Cursor(header + bytes([most + 1, 0, 0, 0]) + bytes(1000)), width, 2)


@pytest.mark.parametrize("first", [2**31, -(2**31) - 1, 2**63 - 1])
def test_first_value(first):
    """The first value of INT32 has 32 bits."""
    with refused("PQ-DBP-005"):
        delta.decode(Cursor(b"\x80\x01\x04\x01" + bits.zigzag(first)), TYPES[32], 1)
    assert delta.decode(Cursor(b"\x80\x01\x04\x01" + bits.zigzag(first)), TYPES[64], 1).tolist() == [first]


def test_types():
    """Nothing but INT32 and INT64."""
    with refused("PQ-DBP-009"):
        delta.decode(Cursor(GOOD), Physical(Type.DOUBLE), 34)


def test_enormous_sizes_cost_nothing():
    """Blocks larger than memory hold a few values of no bits, or are refused."""
    enormous = bits.uleb128(2**63)
    for miniblocks in (1, 2):
        data = enormous + bits.uleb128(miniblocks) + b"\x03\x02\x02" + bytes(miniblocks)
        assert delta.decode(Cursor(data), TYPES[64], 3).tolist() == [1, 2, 3]
    with refused("PQ-DBP-006"):
        delta.decode(Cursor(enormous + bits.uleb128(2**50) + b"\x03\x02\x02" + bytes(99)), TYPES[64], 3)
    with refused("PQ-DBP-008"):
        delta.decode(Cursor(enormous + b"\x01\x03\x02\x02\x01" + bytes(99)), TYPES[64], 3)


@pytest.mark.parametrize(("block_size", "miniblocks"), [(0, 1), (100, 1), (128, 0), (128, 3), (128, 8)])
def test_writer_refuses(block_size, miniblocks):
    """A layout that is not legal is the caller's mistake."""
    with pytest.raises(UsageError):
        delta.encode(np.arange(3), block_size=block_size, miniblocks=miniblocks)
