"""Writing with DuckDB: the options that its adapter passes and scripts print."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.duckdb.write_options import statements
from harness.engines.errors import Unsupported
from harness.engines.scripts.writing import Options, Written, imports_of, table_source
from harness.engines.writer_options import CHOSEN

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4_RAW")


def copy_options(options: Options) -> str:
    """Return the options of COPY, the others at their defaults; raises Unsupported."""
    codec = options.get("codec", "SNAPPY")
    if codec not in CODECS or options.get("page_version", 1) != 1:
        raise Unsupported(f"DuckDB does not write {options}")
    if not options.get("dictionary", True):
        raise Unsupported("DuckDB has no option against dictionaries")
    if options.get("indexed"):
        raise Unsupported("DuckDB has no option for the size of pages, and writes no page index")
    rows = options.get("row_group_rows")
    return f"FORMAT parquet, COMPRESSION {codec.lower()}" + (f", ROW_GROUP_SIZE {int(rows)}" if rows else "")


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes with DuckDB."""
    if CHOSEN in options:
        opened = "connection = duckdb.connect()"
        body = [*table_source(table), opened, *statements(table, options[CHOSEN])]
        return Written(imports_of(table, "import duckdb", "import pyarrow as pa"), "", body)
    body = [
        *table_source(table),
        'quoted = FILE.replace("\'", "\'\'")',
        f"""duckdb.from_arrow(table).query("t", f"COPY t TO '{{quoted}}' ({copy_options(options)})")""",
    ]
    return Written(imports_of(table, "import duckdb", "import pyarrow as pa"), "", body)
