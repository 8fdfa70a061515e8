from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings

from corpora.build import expected
from corpora.constants import order_key
from corpora.tagged import Table
from properties import generate
from properties.strategies import kinds, moments, values
from properties.strategies.layouts import GEOSPATIAL
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import DecimalType, FieldRepetitionType, LogicalType, SchemaElement, Type
from reference_impl.parquet.shred import raw
from reference_impl.parquet.tree import build

ALL = [
    *kinds.PLAIN,
    *kinds.FIXED,
    *kinds.STRINGS,
    *kinds.INTEGERS,
    *kinds.MOMENTS,
    *kinds.EMBEDDED,
    *kinds.OTHERS,
]


def schema_of(kind):
    """Return a schema of one column."""
    leaf = SchemaElement(name="v", repetition_type=FieldRepetitionType.REQUIRED, **kind._asdict())
    return (SchemaElement(name="schema", num_children=1), leaf)


def table_of(kind, found) -> Table:
    """Return the expected table of values."""
    return expected.table(FilePlan(schema_of(kind), tuple({"v": value} for value in found)))


def check_domain(kind):
    """Check that edges and values in order fit the column, and that the order is that of the type."""
    node = build(list(schema_of(kind))).children[0]
    domain = values.domain(node)
    for value in domain.edges:
        raw(node.physical, value)
    for base in domain.bases:
        for at in (*range(-3000, 3000, 7), 21_000, -21_000):
            raw(node.physical, domain.nth(base + at))
    return node, domain


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", ALL, ids=str)
def test_values_fit_their_column(kind):
    """Every value of a domain can be stored in its column, and tagged."""
    _, domain = check_domain(kind)
    table = table_of(kind, [*domain.edges, *map(domain.nth, range(300))])
    assert Table.from_json(table.to_json()).num_rows == len(domain.edges) + 300


@given(kinds.decimals())
@settings(max_examples=60, deadline=None)
def test_decimals_fit_their_precision(kind):
    """No decimal has more digits than its precision, in any storage."""
    _, domain = check_domain(kind)
    table = table_of(kind, [*domain.edges, *map(domain.nth, range(-50, 300))])
    precision = table.columns[0].type.precision
    assert all(len(text.lstrip("-")) <= precision for text in table.column(0))


def test_some_decimals_have_more_digits_than_128_bits():
    """Decimals of more than 38 digits, and of more than 76, are drawn in both kinds of byte arrays."""
    drawn = generate._drawn(1, range(600), kinds.decimals())
    wide = {(kind.type, kind.precision > 76) for kind in drawn if kind.precision > 38}
    assert wide == set(product((Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY), (False, True)))


def test_decimals_use_more_bytes_than_they_need():
    """Some decimals in BYTE_ARRAY are sign-extended, negative ones among them."""
    logical = LogicalType(DECIMAL=DecimalType(scale=2, precision=9))
    _, domain = check_domain(kinds.LeafKind(Type.BYTE_ARRAY, logicalType=logical))
    assert {b"\xff", b"\xff\xff", b"\xff" * 10, b"\x00\x01"} <= set(domain.edges)


def test_values_in_order_rise(for_each):
    """Values in order rise in the order that statistics of the type have, as far as they do not wrap."""

    def check(kind):
        node = build(list(schema_of(kind))).children[0]
        if node.logical is not None and node.logical.name in (*GEOSPATIAL, "INTERVAL", "BSON", "TIME"):
            return  # without an order, or wrapping at midnight
        if node.physical.type == Type.BOOLEAN:
            return  # two values
        domain = values.domain(node)
        for base in domain.bases[:3]:
            table = table_of(kind, list(map(domain.nth, range(base, base + 40))))
            keys = [order_key(table.columns[0].type, value, "total") for value in table.column(0)]
            assert keys == sorted(keys)
            assert len(set(keys)) == len(keys)

    for_each([(str(kind), kind) for kind in ALL], check)


def test_text_is_utf8():
    """STRING and JSON values are valid UTF-8, and some have a character across byte 16 or 64."""
    kind = kinds.STRINGS[0]
    _, domain = check_domain(kind)
    for value in domain.edges:
        value.decode("utf-8")
    for limit in (16, 64):
        assert any(len(v) > limit and v[limit] & 0xC0 == 0x80 for v in domain.edges)


def test_timestamps_overflow_other_units():
    """Some timestamps in milliseconds do not fit 64 bits when counted in nanoseconds, some just so."""
    kind = next(k for k in kinds.MOMENTS if k.converted_type and k.converted_type.name == "TIMESTAMP_MILLIS")
    _, domain = check_domain(kind)
    nanos = [Fraction(value) * 1_000_000 for value in domain.edges]
    assert any(value >= 1 << 63 for value in nanos)
    assert any((1 << 63) - 2_000_000 < value < 1 << 63 for value in nanos)


@pytest.mark.parametrize(
    ("unit", "most"), [("ms", 9_223_372_036_854_775), ("us", 2**63 - 1), ("ns", 2**63 - 1)]
)
def test_near_moments_fit_microseconds(unit, most):
    """Without wide values the ends that are left are those that 64-bit microseconds hold."""
    edges = moments.near(unit).edges
    assert max(map(abs, edges)) == most
    assert set(edges) == {edge for edge in moments.timestamp(unit).edges if abs(edge) <= most}
