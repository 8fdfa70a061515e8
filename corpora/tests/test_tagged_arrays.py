"""Columns as tagged values: what is written for many values at once is what each value is written as."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import tagged
from corpora.build import tagged_arrays
from corpora.build.tagged_arrays import hexes, numbers, strings
from reference_impl.byte_arrays import ByteArrays

_WIDTHS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Make a few values many."""
    monkeypatch.setattr(tagged_arrays, "_SPAN", 16)


@given(dtype=st.sampled_from(_WIDTHS), least=st.integers(), steps=st.lists(st.integers(0, 20), max_size=40))
def test_numbers_of_a_narrow_range(dtype, least, steps):
    """Numbers are written in decimal wherever their range is, at the ends of the type, too."""
    ends = np.iinfo(dtype)
    wanted = [max(ends.min, min(ends.max, least + step)) for step in steps]
    assert numbers(np.array(wanted, dtype)) == list(map(str, wanted))


@given(
    parts=st.lists(st.binary(max_size=6) | st.text(max_size=6).map(str.encode)), ahead=st.binary(max_size=3)
)
def test_strings(parts, ahead):
    """Text and hex of byte strings are those of each, whatever stands before the first."""
    whole = ByteArrays.of([ahead, *parts])
    column = ByteArrays(whole.offsets[1:], whole.data)
    assert strings(column) == [tagged.text(part) for part in parts]
    assert hexes(column) == [tagged.binary(part) for part in parts]


@pytest.mark.parametrize("limit", ["BIG", "_AT_ONCE"])
def test_strings_that_are_long(monkeypatch, limit):
    """A string that is too long is named by its digest; columns of many bytes are not copied."""
    monkeypatch.setattr(tagged_arrays, limit, 3)
    monkeypatch.setattr(tagged, "BIG", 3)
    parts = [b"abcd", b"abc", b""]
    assert strings(ByteArrays.of(parts)) == [tagged.big(b"abcd"), "abc", ""]
    assert hexes(ByteArrays.of(parts)) == [tagged.big(b"abcd"), "616263", ""]
