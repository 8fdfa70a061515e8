"""Trees of the Thrift compact protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet.schema import KeyValue, SchemaElement
from reference_impl.tests import build as files
from reference_impl.wire import thrift, thrift_codes, thrift_tree, trees
from reference_impl.wire.trees import Field, Group, Items, Leaf, Raw
from reference_impl.wire.unknown import THRIFT, with_fields

IDS = st.integers(-(1 << 15), (1 << 15) - 1)
BYTES = st.binary(max_size=20)
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
SCALARS = {
    thrift_codes.TRUE: st.booleans(),
    thrift_codes.BYTE: st.integers(-128, 127),
    thrift_codes.I16: NUMBERS,
    thrift_codes.I32: NUMBERS,
    thrift_codes.I64: NUMBERS,
    thrift_codes.DOUBLE: st.floats(allow_nan=False),
    thrift_codes.BINARY: BYTES,
    thrift_codes.UUID: st.binary(min_size=16, max_size=16),
}


@st.composite
def items(draw, code, depth=2):
    """A value of a wire type."""
    if code in SCALARS:
        return Leaf(code, draw(SCALARS[code]))
    if code == thrift_codes.STRUCT:
        return draw(groups(depth - 1))
    if code == thrift_codes.MAP:
        pairs = draw(st.lists(st.tuples(items(thrift_codes.BINARY), items(thrift_codes.I32)), max_size=3))
        return Items(
            code, (thrift_codes.BINARY << 4 | thrift_codes.I32) if pairs else 0, [x for p in pairs for x in p]
        )
    element = draw(codes(depth - 1))
    return Items(code, element, draw(st.lists(items(element, depth - 1), max_size=20)))


def codes(depth):
    """Wire types; with no depth left those of scalars."""
    nested = [thrift_codes.LIST, thrift_codes.SET, thrift_codes.MAP, thrift_codes.STRUCT] if depth > 0 else []
    return st.sampled_from([*SCALARS, *nested])


@st.composite
def groups(draw, depth=2):
    """Structs with fields of any id, in any order, more than once."""
    found = draw(st.lists(st.tuples(IDS, codes(depth)), max_size=5))
    return Group([Field(number, draw(items(code, depth))) for number, code in found])


def normal(item):
    """Without what only the writer of a tree chooses: a boolean's code says its value."""
    if isinstance(item, Group):
        return [(each.id, normal(each.item)) for each in item.fields]
    if isinstance(item, Items):
        return item.kind, item.code, [normal(each) for each in item.items]
    return (thrift_codes.TRUE if isinstance(item.value, bool) else item.code), item.value


@given(groups())
def test_tree_round_trip(group):
    """Whatever a tree holds is written, and read back as it was; written again it is the same bytes."""
    data = thrift_tree.build(group)
    again, size = thrift_tree.parse(data)
    assert size == len(data)
    assert normal(again) == normal(group)
    assert thrift_tree.build(again) == data


@pytest.mark.parametrize("long_headers", [False, True])
def test_struct_round_trip(long_headers):
    """Bytes of a struct with fields that no table knows come back, and known fields have names."""
    value = with_fields(SchemaElement(name="x", type=1), THRIFT)
    data = thrift.encode(value, long_headers=long_headers)
    group, size = thrift_tree.parse(data + b"more", SchemaElement)
    assert size == len(data)
    assert [each.name for each in group.fields][:2] == ["type", "name"]
    assert thrift_tree.build(group) == data


def test_nested_names():
    """Structs below lists have the names and types of their own tables."""
    data = files.file([files.page_v1(b"\1\0\0\0", 1)], rows=1)
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    group, _ = thrift_tree.parse(footer, files.FileMetaData)
    assert [each.cls.__name__ for each in trees.groups(group)] == [
        "FileMetaData", "SchemaElement", "SchemaElement", "RowGroup", "ColumnChunk", "ColumnMetaData",
    ]  # fmt: skip
    assert thrift_tree.build(trees.copy(group)) == footer


def test_lies():
    """Sizes, types and raw bytes are written as told."""
    assert (
        thrift_tree.build(Group([Field(1, Leaf(thrift_codes.BINARY, b"ab", size=200))])) == b"\x18\xc8\1ab\0"
    )
    assert thrift_tree.build(Group([Field(1, Items(thrift_codes.LIST, thrift_codes.I32, [], size=-1))])) == (
        b"\x19\xf5" + b"\xff" * 9 + b"\1\0"
    )
    assert (
        thrift_tree.build(Group([Field(1, Leaf(thrift_codes.I32, 1), code=thrift_codes.STRUCT)]))
        == b"\x1c\2\0"
    )
    mixed = Group([Field(2, Raw(thrift_codes.I32, b"\xff")), Field(1, Leaf(thrift_codes.TRUE, False))])
    assert thrift_tree.build(mixed) == b"\x25\xff\2\2\0"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "PQ-THRIFT-001"),
        (b"\x15", "PQ-THRIFT-002"),
        (b"\x18\x05ab", "PQ-THRIFT-007"),
        (b"\x19\xf5\xff\xff\xff\xff\x0f", "PQ-THRIFT-008"),
        (b"\x1b\xff\xff\xff\xff\x0f\x55", "PQ-THRIFT-008"),
        (b"\x1e\0", "PQ-THRIFT-009"),
    ],
)
def test_malformed(data, rule):
    """Bytes that are no struct are malformed, with the rule that the tables' reader names."""
    with pytest.raises(Malformed) as error:
        thrift_tree.parse(data)
    assert error.value.rule == rule


def test_depth():
    """Nesting is bounded."""
    with pytest.raises(LimitExceeded):
        thrift_tree.parse(b"\x1c" * 10_000)


@given(st.binary(max_size=60))
def test_any_bytes(data):
    """Only the documented errors leave; what the tables' reader takes, the tree takes as well."""
    try:
        thrift.decode(KeyValue, data)
        known = True
    except (Malformed, LimitExceeded):
        known = False
    try:
        group, size = thrift_tree.parse(data, KeyValue)
    except (Malformed, LimitExceeded):
        assert not known
    else:
        assert thrift_tree.parse(thrift_tree.build(group), KeyValue)[0] == group
        assert size <= len(data)
