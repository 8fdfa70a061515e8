"""The cursor never gives more than there is, and its errors name the place and the rule."""

from __future__ import annotations

import pytest

from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, UsageError, located
from reference_impl.tests.refusals import refused


def test_take():
    """Bytes come in order, as views, and the offset counts from the base."""
    cursor = Cursor(b"abcdef", base=100)
    assert bytes(cursor.take(2)) == b"ab"
    assert (cursor.pos, cursor.offset, cursor.remaining) == (2, 102, 4)
    assert cursor.u8() == ord("c")
    assert bytes(cursor.take(0)) == b""
    assert bytes(cursor.take(3)) == b"def"


@pytest.mark.parametrize("size", [-1, 4, 2**63])
def test_take_what_is_not_there(size):
    """A size that is negative or too large is refused where the cursor stands, which stays there."""
    cursor = Cursor(b"abc", base=7, rule="R")
    with refused("R", offset=7):
        cursor.take(size)
    assert cursor.remaining == 3


def test_numbers_need_their_bytes():
    """One and four bytes, or an error."""
    with refused("R"):
        Cursor(b"", rule="R").u8()
    with refused("R"):
        Cursor(b"abc", rule="R").u32()
    assert Cursor(b"\x01\x02\x00\x80").u32() == 0x80000201


@pytest.mark.parametrize(
    ("data", "bits", "value"),
    [
        (b"\x00", 32, 0),
        (b"\x7f", 32, 127),
        (b"\x80\x01", 32, 128),
        (b"\xff\xff\xff\xff\x0f", 32, 2**32 - 1),
        (b"\x80\x80\x80\x80\x00", 32, 0),  # padded, but no longer than 32 bits can need
        (b"\xff" * 9 + b"\x01", 64, 2**64 - 1),
    ],
)
def test_uleb128(data, bits, value):
    """Complete LEB128 within its width is read, and nothing behind it."""
    cursor = Cursor(data + b"!")
    assert cursor.uleb128(bits) == value
    assert cursor.remaining == 1


@pytest.mark.parametrize(
    ("data", "bits", "problem"),
    [
        (b"", 32, "cut short"),
        (b"\x80", 32, "cut short"),
        (b"\xff\xff\xff\xff\x10", 32, "longer than 32 bits"),
        (b"\x80\x80\x80\x80\x80\x00", 32, "longer than 32 bits"),
        (b"\xff" * 9 + b"\x02", 64, "longer than 64 bits"),
    ],
)
def test_uleb128_refused(data, bits, problem):
    """What is cut off or too wide is refused at its first byte."""
    cursor = Cursor(b"." + data, base=10)
    cursor.u8()
    with pytest.raises(Malformed, match=problem) as caught:
        cursor.uleb128(bits)
    assert caught.value.offset == 11


@pytest.mark.parametrize(("data", "value"), [(b"\x00", 0), (b"\x01", -1), (b"\x02", 1), (b"\x80\x01", 64)])
def test_zigzag(data, value):
    """Zigzag alternates between signs."""
    assert Cursor(data).zigzag(64) == value


def test_obeying():
    """A rule holds inside its block only, also when the block fails."""
    cursor = Cursor(b"", rule="outer")
    with refused("inner"), cursor.obeying("inner"):
        cursor.u8()
    with refused("outer"):
        cursor.u8()


def test_errors_say_where():
    """An error gathers path and base on its way up, and tells them."""
    with pytest.raises(Malformed) as caught, located("a"), located("b", base=100):
        raise Malformed("broken", offset=5, rule="R-1")
    assert str(caught.value) == "[R-1] broken (at byte 105 in a.b)"
    with pytest.raises(UsageError) as usage, located("column"):
        raise UsageError("none")
    assert str(usage.value) == "none (in column)"
    assert str(UsageError("plain")) == "plain"
