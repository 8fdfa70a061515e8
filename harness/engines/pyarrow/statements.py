"""Queries of pyarrow as steps that adapters evaluate and scripts print.

A step is the name of a value and its expression, or "" and statements; the last makes a `table`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpora.predicates import leaves
from corpora.queries import (
    COUNT,
    Batches,
    CountRows,
    Fields,
    Filter,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    predicate_of,
)
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import fields
from harness.engines.pyarrow.query import (
    SPECIAL,
    condition,
    filtered,
    join,
    part_of_table,
    slice_of_file,
    small_table,
)
from harness.engines.pyarrow.ways import QUERIES, SLICES
from harness.engines.scripts.literals import TYPE_OF, asks_types, evaluate, evaluate_arrow, execute
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, is_before
from harness.engines.terms import arrow_type, only

Steps = list[tuple[str, str]]
_NOT_JOINED = "is not supported in join"  # what it says of types that no join takes
_NESTED = 8  # the first pyarrow whose `field` takes a path
_READS_FILTER = 10  # the first pyarrow whose `read_table` takes an expression, not lists of tests alone
_FRAGMENTS = 8  # the first release with a FileFragment of ORC, which `from_paths` makes


def imports_of(query: Query | None, api: str | None) -> list[str]:
    """Return the imports that a query, and the interface that it is asked of, need."""
    tests = isinstance(query, (CountRows, Fields, Filter, Slice))
    result = ["import decimal"] if tests or isinstance(query, Join) else []
    result += ["import pyarrow.compute as pc"] if tests else []
    needs_files = api == "dataset" or tests
    return [*result, *(["import pyarrow.dataset as ds", "from pyarrow import fs"] if needs_files else [])]


def open_data_set(name: str, options: str = "") -> list[str]:
    """Return the statements that open `FILE` as a data set; `options` are those of its format."""
    return [
        f"form = ds.{name}FileFormat({options})",
        "schema = form.inspect(FILE, files)",
        "data = ds.FileSystemDataset.from_paths([FILE], schema=schema, format=form, filesystem=files)",
    ]


def open_orc(version: str) -> list[str]:
    """Return the statements that open `FILE`, of ORC, as a data set of a version of pyarrow."""
    if is_before(version, _FRAGMENTS):
        return ['data = ds.dataset(FILE, format="orc", filesystem=files)', "schema = data.schema"]
    return open_data_set("Orc")


def ask(pa: Any, query: Query, steps: Steps, names: Mapping[str, Any]) -> Any:
    """Return the table that steps make of `names`, among them the `schema` that the query is of.

    Raises Unsupported for columns that are not there or not the only ones, and for what this pyarrow lacks.
    """
    import pyarrow.compute as pc

    _check(pa, query, names["schema"])
    known = {"pa": pa, "pc": pc, "ds": pa.dataset, **names}
    try:
        for name, source in steps:
            if not name:
                known = execute(source.splitlines(), known)
            elif name in ("wanted", "small"):  # which have the constants
                known[name] = evaluate_arrow(source, pa, names["schema"], known)
            else:
                known[name] = evaluate(source, known)
    except pa.ArrowInvalid as error:
        if _NOT_JOINED in str(error):
            raise Unsupported(str(error)) from error
        raise
    return known["table"]


def _check(pa: Any, query: Query, schema: Any) -> None:
    import pyarrow.compute as pc

    for name in getattr(query, "columns", None) or ():  # else Arrow takes it for a path with dots
        if name != SPECIAL:
            only(name, schema.names)
    if isinstance(query, Join):
        only(query.path[0], schema.names)
    predicate = predicate_of(query)
    paths = [] if predicate is None else [test.path for test in leaves(predicate)]
    paths += query.paths if isinstance(query, Fields) else ()
    for path in paths:
        arrow_type(pa, schema, path)
    if paths and not hasattr(pc, "field"):
        raise Unsupported(f"pyarrow {pa.__version__} has no expressions of columns")
    if is_before(pa.__version__, _NESTED) and any(len(path) > 1 for path in paths):
        raise Unsupported(f"pyarrow {pa.__version__} has no expressions of fields of structs")


def lines(steps: Steps) -> list[str]:
    """Return the statements of steps."""
    return [line for name, text in steps for line in ([f"{name} = {text}"] if name else text.splitlines())]


def place(query: Query, switches: Mapping[str, str]) -> tuple[str, str]:
    """Return what of a Parquet file is asked, and the expression of a way of data sets; raises Unsupported.

    `table` is the whole in memory, without pushdown; `data` a data set, `scan` one in a way; `read` is
    `read_table`, `file` an open file.
    """
    name, is_data_set = switches.get("way", "default"), switches.get("api") == "dataset"
    is_off, has_filter = switches.get("pushdown") == "off", predicate_of(query) is not None
    if is_off and has_filter and isinstance(query, (Filter, Slice)):
        return "table", ""
    if isinstance(query, Slice):
        if name in SLICES or (has_filter and not is_data_set):
            return "scan", SLICES.get(name, SLICES["scan"])
        if QUERIES.get(name):
            raise Unsupported("this way is not one of slices")
    elif name in SLICES and name not in QUERIES:
        raise Unsupported("this way is one of slices")
    elif QUERIES.get(name) and not isinstance(query, Join):
        if not isinstance(query, (Filter, Project)):
            raise Unsupported("this way is one of filters, slices and projections")
        return "scan", QUERIES[name]
    if isinstance(query, Join) and not is_data_set:
        raise Unsupported("a ParquetFile has no join; a data set has")
    if is_off and (has_filter or isinstance(query, (CountRows, Join))):
        return "table", ""
    if is_data_set or (has_filter and isinstance(query, (CountRows, Fields))):
        return "data", ""
    return ("read" if isinstance(query, Filter) else "file"), ""


def of_scan(query: Query, way: str, *, threads: bool) -> Steps:
    """Return the steps that ask the data set `data` in a way; EXTENSIONS are options of its scans."""
    assert isinstance(query, (Filter, Slice, Project))
    part = [("offset", str(query.offset)), ("rows", str(query.rows))] if isinstance(query, Slice) else []
    columns = ("columns", _columns_of(query))
    return [("wanted", _wanted_of(query)), columns, *part, ("table", way.format(threads=threads))]


def of_data_set(query: Query, *, threads: bool) -> Steps:
    """Return the steps that ask the data set `data`."""
    options = f"use_threads={threads}"
    if isinstance(query, Join):
        return _joined(query, "data")
    if isinstance(query, Slice):
        return of_scan(query, SLICES["scan"], threads=threads)
    if isinstance(query, Project):
        return [("table", f"data.to_table(columns={_columns_of(query)}, {options})")]
    if isinstance(query, RowGroup):
        fragment = f"next(iter(data.get_fragments())).subset(row_group_ids=[{query.number}])"
        return [("table", f"{fragment}.to_table({options})")]
    if isinstance(query, Batches):
        batches = f"data.to_batches(batch_size={query.rows}, {options})"
        return [("table", f"pa.Table.from_batches({batches}, data.schema)")]
    wanted = ("wanted", _wanted_of(query))
    if isinstance(query, CountRows):
        # https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html, count_rows
        return [wanted, ("table", count(f"data.count_rows(filter=wanted, {options})"))]
    if isinstance(query, Fields):
        return [wanted, ("table", fields.of_data_set(query, options))]
    if isinstance(query, Filter):
        return [wanted, ("table", f"data.to_table(columns={_columns_of(query)}, filter=wanted, {options})")]
    raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")


def of_table(query: Query, version: str) -> Steps:
    """Return the steps that ask a `table` in memory, with a version of pyarrow."""
    if isinstance(query, Join):
        return [("data", "table"), *_joined(query, "table")]
    wanted = [("schema", "table.schema"), ("wanted", _wanted_of(query)), ("table", filtered(version))]
    steps = [] if predicate_of(query) is None else wanted
    if isinstance(query, CountRows):
        return [*steps, ("table", count("table.num_rows"))]
    if isinstance(query, Fields):
        return [*steps, ("table", fields.of_table(query))]
    if not isinstance(query, (Filter, Slice)):
        raise Unsupported(f"pyarrow does not answer queries of kind {query.kind} of a table in memory")
    steps += [] if query.columns is None else [("table", f"table.select({_columns_of(query)})")]
    return [*steps, ("table", part_of_table(query))] if isinstance(query, Slice) else steps


def of_read(query: Query, version: str, options: str) -> Steps:
    """Return the steps of a filter that `read_table` is given; `options` are its others."""
    if is_before(version, _READS_FILTER):
        raise Unsupported(f"read_table of pyarrow {version} takes no expression")
    assert isinstance(query, Filter)
    given = f"columns={_columns_of(query)}, filters=wanted, filesystem=files, partitioning=None, {options}"
    return [("wanted", _wanted_of(query)), ("table", f"pq.read_table(FILE, {given})")]


def of_file(query: Query, *, threads: bool) -> Steps:
    """Return the steps of a query without a filter of an open Parquet `file`."""
    options = f"use_threads={threads}"
    if isinstance(query, CountRows):
        return [("table", count("file.metadata.num_rows"))]
    if isinstance(query, Fields):
        return fields.of_file(query, options)
    if isinstance(query, Slice):
        return [("", slice_of_file(query, threads=threads))]
    if isinstance(query, Project):
        names = _columns_of(query)
        return [("table", f"file.read(columns={names}, {options}).select({names})")]
    if isinstance(query, RowGroup):
        return [("table", f"file.read_row_group({query.number}, {options})")]
    if isinstance(query, Batches):
        batches = f"file.iter_batches(batch_size={query.rows}, {options})"
        return [("table", f"pa.Table.from_batches({batches}, file.schema_arrow)")]
    raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")


def count(number: str) -> str:
    """Return the expression of the table of a number of rows."""
    return f"pa.table({{{COUNT!a}: pa.array([{number}], pa.int64())}})"


def _joined(query: Join, data: str) -> Steps:
    """Return the steps of a join of `data`, which is a data set or a table."""
    steps = [("data", step) for step in join(query, of_table=data == "table")]
    return [("schema", "data.schema"), ("small", small_table(query)), *steps, ("table", "data")]


def _columns_of(query: Filter | Slice | Project) -> str:
    """Return the names of the columns of a query, None for all, as an expression."""
    return ascii(None if query.columns is None else list(query.columns))


def _wanted_of(query: Query) -> str:
    """Return the expression of the filter of a query, None for none."""
    predicate = predicate_of(query)
    return "None" if predicate is None else condition(predicate)


def code_of(body: list[str], imports: list[str], before: Sequence[str] = ()) -> Code:
    """Return the code whose statements leave their result as `table`."""
    helpers = TYPE_OF if asks_types(body) else ""
    return Code(ARROW, [*body, "return told(table)"], imports, helpers, [*before])
