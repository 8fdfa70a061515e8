"""Statements of scripts that query with pyarrow: of data sets, and of tables in memory."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.queries import Batches, CountRows, Fields, Filter, Join, Project, Query, RowGroup, Slice
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import counts, fields
from harness.engines.pyarrow.query import condition, filtered, join, part_of_table, small_table
from harness.engines.pyarrow.ways import SLICES
from harness.engines.scripts.literals import TYPE_OF, asks_types
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, is_before

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


def of_data_set(query: Query | None, options: str) -> list[str]:
    """Return the statements that ask a data set; `options` are those of reading it."""
    if query is None:
        return [f"table = data.to_table({options})"]
    if isinstance(query, Filter):
        names = columns_of(query)
        return [
            f"wanted = {condition(query.predicate)}",
            f"table = data.to_table(columns={names}, filter=wanted, {options})",
        ]
    if isinstance(query, Fields):
        return fields.code_of_data_set(query, options)
    if isinstance(query, CountRows):
        return counts.code_of_data_set(query, options)
    if isinstance(query, Join):
        return _joined(query, "data")
    if isinstance(query, Slice):
        wanted = None if query.predicate is None else condition(query.predicate)
        lines = [f"wanted = {wanted}", f"columns = {columns_of(query)}"]
        lines.append(f"offset, rows = {query.offset}, {query.rows}")
        return [*lines, f"table = {SLICES['scan'].format(threads=True)}"]
    if isinstance(query, Project):
        return [f"table = data.to_table(columns={list(query.columns)!a}, {options})"]
    if isinstance(query, RowGroup):
        return [
            "(fragment,) = data.get_fragments()",
            f"table = fragment.subset(row_group_ids=[{query.number}]).to_table({options})",
        ]
    if isinstance(query, Batches):
        return [
            f"batches = data.to_batches(batch_size={query.rows}, {options})",
            "table = pa.Table.from_batches(batches, data.schema)",
        ]
    raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")


def of_table(query: Query, version: str) -> list[str]:
    """Filter or join a table in memory, with a version of pyarrow: what pushdown must not change."""
    if isinstance(query, Join):
        return ["data = table", *_joined(query, "table")]
    if isinstance(query, CountRows):
        before = [] if query.predicate is None else of_table(Filter(query.predicate), version)
        return [*before, counts.code_of_table()]
    if isinstance(query, Fields):
        before = [] if query.predicate is None else of_table(Filter(query.predicate), version)
        return [*before, fields.code_of_table(query)]
    assert isinstance(query, (Filter, Slice)) and query.predicate is not None  # noqa: PT018 - types alone
    body = [
        "schema = table.schema",
        f"wanted = {condition(query.predicate)}",
        f"table = {filtered(version)}",
    ]
    body += [] if query.columns is None else [f"table = table.select({list(query.columns)!a})"]
    return [*body, f"table = {part_of_table(query)}"] if isinstance(query, Slice) else body


def _joined(query: Join, data: str) -> list[str]:
    """Return the statements of a semi-join of `data`, which is a data set or a table."""
    steps = [f"data = {step}" for step in join(query, of_table=data == "table")]
    return ["schema = data.schema", f"small = {small_table(query)}", *steps, "table = data"]


def columns_of(query: Filter | Slice | Project) -> str:
    """Return the names of the columns of a query, None for all, as an expression."""
    return ascii(None if query.columns is None else list(query.columns))


def code_of(body: list[str], imports: list[str], before: Sequence[str] = ()) -> Code:
    """Return the code whose statements leave their result as `table`."""
    helpers = TYPE_OF if asks_types(body) else ""
    return Code(ARROW, [*body, "return told(table)"], imports, helpers, [*before])
