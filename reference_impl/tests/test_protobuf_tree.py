"""Trees of Protocol Buffers messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import BloomFilter, Footer, PostScript, Type
from reference_impl.orc.statistics_schema import DoubleStatistics, IntegerStatistics
from reference_impl.orc.write_context import with_unknown
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import plan
from reference_impl.wire import protobuf, protobuf_tree, trees
from reference_impl.wire import protobuf_records as codes
from reference_impl.wire.table import Scalar
from reference_impl.wire.trees import Field, Group, Items, Leaf, Raw

NUMBERS = st.integers(0, (1 << 64) - 1)
LEAVES = st.one_of(
    NUMBERS.map(lambda value: Leaf(codes.VARINT, value)),
    NUMBERS.map(lambda value: Leaf(codes.I64, value)),
    st.integers(0, (1 << 32) - 1).map(lambda value: Leaf(codes.I32, value)),
    st.binary(max_size=20).map(lambda value: Leaf(codes.LEN, value)),
)
MESSAGES = st.lists(st.tuples(st.integers(1, (1 << 29) - 1), LEAVES), max_size=6).map(
    lambda found: Group([Field(number, item) for number, item in found])
)


@given(MESSAGES)
def test_tree_round_trip(group):
    """Whatever a tree holds is written, and read back as it was."""
    data = protobuf_tree.build(group)
    again, size = protobuf_tree.parse(data)
    assert size == len(data)
    assert again == group


@pytest.mark.parametrize("unpacked", [False, True])
def test_footer_round_trip(unpacked):
    """Bytes of a footer with fields that no table knows come back, whatever its lists look like."""
    footer = with_unknown(OrcFile(write(plan())).footer)
    data = protobuf.encode(footer, unpacked=unpacked)
    group, size = protobuf_tree.parse(data, Footer)
    assert size == len(data)
    assert protobuf_tree.build(trees.copy(group)) == data
    kinds = {each.cls.__name__ for each in trees.groups(group)}
    assert {"Footer", "Type", "StripeInformation", "ColumnStatistics", "IntegerStatistics"} <= kinds


@given(st.binary(max_size=40))
def test_any_bytes(data):
    """Any bytes are a tree or malformed, and what a tree was written as it is read back as."""
    try:
        group, _ = protobuf_tree.parse(data, Footer)
    except (Malformed, LimitExceeded):
        return
    again = protobuf_tree.build(group)
    assert protobuf_tree.build(protobuf_tree.parse(again, Footer)[0]) == again


def test_known_fields():
    """Packed lists are items, doubles are floats but for NaN, messages have the table's names."""
    group, _ = protobuf_tree.parse(protobuf.encode(Type(kind=12, subtypes=(1, 300))), Type)
    assert [(each.name, each.item) for each in group.fields] == [
        ("kind", Leaf(codes.VARINT, 12)),
        ("subtypes", Items(codes.LEN, codes.VARINT, [Leaf(0, 1), Leaf(0, 300)])),
    ]
    nan = float("nan")
    group, _ = protobuf_tree.parse(
        protobuf.encode(DoubleStatistics(minimum=1.5, maximum=nan)), DoubleStatistics
    )
    assert [type(each.item.value) for each in group.fields] == [float, bytes]
    data = b"\x12\x08" + bytes(8)  # a packed bitset, where the table has it unpacked
    group, _ = protobuf_tree.parse(data, BloomFilter)
    assert group.fields[0].item == Items(codes.LEN, codes.I64, [Leaf(codes.I64, 0)])
    assert protobuf_tree.build(group) == data


def test_what_does_not_fit_stays_bytes():
    """A message that is none, a padded varint and a group are kept as they stand."""
    data = b"\x22\x02\xff\xff" + b"\x30\x81\x00" + b"\x9b\x06\x08\x01\x9c\x06"
    group, _ = protobuf_tree.parse(data, Footer)
    assert [each.item for each in group.fields] == [
        Leaf(codes.LEN, b"\xff\xff"),
        Raw(codes.VARINT, b"\x81\0"),
        Raw(codes.SGROUP, b"\x08\x01\x9c\x06"),
    ]
    assert protobuf_tree.build(group) == data


def test_lies():
    """Lengths, types and raw bytes are written as told, negative numbers in ten bytes."""
    build = protobuf_tree.build
    assert build(Group([Field(1, Leaf(codes.LEN, b"ab", size=200))])) == b"\x0a\xc8\1ab"
    assert build(Group([Field(1, Group([], size=5)), Field(1, Leaf(0, 1))])) == b"\x0a\5\x08\1"
    assert build(Group([Field(1, Leaf(0, 1), code=codes.LEN)])) == b"\x0a\1"
    assert build(Group([Field(2, Leaf(0, -1))])) == b"\x10" + b"\xff" * 9 + b"\1"
    assert (
        build(Group([Field(1, Items(2, 0, [Leaf(0, 3)], size=9)), Field(1, Raw(7, b"x"))]))
        == b"\x0a\x09\3\x0fx"
    )
    assert build(Group([Field(3, Leaf(codes.I64, 1.0)), Field(3, Leaf(codes.I32, -1))])) == (
        b"\x19" + bytes(6) + b"\xf0\x3f" + b"\x1d\xff\xff\xff\xff"
    )


def test_leaf():
    """A value of a declared type becomes what the tables' writer writes of it."""
    cases = [
        (IntegerStatistics(minimum=-5), 1, Scalar.S64, -5),
        (PostScript(magic="ORC"), 8000, Scalar.STRING, "ORC"),
        (PostScript(metadata_length=7), 5, Scalar.U64, 7),
        (DoubleStatistics(maximum=0.5), 2, Scalar.DOUBLE, 0.5),
        (BloomFilter(bitset=(9,)), 2, Scalar.FIXED64, 9),
    ]
    for message, number, wire, value in cases:
        group = Group([Field(number, protobuf_tree.leaf(wire, value))])
        assert protobuf_tree.build(group) == protobuf.encode(message)


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"\x80", "ORC-PROTO-002"),
        (b"\x08", "ORC-PROTO-002"),
        (b"\x09\0", "ORC-PROTO-001"),
        (b"\x0a\x05ab", "ORC-PROTO-006"),
        (b"\x0f", "ORC-PROTO-003"),
        (b"\x00\x01", "ORC-PROTO-004"),
        (b"\x0c", "ORC-PROTO-005"),
        (b"\x0b\x14", "ORC-PROTO-005"),
    ],
)
def test_malformed(data, rule):
    """Bytes that are no message are malformed, with a rule of the wire format."""
    with pytest.raises(Malformed) as caught:
        protobuf_tree.parse(data)
    assert caught.value.rule == rule


def test_deep_groups():
    """Groups within groups are read to a depth, and no further."""
    with pytest.raises(LimitExceeded):
        protobuf_tree.parse(b"\x0b" * 200)
