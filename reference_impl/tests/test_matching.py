"""No column that holds a match is ruled out by its statistics: all small columns, forms and tests."""

from __future__ import annotations

import math
import operator
import struct
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import UsageError
from reference_impl.matching import FLOAT_ORDERS
from reference_impl.parquet import plan, statistics
from reference_impl.parquet.matching import Test, may_match
from reference_impl.parquet.orders import Order
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    IntType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import OPTIONAL, build

COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": operator.eq,
}


def node(kind, **more):
    """A leaf of a type."""
    leaf = SchemaElement(type=kind, repetition_type=OPTIONAL, name="x", **more)
    return build([SchemaElement(name="schema", num_children=1), leaf]).children[0]


DECIMAL = LogicalType(DECIMAL=DecimalType(scale=0, precision=4))
DOUBLE, TEXT = node(Type.DOUBLE), node(Type.BYTE_ARRAY, converted_type=ConvertedType.UTF8)
NEGATIVE_NAN = bytes.fromhex("000000000000f8ff")
DOUBLES = [struct.pack("<d", value) for value in (-1.0, -0.0, 0.0, 1.0, math.nan)] + [NEGATIVE_NAN]
STRINGS = ["", "a", "ab", "b", "\u00e9", "\U0010ffff"]


def test_doubles():
    """NaN of both signs and both zeros are found in every order of the column and of the query."""

    def compared(raw, float_order):
        value, bits = struct.unpack("<d", raw)[0], struct.unpack("<q", raw)[0]
        if float_order == "nan-greatest":
            return math.isnan(value), 0 if math.isnan(value) else value
        if float_order == "total":
            return bits if bits >= 0 else bits ^ (2**63 - 1)
        return value

    layouts = [
        plan.Statistics(nan_count=counted, modern=modern, deprecated=not modern)
        for counted, modern in product((False, True), repeat=2)
    ]
    columns = [c for size in (1, 2, 3) for c in combinations_with_replacement(DOUBLES, size)]
    for order, layout, column in product((Order.FLOAT, Order.FLOAT_TOTAL), layouts, columns):
        values = np.frombuffer(b"".join(column), "<f8")
        stats = statistics.make(layout, DOUBLE, order, values, 0)
        for float_order, chosen, constant in product(FLOAT_ORDERS, COMPARE, DOUBLES):
            right = compared(constant, float_order)
            if any(COMPARE[chosen](compared(raw, float_order), right) for raw in column):
                test = Test(DOUBLE, chosen, [constant], float_order)
                assert may_match(test, order, stats, len(column))


def zeros(low, high):
    """Statistics of doubles that are not NaN, as old writers made them: zeros as they were found."""
    return Statistics(
        null_count=0, nan_count=0, min_value=struct.pack("<d", low), max_value=struct.pack("<d", high)
    )


@pytest.mark.parametrize(("low", "high", "hidden"), [(0.0, 1.0, -0.0), (-1.0, -0.0, 0.0)])
def test_zeros_of_old_writers(low, high, hidden):
    """In TYPE_ORDER a bound that is a zero hides the other one, even if the query tells them apart."""
    constant = [struct.pack("<d", hidden)]
    for float_order in FLOAT_ORDERS:
        assert may_match(Test(DOUBLE, "=", constant, float_order), Order.FLOAT, zeros(low, high), 2)
    total = Test(DOUBLE, "=", constant, "total")
    assert not may_match(total, Order.FLOAT_TOTAL, zeros(low, high), 2)


INTS = [value.to_bytes(4, "little", signed=True) for value in (-(2**31), -1, 0, 1, 2**31 - 1)]
KINDS = {
    "signed": (node(Type.INT32), Order.SIGNED, INTS, lambda raw: struct.unpack("<i", raw)),
    "unsigned": (
        node(Type.INT32, logicalType=LogicalType(INTEGER=IntType(bitWidth=32, isSigned=False))),
        Order.UNSIGNED,
        INTS,
        lambda raw: struct.unpack("<I", raw),
    ),
    "fixed decimal": (
        node(Type.FIXED_LEN_BYTE_ARRAY, type_length=2, logicalType=DECIMAL),
        Order.DECIMAL_BYTES,
        [struct.pack(">h", value) for value in (-256, -1, 0, 1, 255)],
        lambda raw: struct.unpack(">h", raw),
    ),
    "decimal": (
        node(Type.BYTE_ARRAY, logicalType=DECIMAL),
        Order.DECIMAL_BYTES,
        [b"\xff", b"\xff\xff", b"\x00", b"\x00\x01", b"\x01", b"\x80", b"\x00\x80"],
        lambda raw: struct.unpack(">h", (b"\xff" if raw[0] & 0x80 else b"\0") * (2 - len(raw)) + raw),
    ),
    "bytes": (
        node(Type.BYTE_ARRAY),
        Order.BYTES,
        [b"", b"a", b"ab", b"\x7f\xff", b"\x80", b"\xff\xff"],
        list,
    ),
    "text": (TEXT, Order.BYTES, [text.encode() for text in STRINGS], list),
    "int96": (
        node(Type.INT96),
        Order.INT96_TIMESTAMP,
        [struct.pack("<qi", nanos, day) for nanos, day in [(5, -1), (0, 0), (9, 0), (1, 1)]],
        lambda raw: struct.unpack("<qi", raw)[::-1],
    ),
    "boolean": (node(Type.BOOLEAN), Order.BOOLEAN, [b"\0", b"\1"], lambda raw: raw != b"\0"),
}


def stored(leaf, column):
    """Values as the reader has them."""
    if leaf.physical.type == Type.BYTE_ARRAY:
        return ByteArrays.of(column)
    data = b"".join(column)
    if leaf.physical.dtype is not None:
        return np.frombuffer(data, leaf.physical.dtype)
    if leaf.physical.type == Type.BOOLEAN:
        return np.frombuffer(data, np.bool_)
    return np.frombuffer(data, np.uint8).reshape(len(column), -1)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", KINDS)
def test_other_types(name):
    """Cut and widened bounds, deprecated ones, and decimals of several lengths rule no match out."""
    leaf, order, pool, compared = KINDS[name]
    layouts = [
        plan.Statistics(modern=modern, deprecated=not modern, truncate=truncate, widen=widen)
        for modern, truncate, widen in product((False, True), (0, 1), (0, 1))
    ]
    columns = [column for size in (1, 2) for column in combinations_with_replacement(pool, size)]
    ruled_out = 0
    for layout, column in product(layouts, columns):
        stats = statistics.make(layout, leaf, order, stored(leaf, column), 0)
        for chosen, constant in product(COMPARE, pool):
            right = compared(constant)
            found = may_match(Test(leaf, chosen, [constant], "ieee"), order, stats, len(column))
            assert found or not any(COMPARE[chosen](compared(raw), right) for raw in column)
            ruled_out += not found
    assert ruled_out  # it is not right by never skipping


def test_prefixes():
    """A prefix is looked for between bounds that may be cut shorter than it."""
    for truncate, first, second, prefix in product((0, 1, 2), STRINGS, STRINGS, STRINGS):
        values = ByteArrays.of([first.encode(), second.encode()])
        stats = statistics.make(plan.Statistics(truncate=truncate), TEXT, Order.BYTES, values, 0)
        found = may_match(Test(TEXT, "starts-with", [prefix.encode()], "ieee"), Order.BYTES, stats, 2)
        assert found or not (first.startswith(prefix) or second.startswith(prefix))


def bounded(low, high, **more):
    """Statistics of INT32."""
    return Statistics(min_value=low.to_bytes(4, "little"), max_value=high.to_bytes(4, "little"), **more)


def test_what_tells_nothing():
    """A missing null count, a constant of another type, bounds that cross: nothing is ruled out."""
    leaf, order = node(Type.INT32), Order.SIGNED
    nine = Test(leaf, "=", [(9).to_bytes(4, "little")], "ieee")
    assert not may_match(nine, order, bounded(1, 2, null_count=0), 2)
    assert may_match(nine, Order.UNDEFINED, bounded(1, 2, null_count=0), 2)
    assert may_match(nine, order, bounded(2, 1, null_count=0), 2)
    assert may_match(Test(leaf, "=", [(9).to_bytes(8, "little")], "ieee"), order, bounded(1, 2), 2)
    assert may_match(Test(leaf, "is null", [], "ieee"), order, bounded(1, 2), 2)
    assert not may_match(Test(leaf, "is null", [], "ieee"), order, bounded(1, 2, null_count=0), 2)
    assert not may_match(nine, order, Statistics(null_count=2), 2)
    assert not may_match(Test(leaf, "is not null", [], "ieee"), order, Statistics(null_count=2), 2)


def test_deprecated_bounds_of_bytes():
    """Bytes that compare signed bound nothing: 61 80 is less than 61 01, which is less than 62."""
    stats = Statistics(null_count=0, min=b"a\x80", max=b"b")
    for leaf in (node(Type.BYTE_ARRAY), TEXT):
        assert may_match(Test(leaf, "=", [b"a\x01"], "ieee"), Order.BYTES, stats, 3)


def test_nothing_but_nan():
    """`nan_count + null_count == num_values`: all values are NaN, and match only what NaN matches."""
    stats = Statistics(null_count=1, nan_count=2)
    one = [DOUBLES[3]]
    assert not may_match(Test(DOUBLE, "<", one, "ieee"), Order.FLOAT, stats, 3)
    assert may_match(Test(DOUBLE, "<", one, "ieee"), Order.FLOAT, stats, 4)
    assert may_match(Test(DOUBLE, ">", one, "nan-greatest"), Order.FLOAT, stats, 3)
    assert may_match(Test(DOUBLE, "!=", one, "ieee"), Order.FLOAT, stats, 3)


@pytest.mark.parametrize(
    ("chosen", "constants", "float_order"),
    [("like", 1, "ieee"), ("=", 0, "ieee"), ("<", 2, "ieee"), ("is null", 1, "ieee"), ("=", 1, "java")],
)
def test_tests_that_are_none(chosen, constants, float_order):
    """Operators, numbers of constants and float orders that are not there are refused."""
    with pytest.raises(UsageError):
        Test(TEXT, chosen, [b"a"] * constants, float_order)
