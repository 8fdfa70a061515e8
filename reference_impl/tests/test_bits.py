"""Bit packing against a definition in big integers, and LEB128."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl import bits
from reference_impl.cursor import Cursor

WIDTHS = st.integers(0, 64)


@st.composite
def packable(draw):
    """A width, and values of at most that many bits."""
    width = draw(WIDTHS)
    return width, draw(st.lists(st.integers(0, (1 << width) - 1), max_size=40))


def lsb_first(values, width):
    """The definition: value i stands at bit i * width of a little-endian number."""
    number = sum(value << (at * width) for at, value in enumerate(values))
    return number.to_bytes(bits.size(len(values), width), "little")


def msb_first(values, width):
    """The definition: the values' binary digits one after the other, then zeros."""
    digits = "".join(format(value, f"0{width}b") for value in values) if width else ""
    digits += "0" * (-len(digits) % 8)
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8))


@given(packable())
def test_lsb_first(case):
    """Packing and unpacking follow the definition, whatever stands behind the packed bytes."""
    width, values = case
    packed = lsb_first(values, width)
    assert bits.pack(np.array(values, np.uint64), width) == packed
    for follows in (b"", b"\xff" * 9):
        unpacked = bits.unpack(packed + follows, width, len(values))
        assert unpacked.tolist() == values
        assert unpacked.dtype == bits.dtype_for(width)


@given(packable())
def test_msb_first(case):
    """The deprecated order, likewise."""
    width, values = case
    packed = msb_first(values, width)
    assert bits.pack_msb(np.array(values, np.uint64), width) == packed
    assert bits.unpack_msb(packed + b"\xff", width, len(values)).tolist() == values


@pytest.mark.parametrize("width", range(65))
def test_every_width(width):
    """The largest value, next to zeros, comes back in every width and at every bit of a byte."""
    most = (1 << width) - 1
    values = [most, 0, 0, most, 0, most, most, most, 0, 0, most] * 3
    assert bits.unpack(lsb_first(values, width), width, len(values)).tolist() == values
    assert bits.unpack_msb(msb_first(values, width), width, len(values)).tolist() == values


def test_examples_of_the_specification():
    """Encodings.md: the numbers 0 to 7 in 3 bits, in both orders."""
    numbers = np.arange(8)
    assert bits.pack(numbers, 3) == bytes([0b10001000, 0b11000110, 0b11111010])
    assert bits.pack_msb(numbers, 3) == bytes([0b00000101, 0b00111001, 0b01110111])


def test_padding_is_not_looked_at():
    """Bits behind the last value may have any content."""
    assert bits.unpack(b"\xff", 3, 1).tolist() == [7]
    assert bits.unpack_msb(b"\xff", 3, 2).tolist() == [7, 7]


def test_only_low_bits_are_packed():
    """Higher bits of a value, also of a negative one, are dropped."""
    assert bits.pack(np.array([-1, 8]), 3) == bytes([0b000111])
    assert bits.pack_msb(np.array([-1, 8]), 3) == bytes([0b11100000])


def seconds(call):
    """Return the least CPU time of a call, of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


@pytest.fixture(scope="module")
def looping():
    """Return the CPU time of a loop that only visits a million values."""
    return seconds(lambda: [value + 1 for value in range(1_000_000)])


@pytest.mark.unmeasured
@pytest.mark.parametrize("width", [1, 3, 13, 31, 63])
def test_speed(width, looping):
    """A million values unpack in less CPU time than a loop takes that only visits as many."""
    packed = bits.pack(np.arange(1_000_000), width)
    assert seconds(lambda: bits.unpack(packed, width, 1_000_000)) < looping


@given(st.integers(0, 2**64 - 1))
def test_uleb128(value):
    """What is written is read back, whole."""
    cursor = Cursor(bits.uleb128(value))
    assert cursor.uleb128(64) == value
    assert not cursor.remaining


@given(st.integers(-(2**63), 2**63 - 1))
def test_zigzag(value):
    """What is written is read back, whole."""
    cursor = Cursor(bits.zigzag(value))
    assert cursor.zigzag(64) == value
    assert not cursor.remaining
