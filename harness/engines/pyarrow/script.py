"""Scripts that query Parquet with pyarrow: the source that its adapter executes."""

from __future__ import annotations

from corpora.keys import Keys
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import statements
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow.ways import EXTENSIONS, WAYS
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with pyarrow for a Parquet file."""
    if request.read is not None:
        return pyarrow_table.code(request, request.read)
    query, switches = request.query, request.switches
    threads, memory_map = switches.get("threads") != "off", switches.get("mmap") == "on"
    api = switches.get("api")
    before, keyed = _keys(request.keys)
    way = WAYS.get(switches.get("way", "default"), WAYS["default"])
    given = f", {way.options.format(keyed=keyed)}" if way.options else ""
    opened = [f"file = pq.ParquetFile(FILE, memory_map={memory_map}{given}{keyed})"]
    files = f"files = fs.LocalFileSystem(use_mmap={memory_map})"
    data = [files, *statements.open_data_set("Parquet", _scan_of(keyed))]
    whole = [*opened, f"table = {way.expression.format(threads=threads, keyed=keyed)}"]
    if api == "dataset":
        whole = [*data, f"table = data.to_table(use_threads={threads})"]
    if query is None:
        body, steps = whole, statements.Steps()
    else:
        place, scan = statements.place(query, switches)
        if place == "table":
            body, steps = whole, statements.of_table(query, request.version)
        elif place == "scan":
            api = "dataset"
            format_ = "default_fragment_scan_options=ds.ParquetFragmentScanOptions(**EXTENSIONS)"
            data = statements.open_data_set("Parquet", f"{format_} if EXTENSIONS else None")
            body = [files, f"EXTENSIONS = {EXTENSIONS}", *data]
            steps = statements.of_scan(query, scan, threads=threads)
        elif place == "data":
            body, steps = data, statements.of_data_set(query, threads=threads)
        elif place == "read":
            body = [f"schema = pq.read_schema(FILE{keyed})", files]
            steps = statements.of_read(query, request.version, f"use_threads={threads}{keyed}")
        else:
            body, steps = opened, statements.of_file(query, threads=threads)
    imports = ["import pyarrow.parquet as pq", *statements.imports_of(query, api)]
    imports += ["from pyarrow.parquet import encryption"] if before else []
    imports += ["import pandas as pd"] if way.pandas else []
    return statements.code_of([*body, *statements.lines(steps)], imports, before)


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
