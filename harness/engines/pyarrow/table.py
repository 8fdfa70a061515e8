"""A folder as one table, read with a schema: the source text, for Parquet and ORC.

https://arrow.apache.org/docs/python/dataset.html: a data set has one schema, files are projected to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.predicates import leaves
from corpora.queries import CountRows, Filter, Query, Slice, predicate_of
from corpora.table_reads import EXACT, METADATA_PREFIX, TableRead
from harness.engines import special_reads
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import statements
from harness.engines.pyarrow.query import SPECIAL
from harness.engines.pyarrow.statements import code_of, imports_of, of_table
from harness.engines.scripts.literals import arrow_schema, evaluate
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


def text(read: TableRead, format: str) -> str:
    """Return an expression of `pa`, `ds` and FOLDER that is a table; raises Unsupported."""
    names = [*(field.name for field in read.schema), *([SPECIAL] if read.metadata else [])]
    table = f"{source(read, format)}.to_table(columns={names!a})"
    return f"(lambda table: {_NAMED})({table})" if read.metadata else table


def source(read: TableRead, format: str) -> str:
    """Return an expression of `pa`, `ds` and FOLDER that is a data set; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("data sets of pyarrow find columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("data sets of pyarrow take no size of splits")
    if set(read.metadata) - {"file_name"}:
        raise Unsupported("pyarrow documents no column of sizes of files and numbers of rows")
    if read.metadata and SPECIAL in (field.name for field in read.schema):
        raise Unsupported(f"a column is called {SPECIAL}, as the special field of scanners")
    special_reads.check(read, "pyarrow", "skips_corrupt", "unified", "recursive", "keyless")
    options = f', format="{format}"' + ", exclude_invalid_files=True" * read.skips_corrupt
    schema = _unified(read, options) if read.unified else arrow_schema(read.schema)
    if read.partitions:
        flavor = "" if read.keyless else ', flavor="hive"'
        options += f", partitioning=ds.partitioning({arrow_schema(read.partitions)}{flavor})"
    return f"ds.dataset(FOLDER, schema={schema}{options})"


def check(pa: Any, read: TableRead) -> None:
    """Raise Unsupported where a read has a special field that this release does not document."""
    if read.metadata and SPECIAL not in (pa.dataset.Scanner.from_dataset.__doc__ or ""):
        raise Unsupported(f"the scanner of pyarrow {pa.__version__} has no special field {SPECIAL}")


def _unified(read: TableRead, options: str) -> str:
    """Return the schema of all files together, and of the partition columns.

    https://arrow.apache.org/docs/python/generated/pyarrow.unify_schemas.html: types are equal, or refused.
    """
    files = f"[file.physical_schema for file in ds.dataset(FOLDER{options}).get_fragments()]"
    return f"pa.unify_schemas([*{files}, {arrow_schema(read.partitions)}])"


def ask(pa: Any, folder: str, format: str, read: TableRead, query: Query, *, pushdown: bool) -> Any:
    """Return the answer to a query of a folder; without pushdown, a filter is of the table in memory."""
    check(pa, read)
    names = {"pa": pa, "ds": pa.dataset, "FOLDER": folder}
    query = _in_order(query, read)
    if _is_of_table(query, read, pushdown=pushdown):
        table = evaluate(text(read, format), names)
        return statements.ask(
            pa, query, of_table(query, pa.__version__), {"table": table, "schema": table.schema}
        )
    query, data = _special(query, read), evaluate(source(read, format), names)
    given = {"data": data, "schema": data.schema}
    table = statements.ask(pa, query, statements.of_data_set(query, threads=True), given)
    return evaluate(_NAMED, {"pa": pa, "table": table}) if read.metadata else table


def _is_of_table(query: Query, read: TableRead, *, pushdown: bool) -> bool:
    is_filtered = predicate_of(query) is not None and not isinstance(query, Slice)
    return _tests_name(query, read) or (not pushdown and (is_filtered or isinstance(query, CountRows)))


_FILE_NAME = METADATA_PREFIX + "file_name"
# Of a `table`: the special field of scanners, which only columns may use, is the path of the file.
_NAMED = (
    f"table.set_column(table.column_names.index({SPECIAL!a}), {_FILE_NAME!a}, "
    f'pa.compute.replace_substring_regex(table[{SPECIAL!a}], ".*/", "")) '
    f"if {SPECIAL!a} in table.column_names else table"
)


def _tests_name(query: Query, read: TableRead) -> bool:
    """Return whether a predicate is of the names of files, which a filter of a scanner does not have."""
    predicate = predicate_of(query)
    tests = [] if predicate is None or not read.metadata else leaves(predicate)
    return any(test.path == (_FILE_NAME,) for test in tests)


def _special(query: Query, read: TableRead) -> Query:
    """Return a query that names the special field in place of the names of files."""
    if not read.metadata or not isinstance(query, (Filter, Slice)):
        return query
    columns = (SPECIAL if name == _FILE_NAME else name for name in query.columns or ())  # all are named
    return replace(query, columns=tuple(columns))


def _in_order(query: Query, read: TableRead) -> Query:
    """Return a query of the columns of a read.

    In the schema of all files they stand in another order, and special fields are in no schema.
    """
    of_all = read.unified or read.metadata
    if not of_all or not isinstance(query, (Filter, Slice)) or query.columns is not None:
        return query
    return replace(query, columns=tuple(field.name for field in read.answer))


def code(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE."""
    if request.query is None:
        body = ["FOLDER = FILE", f"return told({text(read, request.format)})"]
        named = ["import pyarrow.compute"] if read.metadata else []
        return Code(ARROW, body, [*named, "import pyarrow.dataset as ds"])
    query = _in_order(request.query, read)
    imports = ["import pyarrow.dataset as ds", *imports_of(query, "dataset")]
    if _is_of_table(query, read, pushdown=request.pushdown != "off"):
        steps = of_table(query, request.version)
        body = ["FOLDER = FILE", f"table = {text(read, request.format)}", *statements.lines(steps)]
        return code_of(body, imports)
    body = ["FOLDER = FILE", f"data = {source(read, request.format)}", "schema = data.schema"]
    body += statements.lines(statements.of_data_set(_special(query, read), threads=True))
    body += [f"table = {_NAMED}"] if read.metadata else []
    return code_of(body, list(dict.fromkeys(imports)))
