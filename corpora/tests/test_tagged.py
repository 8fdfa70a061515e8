"""Tagged values: every kind survives JSON and files, and nothing else is taken for a table."""

from __future__ import annotations

import copy
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import BIG, BLOCK_ROWS, BOOL, KINDS, Field, Table, TaggedError, Type, integer
from corpora.tests.tagged_tables import LEAVES, TYPES, tables

INT = tagged.integer(64)


def through_json(data):
    """Return the data after a pipe."""
    return json.loads(json.dumps(data).encode("ascii"))


@settings(deadline=None)
@given(TYPES)
def test_types_survive(type_):
    """A type comes back from JSON as it was, whatever its nesting."""
    assert Type.from_json(through_json(type_.to_json())) == type_


@settings(max_examples=200, deadline=None)
@given(tables())
def test_tables_survive(table):
    """A table comes back from JSON with types, values and number of rows."""
    back = Table.from_json(through_json(table.to_json()))
    assert (back.columns, back.num_rows) == (table.columns, table.num_rows)
    assert list(back.blocks()) == list(table.blocks())


@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_tables_survive_files(tmp_path_factory, table):
    """A spilled table is read back from its file, as often as wanted."""
    spilled = table.spilled(tmp_path_factory.mktemp("spill") / "t")
    back = Table.from_json(through_json(spilled.to_json()))
    for _ in range(2):
        assert list(back.blocks()) == list(table.blocks())


@given(tables(), tables())
def test_equal_text_is_equal_values(tmp_path_factory, one, other):
    """Tables of one text in files have the same values; of two tables in memory it is not said."""
    folder = tmp_path_factory.mktemp("tables")
    spilled = one.spilled(folder / "one")
    assert spilled.has_text_of(one.spilled(folder / "again"))
    assert spilled.has_text_of(one)
    assert one.has_text_of(spilled)
    assert not one.has_text_of(one)
    is_same = one.to_json() == other.to_json()
    assert spilled.has_text_of(other.spilled(folder / "other")) == is_same


def test_links_to_one_file_are_equal_without_reading_it(tmp_path, monkeypatch):
    """Two tables whose files are links to one have the same text; with other types they have not."""
    one = Table.of([("x", integer(32))], [["1"]]).spilled(tmp_path / "one")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    two = Table(one.columns, 1, spill=str(tmp_path / "two"))
    wider = Table.of([("x", integer(64))], [["1"]])
    monkeypatch.setattr(Table, "_text_digest", lambda _: pytest.fail("the file was read"))
    assert one.has_text_of(two)
    assert not one.has_text_of(Table(wider.columns, 1, spill=str(tmp_path / "two")))


def test_the_strategies_reach_every_kind():
    """No kind is left out of the tests above."""
    reached = set()

    @settings(max_examples=500, database=None, deadline=None)
    @given(LEAVES)
    def reach(type_):
        reached.add(type_.kind)

    reach()
    assert reached | {"list", "struct", "map", "union"} == KINDS


@pytest.mark.parametrize(
    "raw", [b"", b"abc", "é\u2028\U0001f4a5".encode(), b"\xff\xfe", b"\xed\xa0\x80", b"a\x00b"]
)
def test_text_keeps_its_bytes(raw):
    """Text survives JSON with the bytes it had, also where they are not UTF-8."""
    assert through_json(tagged.text(raw)).encode("utf-8", "surrogateescape") == raw


def test_long_values_are_digests():
    """What is longer than BIG bytes is told by digest and length, text and bytes alike."""
    raw = b"x" * (BIG + 1)
    assert (
        tagged.text(raw)
        == tagged.binary(raw)
        == {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": BIG + 1}
    )
    assert tagged.text(raw[:-1]) == "x" * BIG


@pytest.mark.parametrize("rows", [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS])
def test_blocks(rows):
    """Rows are cut into full blocks and a rest, and all are there in order."""
    column = [str(number) for number in range(rows)]
    table = Table.of([("a", INT)], [column])
    assert table.column(0) == column
    assert all(len(block[0]) == BLOCK_ROWS for block in list(table.blocks())[:-1])
    assert Table.from_json(through_json(table.to_json())).column(0) == column


def test_all_columns_of_blocks_that_are_made_when_asked():
    """All columns are there in order, and each block was made once, whatever the number of columns."""
    made: list[int] = []

    class Blocks(list):
        def __iter__(self):
            for at, block in enumerate(super().__iter__()):
                made.append(at)
                yield block

    whole = [[f"{column}{row}" for row in range(BLOCK_ROWS + 1)] for column in "abc"]
    table = Table.of([(name, INT) for name in "abc"], whole)
    lazy = Table(table.columns, table.num_rows, Blocks(table.in_memory))
    assert lazy.all_columns() == whole
    assert made == [0, 1]
    assert Table.of([("a", INT)], [[]]).all_columns() == [[]]


def test_no_columns():
    """A table without columns still has rows."""
    table = Table.from_json(through_json(Table.of([], [], 5).to_json()))
    assert (table.num_rows, list(table.blocks())) == (5, [])


def test_ragged_columns_are_refused():
    """Columns of different lengths are no table."""
    with pytest.raises(TaggedError):
        Table.of([("a", INT), ("b", INT)], [["1"], ["1", "2"]])
    with pytest.raises(TaggedError):
        Table.of([("a", INT)], [])


@pytest.mark.parametrize(
    "data",
    [
        None,
        5,
        "int",
        [],
        {},
        {"kind": "integer"},
        {"kind": []},
        {"kind": "int"},
        {"kind": "int", "bits": 8},
        {"kind": "int", "bits": 8, "signed": True, "unit": "s"},
        {"kind": "bool", "bits": 8},
        {"kind": "int", "bits": "8", "signed": True},
        {"kind": "int", "bits": 8, "signed": 1},
        {"kind": "int", "bits": True, "signed": True},
        {"kind": "duration", "unit": "h"},
        {"kind": "duration", "unit": []},
        {"kind": "list"},
        {"kind": "list", "children": []},
        {"kind": "list", "children": 5},
        {"kind": "list", "children": {}},
        {"kind": "map", "children": [{"name": "key", "type": {"kind": "bool"}}]},
        {"kind": "struct", "children": [5]},
        {"kind": "struct", "children": [{"name": 5, "type": {"kind": "bool"}}]},
        {"kind": "struct", "children": [{"name": "a"}]},
    ],
)
def test_no_types(data):
    """What is no type is refused with TaggedError, never with another exception."""
    with pytest.raises(TaggedError):
        Type.from_json(data)


GOOD = Table.of([("a", BOOL), ("b", INT)], [[True, None], ["1", "2"]]).to_json()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("columns", None),
        ("columns", {}),
        ("columns", GOOD["columns"][:1]),
        ("columns", [5, 5]),
        ("rows", -1),
        ("rows", 1),
        ("rows", True),
        ("rows", "2"),
        ("rows", 2.0),
        ("rows", 10**30),
        ("blocks", None),
        ("blocks", []),
        ("blocks", {}),
        ("blocks", GOOD["blocks"] * 2),
        ("blocks", [5]),
        ("blocks", [[[True, None]]]),
        ("blocks", [[[True], ["1", "2"]]]),
        ("blocks", [[5, 5]]),
        ("blocks", ["ab"]),
        ("more", 1),
    ],
)
def test_no_tables(name, value):
    """A table with one part wrong is refused with TaggedError, at once, whatever size it claims."""
    assert Table.from_json(copy.deepcopy(GOOD)).num_rows == 2
    with pytest.raises(TaggedError):
        Table.from_json({**GOOD, name: value})


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["kind", "name", "type", "children", "columns", "rows", "blocks", "spill"]),
                inner,
            )
        ),
        max_leaves=10,
    )
)
def test_anything_else_is_refused(data):
    """No JSON value makes the readers raise anything but TaggedError."""
    for read in (Type.from_json, Field.from_json, Table.from_json):
        with pytest.raises(TaggedError):
            read(data)


def test_types_for_people():
    """The short form of a type names what matters."""
    nested = tagged.map_of(tagged.STRING, tagged.list_of(tagged.timestamp("us", utc=True)))
    assert str(nested) == "map<key: string, value: list<element: timestamp(us, utc)>>"
    assert str(tagged.struct_of([("x", tagged.decimal(9, 2))])) == "struct<x: decimal(9, 2)>"
    assert str(tagged.integer(8, signed=False)) == "int(8, unsigned)"
