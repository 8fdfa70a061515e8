"""Writing Parquet with pyarrow: the options that its adapter passes and scripts print."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.pyarrow import write_encrypted
from harness.engines.pyarrow.write_options import statements
from harness.engines.scripts.writing import SMALL, Options, Written, arguments, imports_of, table_source
from harness.engines.writer_options import CHOSEN

CODECS = {
    "UNCOMPRESSED": "NONE",
    **{name: name for name in ("SNAPPY", "GZIP", "BROTLI", "ZSTD")},
    "LZ4_RAW": "LZ4",
}
_NO_BLOOM = ("bool", "null", "list", "map", "struct", "variant")


def call_options(table: Table, options: Options) -> Options:
    """Return the options of `write_table`, the others at their defaults; raises Unsupported.

    With `indexed`: small pages with indexes and checksums, and Bloom filters of what may have them.
    """
    codec = options.get("codec", "SNAPPY")
    if codec not in CODECS:
        raise Unsupported(f"pyarrow does not write codec {codec}")
    result: Options = {
        "compression": CODECS[codec],
        "data_page_version": f"{options.get('page_version', 1)}.0",
        "use_dictionary": options.get("dictionary", True),
        "row_group_size": options.get("row_group_rows"),
    }
    if options.get("indexed"):
        flat = [field.name for field in table.columns if field.type.kind not in _NO_BLOOM]
        result.update(
            max_rows_per_page=SMALL,
            write_batch_size=SMALL,
            write_page_index=True,
            write_page_checksum=True,
            bloom_filter_options={name: {"ndv": max(1, table.num_rows)} for name in flat},
        )
    return result


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes Parquet with pyarrow."""
    if CHOSEN in options:
        chosen = options[CHOSEN]
        body = [*table_source(table), *statements(table, chosen)]
        imports = imports_of(table, "import pyarrow as pa", "import pyarrow.parquet as pq")
        helpers = write_encrypted.helpers(chosen)
        imports += ["import pyarrow.dataset as ds"] if partitions_of(chosen) else []
        imports += ["import base64", "import hashlib"] if helpers else []
        imports += ["from pyarrow.parquet import encryption"] * write_encrypted.is_encrypted(chosen)
        return Written(imports, helpers, body)
    body = [*table_source(table), f"pq.write_table(table, FILE{arguments(call_options(table, options))})"]
    return Written(imports_of(table, "import pyarrow as pa", "import pyarrow.parquet as pq"), "", body)
