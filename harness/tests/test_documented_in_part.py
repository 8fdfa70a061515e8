"""Files that an engine reads in part, and documents to read otherwise."""

import pytest

from corpora.tagged import STRING, Table, decimal, floating
from harness.judging.in_part import as_documented

FILE = Table.of(
    [("f", floating(32)), ("h", floating(16)), ("s", STRING), ("d", decimal(5, 2))],
    [["3f800000", None], ["3c00", None], ["x", None], ["1", None]],
)


@pytest.mark.parametrize("claimed", [(), ("decimal-as-float64",)])
def test_who_has_nulls_reads_the_file(claimed):
    """Without a documented NaN for nulls, nothing but the file's values is right."""
    assert as_documented(FILE, claimed) is None
    assert as_documented(None, ("null-as-nan",)) is None


def test_a_null_among_floats_is_nan():
    """Those of half floats, which fastparquet has as bytes, and of other types stay."""
    table = as_documented(FILE, ("null-as-nan",))
    assert table.columns == FILE.columns
    assert [table.column(at)[1] for at in range(4)] == ["7fc00000", None, None, None]
    assert [table.column(at)[0] for at in range(4)] == [FILE.column(at)[0] for at in range(4)]
