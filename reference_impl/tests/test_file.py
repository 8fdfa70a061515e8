"""Files as a whole: what is read, and which rule each broken one names."""

from __future__ import annotations

import struct

import cramjam
import numpy as np
import pytest

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import LeafColumn, MapColumn, to_python
from reference_impl.errors import LimitExceeded, Malformed, Unsupported, UsageError
from reference_impl.limits import Limits
from reference_impl.parquet.encodings import delta_byte_array
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import (
    AesGcmV1,
    ColumnCryptoMetaData,
    CompressionCodec,
    Empty,
    Encoding,
    EncryptionAlgorithm,
    FileMetaData,
    LogicalType,
    PageType,
    SchemaElement,
    Type,
)
from reference_impl.tests.build import (
    OPTIONAL,
    REPEATED,
    column,
    file,
    page,
    page_dictionary,
    page_v1,
    page_v2,
    seal,
)
from reference_impl.wire.thrift import encode

INTS = struct.pack("<3i", 1, 2, 3)
INDICES = b"\x02\x03\x24\x00"  # width 2, one group of eight: 0, 1, 2, 0 …
PLAIN = page_v1(INTS, 3)


def values(data, **more):
    """The values of the only column."""
    return to_python(ParquetFile(data, **more).read().columns[0])


def levels(*ones, width=1):
    """Definition or repetition levels as one bit-packed run with its length."""
    packed = sum(level << (width * at) for at, level in enumerate(ones)).to_bytes(width, "little")
    return b"\x03" + packed


def prefixed(data):
    """RLE data behind its size, as v1 pages have it."""
    return len(data).to_bytes(4, "little") + data


SNAPPY = cramjam.snappy.compress_raw(INTS)
READ = {
    "v1": (file([PLAIN], rows=3), [1, 2, 3]),
    "v2": (file([page_v2(b"", b"", INTS)], rows=3), [1, 2, 3]),
    "two pages": (file([PLAIN, page_v2(b"", b"", INTS)], rows=6), [1, 2, 3, 1, 2, 3]),
    "crc": (file([page_v1(INTS, 3, crc=True)], rows=3), [1, 2, 3]),
    "dictionary": (
        file(
            [page_dictionary(INTS, 3), page_v1(INDICES, 3, Encoding.RLE_DICTIONARY)],
            rows=3,
            meta={"encodings": [Encoding.PLAIN_DICTIONARY]},
        ),
        [1, 2, 3],
    ),
    "fallback in mid-chunk": (
        file([page_dictionary(INTS, 3), page_v1(INDICES, 3, Encoding.PLAIN_DICTIONARY), PLAIN], rows=6),
        [1, 2, 3, 1, 2, 3],
    ),
    "index page": (
        file([page(PageType.INDEX_PAGE, b"??", b"??", index_page_header=Empty()), PLAIN], rows=3),
        [1, 2, 3],
    ),
    "page type of the future": (file([page(9, b"??", b"??"), PLAIN], rows=3), [1, 2, 3]),
    "optional v1": (
        file([page_v1(prefixed(levels(1, 0, 1)) + INTS[:8], 3)], column(repetition=OPTIONAL), rows=3),
        [1, None, 2],
    ),
    "optional v1 in BIT_PACKED levels": (
        file(
            [page_v1(b"\xa0" + INTS[:8], 3, levels=Encoding.BIT_PACKED)], column(repetition=OPTIONAL), rows=3
        ),
        [1, None, 2],
    ),
    "optional v2": (
        file(
            [page_v2(b"", levels(1, 0, 1), INTS[:8], {"num_values": 3, "num_nulls": 1, "num_rows": 3})],
            column(repetition=OPTIONAL),
            rows=3,
        ),
        [1, None, 2],
    ),
    "repeated v2": (
        file(
            [page_v2(levels(0, 1, 0), levels(1, 1, 1), INTS, {"num_rows": 2})],
            column(repetition=REPEATED),
            rows=2,
            values=3,
        ),
        [[1, 2], [3]],
    ),
    "a row over two v1 pages": (
        file(
            [
                page_v1(prefixed(levels(0, 1, 0)) + prefixed(levels(1, 1, 1)) + INTS, 3),
                page_v1(prefixed(levels(1, 1, 0)) + prefixed(levels(1, 1, 1)) + INTS, 3),
            ],
            column(repetition=REPEATED),
            rows=3,
            values=6,
        ),
        [[1, 2], [3, 1, 2], [3]],
    ),
    "booleans in RLE": (
        file([page_v1(prefixed(levels(1, 0, 1)), 3, Encoding.RLE)], column(kind=Type.BOOLEAN), rows=3),
        [True, False, True],
    ),
    "no row group": (
        seal(
            b"",
            FileMetaData(
                version=2,
                schema=[SchemaElement(name="s", num_children=1), column()],
                num_rows=0,
                row_groups=[],
            ),
        ),
        [],
    ),
    "a row group without rows": (file([], rows=0), []),
    "a dictionary and no data page": (
        file([page_dictionary(b"", 0)], rows=0, meta={"data_page_offset": 0, "dictionary_page_offset": 4}),
        [],
    ),
    "no bytes at all": (file([], rows=0, meta={"data_page_offset": 0}), []),
    "dictionary_page_offset 0": (file([PLAIN], rows=3, meta={"dictionary_page_offset": 0}), [1, 2, 3]),
    "v2, no values": (
        file(
            [page_v2(b"", levels(0, 0, 0), b"", {"num_values": 3, "num_nulls": 3, "num_rows": 3})],
            column(repetition=OPTIONAL),
            rows=3,
            meta={"codec": CompressionCodec.SNAPPY},
        ),
        [None] * 3,
    ),
    "a signed footer": (
        file([PLAIN], rows=3, footer={"encryption_algorithm": EncryptionAlgorithm(AES_GCM_V1=AesGcmV1())}),
        [1, 2, 3],
    ),
}
SIZES = {"total_uncompressed_size": len(PLAIN), "codec": CompressionCodec.SNAPPY}
READ["v1 compressed"] = (
    file([page_v1(INTS, 3, stored=bytes(SNAPPY))], rows=3, meta=SIZES),
    [1, 2, 3],
)
READ["v2 compressed"] = (
    file(
        [page_v2(b"", b"", INTS, stored=bytes(SNAPPY))],
        rows=3,
        meta=SIZES | {"total_uncompressed_size": len(page_v2(b"", b"", INTS))},
    ),
    [1, 2, 3],
)
READ["v2 not compressed"] = (
    file(
        [page_v2(b"", b"", INTS, {"is_compressed": False})], rows=3, meta={"codec": CompressionCodec.SNAPPY}
    ),
    [1, 2, 3],
)


@pytest.mark.parametrize("name", READ)
def test_legal_files(name):
    """Every legal layout of the same few values is read."""
    data, expected = READ[name]
    assert values(data) == expected


GOOD = file([PLAIN], rows=3)
CRYPTO = ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=Empty())
ROWS_V2 = {"num_values": 3, "num_rows": 2}
BROKEN = [
    ("PQ-FILE-001", b""),
    ("PQ-FILE-001", b"PAR1\0\0\0\0PAR"),
    ("PQ-FILE-002", b"PAR0" + GOOD[4:]),
    ("PQ-FILE-003", GOOD[:-1] + b"0"),
    ("PQ-FILE-004", b"PAR1\x01\0\0\0PAR1"),
    ("PQ-THRIFT-001", b"PAR1\0\0\0\0PAR1"),
    (
        "PQ-FILE-005",
        GOOD[:-8] + b"!" + (int.from_bytes(GOOD[-8:-4], "little") + 1).to_bytes(4, "little") + b"PAR1",
    ),
    ("PQ-FILE-006", file([PLAIN], rows=3, group={"columns": []})),
    ("PQ-FILE-007", file([PLAIN], rows=3, group={"num_rows": -3})),
    ("PQ-FILE-008", file([PLAIN], rows=3, footer={"num_rows": 4})),
    ("PQ-CHUNK-001", file([PLAIN], rows=3, chunk={"meta_data": None})),
    ("PQ-CHUNK-002", file([PLAIN], rows=3, meta={"type": Type.FLOAT})),
    ("PQ-CHUNK-003", file([PLAIN], rows=3, meta={"path_in_schema": ["y"]})),
    ("PQ-CHUNK-004", file([PLAIN], rows=3, meta={"data_page_offset": 3})),
    ("PQ-CHUNK-004", file([PLAIN], rows=3, meta={"total_compressed_size": -1})),
    ("PQ-CHUNK-004", file([PLAIN], rows=3, meta={"total_compressed_size": 1 << 40})),
    ("PQ-CHUNK-005", file([PLAIN, page_dictionary(INTS, 3)], rows=3)),
    ("PQ-CHUNK-006", file([PLAIN], rows=3, values=4)),
    ("PQ-CHUNK-007", file([PLAIN], rows=3, meta={"total_uncompressed_size": 1})),
    ("PQ-CHUNK-008", file([PLAIN], rows=3, meta={"encodings": [Encoding.RLE]})),
    ("PQ-CHUNK-009", file([PLAIN], rows=2, values=3)),
    ("PQ-PAGE-001", file([page(PageType.DATA_PAGE, b"", b"", compressed_page_size=1)], rows=0)),
    ("PQ-PAGE-001", file([page(PageType.DATA_PAGE, b"", b"", compressed_page_size=-1)], rows=0)),
    ("PQ-PAGE-002", file([page(PageType.DATA_PAGE, b"", b"", uncompressed_page_size=-1)], rows=0)),
    ("PQ-PAGE-003", file([page_v1(INTS, 3, crc=1)], rows=3)),
    ("PQ-PAGE-004", file([page(PageType.DATA_PAGE, b"", b"")], rows=0)),
    ("PQ-PAGE-004", file([page(PageType.DATA_PAGE_V2, b"", b"")], rows=0)),
    ("PQ-PAGE-004", file([page(PageType.DICTIONARY_PAGE, b"", b"")], rows=0)),
    ("PQ-PAGE-005", file([page_dictionary(INTS, 3, Encoding.RLE)], rows=0)),
    ("PQ-PAGE-006", file([page_v2(b"", b"", INTS, {"definition_levels_byte_length": -1})], rows=3)),
    ("PQ-PAGE-006", file([page_v2(b"", b"", INTS, {"repetition_levels_byte_length": 99})], rows=3)),
    (
        "PQ-PAGE-007",
        file([page_v2(b"", b"", INTS, {"is_compressed": False}, uncompressed_page_size=13)], rows=3),
    ),
    ("PQ-PAGE-008", file([page_v2(b"", b"", INTS, {"num_nulls": 1})], rows=3)),
    ("PQ-PAGE-009", file([page_v2(b"", b"", INTS, {"num_rows": 2})], rows=3)),
    (
        "PQ-PAGE-010",
        file(
            [page_v2(levels(1, 0, 0), levels(1, 1, 1), INTS, ROWS_V2)],
            column(repetition=REPEATED),
            rows=2,
            values=3,
        ),
    ),
    ("PQ-PAGE-011", file([page_v1(INTS, -3)], rows=3)),
    ("PQ-PAGE-012", file([page_v1(INTS, 3, levels=Encoding.PLAIN)], column(repetition=OPTIONAL), rows=3)),
    ("PQ-PAGE-012", file([page_v1(INTS, 3, levels=77)], column(repetition=OPTIONAL), rows=3)),
    ("PQ-PAGE-013", file([page_v1(INTS + b"!", 3)], rows=3)),
    ("PQ-PAGE-013", file([page_dictionary(INTS + b"!", 3), PLAIN], rows=3)),
    ("PQ-PLAIN-001", file([page_v1(INTS[:-1], 3)], rows=3)),
    ("PQ-DBA-003", file([page_v1(INTS, 3, Encoding.DELTA_BYTE_ARRAY)], rows=3)),
    ("PQ-ENCODING-001", file([page_v1(INTS, 3, Encoding.BIT_PACKED)], rows=3)),
    ("PQ-ALP-001", file([page_v1(INTS, 3, Encoding.ALP)], rows=3)),
    ("PQ-DICT-000", file([page_v1(INDICES, 3, Encoding.RLE_DICTIONARY)], rows=3)),
    (
        "PQ-LOGICAL-007",
        file([PLAIN], column(logicalType=LogicalType(UNKNOWN=Empty())), rows=3),
    ),
]
NOT_SUPPORTED = {
    "encrypted footer": b"PARE" + GOOD[4:-4] + b"PARE",
    "encrypted column": file([PLAIN], rows=3, chunk={"crypto_metadata": CRYPTO}),
    "other file": file([PLAIN], rows=3, chunk={"file_path": "part-0"}),
    "version 3": file([PLAIN], rows=3, footer={"version": 3}),
    "encoding 77": file([page_v1(INTS, 3, 77)], rows=3),
    "codec 77": file([PLAIN], rows=3, meta={"codec": 77}),
}


@pytest.mark.parametrize(
    ("rule", "data"), BROKEN, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(BROKEN)]
)
def test_broken_files(rule, data):
    """A file that breaks one rule is Malformed by that rule."""
    with pytest.raises(Malformed) as caught:
        ParquetFile(data, strict=True).read()
    assert caught.value.rule == rule


@pytest.mark.parametrize("name", NOT_SUPPORTED)
def test_what_is_not_supported(name):
    """What may be legal but is not implemented is Unsupported, not Malformed."""
    with pytest.raises(Unsupported):
        ParquetFile(NOT_SUPPORTED[name]).read()


def test_crc_may_be_ignored():
    """Verifying checksums is the caller's choice."""
    assert values(file([page_v1(INTS, 3, crc=1)], rows=3), verify_crc=False) == [1, 2, 3]


@pytest.mark.parametrize("limits", [Limits(values=2), Limits(page_bytes=11), Limits(footer_bytes=10)])
def test_limits(limits):
    """A legal file beyond the limits is refused as such."""
    with pytest.raises(LimitExceeded):
        ParquetFile(GOOD, limits=limits).read()


def test_limits_hold_over_pages_and_row_groups():
    """Limits count all values of a column, however they are cut."""
    two_pages = file([PLAIN, PLAIN], rows=6)
    with pytest.raises(LimitExceeded):
        ParquetFile(two_pages, limits=Limits(values=5)).read()
    with pytest.raises(LimitExceeded):
        ParquetFile(GOOD, limits=Limits(values=5)).read(row_groups=[0, 0])


def test_columns_and_row_groups_are_chosen():
    """Row groups may be chosen, in any order and repeatedly; what is not there is the caller's mistake."""
    opened = ParquetFile(GOOD)
    assert to_python(opened.read(["x"], [0, 0]).columns[0]) == [1, 2, 3, 1, 2, 3]
    assert opened.read(row_groups=[]).num_rows == 0
    assert opened.read(columns=[]).num_rows == 3
    for wrong in (
        lambda: opened.read(["y"]),
        lambda: opened.read(row_groups=[1]),
        lambda: opened.read(row_groups=[-1]),
        lambda: opened.pages(0, 1),
        lambda: opened.column_metadata(1, 0),
    ):
        with pytest.raises(UsageError):
            wrong()


def test_pages_are_shown_as_they_stand():
    """Pages answer header, offsets and stored bytes, whatever their checksum."""
    (one,) = ParquetFile(file([page_v1(INTS, 3, crc=1)], rows=3)).pages(0, 0)
    assert (one.offset, bytes(one.body)) == (4, INTS)
    assert one.header.data_page_header.num_values == 3


def test_open_by_path(tmp_path):
    """A path is opened memory-mapped; an empty file is Malformed, as its bytes are."""
    path = tmp_path / "x.parquet"
    path.write_bytes(GOOD)
    table = ParquetFile.open(path).read()
    assert np.array_equal(table.columns[0].values, [1, 2, 3])
    path.write_bytes(b"")
    with pytest.raises(Malformed):
        ParquetFile.open(path)


def test_errors_say_where():
    """An error names the byte, the row group, the column and the page."""
    with pytest.raises(Malformed) as caught:
        ParquetFile(file([PLAIN, page_v1(INTS[:-1], 3)], rows=6)).read()
    assert caught.value.path == ("row_groups[0]", "column x", "page[1]")
    assert caught.value.offset == 4 + len(PLAIN) + len(page_v1(INTS[:-1], 3)) - 11
    text = str(caught.value)
    assert text.startswith("[PQ-PLAIN-001]")
    assert "in row_groups[0].column x.page[1]" in text


def test_spans_are_kept_on_demand():
    """The byte range of every footer field can be asked for."""
    opened = ParquetFile(GOOD, keep_spans=True)
    start, stop = opened.metadata.field_spans["num_rows"]
    assert GOOD[start:stop] == b"\x16\x06"
    assert len(encode(opened.metadata)) == len(GOOD) - 8 - opened.footer_start


def test_two_fields_of_one_name():
    """Sibling columns may have the same name; each is read as itself."""
    chunk = ParquetFile(GOOD).metadata.row_groups[0].columns[0]
    schema = [SchemaElement(name="s", num_children=2), column(), column()]
    base = ParquetFile(GOOD).metadata
    groups = [base.row_groups[0]]
    groups[0].columns = [chunk, chunk]
    data = seal(PLAIN, FileMetaData(version=1, schema=schema, num_rows=3, row_groups=groups))
    assert [to_python(one) for one in ParquetFile(data).read().columns] == [[1, 2, 3], [1, 2, 3]]


def test_columns_as_python_values():
    """Every kind of column can be looked at as Python values: bytes, pairs of a map, sets of keys."""
    binary = page_v1(b"\x02\0\0\0hi" + b"\0\0\0\0", 2)
    assert values(file([binary], column(kind=Type.BYTE_ARRAY), rows=2)) == [b"hi", b""]
    assert values(file([page_v1(bytes(24), 2)], column(kind=Type.INT96), rows=2)) == [bytes(12)] * 2
    one = LeafColumn("k", 2, None, np.array([1, 2]), None)
    offsets = np.array([0, 2, 2])
    assert to_python(MapColumn("m", 2, None, offsets, one, one)) == [[(1, 1), (2, 2)], []]
    assert to_python(MapColumn("m", 2, np.array([True, False]), offsets, one, None)) == [
        [(1, None), (2, None)],
        None,
    ]


@pytest.mark.parametrize(
    ("limits", "message"),
    [(Limits(page_bytes=3000), "sum up to 8000 bytes"), (Limits(column_bytes=7999), "more than 7999 bytes")],
)
def test_limits_of_values_that_repeat_others(limits, message):
    """A value that repeats the one before it, or one of a dictionary, counts as often as it is there."""
    strings = ByteArrays.of([b"x" * 2000] * 4)
    page = page_v1(delta_byte_array.encode(strings), 4, Encoding.DELTA_BYTE_ARRAY)
    given = ParquetFile(file([page], column(kind=Type.BYTE_ARRAY), rows=4), limits=limits)
    with pytest.raises(LimitExceeded, match=message):
        given.read()


def test_limits_of_bytes_hold_over_pages_and_row_groups():
    """The bytes of all pages of a column count, and those of all row groups in one call."""
    pages = [page_v1(bytes(20), 5)] * 2
    two_pages = file(pages, column(kind=Type.INT32), rows=10)
    assert ParquetFile(two_pages, limits=Limits(column_bytes=40)).read().num_rows == 10
    for groups, most, is_in_page in (([0], 39, True), ([0, 0], 79, False)):
        with pytest.raises(LimitExceeded, match=f"more than {most} bytes") as caught:
            ParquetFile(two_pages, limits=Limits(column_bytes=most)).read(row_groups=groups)
        assert (caught.value.offset is not None) == is_in_page  # before the values are joined
