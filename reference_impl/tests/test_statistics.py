"""Statistics say what parquet.thrift lets them say, and admit every value that they were made from."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet import plan, statistics
from reference_impl.parquet.orders import Order, deprecated_order, is_nan, key, order_of
from reference_impl.parquet.page_structs import BoundaryOrder
from reference_impl.parquet.schema import (
    ColumnOrder,
    ConvertedType,
    DecimalType,
    Empty,
    IntType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.tree import OPTIONAL, build
from reference_impl.truncation import incremented, shortened

TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
TOTAL = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())
TIMESTAMPS = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
STATED = plan.Statistics(exact=plan.Truth.STATED)


def node(kind, **more):
    """A leaf of a type."""
    leaf = SchemaElement(type=kind, repetition_type=OPTIONAL, name="x", **more)
    return build([SchemaElement(name="schema", num_children=1), leaf]).children[0]


def doubles(*values):
    """Doubles as the reader has them."""
    return np.array(values, "<f8")


def floats(stats):
    """The bounds of statistics of doubles, with the sign of zeros."""
    return [
        None if raw is None else str(struct.unpack("<d", raw)[0])
        for raw in (stats.min_value, stats.max_value)
    ]


DOUBLE, TEXT, BINARY = (
    node(Type.DOUBLE),
    node(Type.BYTE_ARRAY, converted_type=ConvertedType.UTF8),
    node(Type.BYTE_ARRAY),
)
UINT = node(Type.INT32, logicalType=LogicalType(INTEGER=IntType(bitWidth=32, isSigned=False)))
DECIMAL = node(Type.BYTE_ARRAY, logicalType=LogicalType(DECIMAL=DecimalType(scale=0, precision=38)))


@pytest.mark.parametrize(
    ("leaf", "order", "expected"),
    [
        (DOUBLE, TYPE_ORDER, Order.FLOAT),
        (DOUBLE, TOTAL, Order.FLOAT_TOTAL),
        (DOUBLE, None, Order.UNDEFINED),
        (DOUBLE, ColumnOrder(), Order.UNDEFINED),
        (TEXT, TOTAL, Order.UNDEFINED),
        (TEXT, TYPE_ORDER, Order.BYTES),
        (UINT, TYPE_ORDER, Order.UNSIGNED),
        (DECIMAL, TYPE_ORDER, Order.DECIMAL_BYTES),
        (node(Type.INT96), TYPE_ORDER, Order.UNDEFINED),
        (node(Type.INT96), TIMESTAMPS, Order.INT96_TIMESTAMP),
        (node(Type.INT32), TIMESTAMPS, Order.UNDEFINED),
        (
            node(Type.FIXED_LEN_BYTE_ARRAY, type_length=12, converted_type=ConvertedType.INTERVAL),
            TYPE_ORDER,
            Order.UNDEFINED,
        ),
        (
            node(Type.FIXED_LEN_BYTE_ARRAY, type_length=2, logicalType=LogicalType(FLOAT16=Empty())),
            TYPE_ORDER,
            Order.FLOAT,
        ),
        (node(Type.BOOLEAN), TYPE_ORDER, Order.BOOLEAN),
    ],
)
def test_orders(leaf, order, expected):
    """A leaf's order is that of its logical type, its physical type, or none."""
    assert order_of(leaf, order) is expected


def test_zeros_are_widened():
    """A minimum of zero is written as -0.0, a maximum of zero as +0.0, and is exact only if it is there."""
    stats = statistics.make(STATED, DOUBLE, Order.FLOAT, doubles(0.0, 0.0), 0)
    assert floats(stats) == ["-0.0", "0.0"]
    assert (stats.is_min_value_exact, stats.is_max_value_exact) == (False, True)


def test_nan_is_no_bound():
    """NaN is left out of bounds in both orders; a column of nothing else has bounds in total order only."""
    nan = float("nan")
    counted = plan.Statistics(nan_count=True)
    for order in (Order.FLOAT, Order.FLOAT_TOTAL):
        stats = statistics.make(counted, DOUBLE, order, doubles(nan, 1.0, nan), 1)
        assert (floats(stats), stats.nan_count, stats.null_count) == (["1.0", "1.0"], 2, 1)
    assert floats(statistics.make(counted, DOUBLE, Order.FLOAT, doubles(nan), 0)) == [None, None]
    assert floats(statistics.make(counted, DOUBLE, Order.FLOAT_TOTAL, doubles(nan), 0)) == ["nan", "nan"]


def test_total_order():
    """In IEEE 754 total order -NaN < -inf < -0.0 < +0.0 < inf < NaN."""
    bits = [0xFFF8000000000000, 0xFFF0000000000000, 1 << 63, 0, 0x7FF0000000000000, 0x7FF8000000000001]
    keys = [key(Order.FLOAT_TOTAL, one.to_bytes(8, "little")) for one in bits]
    assert keys == sorted(set(keys))


def test_unsigned_decimal_and_int96():
    """Unsigned integers compare unsigned, decimals by value at any length, INT96 by day first."""
    stats = statistics.make(STATED, UINT, Order.UNSIGNED, np.array([-1, 1], "<i4"), 0)
    assert (stats.min_value, stats.max_value) == (b"\1\0\0\0", b"\xff\xff\xff\xff")
    stats = statistics.make(
        STATED, DECIMAL, Order.DECIMAL_BYTES, ByteArrays.of([b"\0\0\x01", b"\xff", b"\x02"]), 0
    )
    assert (stats.min_value, stats.max_value) == (b"\xff", b"\x02")
    late, early = b"\0" * 8 + b"\2\0\0\0", b"\xff" * 7 + b"\x7f" + b"\1\0\0\0"
    values = np.frombuffer(late + early, np.uint8).reshape(2, 12)
    stats = statistics.make(STATED, node(Type.INT96), Order.INT96_TIMESTAMP, values, 0)
    assert (stats.min_value, stats.max_value) == (early, late)


@pytest.mark.parametrize(
    ("raw", "most", "text", "low", "high"),
    [
        (b"Blart Versenwald III", 1, True, b"B", b"C"),
        (b"\xff\xff\x01", 2, False, b"\xff\xff", None),
        (b"\x01\xff\x01", 2, False, b"\x01\xff", b"\x02"),
        ("aé!".encode(), 2, True, b"a", b"b"),
        ("\ud7ff!".encode(), 3, True, "\ud7ff".encode(), "\ue000".encode()),
        ("a\U0010ffff!".encode(), 5, True, "a\U0010ffff".encode(), b"b"),
        ("\U0010ffff!".encode(), 4, True, "\U0010ffff".encode(), None),
    ],
)
def test_truncation(raw, most, text, low, high):
    """A lower bound is cut, an upper one incremented, text stays UTF-8, and what cannot be is left out."""
    assert shortened(raw, most, text=text) == low
    assert incremented(low, text=text) == high
    leaf = TEXT if text else BINARY
    stats = statistics.make(plan.Statistics(truncate=most), leaf, Order.BYTES, ByteArrays.of([raw]), 0)
    assert (stats.min_value, stats.max_value) == (low, high)


def test_deprecated():
    """`min` and `max` compare signed: in new files where that is the order, else as old files had them."""
    both = plan.Statistics(deprecated=True)
    assert statistics.make(both, UINT, Order.UNSIGNED, np.array([-1, 1], "<i4"), 0).min is None
    old = plan.Statistics(modern=False, deprecated=True)
    stats = statistics.make(old, UINT, Order.UNSIGNED, np.array([-1, 1], "<i4"), 0)
    assert (stats.min, stats.max, stats.min_value) == (b"\xff\xff\xff\xff", b"\1\0\0\0", None)
    stats = statistics.make(old, BINARY, Order.BYTES, ByteArrays.of([b"a", b"\x80"]), 0)
    assert (stats.min, stats.max) == (b"\x80", b"a")
    assert statistics.make(both, DOUBLE, Order.FLOAT, doubles(2.0, 1.0), 0).min == struct.pack("<d", 1.0)


LAYOUTS = st.builds(
    plan.Statistics,
    exact=st.sampled_from(plan.Truth),
    truncate=st.integers(0, 3),
    widen=st.integers(0, 3),
    distinct_count=st.booleans(),
    nan_count=st.booleans(),
)
COLUMNS = st.one_of(
    st.tuples(st.just(DOUBLE), st.lists(st.floats()).map(lambda v: doubles(*v))),
    st.tuples(st.just(UINT), st.lists(st.integers(-(2**31), 2**31 - 1)).map(lambda v: np.array(v, "<i4"))),
    st.tuples(
        st.just(node(Type.INT64)),
        st.lists(st.integers(-(2**63), 2**63 - 1)).map(lambda v: np.array(v, "<i8")),
    ),
    st.tuples(st.just(TEXT), st.lists(st.text()).map(lambda v: ByteArrays.of([t.encode() for t in v]))),
    st.tuples(st.just(BINARY), st.lists(st.binary(max_size=6)).map(ByteArrays.of)),
    st.tuples(st.just(DECIMAL), st.lists(st.binary(min_size=1, max_size=6)).map(ByteArrays.of)),
)


@given(COLUMNS, LAYOUTS)
def test_bounds_hold(column, layout):
    """Whatever the layout, bounds hold all values that count, and are exact if they say so."""
    leaf, values = column
    order = order_of(leaf, TYPE_ORDER)
    stats = statistics.make(layout, leaf, order, values, 0)
    found = statistics.raws(values)
    counted = [raw for raw in found if not (order.is_float and is_nan(raw))]
    for raw in counted:
        assert stats.min_value is not None
        assert key(order, stats.min_value) <= key(order, raw)
        assert stats.max_value is None or key(order, raw) <= key(order, stats.max_value)
    if not counted:
        assert (stats.min_value, stats.max_value) == (None, None)
    if stats.is_min_value_exact:
        assert stats.min_value in found
    if stats.is_max_value_exact:
        assert stats.max_value in found


def test_boundary_order():
    """Bounds of pages are ascending, descending or neither, pages of nulls aside."""
    one, two, three = ([value.to_bytes(4, "little")] for value in (1, 2, 3))
    up, null = [*one, b"", *two, *three], [False, True, False, False]
    assert statistics.boundary_order(up, up, null, Order.SIGNED) == BoundaryOrder.ASCENDING
    down = up[::-1]
    assert statistics.boundary_order(down, down, null[::-1], Order.SIGNED) == BoundaryOrder.DESCENDING
    assert statistics.boundary_order(up, down, [False] * 4, Order.UNSIGNED) == BoundaryOrder.UNORDERED


def test_widened_zeros():
    """A bound that is widened to zero has the sign of a bound, too."""
    tiny = struct.unpack("<d", b"\1" + bytes(7))[0]
    stats = statistics.make(plan.Statistics(widen=1), DOUBLE, Order.FLOAT, doubles(tiny), 0)
    assert floats(stats)[0] == "-0.0"
    stats = statistics.make(plan.Statistics(widen=1), DOUBLE, Order.FLOAT, doubles(-tiny), 0)
    assert floats(stats)[1] == "0.0"


def test_values_that_are_not_of_the_type():
    """Values beyond the range of their type stay within bounds that are widened."""
    small = node(Type.INT32, logicalType=LogicalType(INTEGER=IntType(bitWidth=8, isSigned=False)))
    stats = statistics.make(plan.Statistics(widen=1), small, Order.UNSIGNED, np.array([300], "<i4"), 0)
    assert int.from_bytes(stats.max_value, "little") >= 300


ARRAYS = st.one_of(
    st.tuples(st.sampled_from([Order.SIGNED, Order.UNSIGNED]), st.sampled_from(["<i4", "<i8"])),
    st.tuples(st.sampled_from([Order.FLOAT, Order.FLOAT_TOTAL]), st.sampled_from(["<f4", "<f8", "<f2"])),
)


@given(ARRAYS, st.lists(st.binary(min_size=8, max_size=8), max_size=6))
def test_bounds_of_arrays(made, found):
    """Bounds that are found by whole arrays are those that are found one value after the other."""
    order, dtype = made
    values = np.array([np.frombuffer(raw, dtype)[0] for raw in found], dtype)
    if dtype == "<f2":
        values = values.view(np.uint8).reshape(-1, 2)
    counted = statistics.raws(values)
    if order.is_float:
        numbers = [raw for raw in counted if not is_nan(raw)]
        counted = numbers or (counted if order is Order.FLOAT_TOTAL else [])
    expected = None
    if counted:
        keys = [key(order, raw) for raw in counted]
        expected = counted[keys.index(min(keys))], counted[keys.index(max(keys))]
    assert statistics.bounds(order, values) == expected


@pytest.mark.parametrize(
    ("leaf", "trusted"),
    [(DOUBLE, True), (node(Type.INT32), True), (UINT, False), (TEXT, False), (DECIMAL, False)],
)
def test_deprecated_order(leaf, trusted):
    """The deprecated bounds, which compare signed, can be trusted where numbers compare so."""
    assert (deprecated_order(leaf) is not Order.UNDEFINED) is trusted
