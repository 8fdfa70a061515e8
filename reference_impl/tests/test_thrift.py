"""Thrift compact protocol: byte tables, round trips, and what is refused."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet import page_structs, schema
from reference_impl.parquet.page_structs import BloomFilterAlgorithm, BoundaryOrder, ColumnIndex, PageHeader
from reference_impl.parquet.schema import (
    Empty,
    FileMetaData,
    IntType,
    KeyValue,
    SchemaElement,
    SortingColumn,
    Type,
    VariantType,
)
from reference_impl.parquet.statistics_structs import BoundingBox, SizeStatistics, Statistics
from reference_impl.wire.table import I32, STRING, ListOf, Scalar, Struct, Union, table_of
from reference_impl.wire.thrift import decode, encode

STRUCTS = [
    cls
    for cls in (vars(schema) | vars(page_structs)).values()
    if isinstance(cls, type) and issubclass(cls, Struct) and cls not in (Struct, Union)
]

# value, and its bytes worked out by hand from thrift-compact-protocol.md
BYTES = [
    (Empty(), "00"),
    (KeyValue(key="k"), "18 01 6b 00"),
    (KeyValue(key="k", value=""), "18 01 6b 18 00 00"),
    (IntType(bitWidth=8, isSigned=True), "13 08 11 00"),
    (IntType(bitWidth=-1, isSigned=False), "13 ff 12 00"),
    (VariantType(specification_version=1), "13 01 00"),
    (Statistics(null_count=-1), "36 01 00"),
    (Statistics(null_count=300), "36 d8 04 00"),
    (Statistics(nan_count=0), "96 00 00"),
    (SizeStatistics(repetition_level_histogram=[1, -1]), "29 26 02 01 00"),
    (SizeStatistics(repetition_level_histogram=[0] * 15), "29 f6 0f" + " 00" * 15 + " 00"),
    (SchemaElement(type=Type.INT96, name="é"), "15 06 38 02 c3 a9 00"),
    (BloomFilterAlgorithm(BLOCK=Empty()), "1c 00 00"),
]


@pytest.mark.parametrize(("value", "text"), BYTES)
def test_byte_table(value, text):
    """Each value writes as these bytes, and the bytes read back as the value, to the last byte."""
    raw = bytes.fromhex(text)
    assert encode(value) == raw
    assert decode(type(value), raw) == (value, len(raw))
    assert decode(type(value), raw + b"more") == (value, len(raw))


@pytest.mark.parametrize(("value", "text"), BYTES)
def test_every_truncation_is_refused(value, text):
    """A struct that is cut anywhere is Malformed, never something else."""
    raw = bytes.fromhex(text)
    for size in range(len(raw)):
        with pytest.raises(Malformed):
            decode(type(value), raw[:size])


def wire_values(wire):
    """Values of a wire type."""
    if isinstance(wire, ListOf):
        return st.lists(wire_values(wire.element), max_size=4 if nests(wire.element) else 20)
    if isinstance(wire, Scalar):
        bits = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
        if wire.value in bits:
            top = 1 << bits[wire.value] - 1
            return st.integers(-top, top - 1)
        return {
            "bool": st.booleans(),
            "double": st.floats(allow_nan=False),
            "string": st.text(max_size=20),
            "binary": st.binary(max_size=20),
        }[wire.value]
    if issubclass(wire, Struct):
        return struct_values(wire)
    return st.sampled_from(list(wire)) | st.integers(100, 2**31 - 1)


def nests(wire):
    """Whether values of a wire type hold lists: then a few of them make a large struct."""
    return isinstance(wire, type) and issubclass(wire, Struct) and len(table_of(wire).rows) > 3


def struct_values(cls):
    """Instances of a struct of the tables."""
    rows = table_of(cls).rows
    if issubclass(cls, Union):
        return st.one_of([st.builds(cls, **{row.name: wire_values(row.wire)}) for row in rows])
    return st.deferred(
        lambda: st.builds(
            cls,
            **{
                row.name: wire_values(row.wire) if row.required else st.none() | wire_values(row.wire)
                for row in rows
            },
        )
    )


@pytest.mark.parametrize("cls", STRUCTS, ids=lambda cls: cls.__name__)
@given(data=st.data(), long_headers=st.booleans(), zero_is_false=st.booleans())
@settings(max_examples=15, deadline=None)
def test_round_trip_of_every_struct(cls, data, long_headers, zero_is_false):
    """Every struct of parquet.thrift reads back as it was written, in each of the legal forms."""
    value = data.draw(struct_values(cls))
    raw = encode(value, long_headers=long_headers, zero_is_false=zero_is_false)
    assert decode(cls, raw) == (value, len(raw))


def test_both_forms_of_booleans_in_lists():
    """Elements have type 1, and 2 for false; or, as in old files, type 2, and 0 for false."""
    order = BoundaryOrder.UNORDERED
    index = ColumnIndex(
        null_pages=[True, False], min_values=[b"", b"a"], max_values=[b"", b"a"], boundary_order=order
    )
    assert encode(index).hex().startswith("19210102")
    assert encode(index, zero_is_false=True).hex().startswith("19220100")


@given(raw=st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_garbage_raises_only_documented_errors(raw):
    """Random bytes are read or refused with an error of ours."""
    for cls in (FileMetaData, PageHeader, ColumnIndex):
        with suppress(Malformed, LimitExceeded):
            decode(cls, raw)


@pytest.mark.parametrize(
    "text",
    [
        "28 01 78",  # binary
        "21",  # boolean in the header
        "22",
        "23 7f",  # i8
        "24 01",  # i16
        "25 01",
        "26 ff ff ff ff ff ff ff ff ff 01",  # i64 of ten bytes
        "27 00 00 00 00 00 00 00 00",  # double
        "29 28 01 78 00",  # list of two strings
        "2a 15 02",  # set
        "29 21 01 02",  # list of booleans
        "2b 00",  # empty map
        "2b 01 85 01 78 02",  # map from binary to i32
        "2c 15 02 00",  # struct
        "2c 05 80 01 02 00",  # struct, long field header
        "2d" + " 00" * 16,  # uuid
    ],
)
def test_unknown_fields_of_every_wire_type_are_kept(text):
    """An unknown field of any type is skipped, counted, and survives rewriting."""
    unknown = bytes([0x80 | int(text[1], 16)]) + bytes.fromhex(text)[1:]  # field 1 + 8 = 9
    raw = bytes.fromhex("18 01 6b") + unknown + b"\0"
    value, size = decode(KeyValue, raw)
    assert size == len(raw)
    assert value.key == "k"
    assert [field for field, _, _ in value.unknown] == [9]
    assert decode(KeyValue, encode(value)) == (value, size)


def test_a_known_id_of_another_wire_type_is_unknown():
    """A field whose wire type is not the table's is skipped as generated Thrift code does."""
    value, _ = decode(KeyValue, bytes.fromhex("18 01 6b 15 02 00"))
    assert value == KeyValue(key="k", unknown=((2, 5, b"\x02"),))


@pytest.mark.parametrize(
    ("cls", "text", "rule", "path"),
    [
        (KeyValue, "18 01 6b 08 02 01 6b 00", "PQ-THRIFT-004", ("key",)),  # key twice, long form
        (KeyValue, "28 01 6b 00", "PQ-THRIFT-005", ()),  # no key
        (KeyValue, "18 05 6b 00", "PQ-THRIFT-007", ("key",)),  # five bytes declared, two left
        (KeyValue, "18 ff ff ff ff ff 01 00", "PQ-THRIFT-002", ("key",)),
        # The field after 32766, by a delta of 2.
        (KeyValue, "05 fc ff 03 00 25 00 00", "PQ-THRIFT-002", ("unknown field 32768",)),
        (KeyValue, "18 ff ff ff ff 7f 00", "PQ-THRIFT-002", ("key",)),
        (KeyValue, "1e 00", "PQ-THRIFT-009", ("unknown field 1",)),  # wire type 14
        (KeyValue, "1b ff 01 85 00", "PQ-THRIFT-008", ("unknown field 1",)),  # a map of 255 pairs
        (KeyValue, "17 00 00", "PQ-THRIFT-001", ("unknown field 1",)),
        (BloomFilterAlgorithm, "00", "PQ-THRIFT-006", ()),
        (schema.TimeUnit, "1c 00 1c 00 00", "PQ-THRIFT-006", ()),  # two fields of a union
        (SizeStatistics, "29 f6 ff 01 00", "PQ-THRIFT-008", ("repetition_level_histogram",)),
        (SizeStatistics, "29 25 02 02 00", "PQ-THRIFT-003", ("repetition_level_histogram",)),
        (ColumnIndex, "19 11 07 00", "PQ-THRIFT-003", ("null_pages", "[0]")),
        (BoundingBox, "17 00 00", "PQ-THRIFT-001", ("xmin",)),
        (PageHeader, "15 00 15 80 80 80 80 20 00", "PQ-THRIFT-002", ("uncompressed_page_size",)),
    ],
)
def test_what_is_malformed(cls, text, rule, path):
    """Each breach is named by its rule and the path of fields that leads to it."""
    with pytest.raises(Malformed) as caught:
        decode(cls, bytes.fromhex(text), base=1000)
    assert (caught.value.rule, caught.value.path) == (rule, path)
    assert caught.value.offset >= 1000


def test_nesting_is_limited():
    """Structs and lists nested without end are refused, not a stack overflow."""
    for opener in (b"\x1c", b"\x19\x19", b"\x1b\x01\xcc"):
        with pytest.raises((LimitExceeded, Malformed)) as caught:
            decode(Empty, opener * 100_000)
        assert isinstance(caught.value, LimitExceeded)


def test_spans_point_at_the_bytes():
    """With spans kept, every struct and field knows the bytes it came from."""
    raw = b"??" + encode(KeyValue(key="ab", value="c"))
    value, _ = decode(KeyValue, raw, start=2, base=10, keep_spans=True)
    assert value.span == (12, 12 + len(raw) - 2)
    assert value.field_spans == {"key": (12, 16), "value": (16, 19)}


def test_strings_keep_bytes_that_are_not_utf8():
    """A string that is not UTF-8 is neither refused nor changed."""
    raw = bytes.fromhex("18 02 ff 61 00")
    value, _ = decode(KeyValue, raw)
    assert encode(value) == raw


def test_false_in_a_list_may_be_two_or_zero():
    """Lists of booleans write false as 2; old writers wrote 0, and both are read."""
    raw = bytes.fromhex("19 31 01 02 00 19 08 19 08 15 00 00")
    assert decode(ColumnIndex, raw)[0].null_pages == [True, False, False]


def test_a_table_refuses_an_id_twice():
    """A struct that declares one id for two fields is a mistake of ours, found at first use."""

    @dataclass(slots=True, kw_only=True)
    class Twice(Struct):
        one: Annotated[int, 1, I32]
        two: Annotated[str, 1, STRING]

    with pytest.raises(TypeError, match="twice"):
        table_of(Twice)


def test_a_union_names_its_member():
    """A union answers the name and the value of what is set; None for a member it does not know."""
    known = schema.LogicalType(DECIMAL=schema.DecimalType(scale=2, precision=9))
    assert (known.which(), known.value()) == ("DECIMAL", known.DECIMAL)
    unknown, _ = decode(schema.LogicalType, bytes.fromhex("0c c8 01 00 00"))
    assert (unknown.which(), unknown.value()) == (None, None)


def test_structs_are_compared_and_printed_like_dataclasses():
    """Structs of one class with equal fields are equal, wherever they stood; `repr` has what is known."""
    left, right = KeyValue(key="k", value="v", span=(1, 9)), KeyValue(key="k", value="v")
    assert left == right
    assert left != KeyValue(key="k")
    assert left != KeyValue(key="k", value="v", unknown=((9, 8, b""),))
    assert left != SortingColumn(column_idx=0, descending=False, nulls_first=False)
    assert left != "k"
    assert repr(left) == "KeyValue(key='k', value='v')"
    with pytest.raises(TypeError, match="unhashable"):
        hash(left)
