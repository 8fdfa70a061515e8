"""Page indexes, Bloom filter headers, and the summary of a file: of pyarrow, and broken by hand."""

from __future__ import annotations

import gzip
import io

import pytest

from reference_impl.compression.deflate import has_members
from reference_impl.errors import Malformed, UsageError
from reference_impl.parquet import index, plan
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import (
    BloomFilterAlgorithm,
    BloomFilterCompression,
    BloomFilterHash,
    BloomFilterHeader,
    BoundaryOrder,
    ColumnIndex,
    OffsetIndex,
    PageLocation,
)
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import (
    ColumnCryptoMetaData,
    ColumnOrder,
    CompressionCodec,
    Empty,
    Encoding,
    EncryptionAlgorithm,
    SchemaElement,
)
from reference_impl.parquet.statistics_structs import GeospatialStatistics, SizeStatistics, Statistics
from reference_impl.parquet.summary import schema_key, summarize, summarize_columns
from reference_impl.parquet.writer import write
from reference_impl.tests.build import OPTIONAL, column, file, page_v1
from reference_impl.wire.thrift import encode

INTS = bytes(12)
PLAIN = page_v1(INTS, 3, crc=True)
META = {"total_uncompressed_size": len(PLAIN), "total_compressed_size": len(PLAIN)}
AT = 4 + len(PLAIN)
BLOOM = BloomFilterHeader(
    numBytes=32,
    algorithm=BloomFilterAlgorithm(BLOCK=Empty()),
    hash=BloomFilterHash(XXHASH=Empty()),
    compression=BloomFilterCompression(UNCOMPRESSED=Empty()),
)
COLUMN_INDEX = ColumnIndex(
    null_pages=[False], min_values=[b"\0"], max_values=[b"\0"], boundary_order=BoundaryOrder.ASCENDING
)
OFFSET_INDEX = OffsetIndex(
    page_locations=[PageLocation(offset=4, compressed_page_size=len(PLAIN), first_row_index=0)]
)


def beside(raw, *, meta=None, **chunk):
    """A file with bytes between the chunk and the footer, and chunk fields that point there."""
    return ParquetFile(file([PLAIN, raw], rows=3, meta=META | (meta or {}), chunk=chunk), strict=True)


def test_indexes_are_read():
    """Column index, offset index and Bloom filter header are answered; None where there is none."""
    raw = encode(COLUMN_INDEX)
    opened = beside(raw, column_index_offset=AT, column_index_length=len(raw))
    assert index.column_index(opened, 0, 0) == COLUMN_INDEX
    assert index.offset_index(opened, 0, 0) is None
    raw = encode(OFFSET_INDEX)
    opened = beside(raw, offset_index_offset=AT, offset_index_length=len(raw))
    assert index.offset_index(opened, 0, 0) == OFFSET_INDEX
    assert index.bloom_filter_header(opened, 0, 0) is None
    for length in (None, len(encode(BLOOM)) + 32):
        meta = {"bloom_filter_offset": AT, "bloom_filter_length": length}
        opened = beside(encode(BLOOM) + bytes(32), meta=meta)
        assert index.bloom_filter_header(opened, 0, 0) == BLOOM


RAGGED = ColumnIndex(
    null_pages=[False, True], min_values=[b""], max_values=[b""], boundary_order=BoundaryOrder.UNORDERED
)


@pytest.mark.parametrize(
    ("raw", "at", "length", "rule"),
    [
        (encode(COLUMN_INDEX), 3, 10, "PQ-INDEX-001"),
        (encode(COLUMN_INDEX), AT, None, "PQ-INDEX-001"),
        (encode(COLUMN_INDEX), AT, -1, "PQ-INDEX-001"),
        (encode(COLUMN_INDEX), AT, 1 << 30, "PQ-INDEX-001"),
        (encode(COLUMN_INDEX) + b"!", AT, len(encode(COLUMN_INDEX)) + 1, "PQ-INDEX-002"),
        (encode(RAGGED), AT, len(encode(RAGGED)), "PQ-INDEX-003"),
        (encode(COLUMN_INDEX), AT, 3, "PQ-THRIFT-001"),
    ],
)
def test_broken_column_indexes(raw, at, length, rule):
    """A column index that lies elsewhere, is longer or ragged is Malformed."""
    opened = beside(raw, column_index_offset=at, column_index_length=length)
    with pytest.raises(Malformed) as caught:
        index.column_index(opened, 0, 0)
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("header", "meta", "rule"),
    [
        (BLOOM, {"bloom_filter_offset": 3}, "PQ-BLOOM-001"),
        (BLOOM, {"bloom_filter_offset": 1 << 40}, "PQ-BLOOM-001"),
        (BLOOM, {"bloom_filter_offset": AT, "bloom_filter_length": 31}, "PQ-BLOOM-002"),
        (
            BloomFilterHeader(
                numBytes=-1, algorithm=BLOOM.algorithm, hash=BLOOM.hash, compression=BLOOM.compression
            ),
            {"bloom_filter_offset": AT},
            "PQ-BLOOM-002",
        ),
        (
            BloomFilterHeader(
                numBytes=1 << 30, algorithm=BLOOM.algorithm, hash=BLOOM.hash, compression=BLOOM.compression
            ),
            {"bloom_filter_offset": AT},
            "PQ-BLOOM-002",
        ),
    ],
)
def test_broken_bloom_filters(header, meta, rule):
    """A Bloom filter that lies outside of the file, or contradicts its length, is Malformed."""
    opened = beside(encode(header) + bytes(32), meta=meta)
    with pytest.raises(Malformed) as caught:
        index.bloom_filter_header(opened, 0, 0)
    assert caught.value.rule == rule


def test_what_is_not_there_is_the_callers_mistake():
    """A row group or column out of range is a UsageError."""
    opened = beside(b"")
    for at in ((1, 0), (0, 1), (-1, 0)):
        with pytest.raises(UsageError):
            index.column_index(opened, *at)


def test_summary_of_a_small_file():
    """The summary names what the footer and the page headers say."""
    summary = summarize(beside(b"", meta={"statistics": Statistics(min=b"", max=b"", nan_count=0)}))
    assert summary == {
        "codecs": ["UNCOMPRESSED"],
        "encodings": ["PLAIN"],
        "encryption": [],
        "flags": [
            "crc",
            "deprecated_statistics",
            "equal_bounds_without_null_count",
            "nan_count",
            "no_null_count",
            "statistics",
        ],
        "logical_types": [],
        "nesting": [],
        "page_types": ["DATA_PAGE"],
        "physical_types": ["INT32"],
        "variants": [],
    }


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("modern", [False, True])
def test_bounds_of_a_page_may_be_deprecated(version, modern):
    """The flag is raised by the deprecated fields of a page header, unless the others are there, too."""
    page = Page(version=version, statistics=plan.Statistics(modern=modern, deprecated=True))
    schema = (SchemaElement(name="schema", num_children=2), column(), column("y"))
    layouts = Column((page,)), Column()
    opened = ParquetFile(write(FilePlan(schema, ({"x": 1, "y": 2},), layouts)))
    of_x, of_y = (set(summarize_columns(opened, {name})["flags"]) for name in "xy")
    assert ("deprecated_statistics" in of_x) is not modern
    assert not {"deprecated_statistics", "statistics"} & of_y
    assert "statistics" not in of_x


def test_summary_flags():
    """Every flag is raised by what it names."""
    summary = summarize(
        ParquetFile(
            file(
                [PLAIN],
                rows=3,
                meta={
                    "total_compressed_size": len(PLAIN) - 1,
                    "bloom_filter_offset": 4,
                    "size_statistics": SizeStatistics(),
                    "geospatial_statistics": GeospatialStatistics(),
                    "statistics": Statistics(),
                    "codec": 77,
                },
                chunk={"column_index_offset": 4, "offset_index_offset": 4},
                footer={
                    "column_orders": [ColumnOrder(TYPE_ORDER=Empty())],
                    "encryption_algorithm": EncryptionAlgorithm(unknown=((9, 12, b"\0"),)),
                },
            )
        )
    )
    assert summary["encryption"] == ["encrypted", "plaintext_footer"]
    assert summary["flags"] == [
        "bloom_filter",
        "column_index",
        "column_orders",
        "geospatial_statistics",
        "no_null_count",
        "offset_index",
        "size_statistics",
        "statistics",
        "unreadable_pages",
    ]
    crypto = ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=Empty())
    hidden = ParquetFile(file([PLAIN], rows=3, chunk={"meta_data": None, "crypto_metadata": crypto}))
    assert summarize(hidden)["encryption"] == ["encrypted"]


@pytest.mark.parametrize(
    ("rows", "groups", "version", "flags"),
    [
        (0, (), 1, {"zero_rows", "zero_row_groups"}),
        (0, (0,), 1, {"zero_rows"}),
        (4, (4,), 1, {"several_pages"}),
        (4, (4,), 2, {"several_pages"}),
        (2, (1, 1), 1, {"row_groups"}),
    ],
)
def test_numbers_of_rows_are_flags(rows, groups, version, flags):
    """No rows, no or several row groups, and several data pages raise flags of their own."""
    schema = (SchemaElement(name="schema", num_children=1), column())
    layout = Column((Page(entries=2, version=version), Page(version=version)))
    plan = FilePlan(schema, tuple({"x": number} for number in range(rows)), (layout,), row_groups=groups)
    counts = {"zero_rows", "zero_row_groups", "row_groups", "several_pages", "zero_columns"}
    assert counts & set(summarize(ParquetFile(write(plan)))["flags"]) == flags
    nothing = FilePlan((SchemaElement(name="schema", num_children=0),), ({},) * rows)
    assert "zero_columns" in summarize(ParquetFile(write(nothing)))["flags"]


@pytest.mark.parametrize("is_there", [True, False])
def test_statistics_without_null_count_are_a_flag(is_there):
    """The flag is about a column chunk whose statistics lack the field."""
    statistics = Statistics(min_value=b"", max_value=b"", null_count=0 if is_there else None)
    flags = summarize(beside(b"", meta={"statistics": statistics}))["flags"]
    assert ("no_null_count" in flags) is not is_there
    assert ("equal_bounds_without_null_count" in flags) is not is_there


@pytest.mark.parametrize(
    ("bounds", "is_there"),
    [
        ({"min_value": b"a", "max_value": b"a"}, True),
        ({"min": b"a", "max": b"a"}, True),
        ({"min_value": b"a", "max_value": b"b"}, False),
        ({"max_value": b"a"}, False),
        ({"min": b"a", "max_value": b"a"}, False),
        ({}, False),
    ],
)
def test_equal_bounds_without_null_count_are_a_flag(bounds, is_there):
    """Both bounds must be there, of the same fields, and be equal."""
    flags = summarize(beside(b"", meta={"statistics": Statistics(**bounds)}))["flags"]
    assert ("equal_bounds_without_null_count" in flags) is is_there


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("entries", "is_there"), [((0, 0, None), True), ((1, 0, 0, None), True), ((0, 1, 0, None), False)]
)
def test_empty_pages_in_succession_are_a_flag(entries, is_there, version):
    """Two pages without values that another one separates do not raise it."""
    schema = (SchemaElement(name="schema", num_children=1), column())
    layout = Column(tuple(Page(entries=count, version=version) for count in entries))
    plan = FilePlan(schema, tuple({"x": number} for number in range(4)), (layout,))
    flags = summarize(ParquetFile(write(plan)))["flags"]
    assert ("empty_pages_in_succession" in flags) is is_there


@pytest.mark.parametrize(
    ("uses", "is_there"), [((True, False), False), ((False, True), True), ((True, True), False)]
)
def test_a_dictionary_behind_plain_is_a_flag(uses, is_there):
    """A page of indices behind one in another encoding is one, and a page behind the indices is not."""
    pages = tuple(Page(2, Encoding.RLE_DICTIONARY if used else Encoding.PLAIN) for used in uses)
    rows = tuple({"x": row} for row in range(4))
    schema = (SchemaElement(name="schema", num_children=1), column())
    plan = FilePlan(schema, rows, (Column(pages, dictionary=Dictionary()),))
    flags = summarize(ParquetFile(write(plan)))["flags"]
    assert ("dictionary_behind_plain" in flags) is is_there


@pytest.mark.parametrize(("order", "is_there"), [((0, 1), False), ((1, 0), True), (None, False)])
def test_a_chunk_before_that_of_the_first_column_is_a_flag(order, is_there):
    """A row group may have its chunks in any order."""
    schema = (SchemaElement(name="schema", num_children=2), column(), column("y"))
    plan = FilePlan(schema, ({"x": 1, "y": 2},), (Column((Page(),)), Column((Page(),))), chunk_order=order)
    flags = summarize(ParquetFile(write(plan)))["flags"]
    assert ("first_column_later" in flags) is is_there


def test_a_summary_of_columns_leaves_out_the_others():
    """Of a column it has its type, encoding and codec alone, and nothing of the file."""
    schema = (SchemaElement(name="schema", num_children=2), column(), column("y", repetition=OPTIONAL))
    layouts = Column((Page(encoding=Encoding.DELTA_BINARY_PACKED),)), Column((Page(),), CompressionCodec.GZIP)
    rows = ({"x": 1, "y": 2}, {"x": 3, "y": None})
    opened = ParquetFile(write(FilePlan(schema, rows, layouts)))
    names = "encodings", "codecs", "physical_types", "nesting"
    of_x, of_y = ([summarize_columns(opened, {name})[key] for key in names] for name in "xy")
    assert of_x == [["DELTA_BINARY_PACKED"], ["UNCOMPRESSED"], ["INT32"], []]
    assert of_y == [["PLAIN"], ["GZIP"], ["INT32"], ["optional"]]
    assert not any(summarize_columns(opened, {"z"}).values())


@pytest.mark.parametrize("is_there", [True, False])
def test_unknown_fields_of_the_footer_are_a_flag(is_there):
    """The flag is about a field of the footer that parquet.thrift has not."""
    schema = (SchemaElement(name="schema", num_children=1), column())
    plan = FilePlan(schema, ({"x": 1},), unknown_fields=is_there)
    assert ("unknown_fields" in summarize(ParquetFile(write(plan)))["flags"]) is is_there


@pytest.mark.parametrize("page", [Page(), Page(version=2), Page(version=2, compressed=False)], ids=str)
@pytest.mark.parametrize("parts", [1, 2])
def test_gzip_of_several_members_is_a_flag(page, parts):
    """Several members in a compressed page, behind its levels, raise the flag."""
    layout = Column((page,), CompressionCodec.GZIP, parts=parts)
    schema = (SchemaElement(name="schema", num_children=1), column(repetition=OPTIONAL))
    rows = tuple({"x": number or None} for number in range(9))
    flags = summarize(ParquetFile(write(FilePlan(schema, rows, (layout,)))))["flags"]
    assert ("gzip_members" in flags) is (parts == 2 and page.compressed is not False)


def test_what_is_no_gzip_has_no_members():
    """Bytes that are no stream, that are cut short or followed by anything else have no second member."""
    member = gzip.compress(b"x" * 99)
    assert has_members(memoryview(member * 2), 99)
    assert not has_members(memoryview(member * 2), 98)  # more than is inflated
    for raw in (b"", b"?" * 30, member[:-1], member, member + b"\x1f", member + bytes(9)):
        assert not has_members(memoryview(raw), 99)


def test_schema_keys():
    """Files have one schema key exactly if readers derive one schema from them."""
    one = schema_key(ParquetFile(file([PLAIN], rows=3)))
    assert one == schema_key(ParquetFile(file([PLAIN, PLAIN], rows=6)))
    assert one != schema_key(ParquetFile(file([PLAIN], column("y"), rows=3, meta={"path_in_schema": ["y"]})))


def test_indexes_as_pyarrow_writes_them():
    """The page index, size statistics and nesting of a file of pyarrow are found, a location per page."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    table = pa.table(
        {
            "a": list(range(100)),
            "l": [[{"s": "x"}]] * 100,
            "m": pa.array([[("k", 1)]] * 100, pa.map_(pa.string(), pa.int8())),
        }
    )
    pq.write_table(
        table, out, write_page_index=True, data_page_size=64, write_batch_size=10, use_dictionary=False
    )
    opened = ParquetFile(out.getvalue())
    pages = list(opened.pages(0, 0))
    locations = index.offset_index(opened, 0, 0).page_locations
    assert [(one.offset, one.compressed_page_size) for one in locations] == [
        (page.offset, page.body_offset - page.offset + len(page.body)) for page in pages
    ]
    assert len(index.column_index(opened, 0, 0).null_pages) == len(pages) > 1
    summary = summarize(opened)
    assert {"column_index", "offset_index", "size_statistics"} <= set(summary["flags"])
    assert summary["nesting"] == ["list", "map", "optional", "repeated", "struct"]
    assert summary["logical_types"] == ["INTEGER", "LIST", "MAP", "STRING"]


@pytest.mark.parametrize(("key", "is_there"), [("geo", True), ("geometry", False)])
def test_the_key_of_geoparquet_is_a_flag(key, is_there):
    """GeoParquet names its columns in the key `geo` of the file's metadata."""
    schema = (SchemaElement(name="schema", num_children=1), column())
    plan = FilePlan(schema, ({"x": 1},), (Column((Page(),)),), key_value_metadata=((key, "{}"),))
    assert ("geoparquet" in summarize(ParquetFile(write(plan)))["flags"]) is is_there
