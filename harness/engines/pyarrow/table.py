"""A folder as one table, read with a schema: the source text, for Parquet and ORC.

https://arrow.apache.org/docs/python/dataset.html: a data set has one schema, files are projected to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.queries import CountRows, Filter, Query, Slice
from corpora.table_reads import EXACT, TableRead
from harness.engines import special_reads
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import counts
from harness.engines.pyarrow.query import ask_data_set, filter_table
from harness.engines.pyarrow.statements import code_of, imports_of, of_data_set, of_table
from harness.engines.scripts.literals import arrow_schema, evaluate
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


def text(read: TableRead, format: str) -> str:
    """Return an expression of `pa`, `ds` and FOLDER that is a table; raises Unsupported."""
    names = [field.name for field in read.schema]
    return f"{source(read, format)}.to_table(columns={names!a})"


def source(read: TableRead, format: str) -> str:
    """Return an expression of `pa`, `ds` and FOLDER that is a data set; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("data sets of pyarrow find columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("data sets of pyarrow take no size of splits")
    if read.metadata:
        raise Unsupported("no page of pyarrow documents a column of the names of files or numbers of rows")
    special_reads.check(read, "pyarrow", "skips_corrupt", "unified", "recursive", "keyless")
    options = f', format="{format}"' + ", exclude_invalid_files=True" * read.skips_corrupt
    schema = _unified(read, options) if read.unified else arrow_schema(read.schema)
    if read.partitions:
        flavor = "" if read.keyless else ', flavor="hive"'
        options += f", partitioning=ds.partitioning({arrow_schema(read.partitions)}{flavor})"
    return f"ds.dataset(FOLDER, schema={schema}{options})"


def _unified(read: TableRead, options: str) -> str:
    """Return the schema of all files together, and of the partition columns.

    https://arrow.apache.org/docs/python/generated/pyarrow.unify_schemas.html: types are equal, or refused.
    """
    files = f"[file.physical_schema for file in ds.dataset(FOLDER{options}).get_fragments()]"
    return f"pa.unify_schemas([*{files}, {arrow_schema(read.partitions)}])"


def ask(pa: Any, folder: str, format: str, read: TableRead, query: Query, *, pushdown: bool) -> Any:
    """Return the answer to a query of a folder; without pushdown, a filter is of the table in memory."""
    names = {"pa": pa, "ds": pa.dataset, "FOLDER": folder}
    query = _in_order(query, read)
    if isinstance(query, CountRows):
        if not pushdown:
            return counts.of_table(pa, evaluate(text(read, format), names), query)
        return counts.of_data_set(pa, evaluate(source(read, format), names), query, threads=True)
    if isinstance(query, Filter) and not pushdown:
        return filter_table(pa, evaluate(text(read, format), names), query)
    return ask_data_set(pa, evaluate(source(read, format), names), query, threads=True)


def _in_order(query: Query, read: TableRead) -> Query:
    """Return a query of the columns of a read: in the schema of all files they stand in another order."""
    if not read.unified or not isinstance(query, (Filter, Slice)) or query.columns is not None:
        return query
    return replace(query, columns=tuple(field.name for field in read.schema))


def code(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE."""
    if request.query is None:
        body = ["FOLDER = FILE", f"return told({text(read, request.format)})"]
        return Code(ARROW, body, ["import pyarrow.dataset as ds"])
    request = replace(request, query=_in_order(request.query, read))
    assert request.query is not None
    imports = ["import pyarrow.dataset as ds", *imports_of(request.query, "dataset")]
    if isinstance(request.query, CountRows | Filter) and request.pushdown == "off":
        body = ["FOLDER = FILE", f"table = {text(read, request.format)}", *of_table(request.query)]
        return code_of(body, imports)
    body = ["FOLDER = FILE", f"data = {source(read, request.format)}", "schema = data.schema"]
    return code_of([*body, *of_data_set(request.query, "use_threads=True")], list(dict.fromkeys(imports)))
