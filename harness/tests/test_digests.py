"""Digests agree if and only if the tables do, whatever carried the values and however they were cut."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora import tagged
from corpora.tagged import BIG, Field, Table, Type
from harness.engines.arrow import c_interface
from harness.engines.digests import batches, bigint_lanes, blocks, canonical_bytes
from harness.engines.digests.blocks import LEAF_ROWS
from harness.judging.compare import compare

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
np = pytest.importorskip("numpy", reason="numpy is not installed")

NUMBERS = st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1))
TEXTS = st.one_of(st.none(), st.text(max_size=20))
FLOATS = st.one_of(st.none(), st.floats(width=32))
DOUBLES = st.one_of(st.none(), st.floats())
HALVES = st.one_of(st.none(), st.floats(width=16).map(np.float16))
INTERVALS = st.one_of(st.none(), st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 3))
TYPES: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        st.sampled_from(
            [
                (pa.int32(), NUMBERS),
                (pa.int8(), st.one_of(st.none(), st.integers(-128, 127))),
                (pa.uint64(), st.one_of(st.none(), st.integers(0, 2**64 - 1))),
                (pa.bool_(), st.one_of(st.none(), st.booleans())),
                (pa.float32(), FLOATS),
                (pa.float64(), DOUBLES),
                (pa.float16(), HALVES),
                (pa.string(), TEXTS),
                (pa.large_string(), TEXTS),
                (pa.string_view(), TEXTS),
                (pa.binary(), st.one_of(st.none(), st.binary(max_size=20))),
                (pa.binary(3), st.one_of(st.none(), st.binary(min_size=3, max_size=3))),
                (pa.dictionary(pa.int8(), pa.string()), st.one_of(st.none(), st.sampled_from("abc"))),
                (pa.decimal128(10, 2), st.one_of(st.none(), st.decimals(-999, 999, places=2))),
                (pa.decimal256(50, 2), st.one_of(st.none(), st.decimals(-999, 999, places=2))),
                (pa.timestamp("us", "UTC"), NUMBERS),
                (pa.timestamp("ns"), NUMBERS),
                (pa.time32("ms"), st.one_of(st.none(), st.integers(0, 86_399_999))),
                (pa.date32(), NUMBERS),
                (pa.date64(), st.one_of(st.none(), st.dates())),
                (pa.duration("s"), NUMBERS),
                (pa.month_day_nano_interval(), INTERVALS),
                (pa.null(), st.none()),
            ]
        ),
        TYPES.map(lambda one: (pa.list_(one[0]), st.one_of(st.none(), st.lists(one[1], max_size=3)))),
        TYPES.map(
            lambda one: (
                pa.list_(one[0], 2),
                st.one_of(st.none(), st.lists(one[1], min_size=2, max_size=2)),
            )
        ),
        TYPES.map(
            lambda one: (
                pa.map_(pa.int32(), one[0]),
                st.one_of(st.none(), st.lists(st.tuples(st.integers(0, 9), one[1]), max_size=3)),
            )
        ),
        st.tuples(TYPES, TYPES).map(
            lambda two: (
                pa.struct([("x", two[0][0]), ("y", two[1][0])]),
                st.one_of(st.none(), st.fixed_dictionaries({"x": two[0][1], "y": two[1][1]})),
            )
        ),
    )
)


@st.composite
def arrays(draw):
    """Draw an array of one type, some rows of it, and rows before and after that are cut off."""
    type_, values = draw(TYPES)
    found = draw(st.lists(values, min_size=1, max_size=20))
    array = pa.array(found, type_)
    first = draw(st.integers(0, len(array)))
    return array.slice(first, draw(st.integers(0, len(array) - first)))


def column(array):
    """Return an array as a table of Arrow, and as a tagged one."""
    arrow = pa.table({"c": array})
    return arrow, c_interface.read(arrow)


def digested(arrow, block_rows=LEAF_ROWS):
    """Return the digests of a table of Arrow."""
    with batches.arrow_stream(arrow.to_batches(), arrow.slice(0, 0)) as stream:
        return blocks.of(stream, block_rows)


def digested_values(table, cuts=()):
    """Return the digests of a tagged table, in batches that end at `cuts`."""
    ends = [*sorted(cuts), table.num_rows]
    columns = [table.column(index) for index in range(len(table.columns))]
    found = [
        batches.Values(table.columns, [one[start:end] for one in columns], end - start)
        for start, end in zip([0, *ends], ends, strict=False)
    ]
    return blocks.of(batches.Stream(table.columns, 0, iter(found)), LEAF_ROWS)


@given(arrays())
@settings(max_examples=150, deadline=None)
def test_buffers_and_values(array):
    """What is made of Arrow's buffers is what is made of the values in them."""
    arrow, table = column(array)
    assert digested(arrow) == digested_values(table)


@given(arrays(), arrays())
@settings(max_examples=60, deadline=None)
def test_two_columns(one, other):
    """Digests are alike if and only if the comparison of the gate finds no difference."""
    (left, first), (right, second) = column(one), column(other)
    alike = digested(left) == digested(right)
    assert alike == compare(first, second, ()).equal


@given(arrays(), st.data())
@settings(max_examples=60, deadline=None)
def test_one_value_changed(array, data):
    """One value that becomes another one, or null, changes the digest; the same value again does not."""
    _, table = column(array)
    if not table.num_rows:
        return
    values = table.column(0)
    row = data.draw(st.integers(0, len(values) - 1))
    changed = [*values]
    changed[row] = data.draw(st.sampled_from([*values, None]))
    other = Table.of([("c", table.columns[0].type)], [changed])
    alike = digested_values(table) == digested_values(other)
    assert alike == compare(table, other, ()).equal


@given(st.integers(1, 2 * LEAF_ROWS + 5), st.lists(st.integers(0, 2 * LEAF_ROWS), max_size=3), st.randoms())
@settings(max_examples=12, deadline=None)
def test_cuts(rows, cuts, random):
    """How rows come in batches has no part in digests, nor does who reads which of them."""
    values = [random.choice([None, *map(str, range(100))]) for _ in range(rows)]
    table = Table.of([("c", tagged.integer(32)), ("d", tagged.STRING)], [values, values[::-1]])
    whole = digested_values(table)
    assert digested_values(table, [cut for cut in cuts if cut < rows]) == whole
    apart = blocks.Digests(table.columns, LEAF_ROWS)
    ends = sorted({0, rows, *(cut for cut in cuts if cut < rows)})
    for start, end in pairwise(ends):
        cutter = blocks.Cutter(start)
        found = [table.column(index)[start:end] for index in (0, 1)]
        held = batches.Values(table.columns, found, end - start)
        for cut in [*cutter.add(held), *cutter.end()]:
            apart.add(cut)
    assert apart.to_json() == whole


def bits(*doubles):
    """Return doubles as tagged values, from their bits."""
    return [struct.pack(">Q", one).hex() for one in doubles]


ALIKE = {
    "payloads of NaN": (
        tagged.floating(64),
        bits(0x7FF8 << 48, 0xFFF0 << 48 | 1),
        bits(0x7FFF << 48, 0x7FF8 << 48),
    ),
    "half NaN": (tagged.floating(16), ["7e00"], ["fc01"]),
}
UNLIKE = {
    "zeros": (tagged.floating(64), bits(0), bits(1 << 63)),
    "infinities": (tagged.floating(64), bits(0x7FF0 << 48), bits(0xFFF0 << 48)),
    "infinity and NaN": (tagged.floating(64), bits(0x7FF0 << 48), bits(0x7FF0 << 48 | 1)),
    "zero and null": (tagged.integer(32), ["0"], [None]),
    "empty and null": (tagged.STRING, [""], [None]),
    "another cut": (tagged.STRING, ["ab", "c"], ["a", "bc"]),
    "empty list and null": (tagged.list_of(tagged.integer(8)), [[]], [None]),
    "null and list of null": (tagged.list_of(tagged.integer(8)), [[None]], [[]]),
    "structs of null": (tagged.struct_of([("x", tagged.integer(8))]), [[None]], [None]),
    "beyond the width": (tagged.timestamp("ns", utc=True), [str(2**64 + 5)], ["5"]),
    "long texts": (tagged.STRING, [tagged.text(b"x" * (BIG + 1))], [tagged.text(b"x" * BIG + b"y")]),
    "tags of unions": (tagged.union_of([tagged.BOOL, tagged.BOOL]), [["0", True]], [["1", True]]),
}


@pytest.mark.parametrize("name", ALIKE)
def test_alike(name):
    """Values that the gate does not tell apart have one digest."""
    type_, left, right = ALIKE[name]
    assert canonical_bytes.digest([canonical_bytes.of(type_, left)]) == canonical_bytes.digest(
        [canonical_bytes.of(type_, right)]
    )


@pytest.mark.parametrize("name", UNLIKE)
def test_unlike(name):
    """Values that differ a little have two digests."""
    type_, left, right = UNLIKE[name]
    assert canonical_bytes.digest([canonical_bytes.of(type_, left)]) != canonical_bytes.digest(
        [canonical_bytes.of(type_, right)]
    )


def test_wide_numbers_beside_narrow_ones():
    """A leaf with a number beyond 64 bits has one digest, whether it was read at once or apart."""
    type_, values = tagged.timestamp("ns", utc=False), ["-7", None, str(-(2**70)), "9"]
    whole = canonical_bytes.digest([canonical_bytes.of(type_, values)])
    for cut in range(5):
        assert (
            canonical_bytes.digest(
                [canonical_bytes.of(type_, values[:cut]), canonical_bytes.of(type_, values[cut:])]
            )
            == whole
        )


def test_long_values_in_buffers():
    """Values that are sent as digests are digested alike from buffers."""
    array = pa.array([b"x" * (BIG + 1), b"", None, b"y" * BIG])
    arrow, table = column(array)
    assert digested(arrow) == digested_values(table)


def test_nulls_that_hide_something():
    """Values, lists and texts below a null have no part in the digest."""
    valid = pa.array([True, False, True]).buffers()[1]
    numbers = pa.array([1, 2, 3]).buffers()[1]
    hidden = pa.Array.from_buffers(pa.int64(), 3, [valid, numbers])
    assert digested(pa.table({"c": hidden})) == digested(pa.table({"c": pa.array([1, None, 3])}))
    text = pa.array(["a", "bc", "d"])
    hidden = pa.Array.from_buffers(pa.string(), 3, [valid, *text.buffers()[1:]])
    assert digested(pa.table({"c": hidden})) == digested(pa.table({"c": pa.array(["a", None, "d"])}))
    lists = pa.array([[1], [2, 3], [4]])
    hidden = pa.ListArray.from_arrays(lists.offsets, lists.values, mask=pa.array([False, True, False]))
    assert digested(pa.table({"c": hidden})) == digested(pa.table({"c": pa.array([[1], None, [4]])}))


def test_blocks_and_nulls():
    """A block has so many rows, the last one fewer, and its nulls are counted."""
    found = digested(pa.table({"c": pa.array([None, 1] * LEAF_ROWS + [None])}))
    assert found["rows"] == 2 * LEAF_ROWS + 1
    assert [len(one["digests"]) for one in found["columns"]] == [3]
    assert found["columns"][0]["nulls"] == [LEAF_ROWS // 2, LEAF_ROWS // 2, 1]
    first, second, _ = found["columns"][0]["digests"]
    assert first == second


@pytest.mark.parametrize("rows", [0, 1, LEAF_ROWS - 1, LEAF_ROWS + 1, -LEAF_ROWS])
def test_blocks_that_are_none(rows):
    """Blocks are whole leaves."""
    with pytest.raises(ValueError, match="not leaves"):
        blocks.Digests((), rows)


def test_no_rows_and_no_columns():
    """A table without rows has no blocks, one without columns has rows."""
    assert digested(pa.table({"c": pa.array([], pa.int8())}))["columns"][0]["digests"] == []
    field = (Field("c", Type("bool")),)
    empty = batches.Stream((), 0, iter([batches.Values((), [], 5)]))
    assert blocks.of(empty, LEAF_ROWS) == {"rows": 5, "block_rows": LEAF_ROWS, "columns": []}
    with pytest.raises(ValueError, match="a batch of"):
        blocks.of(batches.Stream((), 0, iter([batches.Values(field, [[True]], 1)])), LEAF_ROWS)


def test_broken_offsets():
    """Offsets that do not ascend are an error, also where one that falls is next to one that rises."""
    for numbers in ([0, 3, 2], [-1, 0, 1], [0, 1, -1], [2, 1, 5, 5]):
        for code, width in (("i", 4), ("q", 8)):
            with pytest.raises(bigint_lanes.LanesError, match="ascend"):
                bigint_lanes.lengths(memoryview(struct.pack(f"<{len(numbers)}{code}", *numbers)), width)
    with pytest.raises(bigint_lanes.LanesError, match="bytes in"):
        bigint_lanes.lengths(memoryview(struct.pack("<2q", 0, 1 << 32)), 8)


def test_rows_of_a_stream():
    """Rows are cut out of the batches that have them, and end where the table does."""
    arrow = pa.table({"c": list(range(10))})
    for first, count, wanted in ((0, 3, range(3)), (4, 4, range(4, 8)), (8, 9, range(8, 10)), (20, 1, ())):
        with batches.arrow_stream(arrow.to_batches(max_chunksize=3), arrow.slice(0, 0)) as stream:
            assert batches.table_of(stream, first, count).column(0) == list(map(str, wanted))
