"""A folder as one table, read with a schema: the source text, for Parquet and ORC.

https://arrow.apache.org/docs/python/dataset.html: a data set has one schema, files are projected to it.
"""

from __future__ import annotations

from corpora.table_reads import EXACT, TableRead
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import arrow_schema
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


def text(read: TableRead, format: str) -> str:
    """Return an expression of `pa`, `ds` and FOLDER that is a table; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("data sets of pyarrow find columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("data sets of pyarrow take no size of splits")
    partitioning = ""
    if read.partitions:
        partitioning = f', partitioning=ds.partitioning({arrow_schema(read.partitions)}, flavor="hive")'
    names = [field.name for field in read.schema]
    source = f'ds.dataset(FOLDER, schema={arrow_schema(read.schema)}, format="{format}"{partitioning})'
    return f"{source}.to_table(columns={names!a})"


def code(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE."""
    body = ["FOLDER = FILE", f"return told({text(read, request.format)})"]
    return Code(ARROW, body, ["import pyarrow.dataset as ds"])
