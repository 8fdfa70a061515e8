"""A column of byte strings behaves like the list of its strings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays

STRINGS = st.lists(st.binary(max_size=20))


@given(STRINGS)
def test_as_a_list(strings):
    """Length, items, iteration and lengths are those of the list."""
    column = ByteArrays.of(strings)
    assert len(column) == len(strings)
    assert list(column) == strings
    assert [column[at] for at in range(len(strings))] == strings
    assert column.lengths.tolist() == [len(string) for string in strings]


@given(st.lists(STRINGS, min_size=1))
def test_concat(lists):
    """Parts come one after the other, also parts that are cut out of larger data."""
    parts = [ByteArrays.of([b"before", *strings]) for strings in lists]
    parts = [ByteArrays(part.offsets[1:], part.data) for part in parts]
    assert list(ByteArrays.concat(parts)) == [string for strings in lists for string in strings]


def test_concat_of_nothing():
    """No parts make no strings."""
    assert list(ByteArrays.concat([])) == []


@given(st.lists(st.binary(max_size=20), min_size=1), st.lists(st.integers(0, 1000)))
def test_take(strings, picks):
    """Strings are picked in any order, any number of times, also from data that does not begin at 0."""
    column = ByteArrays.of([b"before", *strings])
    column = ByteArrays(column.offsets[1:], column.data)
    picks = [pick % len(strings) for pick in picks]
    taken = column.take(np.array(picks, np.int64))
    assert list(taken) == [strings[pick] for pick in picks]
    assert taken.offsets[0] == 0


@pytest.mark.parametrize("size", [5, 60, 300, 70_000])
def test_take_many(size):
    """Strings of all sizes, more of them than are copied at a time."""
    strings = [bytes([at % 251]) * (size * at // 50) for at in range(100)]
    picks = [at * 37 % 100 for at in range(300 if size > 1000 else 5000)]
    taken = ByteArrays.of(strings).take(np.array(picks, np.int64))
    assert list(taken) == [strings[pick] for pick in picks]
