"""The layouts with indexes: what they ask for is in the files, and an engine that cannot says so."""

import pytest

from corpora.tables import LAYOUTS, WRITER_TABLES
from harness.children.worker import open_engine
from harness.engines.errors import Unsupported
from reference_impl.parquet.file import ParquetFile

RUNS = next(table.table for table in WRITER_TABLES if table.name == "runs")
INDEXED = next(layout for layout in LAYOUTS if layout.indexed)


@pytest.mark.parametrize(
    ("module", "has_bloom"),
    [
        ("pyarrow.adapter:PyarrowParquet", True),
        ("datafusion.adapter:Datafusion", True),
        ("polars.adapter:Polars", False),
    ],
)
def test_small_pages_and_indexes(tmp_path, module, has_bloom):
    """Row groups, pages, page index and Bloom filters are there, as far as the engine has options."""
    engine = open_engine(f"harness.engines.{module}")
    engine.write(str(tmp_path / "f.parquet"), "parquet", {}, RUNS, INDEXED.options())
    file = ParquetFile.open(tmp_path / "f.parquet")
    assert len(file.metadata.row_groups) == 3
    chunk = file.metadata.row_groups[0].columns[0]
    assert len(list(file.pages(0, 0))) > 5
    assert chunk.column_index_offset is not None
    assert (chunk.meta_data.bloom_filter_offset is not None) == has_bloom


@pytest.mark.parametrize("module", ["duckdb.adapter:Duckdb", "fastparquet.adapter:Fastparquet"])
def test_engines_without_such_options(tmp_path, module):
    """An engine that has no such option says that it lacks it, and writes nothing else instead."""
    engine = open_engine(f"harness.engines.{module}")
    options = {**INDEXED.options(), "dictionary": module.startswith("duckdb")}
    with pytest.raises(Unsupported, match="page index"):
        engine.write(str(tmp_path / "f.parquet"), "parquet", {}, RUNS, options)
