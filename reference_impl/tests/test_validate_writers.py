"""Files of current writers break no rule but those that these writers are known to break.

A rule that stands here is a finding about the writer: the sentence of the specification stands beside it.
"""

from __future__ import annotations

import datetime as dt
import io
import os
from decimal import Decimal
from pathlib import Path

import pytest

from corpora import rules
from reference_impl.limits import Limits
from reference_impl.parquet.validate import examine

ROWS = 300
MUST = {rule.id for rule in rules.load().values() if rule.level == "MUST"}

# LogicalTypes.md, TIME: "writer implementations must annotate local time with legacy annotations too".
LOCAL_TIME = "PQ-LOGICAL-010"
# parquet.thrift, PageEncodingStats: page_type is DATA_PAGE for pages of version 2.
PAGE_TYPE = "PQ-CHUNK-016"
# parquet.thrift, RowGroup.file_offset is 0 where there are no rows, but a (dictionary) page.
FILE_OFFSET = "PQ-GROUP-003"
# Encodings.md, DELTA_BINARY_PACKED: an unsigned 32-bit value is written as one of 64 bits.
UNSIGNED_DELTA = "PQ-DBP-005"
# README.md, Data Pages: "No padding is allowed in the data page"; 8 bytes stand behind the values.
PADDING = "PQ-PAGE-013"
# parquet.thrift, Statistics.max_value: bounds of FIXED_LEN_BYTE_ARRAY are cut to a length that no value has.
SHORT_BOUNDS = {"PQ-STATS-001", "PQ-INDEX-007"}


def broken(data):
    """Return the ids of the MUSTs that a file breaks; everything in it can be checked."""
    report = examine(data)
    assert report.unchecked == []
    return {one.rule for one in report.violations} & MUST


def columns(pa):
    """Return columns of every type, with nulls, NaN, zeros of both signs, and lists in lists."""
    numbers = range(ROWS)
    some = [None if number % 5 == 0 else number for number in numbers]
    floats = [(float("nan"), -0.0, 0.0, float(number), -1.5)[number % 5] for number in numbers]
    made = {
        "bool": pa.array([None if n is None else n % 3 == 0 for n in some]),
        "u8": pa.array([None if n is None else n % 256 for n in some], pa.uint8()),
        "i16": pa.array([None if n is None else -n for n in some], pa.int16()),
        "u32": pa.array([2**32 - 1 - number for number in numbers], pa.uint32()),
        "u64": pa.array([2**64 - 1 - number for number in numbers], pa.uint64()),
        "i64": pa.array(numbers, pa.int64()),
        "f32": pa.array(floats, pa.float32()),
        "f64": pa.array(floats, pa.float64()),
        "nan": pa.array([float("nan")] * ROWS),
        "zero": pa.array([0.0] * ROWS),
        "text": pa.array([None if n is None else "é" * (n % 50) + str(n) for n in some]),
        "bytes": pa.array([b"\xff" * (number % 90) for number in numbers]),
        "fixed": pa.array([number.to_bytes(5, "big") for number in numbers], pa.binary(5)),
        "decimal": pa.array([Decimal(number - 150) / 100 for number in numbers], pa.decimal128(9, 2)),
        "wide": pa.array([Decimal(number - 150) for number in numbers], pa.decimal128(38, 0)),
        "date": pa.array([dt.date(1969, 1, 1) + dt.timedelta(number) for number in numbers]),
        "stamp": pa.array([None if n is None else n - 150 for n in some], pa.timestamp("us", "UTC")),
        "null": pa.nulls(ROWS, pa.int32()),
        "list": pa.array([None if n is None else [n, None][: n % 3] for n in some]),
        "lists": pa.array([([[1, None], []], [], None)[number % 3] for number in numbers]),
        "struct": pa.array([{"x": n, "y": str(n)} if n else None for n in some]),
        "map": pa.array([[(str(n), None)][: n % 2] for n in numbers], pa.map_(pa.string(), pa.int32())),
    }
    return pa.table(made)


@pytest.fixture(scope="module")
def table():
    """Return a table to write."""
    return columns(pytest.importorskip("pyarrow"))


PYARROW = [
    ({}, set()),
    ({"version": "1.0", "compression": "gzip"}, set()),
    ({"data_page_version": "2.0", "row_group_size": 100}, {PAGE_TYPE}),
    ({"write_page_index": True, "data_page_size": 200, "use_dictionary": False}, set()),
    ({"use_deprecated_int96_timestamps": True, "write_page_checksum": True, "compression": "zstd"}, set()),
    ({"use_byte_stream_split": ["f32", "f64"], "use_dictionary": False, "compression": "brotli"}, set()),
    ({"store_decimal_as_integer": True, "use_compliant_nested_type": False, "compression": "lz4"}, set()),
]


@pytest.mark.parametrize(("options", "known"), PYARROW)
def test_pyarrow(table, options, known):
    """Whatever pyarrow is told to write, only what is known is wrong."""
    out = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table, out, **options)
    assert broken(out.getvalue()) <= known


def test_pyarrow_without_rows(table):
    """A row group of dictionary pages and nothing else."""
    out = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table.slice(0, 0), out)
    assert broken(out.getvalue()) <= {FILE_OFFSET}


def test_pyarrow_local_time():
    """A local time lacks the annotation that old readers know."""
    pa = pytest.importorskip("pyarrow")
    out = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(pa.table({"t": pa.array([0], pa.time32("ms"))}), out)
    assert broken(out.getvalue()) <= {LOCAL_TIME}


DUCKDB = [
    ("", set()),
    (", compression zstd, dictionary_size_limit 10000, write_bloom_filter true", set()),
    (", parquet_version v2, row_group_size 2048", {UNSIGNED_DELTA}),
]


@pytest.mark.parametrize(("options", "known"), DUCKDB)
def test_duckdb(table, tmp_path, options, known):
    """Whatever DuckDB is told to write, only what is known is wrong."""
    duckdb = pytest.importorskip("duckdb")
    out = tmp_path / "out.parquet"
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute(f"copy (select * from given) to '{out}' (format parquet{options})")
    assert broken(out.read_bytes()) <= known


POLARS = [{}, {"statistics": "full", "compression": "snappy"}, {"data_page_size": 200, "row_group_size": 100}]


@pytest.mark.parametrize("options", POLARS)
def test_polars(table, options):
    """What Polars writes is right."""
    polars = pytest.importorskip("polars")
    out = io.BytesIO()
    polars.from_arrow(table).write_parquet(out, **options)
    assert broken(out.getvalue()) == set()


FASTPARQUET = [{}, {"row_group_offsets": 100, "compression": "GZIP"}, {"times": "int96", "stats": True}]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of pandas, inside of fastparquet
@pytest.mark.parametrize("options", FASTPARQUET)
def test_fastparquet(table, tmp_path, options):
    """The pages of fastparquet are padded, and the empty lists of its footer have no type."""
    fastparquet = pytest.importorskip("fastparquet")
    out = tmp_path / "out.parquet"
    flat = ["bool", "u8", "i16", "u32", "i64", "f32", "f64", "nan", "zero", "text", "bytes", "stamp"]
    fastparquet.write(str(out), table.select(flat).to_pandas(), **options)
    assert broken(out.read_bytes()) <= {PADDING, "PQ-THRIFT-012"}


SMALL_PAGES = {"data_pagesize_limit": 200, "write_batch_size": 20, "dictionary_enabled": False}
DATAFUSION = [
    ({}, set()),
    ({"writer_version": "2.0", **SMALL_PAGES}, set()),
    ({"column_index_truncate_length": 4, "statistics_truncate_length": 4}, SHORT_BOUNDS),
    ({"bloom_filter_on_write": True, "max_row_group_size": 100, "compression": "zstd(3)"}, set()),
]


@pytest.mark.parametrize(("options", "known"), DATAFUSION)
def test_datafusion(table, tmp_path, options, known):
    """Whatever DataFusion, and so the Rust implementation, is told to write, only what is known is wrong."""
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    frame = context.from_arrow(table)
    out = tmp_path / "out.parquet"
    frame.write_parquet_with_options(str(out), datafusion.ParquetWriterOptions(**options))
    files = list(out.rglob("*.parquet")) if out.is_dir() else [out]
    assert files
    assert all(broken(file.read_bytes()) <= known for file in files)


# What the names of these files say, and what is wrong with files of old writers.
OLD = {"PQ-GROUP-001", "PQ-GROUP-003", "PQ-ORDER-001"}
TESTING = {
    "datapage_v1-corrupt-checksum.parquet": {"PQ-PAGE-003"},
    "rle-dict-uncompressed-corrupt-checksum.parquet": {"PQ-PAGE-003"},
    "datapage_v1-snappy-compressed-checksum.parquet": {"PQ-INDEX-006", "PQ-INDEX-024"},
    "datapage_v1-uncompressed-checksum.parquet": {"PQ-INDEX-006", "PQ-INDEX-024"},
    "dict-page-offset-zero.parquet": {"PQ-CHUNK-012"},
    "incorrect_map_schema.parquet": {"PQ-MAP-004"},
    "nation.dict-malformed.parquet": {"PQ-CHUNK-007", "PQ-CHUNK-017"},
    "page_v2_empty_compressed.parquet": {PAGE_TYPE},
    "repeated_no_annotation.parquet": {"PQ-FILE-008"},
    # The greatest longitude lies beyond xmax, by the last bit of a double.
    "geography-lines.parquet": {"PQ-GEO-002"},
    "geography-polygons.parquet": {"PQ-GEO-002"},
}


@pytest.mark.corpus
def test_the_files_of_parquet_testing(some_of):
    """Of the files that readers must be able to read, those that are known to be wrong are, and no other.

    A page of 2 GiB in one of them is left out: it takes half a minute.
    """
    folder = os.environ.get("PARQUET_TEST_DATA")
    if not folder:
        pytest.skip("PARQUET_TEST_DATA is not set")
    files = sorted((Path(folder) / "data").rglob("*.parquet"))
    assert files
    strange = [file for file in files if file.name in TESTING]
    for file in [*strange, *some_of(((file.name, file) for file in files if file not in strange), 8)]:
        report = examine(file.read_bytes(), limits=Limits(page_bytes=1 << 28))
        found = {one.rule for one in report.violations} & MUST
        assert found - OLD == TESTING.get(file.name, set()), file.name
