"""Scripts that write with Polars, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.scripts.writing import Options, Written, arguments, imports_of, table_source

_CODECS = {"LZ4_RAW": "lz4"}


def written(table: Table, options: Options) -> Written:
    """Return the source that writes with Polars."""
    codec = options.get("codec", "SNAPPY")
    given: Options = {"compression": _CODECS.get(codec, codec.lower())}
    if options.get("row_group_rows"):
        given["row_group_size"] = options["row_group_rows"]
    if options.get("indexed"):
        given |= {"data_page_size": 256, "statistics": "full"}
    body = [*table_source(table), f"pl.from_arrow(table).write_parquet(FILE{arguments(given)})"]
    return Written(imports_of(table, "import polars as pl", "import pyarrow as pa"), "", body)
