"""Pushdown skips, and never loses a row that matches."""

from __future__ import annotations

import io
import math
import operator
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.matching import FLOAT_ORDERS
from reference_impl.parquet import pushdown
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Bloom, Column, Dictionary, FilePlan, Index, Page, Statistics, Truth
from reference_impl.parquet.pushdown import Test, candidates
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.schema import ColumnOrder, ConvertedType, Empty, Encoding, SchemaElement, Type
from reference_impl.parquet.shred import raw
from reference_impl.parquet.tree import OPTIONAL, REPEATED, REQUIRED
from reference_impl.parquet.writer import write

COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "starts-with": bytes.startswith,
}
TYPES = {
    "int": (Type.INT32, None, st.integers(-3, 3) | st.sampled_from([-(2**31), 2**31 - 1])),
    "uint": (Type.INT32, ConvertedType.UINT_32, st.integers(-3, 3)),
    "double": (Type.DOUBLE, None, st.sampled_from([0.0, -0.0, 1.0, -1.0, math.nan, math.inf, 1.5])),
    "text": (Type.BYTE_ARRAY, ConvertedType.UTF8, st.text("aé\U0010ffff", max_size=4).map(str.encode)),
    "bytes": (Type.BYTE_ARRAY, None, st.binary(max_size=3) | st.sampled_from([b"\xff\xff\xff", b"\x80"])),
}
STATISTICS = st.builds(
    Statistics,
    modern=st.booleans(),
    deprecated=st.booleans(),
    null_count=st.booleans(),
    nan_count=st.booleans(),
    exact=st.sampled_from(Truth),
    truncate=st.integers(0, 2),
    widen=st.integers(0, 1),
)
NEW = ColumnOrder(unknown=((99, 12, b"\x00"),))  # a member of the union that nobody knows yet
ORDERS = st.sampled_from([None, (), (ColumnOrder(TYPE_ORDER=Empty()),) * 2, (NEW, NEW)])


def schema(kind, converted, repetition=OPTIONAL):
    """Columns `row` and `x`."""
    return (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(type=Type.INT32, repetition_type=REQUIRED, name="row"),
        SchemaElement(type=kind, repetition_type=repetition, name="x", converted_type=converted),
    )


@st.composite
def files(draw):
    """A file of column `x` in pages and row groups, the kind of `x`, and its values."""
    name = draw(st.sampled_from(sorted(TYPES)))
    kind, converted, values = TYPES[name]
    found = draw(st.lists(st.none() | values, min_size=1, max_size=12))
    encoding = draw(st.sampled_from([Encoding.PLAIN, Encoding.RLE_DICTIONARY]))
    column = Column(
        (Page(draw(st.integers(1, 4)), encoding, draw(st.sampled_from([1, 2]))),),
        dictionary=Dictionary() if encoding != Encoding.PLAIN else None,
        statistics=draw(st.none() | STATISTICS),
        index=draw(st.none() | st.builds(Index, statistics=STATISTICS)),
        bloom=draw(st.none() | st.just(Bloom(4))),
    )
    cut = draw(st.integers(0, len(found)))
    other = Column((Page(draw(st.integers(1, 5))),), index=draw(st.none() | st.just(Index())))
    rows = tuple({"row": row, "x": value} for row, value in enumerate(found))
    plan = FilePlan(schema(kind, converted), rows, (other, column), row_groups=(cut, len(found) - cut))
    orders = draw(ORDERS)
    if name == "double" and draw(st.booleans()):
        column_orders = (ColumnOrder(TYPE_ORDER=Empty()), ColumnOrder(IEEE_754_TOTAL_ORDER=Empty()))
    else:
        column_orders = orders
    return name, FilePlan(**{**vars(plan), "column_orders": column_orders}), values


def as_number(name, value):
    """What a value compares by."""
    return value & 0xFFFFFFFF if name == "uint" else value


def matches(name, test_operator, value, constants, float_order):
    """Whether a value matches, one at a time."""
    if test_operator == "is null":
        return value is None
    if value is None:
        return False
    if test_operator == "is not null":
        return True
    sides = [as_number(name, one) for one in (value, *constants)]
    if name == "double" and float_order == "nan-greatest":
        sides = [(math.isnan(one), 0 if math.isnan(one) else one) for one in sides]
    if name == "double" and float_order == "total":
        bits = [struct.unpack("<q", struct.pack("<d", one))[0] for one in sides]
        sides = [one if one >= 0 else one ^ (2**63 - 1) for one in bits]
    if test_operator == "in":
        return any(sides[0] == one for one in sides[1:])
    return COMPARE[test_operator](sides[0], sides[1])


@settings(max_examples=200, deadline=None)
@given(files(), st.data())
def test_no_row_is_lost(made, data):
    """Every row that matches lies in the ranges that are left, whatever is looked at."""
    name, plan, values = made
    names = ["=", "!=", "<", "<=", ">", ">=", "in", "is null", "is not null"]
    names += ["starts-with"] if name in {"text", "bytes"} else []
    chosen = data.draw(st.sampled_from(names))
    float_order = data.draw(st.sampled_from(FLOAT_ORDERS))
    using = data.draw(st.frozensets(st.sampled_from(sorted(pushdown.USING))))
    count = {"in": 2, "is null": 0, "is not null": 0}.get(chosen, 1)
    constants = [data.draw(values) for _ in range(count)]
    file = ParquetFile(write(plan))
    leaf = file.leaves[1]
    test = Test(leaf, chosen, [raw(leaf.physical, one) for one in constants], float_order)
    at = 0
    for group, meta in enumerate(file.metadata.row_groups):
        ranges = candidates(file, group, 1, test, using)
        for row in range(meta.num_rows):
            value = plan.rows[at + row]["x"]
            if matches(name, chosen, value, constants, float_order):
                assert any(start <= row < stop for start, stop in ranges)
        table = read_ranges(file, group, ranges)
        kept = [at + row for start, stop in ranges for row in range(start, stop)]
        assert to_python(table.columns[0]) == kept
        wanted = [plan.rows[row]["x"] for row in kept]
        assert repr(to_python(table.columns[1])) == repr(wanted)
        at += meta.num_rows


def ints(*values, **layout):
    """A file of optional INT32 values in pages of two, with an index and statistics."""
    usual = {"pages": (Page(2),), "statistics": Statistics(), "index": Index(), "bloom": Bloom(8)}
    column = Column(**{**usual, **layout})
    rows = tuple({"row": row, "x": value} for row, value in enumerate(values))
    return ParquetFile(
        write(FilePlan(schema(Type.INT32, None), rows, (Column((Page(3),), index=Index()), column)))
    )


def left(file, chosen, *constants, **more):
    """The ranges that are left of the first row group."""
    leaf = file.leaves[1]
    raws = [raw(leaf.physical, one) for one in constants]
    return candidates(file, 0, 1, Test(leaf, chosen, raws, "ieee"), **more)


def test_what_is_skipped():
    """Statistics, Bloom filter and dictionary skip row groups, the column index pages."""
    file = ints(1, 2, None, None, 8, 9, 4, 4)
    assert left(file, ">", 9) == []
    assert left(file, ">", 3) == [(4, 8)]
    assert left(file, ">", 3, using=frozenset({"statistics"})) == [(0, 8)]
    assert left(file, "=", 3, using=frozenset({"bloom"})) == []
    assert left(file, "is null") == [(2, 4)]
    assert left(file, "is not null") == [(0, 2), (4, 8)]
    assert left(file, "!=", 4) == [(0, 2), (4, 6)]
    by = {"pages": (Page(2, Encoding.RLE_DICTIONARY),), "dictionary": Dictionary()}
    column = Column(statistics=None, **by)
    rows = tuple({"row": row, "x": row} for row in (1, 5))
    file = ParquetFile(write(FilePlan(schema(Type.INT32, None), rows, (Column(), column))))
    assert left(file, "=", 3) == []
    assert left(file, "in", 3, 5) == [(0, 2)]


def test_what_a_reader_must_not_do():
    """An absent null count is not zero, and bounds without a column order are nothing."""
    file = ints(1, None, statistics=Statistics(null_count=False), index=None)
    assert left(file, "is null") == [(0, 2)]
    file = ints(1, None, 2, 2, statistics=None, index=Index(statistics=Statistics(null_count=False)))
    assert left(file, "is null") == [(0, 4)]
    assert left(ints(1, None, 2, 2, statistics=None), "is null") == [(0, 2)]
    plan = FilePlan(
        schema(Type.INT32, None), ({"row": 0, "x": 1},), (Column(), Column(statistics=Statistics()))
    )
    assert left(ParquetFile(write(plan)), ">", 1) == []
    plan = FilePlan(plan.schema, plan.rows, plan.columns, column_orders=(NEW, NEW))
    assert left(ParquetFile(write(plan)), ">", 1) == [(0, 1)]


def test_dictionary_that_was_given_up():
    """Where a chunk went on without its dictionary, this does not have all values."""
    pages = (Page(2, Encoding.RLE_DICTIONARY), Page(None, Encoding.PLAIN))
    file = ints(1, 2, 3, 3, pages=pages, dictionary=Dictionary(), statistics=None, index=None, bloom=None)
    assert left(file, "=", 3) == [(0, 4)]


def test_lists_are_never_skipped():
    """A column below a repeated field skips nothing, and its rows are cut out whole."""
    rows = tuple({"row": row, "x": list(range(row))} for row in range(5))
    column = Column((Page(2),), index=Index(), statistics=Statistics())
    file = ParquetFile(write(FilePlan(schema(Type.INT32, None, REPEATED), rows, (Column(), column))))
    assert left(file, "=", 99) == [(0, 5)]
    table = read_ranges(file, 0, [(1, 2), (3, 5)])
    assert to_python(table.columns[1]) == [[0], [0, 1, 2], [0, 1, 2, 3]]


@pytest.mark.parametrize("group", [-1, 1])
def test_row_groups_that_are_not_there(group):
    """A row group or column that is not there is refused, not ruled out."""
    file = ints(1, 2, 3)
    with pytest.raises(UsageError):
        read_ranges(file, group, [])
    with pytest.raises(UsageError):
        candidates(file, group, 1, Test(file.leaves[1], "is null", [], "ieee"))
    with pytest.raises(UsageError):
        candidates(file, 0, 2, Test(file.leaves[1], "is null", [], "ieee"))


def test_unknown_order_and_old_bounds():
    """Deprecated bounds are used without column orders, and ignored with an order that is not known."""
    column = Column(statistics=Statistics(modern=False, deprecated=True))
    for column_orders, ranges in [(None, []), ((), []), ((NEW, NEW), [(0, 1)])]:
        plan = FilePlan(
            schema(Type.INT32, None), ({"row": 0, "x": 1},), (Column(), column), column_orders=column_orders
        )
        assert left(ParquetFile(write(plan)), ">", 1) == ranges


def test_decimals_of_several_lengths():
    """One decimal has many byte strings: neither Bloom filter nor dictionary rules it out."""
    decimal = SchemaElement(
        type=Type.BYTE_ARRAY,
        repetition_type=OPTIONAL,
        name="x",
        converted_type=ConvertedType.DECIMAL,
        precision=4,
        scale=0,
    )
    pages = (Page(None, Encoding.RLE_DICTIONARY),)
    column = Column(pages, dictionary=Dictionary(), bloom=Bloom(4), statistics=Statistics())
    fields = (*schema(Type.INT32, None)[:2], decimal)
    file = ParquetFile(write(FilePlan(fields, ({"row": 0, "x": b"\0\0\1"},), (Column(), column))))
    assert left(file, "=", b"\1") == [(0, 1)]
    assert left(file, "=", b"\2") == []


@st.composite
def tables(draw):
    """A table of one column for pyarrow, the kind of its values, and these."""
    pa = pytest.importorskip("pyarrow")
    types = {"int": pa.int32(), "uint": pa.uint32(), "double": pa.float64()}
    types |= {"text": pa.string(), "bytes": pa.binary()}
    name = draw(st.sampled_from(sorted(types)))
    found = draw(st.lists(st.none() | TYPES[name][2], min_size=1, max_size=30))
    if draw(st.booleans()):
        found.sort(key=lambda one: (one is None, repr(one)))
    shown = [one if one is None else as_number(name, one) for one in found]
    shown = [one.decode() if name == "text" and one is not None else one for one in shown]
    table = pa.table({"row": pa.array(range(len(found)), pa.int32()), "x": pa.array(shown, types[name])})
    return name, table, found


@settings(max_examples=75, deadline=None)
@given(tables(), st.booleans(), st.integers(1, 4), st.data())
def test_files_of_pyarrow(made, dictionary, rows, data):
    """Nothing that matches is lost in a file of another writer, in pages of a few rows."""
    pq = pytest.importorskip("pyarrow.parquet")
    name, table, found = made
    sink = io.BytesIO()
    pq.write_table(
        table,
        sink,
        use_dictionary=dictionary,
        write_page_index=True,
        data_page_size=1,
        write_batch_size=rows,
        row_group_size=12,
        bloom_filter_options={"x": True},
    )
    names = ["=", "!=", "<", "<=", ">", ">=", "in", "is null", "is not null"]
    names += ["starts-with"] if name in {"text", "bytes"} else []
    chosen, float_order = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(FLOAT_ORDERS))
    constants = [
        data.draw(TYPES[name][2]) for _ in range({"in": 2, "is null": 0, "is not null": 0}.get(chosen, 1))
    ]
    file = ParquetFile(sink.getvalue())
    leaf = file.leaves[1]
    test = Test(leaf, chosen, [raw(leaf.physical, one) for one in constants], float_order)
    at = 0
    for group, meta in enumerate(file.metadata.row_groups):
        ranges = candidates(file, group, 1, test)
        kept = [at + row for start, stop in ranges for row in range(start, stop)]
        for row in range(at, at + meta.num_rows):
            assert row in kept or not matches(name, chosen, found[row], constants, float_order)
        assert to_python(read_ranges(file, group, ranges).columns[0]) == kept
        at += meta.num_rows
