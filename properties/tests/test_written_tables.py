"""Tables that engines are given to write: once in three, the lists of a column have one length."""

from __future__ import annotations

import pytest

from properties.generate import tables
from properties.strategies.tables import _cut_or_repeated


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


@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_some_tables_have_lists_of_one_length(format_):
    """Of few drawn groups, some columns have lists of one length, and some of several."""
    lengths = [
        {len(each) for each in table.column(at) if each}
        for group in tables(1, range(40), format_)
        for table in group
        for at, field in enumerate(table.columns)
        if field.type.kind == "list"
    ]
    assert any(len(each) == 1 for each in lengths)
    assert any(len(each) > 1 for each in lengths)
