"""Files of real writers break no rule that must be kept, but for those that they are known to break."""

from __future__ import annotations

import os
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from corpora.rules import load
from reference_impl.parquet.validate import examine

DATA = os.environ.get("PARQUET_TEST_DATA")
MOST_BYTES = 20_000
MUST = {rule for rule, one in load().items() if one.level == "MUST"}

# What small files of apache/parquet-testing break, those of "bad_data" on purpose. Of the others: sizes of
# row groups without headers (-GROUP-001), their offsets (-GROUP-003), and no column orders (-ORDER-001) are
# what old writers wrote.
PUBLISHED = {
    "bad_data/ARROW-GH-45185.parquet": {"PQ-LEVELS-003"},
    "bad_data/ARROW-GH-47662.parquet": {"PQ-PLAIN-001"},
    "bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet": {"PQ-CHUNK-004", "PQ-THRIFT-005"},
    "bad_data/ARROW-RS-GH-6229-LEVELS.parquet": {"PQ-GROUP-001", "PQ-GROUP-003", "PQ-RLE-006"},
    "bad_data/PARQUET-1481.parquet": {"PQ-SCHEMA-006"},
    "data/alltypes_plain.snappy.parquet": {"PQ-GROUP-001"},
    "data/concatenated_gzip_members.parquet": {"PQ-ORDER-001"},
    "data/data_index_bloom_encoding_with_length.parquet": {"PQ-ORDER-001"},
    "data/datapage_v1-snappy-compressed-checksum.parquet": {"PQ-INDEX-006", "PQ-INDEX-024"},
    "data/delta_length_byte_array.parquet": {"PQ-GROUP-003"},
    "data/dict-page-offset-zero.parquet": {"PQ-CHUNK-012"},
    "data/incorrect_map_schema.parquet": {"PQ-MAP-004"},
    "data/list_columns.parquet": {"PQ-GROUP-001"},
    "data/lz4_raw_compressed.parquet": {"PQ-GROUP-003"},
    "data/nan_in_stats.parquet": {"PQ-GROUP-001"},
    "data/nation.dict-malformed.parquet": {"PQ-CHUNK-007", "PQ-CHUNK-017", "PQ-GROUP-001"},
    "data/non_hadoop_lz4_compressed.parquet": {"PQ-GROUP-001", "PQ-GROUP-003"},
    "data/page_v2_empty_compressed.parquet": {"PQ-CHUNK-016"},
    "data/repeated_no_annotation.parquet": {"PQ-FILE-008"},
    "data/rle-dict-uncompressed-corrupt-checksum.parquet": {"PQ-PAGE-003"},
    "data/rle_boolean_encoding.parquet": {"PQ-GROUP-001", "PQ-ORDER-001"},
    "data/single_nan.parquet": {"PQ-GROUP-001"},
}


def broken(data):
    """Return the rules of level MUST that a file breaks."""
    return {one.rule for one in examine(data).violations} & MUST


@pytest.mark.corpus
@pytest.mark.skipif(DATA is None, reason="PARQUET_TEST_DATA is not set")
def test_published_files():
    """Small published files break the rules that they are known to break, and no others."""
    root = Path(DATA)
    files = [
        file
        for folder in ("data", "bad_data")
        for file in sorted((root / folder).glob("*.parquet"))
        if file.stat().st_size < MOST_BYTES and file.name != "large_string_map.brotli.parquet"  # of 2 GB
    ]
    assert len(files) > 35
    names = {file.relative_to(root).as_posix(): file for file in files}
    found = {name: rules for name, file in names.items() if (rules := broken(file.read_bytes()))}
    assert found == {name: rules for name, rules in PUBLISHED.items() if name in names}


ROWS = 60


def columns():
    """Return columns of many types, every seventh value of most of them a null."""
    some = {
        "i": list(range(ROWS)),
        "s": [f"{'é' * (number % 40)}{number}" for number in range(ROWS)],
        "raw": [bytes([255] * number) for number in range(ROWS)],
        "d": [(0.0, -0.0, float("nan"), 1.5, -2.5)[number % 5] for number in range(ROWS)],
        "day": [date(1900 + number, 2, 3) for number in range(ROWS)],
        "at": [datetime(1900 + number, 2, 3, 4, 5) for number in range(ROWS)],  # noqa: DTZ001 - it is local
        "money": [Decimal(number * (-1) ** number).scaleb(-2) for number in range(ROWS)],
        "flag": [number % 3 == 0 for number in range(ROWS)],
        "many": [[None, *range(number % 4)] for number in range(ROWS)],
    }
    out = {name: [None if at % 7 == 3 else one for at, one in enumerate(all_)] for name, all_ in some.items()}
    return out | {"key": list(range(ROWS)), "none": [None] * ROWS}


def table():
    """Return the columns as an Arrow table."""
    arrow = pytest.importorskip("pyarrow")
    types = {"money": arrow.decimal128(12, 2), "none": arrow.int32(), "many": arrow.list_(arrow.int16())}
    return arrow.table({name: arrow.array(all_, types.get(name)) for name, all_ in columns().items()})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"write_page_index": True, "data_page_size": 64, "write_batch_size": 8, "row_group_size": 25},
        {"use_dictionary": False, "write_page_checksum": True, "store_decimal_as_integer": True},
    ],
)
def test_pyarrow(tmp_path, options):
    """What pyarrow writes is sound, but for pages without a row in its offset indexes."""
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(table(), tmp_path / "x.parquet", **options)
    # Small pages of lists: some are empty, and the next one begins with the same row.
    known = {"PQ-INDEX-033"} if "data_page_size" in options else set()
    assert broken((tmp_path / "x.parquet").read_bytes()) <= known


def test_pyarrow_is_known_to_break(tmp_path):
    """Local times lack their older annotation; v2 pages are counted as v1 pages in encoding_stats."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    more = table().append_column("t", arrow.array([time(1, 2, 3, 4)] * ROWS))
    parquet.write_table(more, tmp_path / "x.parquet", data_page_version="2.0")
    assert broken((tmp_path / "x.parquet").read_bytes()) <= {"PQ-LOGICAL-010", "PQ-CHUNK-016"}


def test_polars(tmp_path):
    """Local timestamps lack their older annotation; all else is sound."""
    polars = pytest.importorskip("polars")
    polars.from_arrow(table()).write_parquet(tmp_path / "x.parquet", statistics="full", row_group_size=25)
    assert broken((tmp_path / "x.parquet").read_bytes()) <= {"PQ-LOGICAL-010"}


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_duckdb(tmp_path, version):
    """Small numbers are sound in both versions; large ones of v2 may take more bits than their type has."""
    duckdb = pytest.importorskip("duckdb")
    path, arrow_table = tmp_path / "x.parquet", table()
    with duckdb.connect() as connection:
        connection.register("given", arrow_table)
        connection.execute(f"copy given to '{path}' (format parquet, parquet_version {version})")
    assert broken(path.read_bytes()) == set()


@pytest.mark.filterwarnings("ignore")
def test_fastparquet(tmp_path):
    """There are 8 bytes behind the values of its pages, and empty lists of no type; all else is sound."""
    fastparquet, pandas = pytest.importorskip("fastparquet"), pytest.importorskip("pandas")
    names = ("i", "s", "d", "flag", "key")
    frame = pandas.DataFrame({name: columns()[name] for name in names})
    frame["flag"] = [bool(one) for one in frame["flag"]]
    fastparquet.write(str(tmp_path / "x.parquet"), frame, row_group_offsets=25, stats=True)
    assert broken((tmp_path / "x.parquet").read_bytes()) <= {"PQ-PAGE-013", "PQ-THRIFT-012"}
