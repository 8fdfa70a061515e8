"""Scripts that query Parquet with pyarrow: the source that its adapter executes."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.keys import Keys
from corpora.queries import Batches, Filter, Join, Project, Query, RowGroup, Slice
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow.query import condition, join, slice_of_file, small_table
from harness.engines.pyarrow.ways import EXTENSIONS, QUERIES, SLICES, WAYS
from harness.engines.scripts.literals import TYPE_OF, asks_types
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with pyarrow for a Parquet file."""
    if request.read is not None:
        return pyarrow_table.code(request, request.read)
    threads = request.switches.get("threads") != "off"
    memory_map = request.switches.get("mmap") == "on"
    before, keyed = _keys(request.keys)
    imports = ["import pyarrow.parquet as pq", *imports_of(request.query, request.switches.get("api"))]
    imports += ["from pyarrow.parquet import encryption"] if before else []
    body = []
    options = f"use_threads={threads}"
    name = request.switches.get("way", "default")
    way = WAYS.get(name, WAYS["default"])
    given = f", {way.options.format(keyed=keyed)}" if way.options else ""
    opened = f"pq.ParquetFile(FILE, memory_map={memory_map}{given}{keyed})"
    query = request.query
    predicate = query.predicate if isinstance(query, (Filter, Slice)) else None
    is_off = predicate is not None and request.pushdown == "off"
    scanned = _scanned(query, name, request.switches.get("api"))
    if scanned and isinstance(query, (Filter, Slice, Project)) and not is_off:
        imports += imports_of(query, "dataset")
        body += [f"files = fs.LocalFileSystem(use_mmap={memory_map})", f"EXTENSIONS = {EXTENSIONS}"]
        scan = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(**EXTENSIONS)"
        body += open_data_set("Parquet", f"{scan} if EXTENSIONS else None")
        wanted = None if predicate is None else condition(predicate)
        body += [f"wanted = {wanted}", f"columns = {_columns_of(query)}"]
        if isinstance(query, Slice):
            body.append(f"offset, rows = {query.offset}, {query.rows}")
        return code_of([*body, f"table = {scanned.format(threads=threads)}"], imports, before)
    if request.switches.get("api") == "dataset":
        keys = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(decryption_properties=KEYS)"
        of_keys = keys if keyed else ""
        body += [f"files = fs.LocalFileSystem(use_mmap={memory_map})", *open_data_set("Parquet", of_keys)]
        if not (is_off or isinstance(query, Join)) or request.pushdown == "on":
            return code_of([*body, *of_data_set(query, options)], imports, before)
        assert query is not None
        return code_of([*body, f"table = data.to_table({options})", *of_table(query)], imports, before)
    if isinstance(query, Filter) and request.pushdown == "on":
        body = [
            f"schema = pq.read_schema(FILE{keyed})",
            f"wanted = {condition(query.predicate)}",
            f"files = fs.LocalFileSystem(use_mmap={memory_map})",
            f"options = dict(columns={_columns_of(query)}, filesystem=files, {options}{keyed})",
            "table = pq.read_table(FILE, filters=wanted, partitioning=None, **options)",
        ]
    elif query is None or is_off:
        body = [f"file = {opened}", f"table = {way.expression.format(threads=threads)}"]
        body += of_table(query) if query else []
    elif isinstance(query, Slice):
        body = [f"file = {opened}", f"table = {slice_of_file(query, threads=threads)}"]
    elif isinstance(query, Project):
        names = list(query.columns)
        body = [f"table = {opened}.read(columns={names!a}, {options}).select({names!a})"]
    elif isinstance(query, RowGroup):
        body = [f"table = {opened}.read_row_group({query.number}, {options})"]
    elif isinstance(query, Batches):
        body = [
            f"file = {opened}",
            f"batches = file.iter_batches(batch_size={query.rows}, {options})",
            "table = pa.Table.from_batches(batches, file.schema_arrow)",
        ]
    else:
        raise Unsupported(f"pyarrow does not answer queries of kind {query.kind}")
    return code_of(body, imports, before)


def _keys(keys: Keys | None) -> tuple[list[str], str]:
    """Return the statement that makes `KEYS`, and the argument that hands them over, as the adapter does."""
    if keys is None:
        return [], ""
    if keys.master_keys or keys.footer is None:
        raise Unsupported("the script has no KMS for pyarrow: `colconf replay` of the folder asks it again")
    prefix = "" if keys.aad_prefix is None else f", aad_prefix={keys.aad_prefix!a}"
    built = f"encryption.create_decryption_properties({keys.footer!a}{prefix})"
    return [f"KEYS = {built}"], ", decryption_properties=KEYS"


def imports_of(query: Query | None, api: str | None) -> list[str]:
    """Return the imports that a query, and the interface that it is asked of, need."""
    result = ["import decimal"] if isinstance(query, (Filter, Join, Slice)) else []
    result += ["import pyarrow.compute as pc"] if isinstance(query, (Filter, Slice)) else []
    needs_files = api == "dataset" or isinstance(query, (Filter, Slice))
    return [*result, *(["import pyarrow.dataset as ds", "from pyarrow import fs"] if needs_files else [])]


def open_data_set(name: str, options: str = "") -> list[str]:
    """Return the statements that open `FILE` as a data set; `options` are those of its format."""
    return [
        f"form = ds.{name}FileFormat({options})",
        "schema = form.inspect(FILE, files)",
        "data = ds.FileSystemDataset.from_paths([FILE], schema=schema, format=form, filesystem=files)",
    ]


def of_data_set(query: Query | None, options: str) -> list[str]:
    """Return the statements that ask a data set; `options` are those of reading it."""
    if query is None:
        return [f"table = data.to_table({options})"]
    if isinstance(query, Filter):
        names = _columns_of(query)
        return [
            f"wanted = {condition(query.predicate)}",
            f"table = data.to_table(columns={names}, filter=wanted, {options})",
        ]
    if isinstance(query, Join):
        return _joined(query, "data")
    if isinstance(query, Slice):
        wanted = None if query.predicate is None else condition(query.predicate)
        lines = [f"wanted = {wanted}", f"columns = {_columns_of(query)}"]
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


def of_table(query: Query) -> list[str]:
    """Filter or join a table in memory: what pushdown must not change."""
    if isinstance(query, Join):
        return ["data = table", *_joined(query, "table")]
    assert isinstance(query, (Filter, Slice)) and query.predicate is not None  # noqa: PT018 - types alone
    body = [
        "schema = table.schema",
        f"wanted = {condition(query.predicate)}",
        "table = table.filter(wanted)",
    ]
    body += [] if query.columns is None else [f"table = table.select({list(query.columns)!a})"]
    return [*body, f"table = table.slice({query.offset}, {query.rows})"] if isinstance(query, Slice) else body


def _joined(query: Join, data: str) -> list[str]:
    """Return the statements of a semi-join of `data`, which is a data set or a table."""
    steps = [f"data = {step}" for step in join(query, of_table=data == "table")]
    return ["schema = data.schema", f"small = {small_table(query)}", *steps, "table = data"]


def _scanned(query: Query | None, name: str, api: str | None) -> str:
    """Return the expression of a way of data sets that a query is asked in, "" for another way."""
    if not isinstance(query, Slice):
        return QUERIES.get(name, "")
    if name in SLICES or (query.predicate is not None and api != "dataset"):
        return SLICES.get(name, SLICES["scan"])
    return ""


def _columns_of(query: Filter | Slice | Project) -> str:
    return ascii(None if query.columns is None else list(query.columns))


def code_of(body: list[str], imports: list[str], before: Sequence[str] = ()) -> Code:
    """Return the code whose statements leave their result as `table`."""
    helpers = TYPE_OF if asks_types(body) else ""
    return Code(ARROW, [*body, "return told(table)"], imports, helpers, [*before])
