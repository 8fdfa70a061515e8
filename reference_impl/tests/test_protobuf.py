"""Protocol Buffers: byte tables, round trips, what is tolerated and what is refused."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.orc import schema, statistics_schema
from reference_impl.orc.schema import (
    BloomFilter,
    ColumnEncoding,
    CompressionKind,
    EncodingKind,
    Footer,
    PostScript,
    RowIndexEntry,
    Type,
    TypeKind,
    UserMetadataItem,
)
from reference_impl.orc.statistics_schema import (
    BucketStatistics,
    ColumnStatistics,
    DateStatistics,
    DoubleStatistics,
    IntegerStatistics,
    TimestampStatistics,
)
from reference_impl.wire import protobuf
from reference_impl.wire.protobuf import decode, encode
from reference_impl.wire.protobuf_records import VARINTS
from reference_impl.wire.table import BOOL, DOUBLE, I64, ListOf, Scalar, Struct, table_of

STRUCTS = [
    cls
    for cls in {**vars(statistics_schema), **vars(schema)}.values()
    if isinstance(cls, type) and issubclass(cls, Struct) and cls is not Struct
]

RULES = [f"ORC-PROTO-00{number}" for number in range(1, 7)]

# value, and its bytes worked out by hand from the guide "Encoding"
BYTES = [
    (PostScript(), ""),
    (PostScript(footer_length=150), "08 96 01"),
    (PostScript(version=(0, 12), magic="ORC"), "22 02 00 0c 82 f4 03 03 4f 52 43"),
    (PostScript(compression=CompressionKind.ZSTD), "10 05"),
    (IntegerStatistics(minimum=-1, maximum=1, sum=-(1 << 63)), "08 01 10 02 18" + "ff" * 9 + "01"),
    (DateStatistics(minimum=-(1 << 31)), "08 ff ff ff ff 0f"),
    (TimestampStatistics(minimum_nanos=-2), "28 fe ff ff ff ff ff ff ff ff 01"),
    (ColumnStatistics(has_null=True), "50 01"),
    (ColumnStatistics(number_of_values=(1 << 64) - 1), "08" + "ff" * 9 + "01"),
    (ColumnStatistics(bucket_statistics=BucketStatistics(count=(3, 300))), "2a 05 0a 03 03 ac 02"),
    (DoubleStatistics(minimum=-0.0), "09 00 00 00 00 00 00 00 80"),
    (BloomFilter(bitset=(1,)), "11 01 00 00 00 00 00 00 00"),
    (UserMetadataItem(name="é", value=b"\xff"), "0a 02 c3 a9 12 01 ff"),
    (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("a",)), "08 0c 12 01 01 1a 01 61"),
]


@pytest.mark.parametrize(("value", "text"), BYTES)
def test_byte_table(value, text):
    """Each value writes as these bytes, and the bytes read back as the value."""
    raw = bytes.fromhex(text)
    assert encode(value) == raw
    assert decode(type(value), raw) == value


@pytest.mark.parametrize(("value", "text"), BYTES)
def test_truncations_are_refused_or_are_whole_records(value, text):
    """What is cut between two records reads as those before; what is cut within one is Malformed."""
    raw = bytes.fromhex(text)
    for size in range(len(raw)):
        with suppress(Malformed):
            assert encode(decode(type(value), raw[:size])) == raw[:size]


def numbers(bits, *, signed):
    """Integers of so many bits."""
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else st.integers(0, (1 << bits) - 1)


SCALARS = {
    Scalar.BOOL: st.booleans(),
    Scalar.I32: numbers(32, signed=True),
    Scalar.I64: numbers(64, signed=True),
    Scalar.S32: numbers(32, signed=True),
    Scalar.S64: numbers(64, signed=True),
    Scalar.U32: numbers(32, signed=False),
    Scalar.U64: numbers(64, signed=False),
    Scalar.FIXED64: numbers(64, signed=False),
    Scalar.DOUBLE: st.floats(allow_nan=False),
    Scalar.STRING: st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    Scalar.BINARY: st.binary(max_size=20),
}


def wire_values(wire):
    """Values of a wire type."""
    if isinstance(wire, ListOf):
        return st.lists(wire_values(wire.element), max_size=4).map(tuple)
    if isinstance(wire, Scalar):
        return SCALARS[wire]
    return structs(wire) if issubclass(wire, Struct) else st.sampled_from(wire)


def structs(cls):
    """Messages of a type, with some of its fields."""
    fields = {row.name: wire_values(row.wire) for row in table_of(cls).rows}
    return st.fixed_dictionaries({}, optional=fields).map(lambda found: cls(**found))


@given(st.sampled_from(STRUCTS).flatmap(structs), st.booleans())
@settings(max_examples=150, deadline=None)
def test_round_trip(value, unpacked):
    """Whatever is written, packed or not, reads back the same."""
    assert decode(type(value), encode(value, unpacked=unpacked)) == value


@given(st.sampled_from(STRUCTS), st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_arbitrary_bytes(cls, raw):
    """Any bytes are a message, which reads back the same once written, or Malformed within the bytes."""
    try:
        value = decode(cls, raw, base=1000)
    except LimitExceeded:
        return
    except Malformed as error:
        value, broken = None, error
    if value is None:
        assert broken.rule in RULES
        assert 1000 <= broken.offset <= 1000 + len(raw)
    else:
        again = encode(value)
        assert encode(decode(cls, again)) == again


def test_lists_packed_and_not():
    """Packed and unpacked elements are read alike, also mixed ("parsers must be able to parse" both)."""
    assert decode(RowIndexEntry, bytes.fromhex("08 01 0a 02 02 03 08 04")).positions == (1, 2, 3, 4)
    assert decode(BloomFilter, bytes.fromhex("12 08" + "01" * 8)).bitset == (0x0101010101010101,)


def test_the_last_scalar_counts():
    """Of a field that stands twice and is no list, the last value counts."""
    assert decode(PostScript, bytes.fromhex("08 01 08 02")).footer_length == 2


def test_messages_are_merged():
    """A message that stands twice is one: the last scalars, all elements of lists."""
    raw = bytes.fromhex("2a 04 0a 02 01 02  2a 03 0a 01 03  12 02 08 01  12 04 08 03 10 05")
    value = decode(ColumnStatistics, raw)
    assert value.bucket_statistics == BucketStatistics(count=(1, 2, 3))
    assert value.int_statistics == IntegerStatistics(minimum=-2, maximum=-3)


def test_numbers_lose_high_bits():
    """A number too large for its field loses its high bits, as the guide has it."""
    assert decode(ColumnEncoding, bytes.fromhex("10 ff ff ff ff 1f")).dictionary_size == (1 << 32) - 1
    assert decode(ColumnStatistics, bytes.fromhex("50 80 02")).has_null is True


# an unknown field of each wire type, a known one of another wire type, an enum's unknown number
UNKNOWN = [
    ("a0 06 05", (100, 0, "05")),
    ("a1 06 01 02 03 04 05 06 07 08", (100, 1, "01 02 03 04 05 06 07 08")),
    ("a2 06 02 aa bb", (100, 2, "02 aa bb")),
    ("a5 06 01 02 03 04", (100, 5, "01 02 03 04")),
    ("a3 06 08 01 a4 06", (100, 3, "08 01 a4 06")),
    ("a3 06 ab 06 10 01 ac 06 a4 06", (100, 3, "ab 06 10 01 ac 06 a4 06")),
    ("12 01 05", (2, 2, "01 05")),
    ("08 63", (1, 0, "63")),
]


@pytest.mark.parametrize(("text", "kept"), UNKNOWN)
def test_unknown_fields_survive(text, kept):
    """What the table does not know is kept, and written again among the fields by its number."""
    raw = bytes.fromhex(text)
    value = decode(ColumnEncoding, raw + bytes.fromhex("18 01"))
    number, code, body = kept
    assert value.unknown == ((number, code, bytes.fromhex(body)),)
    assert value.kind is None
    assert value.bloom_encoding == 1
    assert decode(ColumnEncoding, encode(value)) == value


REFUSED = [
    ("08", "ORC-PROTO-001"),
    ("08 80", "ORC-PROTO-001"),
    ("11 00 00", "ORC-PROTO-001"),
    ("12 03 00 00 00", "ORC-PROTO-001"),
    ("a3 06 08 01", "ORC-PROTO-001"),
    ("08 " + "80" * 10 + "01", "ORC-PROTO-002"),
    ("08" + "ff" * 9 + "02", "ORC-PROTO-002"),
    ("80 80 80 80 80 01 01", "ORC-PROTO-002"),
    ("ff ff ff ff 7f 01", "ORC-PROTO-002"),
    ("0e", "ORC-PROTO-003"),
    ("a7 06", "ORC-PROTO-003"),
    ("00 01", "ORC-PROTO-004"),
    ("a4 06", "ORC-PROTO-005"),
    ("a3 06 ac 06", "ORC-PROTO-005"),
    ("1a 05 00", "ORC-PROTO-006"),
    ("a2 06 ff ff ff ff ff ff ff ff ff 01", "ORC-PROTO-006"),
]


@pytest.mark.parametrize(("text", "rule"), REFUSED)
def test_what_is_refused(text, rule):
    """Each breach is told by its rule, at an offset inside of the bytes."""
    raw = bytes.fromhex(text)
    with pytest.raises(Malformed) as caught:
        decode(BloomFilter, raw, base=7)
    assert caught.value.rule == rule
    assert 7 <= caught.value.offset <= 7 + len(raw)


def test_errors_say_where():
    """An error names the fields that led to it, and the offset in the file."""
    with pytest.raises(Malformed) as caught:
        decode(Footer, bytes.fromhex("22 00 22 04 08 0c 12 7f"), base=100)
    assert caught.value.path == ("types[1]", "subtypes")
    assert caught.value.offset == 108


def test_spans():
    """Spans are absolute: of a message its body, of a field its tag and value, of a list all of them."""
    value = decode(Footer, bytes.fromhex("08 03 22 02 08 0c 10 05 22 00"), base=10, keep_spans=True)
    assert value.span == (10, 20)
    assert value.field_spans == {"header_length": (10, 12), "types": (12, 20), "content_length": (16, 18)}
    assert value.types[0].span == (14, 16)
    assert value.types[0].field_spans == {"kind": (14, 16)}


@dataclass(slots=True, kw_only=True)
class Lists(Struct):
    """Packed lists of what the tables of ORC have none of."""

    kinds: Annotated[tuple[EncodingKind, ...], 1, ListOf(EncodingKind, packed=True)] = ()
    flags: Annotated[tuple[bool, ...], 2, ListOf(BOOL, packed=True)] = ()
    shares: Annotated[tuple[float, ...], 3, ListOf(DOUBLE, packed=True)] = ()
    longs: Annotated[tuple[int, ...], 4, ListOf(I64, packed=True)] = ()


@given(structs(Lists), st.booleans())
@settings(max_examples=50, deadline=None)
def test_packed_lists(value, unpacked):
    """Enums, booleans, doubles and negative numbers stand in packed lists as well."""
    assert decode(Lists, encode(value, unpacked=unpacked)) == value


def test_enums_unknown_in_a_packed_list():
    """An element that the enum does not know is kept as an unknown record of its own."""
    value = decode(Lists, bytes.fromhex("0a 03 00 09 02"))
    assert value.kinds == (EncodingKind.DIRECT, EncodingKind.DIRECT_V2)
    assert value.unknown == ((1, 0, b"\x09"),)


def test_doubles_keep_their_bits():
    """A NaN's payload and the sign of zero survive."""
    for bits in ("010000000000f87f", "0000000000000080", "ffffffffffffffff"):
        raw = b"\x09" + bytes.fromhex(bits)
        value = decode(DoubleStatistics, raw)
        assert struct.pack("<d", value.minimum) == raw[1:]
        assert encode(value) == raw


def test_groups_may_not_nest_for_ever():
    """Unknown groups are skipped without recursion, up to a limit."""
    depth = protobuf.MAX_DEPTH
    raw = b"\xa3\x06" * depth + b"\xa4\x06" * depth
    assert decode(PostScript, raw).unknown == ((100, 3, raw[2:]),)
    with pytest.raises(LimitExceeded):
        decode(PostScript, b"\xa3\x06" * (depth + 1) + b"\xa4\x06" * (depth + 1))


def test_the_number_of_messages_is_limited(monkeypatch):
    """Empty messages, two bytes each, cannot fill the memory."""
    monkeypatch.setattr(protobuf, "MAX_MESSAGES", 100)
    assert len(decode(Footer, bytes.fromhex("22 00") * 99).types) == 99
    with pytest.raises(LimitExceeded):
        decode(Footer, bytes.fromhex("22 00") * 100)


def _zigzag(number: int) -> int:
    return -(number + 1) // 2 if number % 2 else number // 2


@given(st.integers(0, 2**64 - 1))
def test_values_of_varints(raw):
    """A varint of 64 bits is cut to the bits of its field, and signed as the field's type is."""
    low = raw % 2**32
    assert {scalar: convert(raw) for scalar, convert in VARINTS.items()} == {
        Scalar.BOOL: raw > 0,
        Scalar.I32: struct.unpack("<i", struct.pack("<I", low))[0],
        Scalar.I64: struct.unpack("<q", struct.pack("<Q", raw))[0],
        Scalar.U32: low,
        Scalar.U64: raw,
        Scalar.S32: _zigzag(low),
        Scalar.S64: _zigzag(raw),
    }
