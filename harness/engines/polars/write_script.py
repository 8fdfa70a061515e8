"""Writing with Polars: the options that its adapter passes and scripts print."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.polars.write_options import statements
from harness.engines.scripts.writing import Options, Written, arguments, imports_of, table_source
from harness.engines.writer_options import CHOSEN

CODECS = {
    **{name: name.lower() for name in ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD")},
    "LZ4_RAW": "lz4",
}


def call_options(options: Options) -> Options:
    """Return the options of `write_parquet`, the others at their defaults; raises Unsupported."""
    codec = options.get("codec", "SNAPPY")
    if codec not in CODECS or options.get("page_version", 1) != 1:
        raise Unsupported(f"Polars does not write {options}")
    if not options.get("dictionary", True):
        raise Unsupported("Polars has no option against dictionaries")
    indexed = {"data_page_size": 256, "statistics": "full"} if options.get("indexed") else {}
    return {"compression": CODECS[codec], "row_group_size": options.get("row_group_rows"), **indexed}


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes with Polars."""
    if CHOSEN in options:
        body = [*table_source(table), *statements(table, options[CHOSEN])]
        return Written(imports_of(table, "import polars as pl", "import pyarrow as pa"), "", body)
    body = [
        *table_source(table),
        f"pl.from_arrow(table).write_parquet(FILE{arguments(call_options(options))})",
    ]
    return Written(imports_of(table, "import polars as pl", "import pyarrow as pa"), "", body)
