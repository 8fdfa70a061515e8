"""Tables that engines are given to write: once in three, the lists of a column have one length."""

from __future__ import annotations

import pytest
from hypothesis import find
from hypothesis import strategies as st

from corpora.tagged import STRING, Table, list_of
from properties.strategies.tables import _cut_or_repeated, _of_one_length

TABLE = Table.of([("x", list_of(STRING)), ("y", STRING)], [[["a"], None, ["b", "c"]], ["p", "q", "r"]])


@pytest.mark.parametrize(
    ("lists", "size", "expected"),
    [
        ([["a"], None, ["b", "c"], []], 2, [["a", "a"], None, ["b", "c"], ["a", "a"]]),
        ([["b", "c"], None], 1, [["b"], None]),
        ([[], None], 3, [[], None]),
    ],
)
def test_lists_are_cut_or_repeated(lists, size, expected):
    """Nulls stay, an empty list has the items of the first that has any, and without any none is changed."""
    assert _cut_or_repeated(lists, size) == expected


@st.composite
def _tables(draw):
    return _of_one_length(draw, TABLE)


@pytest.mark.parametrize(
    "lists", [TABLE.column(0), *([_cut_or_repeated(TABLE.column(0), size) for size in (1, 2, 3)])]
)
def test_lists_of_a_table_stay_or_get_one_length(lists):
    """A table may stay as it is, or its lists may have any of three lengths; other columns stay."""
    table = find(_tables(), lambda drawn: drawn.column(0) == lists)
    assert table.column(1) == TABLE.column(1)
