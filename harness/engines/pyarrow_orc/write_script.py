"""Scripts that write ORC with pyarrow, with the calls of its adapter."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.orc_columns import flat_columns
from harness.engines.scripts.writing import SMALL, Options, Written, arguments, imports_of, table_source


def written(table: Table, options: Options) -> Written:
    """Return the source that writes ORC with pyarrow."""
    given: Options = {"compression": options.get("codec", "UNCOMPRESSED").lower()}
    given["dictionary_key_size_threshold"] = float(bool(options.get("dictionary", True)))
    if options.get("row_group_rows"):
        given |= {"batch_size": options["row_group_rows"], "stripe_size": 1}
    if options.get("indexed"):
        given |= {"row_index_stride": SMALL, "bloom_filter_columns": flat_columns(table.columns)}
    body = [*table_source(table), f"orc.write_table(table, FILE{arguments(given)})"]
    return Written(imports_of(table, "import pyarrow as pa", "from pyarrow import orc"), "", body)
