"""Writing with chDB: the settings that its adapter passes and scripts print."""

from __future__ import annotations

from typing import Any

from corpora.tagged import Table
from harness.engines.chdb.write_options import OPTIONS, insert, statements
from harness.engines.errors import Unsupported
from harness.engines.scripts.writing import SMALL, Options, Written, imports_of, table_source
from harness.engines.writer_options import CHOSEN, Chosen

CODECS = {
    "parquet": {
        "UNCOMPRESSED": "none",
        "SNAPPY": "snappy",
        "GZIP": "gzip",
        "ZSTD": "zstd",
        "BROTLI": "brotli",
        "LZ4_RAW": "lz4",
    },
    "orc": {
        "UNCOMPRESSED": "none",
        "SNAPPY": "snappy",
        "ZLIB": "zlib",
        "ZSTD": "zstd",
        "LZ4": "lz4",
    },
}


def settings(table: Table, options: Options, format: str, defaults: Chosen | None = None) -> dict[str, Any]:
    """Return the settings of a layout, the others at their defaults; raises Unsupported.

    `defaults`: what a release does by itself with what it lacks, as options.
    """
    writer = OPTIONS[format]
    types = [field.type for field in table.columns]
    has_all = all(
        writer.takes(type_) and writer.holds(type_, table.column(at)) for at, type_ in enumerate(types)
    )
    if not has_all or writer.stored(table, defaults or {}) != table:
        raise Unsupported("ClickHouse has not all types or values of the table")
    codec = CODECS[format].get(options.get("codec", "ZSTD"))
    if codec is None or options.get("page_version", 1) != 1:
        raise Unsupported(f"chDB does not write {options}")
    result: dict[str, Any] = {f"output_format_{format}_compression_method": codec}
    if format == "orc":
        return {**result, **_of_orc(options)}
    if not options.get("dictionary", True):
        result["output_format_parquet_max_dictionary_size"] = 0
    if options.get("row_group_rows"):
        result["output_format_parquet_row_group_size"] = options["row_group_rows"]
    if options.get("indexed"):
        result["output_format_parquet_data_page_size"] = 1
        result["output_format_parquet_batch_size"] = SMALL
    return result


def _of_orc(options: Options) -> dict[str, Any]:
    # A share of distinct values among all: at 0 no column of text has a dictionary, at 1 each has.
    share = float(bool(options.get("dictionary", True)))
    return {
        "output_format_orc_dictionary_key_size_threshold": share,
        **({"output_format_orc_row_index_stride": SMALL} if options.get("indexed") else {}),
    }


def written(table: Table, options: Options, format: str) -> Written:
    """Return the source that writes with chDB."""
    opened = [*table_source(table), 'ARROW = FILE + ".arrow"', 'connection = chdb.connect(":memory:")']
    if CHOSEN in options:
        body = statements(table, options[CHOSEN], format)
    else:
        body = insert(table, settings(table, options, format), format)
    imports = imports_of(table, "import os", "import chdb", "import pyarrow as pa")
    return Written(imports, "", [*opened, *body, "os.remove(ARROW)"])
