"""Scripts that write Parquet with pyarrow, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.scripts.writing import SMALL, Options, Written, arguments, imports_of, table_source

_NO_BLOOM = ("bool", "null", "list", "map", "struct", "variant")


def written(table: Table, options: Options) -> Written:
    """Return the source that writes Parquet with pyarrow."""
    codec = options.get("codec", "SNAPPY")
    given: Options = {}
    if options.get("indexed"):
        flat = [field.name for field in table.columns if field.type.kind not in _NO_BLOOM]
        given = {
            "max_rows_per_page": SMALL,
            "write_batch_size": SMALL,
            "write_page_index": True,
            "write_page_checksum": True,
            "bloom_filter_options": {name: {"ndv": max(1, table.num_rows)} for name in flat},
        }
    if "codec" in options:
        given["compression"] = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}.get(codec, codec)
    if "page_version" in options:
        given["data_page_version"] = f"{options['page_version']}.0"
    if not options.get("dictionary", True):
        given["use_dictionary"] = False
    if "row_group_rows" in options:
        given["row_group_size"] = options["row_group_rows"]
    body = [*table_source(table), f"pq.write_table(table, FILE{arguments(given)})"]
    return Written(imports_of(table, "import pyarrow as pa", "import pyarrow.parquet as pq"), "", body)
