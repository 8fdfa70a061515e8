"""Scripts that write with DuckDB, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.scripts.writing import Options, Written, imports_of, table_source


def written(table: Table, options: Options) -> Written:
    """Return the source that writes with DuckDB."""
    settings = f"FORMAT parquet, COMPRESSION {options.get('codec', 'SNAPPY').lower()}"
    if options.get("row_group_rows"):
        settings += f", ROW_GROUP_SIZE {int(options['row_group_rows'])}"
    body = [
        *table_source(table),
        'quoted = FILE.replace("\'", "\'\'")',
        f"""duckdb.from_arrow(table).query("t", f"COPY t TO '{{quoted}}' ({settings})")""",
    ]
    return Written(imports_of(table, "import duckdb", "import pyarrow as pa"), "", body)
