"""How a folder is read as one table: its JSON form, and the order of rows that have none."""

import pytest

from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, CHAR, VARCHAR, TableRead, in_order
from corpora.tagged import (
    BYTES,
    STRING,
    Field,
    Table,
    TaggedError,
    floating,
    integer,
    list_of,
    map_of,
    struct_of,
)

COLUMNS = (Field("a", integer(32)), Field("s", struct_of([("b", STRING)])))
READS = [
    TableRead(()),
    TableRead(COLUMNS),
    TableRead(COLUMNS, (Field("year", integer(32)),), CASELESS, split_bytes=7),
    TableRead(COLUMNS, matching=BY_POSITION, metadata=("file_name", "row_index")),
    TableRead(COLUMNS, matching=BY_ID, ids=((("a",), 1), (("s", "b"), 3))),
    TableRead(COLUMNS, defaults=(("a", "5"),), lengths=(("s", CHAR, 5), ("t", VARCHAR, 1))),
    TableRead(COLUMNS, skips_corrupt=True, removed=("part-0.orc",)),
    TableRead(COLUMNS, unified=True, recursive=True, name_pattern="part-?.*"),
    TableRead((), (Field("year", integer(32)),), keyless=True),
]


@pytest.mark.parametrize("read", READS)
def test_json(read):
    """A read is the same after its JSON form."""
    assert TableRead.from_json(read.to_json()) == read


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"columns": 1},
        {"columns": [], "more": 1},
        {"columns": [], "matching": "place"},
        {"columns": [], "split_bytes": 0},
        {"columns": [], "split_bytes": True},
        {"columns": [], "ids": [["a", 1]]},
        {"columns": [], "ids": [[["a"], "1"]]},
        {"columns": [], "ids": [[[1], 1]]},
        {"columns": [], "ids": [[["a"]]]},
        {"columns": [], "metadata": ["path"]},
        {"columns": [], "metadata": [1]},
        {"columns": [], "metadata": "file_name"},
        {"columns": [], "defaults": [["a"]]},
        {"columns": [], "defaults": [["a", None]]},
        {"columns": [], "defaults": [["a", ["1"]]]},
        {"columns": [], "lengths": [["a", "text", 5]]},
        {"columns": [], "lengths": [["a", "char", 0]]},
        {"columns": [], "lengths": [["a", "char"]]},
        {"columns": [], "skips_corrupt": 1},
        {"columns": [], "removed": [1]},
        *({"columns": [], name: 1} for name in ("unified", "recursive", "keyless", "name_pattern")),
        *({"columns": [], "name_pattern": f"a{letter}"} for letter in "/\\[]{}^,\0"),
        *(
            {"columns": [], "removed": [path]}
            for path in ("", "/etc/hosts", "../a", "a/../../b", "a//b", "a\\b", "a\0")
        ),
    ],
)
def test_no_read(data):
    """What is not the JSON form of a read is refused."""
    with pytest.raises(TaggedError):
        TableRead.from_json(data)


@pytest.mark.parametrize(
    ("type_", "rising"),
    [
        (integer(64), [None, "-10", "-9", "0", "9", "10"]),
        (STRING, [None, "", "a", "b"]),
        (BYTES, [None, "", "00", "ff"]),
        (floating(32), [None, "00000000", "80000000"]),
        (list_of(integer(8)), [None, [], [None], ["2"], ["2", "1"], ["10"]]),
        (struct_of([("a", integer(8)), ("b", STRING)]), [None, [None, "z"], ["2", "b"], ["10", "a"]]),
        (map_of(integer(8), STRING), [None, [], [["2", "a"]], [["2", "b"]], [["10", None]]]),
    ],
)
def test_order(type_, rising):
    """Rows are in the order of their values, numbers by size, nulls first, however they stood before."""
    for values in (rising, rising[::-1], rising[1::2] + rising[::2]):
        assert in_order(Table.of([("x", type_)], [values])).column(0) == rising


def test_order_of_columns():
    """The first column decides, then the next; rows stay together, and equal rows are all there."""
    table = Table.of([("a", integer(8)), ("b", STRING)], [["2", "1", "2", "1"], ["y", "z", "x", "z"]])
    ordered = in_order(table)
    assert [ordered.column(0), ordered.column(1)] == [["1", "1", "2", "2"], ["z", "z", "x", "y"]]


def test_no_columns():
    """A table without columns keeps its number of rows."""
    assert in_order(Table.of([], [], 3)).num_rows == 3
