"""How engines that take Arrow are asked to write: the same words as their adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from harness.engines.orc_columns import flat_columns
from harness.findings.nested import arrow_type, python, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpora.tagged import Table

SMALL = 20  # rows of a page, or of a row index stride, of files that are `indexed`
_NO_BLOOM = ("bool", "null", "list", "map", "struct", "variant")
_POLARS = {"LZ4_RAW": "lz4"}
_DATAFUSION = {"GZIP": "gzip(6)", "BROTLI": "brotli(5)", "ZSTD": "zstd(3)"}

Options = dict[str, Any]


class Written(NamedTuple):
    """Source that writes `FILE`: imports, helpers, and the statements."""

    imports: list[str]
    helpers: str
    body: list[str]


def given_(options: Mapping[str, Any]) -> str:
    """Return options as the last arguments of a call."""
    return "".join(f", {name}={value!a}" for name, value in options.items())


def _arrow(table: Table) -> list[str]:
    """Return the statements that make `table`."""
    lines = ["columns = ["]
    for at, field in enumerate(table.columns):
        values = ", ".join(python(field.type, value) for value in table.column(at))
        lines.append(f"    pa.array([{values}], {arrow_type(field.type)}),")
    names = [field.name for field in table.columns]
    return [*lines, "]", f"table = pa.Table.from_arrays(columns, names={names!a})"]


def _imports(table: Table, *more: str) -> list[str]:
    kinds = {(type_.kind, type_.bits) for field in table.columns for type_ in types_of(field.type)}
    found = ["import decimal"] * any(kind == "decimal" for kind, _ in kinds)
    return [*found, *["import numpy as np"] * (("float", 16) in kinds), *more]


def pyarrow(table: Table, options: Options) -> Written:
    """Return how pyarrow writes Parquet."""
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
    body = [*_arrow(table), f"pq.write_table(table, FILE{given_(given)})"]
    return Written(_imports(table, "import pyarrow as pa", "import pyarrow.parquet as pq"), "", body)


def pyarrow_orc(table: Table, options: Options) -> Written:
    """Return how pyarrow writes ORC."""
    given: Options = {"compression": options.get("codec", "UNCOMPRESSED").lower()}
    given["dictionary_key_size_threshold"] = float(bool(options.get("dictionary", True)))
    if options.get("row_group_rows"):
        given |= {"batch_size": options["row_group_rows"], "stripe_size": 1}
    if options.get("indexed"):
        given |= {"row_index_stride": SMALL, "bloom_filter_columns": flat_columns(table.columns)}
    body = [*_arrow(table), f"orc.write_table(table, FILE{given_(given)})"]
    return Written(_imports(table, "import pyarrow as pa", "from pyarrow import orc"), "", body)


def duckdb(table: Table, options: Options) -> Written:
    """Return how DuckDB writes."""
    settings = f"FORMAT parquet, COMPRESSION {options.get('codec', 'SNAPPY').lower()}"
    if options.get("row_group_rows"):
        settings += f", ROW_GROUP_SIZE {int(options['row_group_rows'])}"
    body = [
        *_arrow(table),
        'quoted = FILE.replace("\'", "\'\'")',
        f"""duckdb.from_arrow(table).query("t", f"COPY t TO '{{quoted}}' ({settings})")""",
    ]
    return Written(_imports(table, "import duckdb", "import pyarrow as pa"), "", body)


def polars(table: Table, options: Options) -> Written:
    """Return how Polars writes."""
    codec = options.get("codec", "SNAPPY")
    given: Options = {"compression": _POLARS.get(codec, codec.lower())}
    if options.get("row_group_rows"):
        given["row_group_size"] = options["row_group_rows"]
    if options.get("indexed"):
        given |= {"data_page_size": 256, "statistics": "full"}
    body = [*_arrow(table), f"pl.from_arrow(table).write_parquet(FILE{given_(given)})"]
    return Written(_imports(table, "import polars as pl", "import pyarrow as pa"), "", body)


def datafusion(table: Table, options: Options) -> Written:
    """Return how DataFusion writes."""
    codec = options.get("codec", "SNAPPY")
    given: Options = {
        "compression": _DATAFUSION.get(codec, codec.lower()),
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
        *_arrow(table),
        f"options = datafusion.ParquetWriterOptions({given_(given)[2:]})",
        "config = datafusion.SessionConfig().with_target_partitions(1)",
        "frame = datafusion.SessionContext(config).from_arrow(table)",
        "frame.write_parquet_with_options(FILE, options)",
    ]
    return Written(_imports(table, "import datafusion", "import pyarrow as pa"), "", body)
