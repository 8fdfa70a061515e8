"""Values of single columns, byte by byte: what each stream means, and which rule it breaks."""

from __future__ import annotations

import struct as packing

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import LimitExceeded, Malformed, Unsupported
from reference_impl.limits import Limits
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import ColumnEncoding, EncodingKind, RowIndex, RowIndexEntry, Type, TypeKind
from reference_impl.tests.orc_build import (
    DATA,
    DICTIONARY_DATA,
    LENGTH,
    PRESENT,
    ROW_INDEX,
    SECONDARY,
    file,
    stripe,
    struct,
)
from reference_impl.wire.protobuf import encode


def zigzag(value):
    """A signed number as a varint."""
    raw = value << 1 if value >= 0 else ~value << 1 | 1
    out = bytearray()
    while raw >= 0x80:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    return bytes([*out, raw])


def literals(*values, signed=True):
    """A literal run of version 1."""
    return bytes([256 - len(values)]) + b"".join(
        zigzag(value) if signed else varint(value) for value in values
    )


def varint(value):
    """An unsigned number, of 0 to 2^62, as a varint."""
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + varint(value >> 7)


def column(kind, rows, streams, *, encoding=None, postscript=None, limits=None, zone="UTC", **footer):
    """The slots of one column of that type (kind or Type), column 1 of a file."""
    types = struct(c=kind)
    encodings = {1: encoding} if encoding else None
    made = stripe(types, rows, {(1, which): raw for which, raw in streams.items()}, encodings, **footer)
    data = file(types, [made], postscript=postscript)
    opened = OrcFile(data, limits=limits or Limits(), zone=zone, strict=True)
    return to_python(opened.read().columns[0])


DECIMAL = Type(kind=TypeKind.DECIMAL, precision=5, scale=2)
HIVE11 = Type(kind=TypeKind.DECIMAL)
WORDS = ColumnEncoding(kind=EncodingKind.DICTIONARY, dictionary_size=2)

GOOD = [
    (TypeKind.BOOLEAN, {DATA: b"\xff\xa0"}, [True, False, True]),
    (TypeKind.BYTE, {DATA: b"\x00\xfe"}, [-2, -2, -2]),
    (TypeKind.SHORT, {DATA: literals(-(1 << 15), 0, (1 << 15) - 1)}, [-(1 << 15), 0, (1 << 15) - 1]),
    (TypeKind.LONG, {DATA: literals(-(1 << 63), 0, (1 << 63) - 1)}, [-(1 << 63), 0, (1 << 63) - 1]),
    (TypeKind.DATE, {DATA: literals(-(1 << 31), 0, 1)}, [-(1 << 31), 0, 1]),
    (TypeKind.FLOAT, {DATA: packing.pack("<3f", 0.5, -2.0, 1e10)}, [0.5, -2.0, 1e10]),
    (TypeKind.STRING, {DATA: b"abbc", LENGTH: literals(1, 0, 3, signed=False)}, [b"a", b"", b"bbc"]),
    (TypeKind.STRING, {LENGTH: b"\x00\x00\x00"}, [b"", b"", b""]),
    (TypeKind.GEOMETRY, {DATA: b"abc", LENGTH: b"\x00\x00\x01"}, [b"a", b"b", b"c"]),
    (DECIMAL, {DATA: zigzag(150) + zigzag(-15) + zigzag(0), SECONDARY: literals(2, 1, 0)}, [150, -150, 0]),
    (DECIMAL, {DATA: zigzag(1500) + zigzag(2) + zigzag(0), SECONDARY: literals(3, 0, 38)}, [150, 200, 0]),
    (TypeKind.INT, {PRESENT: b"\xff\x00"}, [None, None, None]),
]


@pytest.mark.parametrize(("kind", "streams", "values"), GOOD)
def test_values(kind, streams, values):
    """Three rows of each kind."""
    assert column(kind, 3, streams) == values


def test_nanoseconds_before_1970():
    """Seconds are cut towards zero before 1970, if nanoseconds make a millisecond ("0x0a" is 1000)."""
    epoch = 1_420_070_400
    streams = {
        DATA: literals(-epoch - 5, -epoch - 5, -epoch + 5, -epoch),
        SECONDARY: literals(0x0A, 1_000_000 << 3, 1_000_000 << 3, 999_999_999 << 3, signed=False),
    }
    assert column(TypeKind.TIMESTAMP_INSTANT, 4, streams) == [
        (-5, 1000),
        (-6, 1_000_000),
        (5, 1_000_000),
        (0, 999_999_999),
    ]


def test_time_zones():
    """The wall clock is that of the stripe's writer, or of the caller's zone where it names none."""
    july = 181 * 86_400  # in summer, an hour ahead of January
    streams = {DATA: literals(0, july), SECONDARY: b"\xfe\x00\x00"}
    start = 1_420_070_400
    assert column(TypeKind.TIMESTAMP, 2, streams) == [(start, 0), (start + july, 0)]
    summer = [(start, 0), (start + july + 3600, 0)]
    assert column(TypeKind.TIMESTAMP, 2, streams, zone="America/Los_Angeles") == summer
    assert column(TypeKind.TIMESTAMP, 2, streams, writer_timezone="America/Los_Angeles") == summer
    with pytest.raises(Malformed) as caught:
        column(TypeKind.TIMESTAMP, 2, streams, writer_timezone="Moon/Crater")
    assert caught.value.rule == "ORC-STRIPE-015"


def test_hive_0_11_decimals():
    """A decimal without a precision is read at ten digits; what has more is not read, but not broken."""
    assert column(HIVE11, 1, {DATA: zigzag(15), SECONDARY: literals(1)}) == [15 * 10**9]
    assert column(HIVE11, 1, {DATA: zigzag(150), SECONDARY: literals(11)}) == [15]
    with pytest.raises(Unsupported):
        column(HIVE11, 1, {DATA: zigzag(15), SECONDARY: literals(11)})


def test_large_decimals():
    """Values beyond 64 bits, before or after they are brought to their scale, stay exact."""
    wide = Type(kind=TypeKind.DECIMAL, precision=38, scale=20)
    streams = {DATA: zigzag(10**17) + zigzag(-(10**37)) + zigzag(7), SECONDARY: literals(0, 20, 20)}
    assert column(wide, 3, streams) == [10**37, -(10**37), 7]
    with pytest.raises(Malformed) as caught:
        column(wide, 1, {DATA: zigzag(10**18), SECONDARY: literals(0)})
    assert caught.value.rule == "ORC-DEC-002"


@pytest.mark.parametrize("scale", [0, 1])
@pytest.mark.parametrize("number", [-(1 << 63), 1 - (1 << 63), (1 << 63) - 1])
def test_decimals_at_the_ends_of_int64_are_rescaled_exactly(number, scale):
    """The least number of 64 bits, whose absolute value has 64 bits, does not wrap."""
    wide = Type(kind=TypeKind.DECIMAL, precision=38, scale=2)
    streams = {DATA: zigzag(number), SECONDARY: literals(scale)}
    assert column(wide, 1, streams) == [number * 10 ** (2 - scale)]


def test_decimals_of_64_bits():
    """Only in files of version 1.9999 a decimal of 18 digits is a run of integers."""
    encoding = ColumnEncoding(kind=EncodingKind.DIRECT_V2)
    values = column(DECIMAL, 3, {DATA: b"\x00\x03"}, encoding=encoding, postscript={"version": (1, 9999)})
    assert values == [-2, -2, -2]
    wide = Type(kind=TypeKind.DECIMAL, precision=19, scale=0)
    streams = {DATA: zigzag(5), SECONDARY: literals(0)}
    assert column(wide, 1, streams, postscript={"version": (1, 9999)}) == [5]


def test_dictionaries():
    """Ids name words in any order; words that nobody names may be there."""
    streams = {
        DATA: literals(1, 1, 0, signed=False),
        LENGTH: literals(2, 1, signed=False),
        DICTIONARY_DATA: b"aab",
    }
    assert column(TypeKind.STRING, 3, streams, encoding=WORDS) == [b"b", b"b", b"aa"]
    assert column(TypeKind.STRING, 1, {PRESENT: b"\xff\x00"}, encoding=NO_SIZE) == [None]


def words(**change):
    """Streams of a dictionary of a and bb, some of them changed."""
    found = {DATA: b"\xff\x01", LENGTH: b"\xfe\x01\x02", DICTIONARY_DATA: b"abb"}
    return {
        kind: raw for kind, raw in (found | {KINDS[name]: raw for name, raw in change.items()}).items() if raw
    }


KINDS = {"data": DATA, "length": LENGTH, "words": DICTIONARY_DATA}
NO_SIZE = ColumnEncoding(kind=EncodingKind.DICTIONARY)
BAD = [
    (TypeKind.SHORT, {DATA: literals(1 << 15)}, None, "ORC-INT-001"),
    (TypeKind.INT, {DATA: literals(-(1 << 31) - 1)}, None, "ORC-INT-001"),
    (TypeKind.DATE, {DATA: literals(1 << 31)}, None, "ORC-TIME-002"),
    (TypeKind.INT, {DATA: b""}, None, "ORC-RLE1-001"),
    (TypeKind.BOOLEAN, {DATA: b"\xff"}, None, "ORC-BOOL-001"),
    (TypeKind.BYTE, {DATA: b"\xff"}, None, "ORC-BYTE-001"),
    (TypeKind.DOUBLE, {DATA: bytes(7)}, None, "ORC-FLOAT-001"),
    (TypeKind.FLOAT, {}, None, "ORC-STRIPE-012"),
    (TypeKind.STRING, {DATA: b"a", LENGTH: b"\xff\x02"}, None, "ORC-STR-001"),
    (TypeKind.STRING, {DATA: b"a", LENGTH: b"\xff" + varint((1 << 62) - 1)}, None, "ORC-STR-001"),
    (TypeKind.STRING, {DATA: b"a", LENGTH: b"\xff" + b"\xff" * 9 + b"\x01"}, None, "ORC-INT-002"),
    (TypeKind.STRING, {DATA: b"a"}, None, "ORC-STRIPE-012"),
    (TypeKind.STRING, {LENGTH: b"\xff\x02"}, None, "ORC-STRIPE-012"),
    (TypeKind.STRING, words(), NO_SIZE, "ORC-STRIPE-016"),
    (TypeKind.STRING, words(length=b"\xff\x01"), WORDS, "ORC-STR-002"),
    (TypeKind.STRING, words(length=b"\xfe\x01\x02\xff\x00"), WORDS, "ORC-STR-002"),
    (TypeKind.STRING, words(words=b"ab"), WORDS, "ORC-STR-003"),
    (TypeKind.STRING, words(words=b"abbb"), WORDS, "ORC-STR-003"),
    (TypeKind.STRING, words(words=None), WORDS, "ORC-STRIPE-012"),
    (TypeKind.STRING, words(data=b"\xff\x02"), WORDS, "ORC-STR-004"),
    (DECIMAL, {DATA: b"", SECONDARY: b"\xff\x04"}, None, "ORC-DEC-004"),
    (DECIMAL, {DATA: b"\xff" * 18 + b"\x04", SECONDARY: b"\xff\x04"}, None, "ORC-DEC-001"),
    (DECIMAL, {DATA: zigzag(100_000), SECONDARY: literals(2)}, None, "ORC-DEC-002"),
    (DECIMAL, {DATA: zigzag(-1000), SECONDARY: literals(0)}, None, "ORC-DEC-002"),
    (DECIMAL, {DATA: zigzag(15), SECONDARY: literals(3)}, None, "ORC-DEC-003"),
    (DECIMAL, {DATA: zigzag(1), SECONDARY: literals(1 << 40)}, None, "ORC-DEC-003"),
    (DECIMAL, {DATA: zigzag(1), SECONDARY: literals(-1)}, None, "ORC-DEC-003"),
    (
        TypeKind.TIMESTAMP_INSTANT,
        {DATA: b"\xff\x00", SECONDARY: literals(10**9 << 3, signed=False)},
        None,
        "ORC-TIME-001",
    ),
    (TypeKind.TIMESTAMP_INSTANT, {DATA: literals(1 << 62), SECONDARY: b"\xff\x00"}, None, "ORC-INT-001"),
]


@pytest.mark.parametrize(("kind", "streams", "encoding", "rule"), BAD)
def test_broken_values(kind, streams, encoding, rule):
    """One row of each breaks its rule, and the error says in which column, at an offset of the file."""
    with pytest.raises(Malformed) as caught:
        column(kind, 1, streams, encoding=encoding)
    assert caught.value.rule == rule
    assert caught.value.path[:2] == ("stripes[0]", "column 1 (c)")
    assert 3 <= caught.value.offset < 200


LIST = (
    Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("l",)),
    Type(kind=TypeKind.LIST, subtypes=(2,)),
    Type(kind=TypeKind.INT),
)
UNION = (
    Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("u",)),
    Type(kind=TypeKind.UNION, subtypes=(2, 3)),
    Type(kind=TypeKind.INT),
    Type(kind=TypeKind.STRING),
)


def test_nulls_of_parents():
    """A child has no slot for a list that is null, and its own nulls within those that are not."""
    streams = {
        (1, PRESENT): b"\xff\xa0",
        (1, LENGTH): literals(2, 1, signed=False),
        (2, PRESENT): b"\xff\xa0",
        (2, DATA): literals(5, 6),
    }
    (found,) = OrcFile(file(LIST, [stripe(LIST, 3, streams)])).read().columns
    assert to_python(found) == [[5, None], None, [6]]


@pytest.mark.parametrize("element", [Type(kind=TypeKind.INT), Type(kind=TypeKind.STRUCT)])
@pytest.mark.parametrize("length", [1 << 27, (1 << 62) - 1])
def test_lists_are_limited(length, element):
    """Lengths that add up to more than the limit, or than 64 bits, are no reason to take memory."""
    types = (*LIST[:2], element)
    data = file(types, [stripe(types, 3, {(1, LENGTH): literals(*[length] * 3, signed=False)})])
    with pytest.raises(LimitExceeded):
        OrcFile(data).read()


def test_strings_are_limited():
    """A long word that is named often makes more bytes than the limit allows."""
    streams = {DATA: b"\x7f\x00\x00", LENGTH: b"\xff" + varint(1000), DICTIONARY_DATA: bytes(1000)}
    size = ColumnEncoding(kind=EncodingKind.DICTIONARY, dictionary_size=1)
    limits = Limits(page_bytes=100_000)
    with pytest.raises(LimitExceeded):
        column(TypeKind.STRING, 130, streams, encoding=size, limits=limits)


def test_tags():
    """A tag names a child; each child has as many slots as its tag was seen."""
    streams = {
        (1, DATA): b"\xfd\x01\x00\x01",
        (2, DATA): literals(7),
        (3, DATA): b"ab",
        (3, LENGTH): literals(1, 1, signed=False),
    }
    (found,) = OrcFile(file(UNION, [stripe(UNION, 3, streams)])).read().columns
    assert to_python(found) == [(1, b"a"), (0, 7), (1, b"b")]
    with pytest.raises(Malformed) as caught:
        OrcFile(file(UNION, [stripe(UNION, 1, {(1, DATA): b"\xff\x02"})])).read()
    assert caught.value.rule == "ORC-NEST-004"


def indexed(*positions, stride=2, rows=4, strict=False):
    """A file of four integers in groups of two, 1 to 4 in two literal runs."""
    types = struct(a=TypeKind.INT)
    entries = tuple(RowIndexEntry(positions=each) for each in positions)
    streams = {(1, ROW_INDEX): encode(RowIndex(entry=entries)), (1, DATA): literals(1, 2, 3) + literals(4)}
    made = stripe(types, rows, streams)
    return OrcFile(file(types, [made], footer={"row_index_stride": stride}), strict=strict)


def test_positions():
    """The second group begins two values into the first run; the first group needs no positions."""
    opened = indexed((), (0, 2))
    assert to_python(opened.read_rows(None, 0, 2, 4).columns[0]) == [3, 4]
    assert to_python(opened.read_rows(["a"], 0, 3, 4).columns[0]) == [4]
    assert to_python(opened.read_rows(None, 0, 1, 3).columns[0]) == [2, 3]
    assert opened.read_rows(None, 0, 2, 2).num_rows == 0
    assert indexed((), (4, 0)).read_rows(None, 0, 2, 3).columns[0].values.tolist() == [4]


@pytest.mark.parametrize(
    ("positions", "rule"),
    [
        ([()], "ORC-INDEX-001"),
        ([(), (), ()], "ORC-INDEX-001"),
        ([(), ()], "ORC-INDEX-002"),
        ([(), (0,)], "ORC-INDEX-002"),
        ([(), (0, 2, 0)], "ORC-INDEX-002"),
        ([(), (7, 0)], "ORC-INDEX-003"),
        ([(), (1 << 63, 0)], "ORC-INDEX-003"),
        ([(), (0, 513)], "ORC-INDEX-003"),
        ([(), (0, 4)], "ORC-RLE1-001"),
    ],
)
def test_broken_positions(positions, rule):
    """Entries and positions that cannot be are told by their rule."""
    opened = indexed(*positions, strict=True)
    assert opened.read().columns[0].values.tolist() == [1, 2, 3, 4]
    with pytest.raises(Malformed) as caught:
        opened.read_rows(None, 0, 2, 4)
    assert caught.value.rule == rule


def test_an_index_without_a_stride():
    """Where the file has no row groups, a row index has no entries."""
    opened = indexed((), stride=0, strict=True)
    assert to_python(opened.read_rows(None, 0, 1, 3).columns[0]) == [2, 3]
    with pytest.raises(Malformed) as caught:
        opened.row_index(0, 1)
    assert caught.value.rule == "ORC-FILE-012"


def test_without_an_index():
    """A column without an index is read from the stripe's begin."""
    types = struct(a=TypeKind.INT)
    made = stripe(types, 4, {(1, DATA): literals(1, 2, 3, 4)})
    opened = OrcFile(file(types, [made], footer={"row_index_stride": 2}))
    assert opened.row_index(0, 1) is None
    assert opened.bloom_filters(0, 1) == {}
    assert to_python(opened.read_rows(None, 0, 2, 4).columns[0]) == [3, 4]
