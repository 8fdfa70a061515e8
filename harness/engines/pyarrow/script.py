"""Scripts that query Parquet with pyarrow: the source that its adapter executes."""

from __future__ import annotations

from corpora.keys import Keys
from corpora.queries import Batches, CountRows, Fields, Filter, Join, Project, Query, RowGroup, Slice
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import counts, fields
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow.query import condition, slice_of_file
from harness.engines.pyarrow.statements import (
    code_of,
    columns_of,
    imports_of,
    of_data_set,
    of_table,
    open_data_set,
)
from harness.engines.pyarrow.ways import EXTENSIONS, QUERIES, SLICES, WAYS
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
    body: list[str] = []
    options = f"use_threads={threads}"
    name = request.switches.get("way", "default")
    way = WAYS.get(name, WAYS["default"])
    imports += ["import pandas as pd"] if way.pandas else []
    given = f", {way.options.format(keyed=keyed)}" if way.options else ""
    opened = f"pq.ParquetFile(FILE, memory_map={memory_map}{given}{keyed})"
    query = request.query
    predicate = query.predicate if isinstance(query, (Filter, Slice)) else None
    is_off = predicate is not None and request.pushdown == "off"
    if isinstance(query, CountRows):
        counts.check_way(name)
        if request.pushdown == "off":
            whole = f"table = {way.expression.format(threads=threads, keyed=keyed)}"
            return code_of([f"file = {opened}", whole, *of_table(query, request.version)], imports, before)
        if query.predicate is None and request.switches.get("api") != "dataset":
            return code_of([f"file = {opened}", counts.code_of_footer()], imports, before)
        files = f"files = fs.LocalFileSystem(use_mmap={memory_map})"
        body = [files, *open_data_set("Parquet", _scan_of(keyed)), *of_data_set(query, options)]
        return code_of(body, imports, before)
    if isinstance(query, Fields):
        counts.check_way(name)
        if query.predicate is not None and request.pushdown == "off":
            whole = f"table = {way.expression.format(threads=threads, keyed=keyed)}"
            return code_of([f"file = {opened}", whole, *of_table(query, request.version)], imports, before)
        if query.predicate is None and request.switches.get("api") != "dataset":
            return code_of([f"file = {opened}", *fields.code_of_file(query, options)], imports, before)
        files = f"files = fs.LocalFileSystem(use_mmap={memory_map})"
        body = [files, *open_data_set("Parquet", _scan_of(keyed)), *of_data_set(query, options)]
        return code_of(body, imports, before)
    scanned = _scanned(query, name, request.switches.get("api"))
    if scanned and isinstance(query, (Filter, Slice, Project)) and not is_off:
        imports += imports_of(query, "dataset")
        body += [f"files = fs.LocalFileSystem(use_mmap={memory_map})", f"EXTENSIONS = {EXTENSIONS}"]
        scan = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(**EXTENSIONS)"
        body += open_data_set("Parquet", f"{scan} if EXTENSIONS else None")
        wanted = None if predicate is None else condition(predicate)
        body += [f"wanted = {wanted}", f"columns = {columns_of(query)}"]
        if isinstance(query, Slice):
            body.append(f"offset, rows = {query.offset}, {query.rows}")
        return code_of([*body, f"table = {scanned.format(threads=threads)}"], imports, before)
    if request.switches.get("api") == "dataset":
        files = f"files = fs.LocalFileSystem(use_mmap={memory_map})"
        body += [files, *open_data_set("Parquet", _scan_of(keyed))]
        if not (is_off or isinstance(query, Join)) or request.pushdown == "on":
            return code_of([*body, *of_data_set(query, options)], imports, before)
        assert query is not None
        return code_of(
            [*body, f"table = data.to_table({options})", *of_table(query, request.version)], imports, before
        )
    if isinstance(query, Filter) and request.pushdown == "on":
        body = [
            f"schema = pq.read_schema(FILE{keyed})",
            f"wanted = {condition(query.predicate)}",
            f"files = fs.LocalFileSystem(use_mmap={memory_map})",
            f"options = dict(columns={columns_of(query)}, filesystem=files, {options}{keyed})",
            "table = pq.read_table(FILE, filters=wanted, partitioning=None, **options)",
        ]
    elif query is None or is_off:
        body = [f"file = {opened}", f"table = {way.expression.format(threads=threads, keyed=keyed)}"]
        body += of_table(query, request.version) if query else []
    elif isinstance(query, Slice):
        body = [f"file = {opened}", *slice_of_file(query, threads=threads)]
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


def _scan_of(keyed: str) -> str:
    """Return the options of a data set's format that hand over `KEYS`; none for a file without keys."""
    given = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(decryption_properties=KEYS)"
    return given if keyed else ""


def _scanned(query: Query | None, name: str, api: str | None) -> str:
    """Return the expression of a way of data sets that a query is asked in, "" for another way."""
    if not isinstance(query, Slice):
        return QUERIES.get(name, "")
    if name in SLICES or (query.predicate is not None and api != "dataset"):
        return SLICES.get(name, SLICES["scan"])
    return ""
