"""Fields of structs with pyarrow: of a data set, of a file, or of a table that was read and filtered."""

from __future__ import annotations

from corpora.queries import Fields
from harness.engines.errors import Unsupported


def of_data_set(query: Fields, options: str) -> str:
    """Return the expression of a table of `data`, of the rows that are `wanted`.

    https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html, to_table: a dictionary of
    names and expressions is a projection.
    """
    fields = (f"{name!a}: pc.field({', '.join(map(ascii, path))})" for name, path in query.named.items())
    return f"data.to_table(columns={{{', '.join(fields)}}}, filter=wanted, {options})"


def of_table(query: Fields) -> str:
    """Return the expression of fields of a filtered `table`."""
    fields = []
    for name, (column, *inside) in query.named.items():
        of_column = f"table.column({column!a})"
        fields.append(f"{name!a}: {f'pc.struct_field({of_column}, {inside!a})' if inside else of_column}")
    return f"pa.table({{{', '.join(fields)}}})"


def of_file(query: Fields, options: str = "") -> list[tuple[str, str]]:
    """Return the steps that make a `table` of fields of all rows of `file`, of which it decodes these alone.

    https://arrow.apache.org/docs/python/generated/pyarrow.parquet.ParquetFile.html, read; it is the same of
    ORCFile: a name may be a prefix of a nested field, with dots. Raises Unsupported for a name that has one.
    """
    if any("." in name for path in query.paths for name in path):
        raise Unsupported("pyarrow takes a name with a dot for a path")
    given = f", {options}" if options else ""
    read = f"file.read(columns={['.'.join(path) for path in query.paths]!a}{given})"
    return [("table", read), ("table", of_table(query))]
