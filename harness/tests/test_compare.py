"""Comparison: equal tables are equal, every change is found at its place, memory stays flat."""

from __future__ import annotations

import copy
import json
import tracemalloc

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import (
    BLOCK_ROWS,
    BOOL,
    STRING,
    Table,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
    union_of,
)
from corpora.tests.tagged_tables import tables
from harness.judging.compare import column_names, compare
from harness.judging.equivalences import EQUIVALENCES

INT = integer(64)
UNION = union_of([INT, list_of(INT)])


def one(type_, *values, name="a"):
    """Return a table of one column."""
    return Table.of([(name, type_)], [list(values)])


def first(expected, actual, claimed=()):
    """Return the first difference, which there must be, with its path as text."""
    found = compare(expected, actual, claimed)
    assert not found.equal
    assert found.equivalences == ()
    return found.difference._replace(path=str(found.difference.path))


@settings(deadline=None)
@given(tables())
def test_a_table_equals_its_copy(table):
    """What came through JSON is equal, and needs no equivalence, whatever is claimed."""
    back = Table.from_json(json.loads(json.dumps(table.to_json())))
    for claimed in ((), tuple(EQUIVALENCES)):
        found = compare(table, back, claimed)
        assert found.equal
        assert found.equivalences == ()


@settings(max_examples=200, deadline=None)
@given(tables(), st.data())
def test_any_change_is_found(table, data):
    """One changed cell is a difference of that column and row, with nothing claimed but the defaults."""
    assume(table.num_rows and table.columns)
    column = data.draw(st.integers(0, len(table.columns) - 1))
    row = data.draw(st.integers(0, table.num_rows - 1))
    changed = copy.deepcopy(table)
    changed._blocks[0][column][row] = "changed"
    difference = first(table, changed)
    assert difference.kind == "value"
    assert difference.path == f"{column_names(table)[column]}, row {row}"


@pytest.mark.parametrize(
    ("expected", "actual", "path", "kind"),
    [
        (one(INT, "1"), one(INT, "1", name="b"), "columns", "columns"),
        (one(INT), Table.of([], [], 0), "columns", "columns"),
        (one(INT, "1"), one(INT, "1", "2"), "rows", "rows"),
        (Table.of([], [], 1), Table.of([], [], 2), "rows", "rows"),
        (one(INT), one(integer(32)), "column 'a'", "type"),
        (one(INT, "1"), one(integer(32), "1", "2"), "column 'a'", "type"),
        (one(list_of(INT)), one(list_of(BOOL)), "column 'a'.element", "type"),
        (one(map_of(INT, BOOL)), one(map_of(INT, INT)), "column 'a'.value", "type"),
        (one(struct_of([("x", INT)])), one(struct_of([("x", BOOL)])), "column 'a'.x", "type"),
        (one(struct_of([("x", INT)])), one(struct_of([("y", INT)])), "column 'a'", "type"),
        (one(struct_of([("x", INT)])), one(struct_of([])), "column 'a'", "type"),
    ],
)
def test_shapes(expected, actual, path, kind):
    """Columns come first, then types, then the number of rows."""
    for left, right in ((expected, actual), (actual, expected)):
        difference = first(left, right)
        assert (difference.path, difference.kind) == (path, kind)


DEEP = list_of(map_of(STRING, struct_of([("x", INT), ("y", list_of(BOOL))])))


@pytest.mark.parametrize(
    ("type_", "expected", "actual", "path", "texts"),
    [
        (INT, "1", "2", "", ('"1"', '"2"')),
        (INT, None, "2", "", ("null", '"2"')),
        (list_of(INT), [], None, "", ("[]", "null")),
        (list_of(INT), ["1", "2", "3"], ["1", "3", "2"], ".list[1]", ('"2"', '"3"')),
        (list_of(INT), ["1", "2"], ["1"], ".list", ("2 elements", "1 elements")),
        (list_of(INT), ["1", "2"], ["5"], ".list[0]", ('"1"', '"5"')),
        (map_of(INT, BOOL), [["1", True]], [["2", True]], ".map[0].key", ('"1"', '"2"')),
        (map_of(INT, BOOL), [["1", True]], [["1", None]], ".map[0].value", ("true", "null")),
        (map_of(INT, BOOL), [["1", True]], [], ".map", ("1 entries", "0 entries")),
        (struct_of([("x", INT), ("y", BOOL)]), ["1", True], ["1", False], ".y", ("true", "false")),
        (struct_of([("x", INT)]), [None], None, "", ("[null]", "null")),
        (struct_of([("x", INT)]), ["1"], ["1", "2"], "", ('["1"]', '["1", "2"]')),
        (struct_of([("x", INT)]), ["1"], 7, "", ('["1"]', "7")),
        (map_of(INT, BOOL), [["1", True]], [7], ".map[0]", ('["1", true]', "7")),
        (list_of(INT), ["1"], {"a": 1}, "", ('["1"]', '{"a": 1}')),
        (UNION, ["0", "1"], ["0", "2"], ".union[0]", ('"1"', '"2"')),
        (UNION, ["1", ["1"]], ["1", ["1", "2"]], ".union[1].list", ("1 elements", "2 elements")),
        (UNION, ["0", "1"], ["1", ["1"]], "", ('["0", "1"]', '["1", ["1"]]')),
        (UNION, ["0", None], None, "", ('["0", null]', "null")),
        (UNION, ["0", "1"], ["7", "1"], "", ('["0", "1"]', '["7", "1"]')),
        (UNION, ["0", "1"], ["0"], "", ('["0", "1"]', '["0"]')),
        (
            DEEP,
            [[["k", ["1", [True]]]]],
            [[["k", ["1", [None]]]]],
            ".list[0].map[0].value.y.list[0]",
            ("true", "null"),
        ),
        (
            floating(64),
            "0000000000000000",
            "8000000000000000",
            "",
            ('"0000000000000000"', '"8000000000000000"'),
        ),
    ],
)
def test_paths(type_, expected, actual, path, texts):
    """The path leads to the innermost place that differs, also of an answer of the wrong form."""
    same = None
    difference = first(one(type_, same, expected), one(type_, same, actual))
    assert difference == (f"column 'a'{path}, row 1", *texts, "value")


def test_columns_of_one_name_are_told_apart():
    """Of two columns of one name, the path of a difference says which one it is in."""
    columns = [("a", STRING), ("a", INT)]
    left, right = (Table.of(columns, [["x"], [value]]) for value in ("1", "2"))
    assert first(left, right).path == "column 2 'a', row 0"


def test_first_row_of_the_first_column():
    """Of several differences the first column's counts, whatever its block, and of it the first row."""
    rows = 2 * BLOCK_ROWS + 10
    zeros = ["0"] * rows
    early, late = list(zeros), list(zeros)
    early[3] = "1"
    late[BLOCK_ROWS + 7] = late[-1] = "1"
    columns = [("same", INT), ("late", INT), ("early", INT)]
    expected = Table.of(columns, [zeros, zeros, zeros])
    assert (
        first(expected, Table.of(columns, [zeros, late, early])).path
        == f"column 'late', row {BLOCK_ROWS + 7}"
    )
    assert first(expected, Table.of(columns, [zeros, zeros, early])).path == "column 'early', row 3"


def test_texts_are_short():
    """A huge value is shown by its beginning."""
    difference = first(one(STRING, "x" * 10**6), one(STRING, "y"))
    assert len(difference.expected) < 300
    assert "1000002 characters" in difference.expected


def test_unknown_equivalence():
    """A name that no equivalence has is the adapter's mistake, and said."""
    with pytest.raises(ValueError, match="no-such"):
        compare(one(INT), one(INT), ("no-such",))


def test_equivalences_at_every_depth():
    """An equivalence holds inside lists, maps and structs; nulls stay nulls; names are those needed."""
    before = map_of(tagged.Type("enum"), list_of(struct_of([("u", integer(8, signed=False)), ("s", STRING)])))
    after = map_of(STRING, list_of(struct_of([("u", integer(16)), ("s", STRING)])))
    value = [["k", [["255", "x"], None, [None, None]]], ["l", None]]
    found = compare(one(before, value, None), one(after, value, None), ("unsigned-widened", "enum-as-string"))
    assert found.equal
    assert found.equivalences == ("enum-as-string", "unsigned-widened")
    assert (
        first(one(before, value), one(after, value), ("enum-as-string",)).path == "column 'a'.value.element.u"
    )
    other = [["k", [["254", "x"], None, [None, None]]], ["l", None]]
    difference = first(one(before, value), one(after, other), ("unsigned-widened", "enum-as-string"))
    assert difference.path == "column 'a'.map[0].value.list[0].u, row 0"


def test_equivalences_follow_one_another():
    """Unit, flag and kind may all be the engine's own, if each is claimed."""
    expected = one(tagged.time("ms", utc=True), "1500")
    actual = one(tagged.timestamp("ns", utc=False), "1500000000")
    claimed = ("time-utc-ignored", "time-as-timestamp", "timestamp-unit-widened")
    found = compare(expected, actual, claimed)
    assert found.equal
    assert found.equivalences == ("time-as-timestamp", "timestamp-unit-widened")
    assert first(expected, actual, claimed[:2]).kind == "type"


def test_equivalences_of_values_are_named_only_when_needed():
    """A NaN of another payload is equal and named; the same NaN is equal; another number is not."""
    quiet, payload = "7ff8000000000000", "fff8000000000abc"
    assert compare(one(floating(64), quiet), one(floating(64), quiet), ()).equivalences == ()
    found = compare(one(list_of(floating(64)), [quiet]), one(list_of(floating(64)), [payload]), ())
    assert (found.equal, found.equivalences) == (True, ("nan-payload",))
    assert first(one(floating(64), quiet), one(floating(64), "7ff0000000000000")).kind == "value"


def test_nested_equivalences_of_values():
    """Duplicate keys and NaN payloads may be met in one value."""
    type_ = map_of(STRING, floating(32))
    expected = one(type_, [["a", "00000000"], ["b", "7fc00001"], ["a", "7fc00002"]])
    actual = one(type_, [["a", "ffc00000"], ["b", "7fc00000"]])
    found = compare(expected, actual, ("duplicate-keys-last-wins",))
    assert found.equivalences == ("duplicate-keys-last-wins", "nan-payload")
    assert first(expected, actual).path == "column 'a'.map[0].value, row 0"


def test_memory_is_flat(tmp_path):
    """Comparing two spilled tables takes the memory of a block, not of the tables."""
    rows = 40 * BLOCK_ROWS
    table = Table.of([("a", STRING)], [[f"{number:09}" for number in range(rows)]])
    left, right = table.spilled(tmp_path / "left"), table.spilled(tmp_path / "right")
    del table
    tracemalloc.start()
    assert compare(left, right, ()).equal
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 << 20


def test_long_texts_show_where_they_differ():
    """Of two long values, the part around the first character that differs is shown, with the lengths."""
    first, second = "a" * 500 + "b" + "c" * 400, "a" * 500 + "d" + "c" * 400
    tables = [Table.of([("a", STRING)], [[value]]) for value in (first, second, "a" * 500)]
    difference = compare(tables[0], tables[1], ()).difference
    assert difference.expected.startswith("…aaa")
    assert "ab" + "c" * 9 in difference.expected
    assert "ad" + "c" * 9 in difference.actual
    assert difference.expected.endswith("… (903 characters)")
    shorter = compare(tables[0], tables[2], ()).difference
    assert shorter.actual.endswith('aaa" (502 characters)')
