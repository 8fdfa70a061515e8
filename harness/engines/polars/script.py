"""Scripts that query with Polars: the source that its adapter executes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from corpora.queries import Query
from harness.engines.polars import table as polars_table
from harness.engines.polars.query import steps
from harness.engines.polars.versions import (
    among,
    is_extension,
    length,
    moment,
    parameters,
    storage_of,
    taken,
    unit,
)
from harness.engines.polars.ways import NUMBER, QUERIES, WAYS, QueryWay, Way
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

_PLAIN = "glob=False, hive_partitioning=False"
_ALL_OPTIONS = (1,)  # all releases since then have these options
_HELPERS = '''
def declared(path):
    """The type of a column, or of a field of a struct, as Polars has it."""
    {scan}
    schema = scan.collect_schema() if hasattr(scan, "collect_schema") else scan.schema
    found = schema[path[0]]
    for name in path[1:]:
        found = {field.name: field.dtype for field in found.fields}[name]
    return found


def of_extension(path):
    """Whether a column is of an extension type, such as arrow.json."""
    return is_extension(declared(path))


def type_of(path):
    """The type of a column, or that in which its extension type is stored."""
    return storage_of(declared(path))


def collect(scan, streaming, **flags):
    """The answer of a scan; options have other names before 1.30."""
    if not hasattr(pl, "QueryOptFlags"):
        return scan.collect(streaming=streaming, **flags)
    flags = pl.QueryOptFlags(**flags)
    return scan.collect(engine="streaming" if streaming else "in-memory", optimizations=flags)


'''
Functions = tuple[Callable[..., Any], ...]
_FUNCTIONS: Functions = (among, is_extension, length, moment, storage_of, unit)


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with Polars."""
    if request.read is not None:
        scan = polars_table.scan_of(request, request.read)
        return polars_table.code(request, request.read, _asking(request.query), _helpers(request, scan))
    query, lazy, on = request.query, request.switches.get("api") == "lazy", request.pushdown != "off"
    name = request.switches.get("way", "default")
    is_scan = lazy or (query is not None and on)
    if is_scan:
        body, close = _of_scan(request, QUERIES.get(name, QUERIES["default"]))
    else:
        body, close = _of_file(WAYS["default"] if query else WAYS.get(name, WAYS["default"]), request)
        body += _asking(query)
    return Code(
        ARROW,
        [*body, f"return told({close}.to_arrow())"],
        ["import decimal", *_imports(request), "import polars as pl"],
        _helpers(request, _opened("scan_parquet" if is_scan else "read_parquet", request)),
        takes_patterns=request.is_before(*_ALL_OPTIONS),
    )


def _imports(request: ScriptRequest) -> list[str]:
    """Return the imports of the functions that a script calls."""
    older = ["import inspect", "from collections.abc import Callable"]
    return [*(older if request.is_before(*_ALL_OPTIONS) else []), "from typing import Any"]


def _helpers(request: ScriptRequest, scan: str) -> str:
    """Return the functions that a script calls; `scan` is the expression whose columns have types."""
    older: Functions = (parameters, taken) if request.is_before(*_ALL_OPTIONS) else ()
    return _HELPERS.replace("{scan}", f"scan = {scan}") + "\n\n".join(
        map(inspect.getsource, (*_FUNCTIONS, *older))
    )


def _opened(function: str, request: ScriptRequest, options: str = "") -> str:
    """Return the call that opens `FILE`, which is neither a pattern nor a source of columns."""
    plain = f"**taken(pl.{function}, {_PLAIN})" if request.is_before(*_ALL_OPTIONS) else _PLAIN
    return f"pl.{function}(FILE, {plain}{options})"


def _of_file(way: Way, request: ScriptRequest) -> tuple[list[str], str]:
    """Return the statements that read a file whole, and the expression of what was read."""
    if way.of_scan:
        scan = _opened("scan_parquet", request)
        lines = [f"scan = {scan}", "rows = scan.select(length(pl)).collect().item()"]
        return lines, way.expression
    return [f"frame = {_opened('read_parquet', request, _given(way.options))}"], way.expression


def _of_scan(request: ScriptRequest, way: QueryWay) -> tuple[list[str], str]:
    """Return the statements that ask a scan, and the expression that collects its answer."""
    query, on = request.query, request.pushdown != "off"
    streaming = request.switches.get("api") == "lazy" or way.streaming
    options = {} if query is None else {"use_statistics": on, **way.options}
    body = [f"frame = {_opened('scan_parquet', request, _given(options))}", *_asking(query)]
    flags = f"predicate_pushdown={on}{f', {way.off}=False' if way.off else ''}"
    collected = f"collect(frame, {streaming}, {flags})"
    if query is None or not way.in_parts:
        if NUMBER in options.values() and getattr(query, "columns", ()) is None:
            body.append(f"frame = frame.drop({NUMBER!a})")
        return body, collected
    return [*body, "answer = frame", f"collected = lambda frame: {collected}"], way.expression


def _given(options: dict[str, Any]) -> str:
    return "".join(f", {option}={value!a}" for option, value in options.items())


def _asking(query: Query | None) -> list[str]:
    """Return the statements that make `frame` the answer to a query of it."""
    return [] if query is None else [f"frame = {step}" for step in steps(query)]
