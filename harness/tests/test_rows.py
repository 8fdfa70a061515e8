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


LISTED = [("n", integer(32)), ("l", LISTS)]


def test_a_list_that_stands_for_null_stands_at_the_place_of_the_null():
    """Of an engine without null lists, an empty list is found beside the null that it stands for."""
    expected = Table.of(LISTED, [["1", "1", "1", "2"], [None, [ZERO], [], None]])
    answer = Table.of(LISTED, [["1", "1", "1", "2"], [[], [], [ZERO], []]])
    found = aligned(expected, answer, ("null-container-as-default",))
    assert found.all_columns() == [["1", "1", "1", "2"], [[], [ZERO], [], []]]


def test_null_and_empty_lists_are_told_apart_where_both_are_answered():
    """What may stand for a null is taken for one only where no equal row is left."""
    expected = Table.of(LISTED, [["1", "1"], [[], None]])
    answer = Table.of(LISTED, [["1", "1"], [None, []]])
    assert aligned(expected, answer, ("null-container-as-default",)).all_columns() == expected.all_columns()


def test_an_answered_row_with_a_list_that_stands_for_null_is_not_lost():
    """A filter's row is found though its null list is answered as an empty one; a row of others is gained."""
    file = Table.of(LISTED, [["1", "2", "3"], [None, None, [ZERO]]])
    answer = Table.of(LISTED, [["2", "3"], [[], [ZERO]]])
    found = misplaced(file, [0, 1], answer, ("null-container-as-default",))
    assert found == ([0], [2], 0)
    assert misplaced(file, [0, 1], answer, ()) == ([0, 1], [2], 1)


def test_the_nearest_row_is_found_beside_a_list_that_stands_for_null():
    """Of rows that differ in a value, those stand together whose lists may be the same."""
    expected = Table.of(LISTED, [["1", "2"], [None, [ZERO]]])
    answer = Table.of(LISTED, [["9", "8"], [[NAN], []]])
    paired = aligned(expected, answer, ("null-container-as-default",))
    assert paired.all_columns() == [["8", "9"], [[], [NAN]]]


def test_a_null_does_not_stand_for_what_may_stand_for_null():
    """An empty list may be answered for a null, and no null for an empty list: that row is lost."""
    file = Table.of(LISTED, [["1", "1"], [[], [ZERO]]])
    answer = Table.of(LISTED, [["1", "1"], [None, [ZERO]]])
    assert misplaced(file, [0, 1], answer, ("null-container-as-default",)) == ([0], [], 1)


@pytest.mark.parametrize(("wanted", "answered"), [(17, 1), (1, 17), (2, 0), (0, 2)])
def test_rows_without_columns_are_aligned(wanted, answered):
    """Of a read without columns, only the number of rows may be wrong."""
    expected, answer = Table.of([], [], wanted), Table.of([], [], answered)
    assert aligned(expected, answer, ()) == answer
    assert misplaced(expected, range(wanted), answer, ()).lost == list(range(answered, wanted))
