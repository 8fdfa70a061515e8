"""Scripts that write with DataFusion, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.scripts.writing import SMALL, Options, Written, arguments, imports_of, table_source

_CODECS = {"GZIP": "gzip(6)", "BROTLI": "brotli(5)", "ZSTD": "zstd(3)"}


def written(table: Table, options: Options) -> Written:
    """Return the source that writes with DataFusion."""
    codec = options.get("codec", "SNAPPY")
    given: Options = {
        "compression": _CODECS.get(codec, codec.lower()),
        "writer_version": f"{options.get('page_version', 1)}.0",
        "dictionary_enabled": options.get("dictionary", True),
        "max_row_group_size": options.get("row_group_rows") or 1 << 20,
    }
    if options.get("indexed"):
        given |= {
            "data_page_row_count_limit": SMALL,
            "write_batch_size": SMALL,
            "bloom_filter_on_write": True,
        }
    body = [
        *table_source(table),
        f"options = datafusion.ParquetWriterOptions({arguments(given)[2:]})",
        "config = datafusion.SessionConfig().with_target_partitions(1)",
        "frame = datafusion.SessionContext(config).from_arrow(table)",
        "frame.write_parquet_with_options(FILE, options)",
    ]
    return Written(imports_of(table, "import datafusion", "import pyarrow as pa"), "", body)
