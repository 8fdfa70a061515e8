"""Rows of tables without an order: which stand beside which."""

import pytest

from corpora.tagged import BYTES, STRING, Field, Table, Type, floating, integer
from harness.judging import rows
from harness.judging.rows import aligned, misplaced

COLUMNS = [("a", integer(32)), ("b", integer(32)), ("c", STRING)]


def table(*lines):
    """Return a table of these rows."""
    columns = [[line[at] for line in lines] for at in range(len(COLUMNS))]
    return Table.of(COLUMNS, columns, len(lines))


EXPECTED = table(("1", "1", "x"), ("2", "2", "y"), ("3", "3", "z"), ("4", "4", "w"))
# Of the second and the third row one cell is wrong; in the order of the answer each would meet the other.
WRONG = [("3", "3", "Z"), ("4", "4", "w"), ("2", "0", "y"), ("1", "1", "x")]


def test_rows_that_equal_none_meet_the_nearest():
    """Equal rows stand together, and of the others those with most cells in common."""
    assert aligned(EXPECTED, table(*WRONG), ()) == table(WRONG[3], WRONG[2], WRONG[0], WRONG[1])


@pytest.mark.parametrize("more", [0, 2])
def test_no_row_is_lost(more):
    """An answer with too few rows, or with too many, keeps each of them once."""
    lines = [*WRONG[:3], *[("9", "9", "v")] * more]
    answer = aligned(EXPECTED, table(*lines), ())
    assert sorted(zip(*map(answer.column, range(3)), strict=True)) == sorted(lines)


def test_the_work_is_bounded(monkeypatch):
    """Of more pairs than are compared, one row after the other is taken."""
    monkeypatch.setattr(rows, "_MOST_PAIRS", 3)
    assert aligned(EXPECTED, table(*WRONG), ()) == table(WRONG[3], WRONG[0], WRONG[2], WRONG[1])


LISTS = Type("list", children=(Field("element", floating(64)),))
ZERO, NAN, OTHER_NAN = "0" * 16, "7ff8" + "0" * 12, "7ff8" + "0" * 11 + "1"


@pytest.mark.parametrize(
    ("type_", "values", "answer", "lost"),
    [
        (LISTS, [[ZERO], [], None], [[ZERO], None], [1]),
        (LISTS, [[NAN], [ZERO]], [[OTHER_NAN]], [1]),
        (floating(64), [NAN, ZERO], [OTHER_NAN], [1]),
        (BYTES, [{"sha256": "0" * 64, "bytes": 9}, "00"], [{"sha256": "0" * 64, "bytes": 9}], [1]),
        (STRING, ["null", None, "[]"], ["[]", None], [0]),
    ],
)
def test_rows_of_every_kind_of_value(type_, values, answer, lost):
    """Nested and long values are told apart, and NaNs of any bits are alike."""
    file, actual = (Table.of([("x", type_)], [each]) for each in (values, answer))
    assert misplaced(file, range(file.num_rows), actual, ()).lost == lost
