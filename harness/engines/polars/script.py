"""Scripts that query with Polars: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import (
    Aggregate,
    Batches,
    Distinct,
    Filter,
    Groups,
    Project,
    RowGroup,
    SemiJoin,
    Top,
)
from harness.engines.errors import Unsupported
from harness.engines.polars import table as polars_table
from harness.engines.polars.query import aggregates, condition, of_column, select_list, semi_join
from harness.engines.polars.ways import WAYS
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

_HELPERS = '''
def type_of(path):
    """The type of a column, or of a field of a struct."""
    scan = pl.scan_parquet(FILE, glob=False, hive_partitioning=False)
    schema = scan.collect_schema() if hasattr(scan, "collect_schema") else scan.schema
    found = schema[path[0]]
    for name in path[1:]:
        found = {field.name: field.dtype for field in found.fields}[name]
    return found


def among(pl, series):
    """Values as is_in takes them: a list since 1.28, before a series."""
    return series.implode() if hasattr(pl, "QueryOptFlags") else series


def length(pl):
    """The number of rows; `count` without a column before 0.20.7."""
    return pl.len() if hasattr(pl, "len") else pl.count()


def moment(nanos, dtype):
    """A count of time as a literal of a column's type."""
    unit = {"ns": 1, "us": 1000, "ms": 10**6}[getattr(dtype, "time_unit", "ns")]
    return pl.lit(nanos // unit, dtype=pl.Int64).cast(dtype)


def collected(scan, streaming, pushdown):
    """The answer of a scan; options have other names before 1.30."""
    if not hasattr(pl, "QueryOptFlags"):
        return scan.collect(streaming=streaming, predicate_pushdown=pushdown)
    flags = pl.QueryOptFlags(predicate_pushdown=pushdown)
    return scan.collect(engine="streaming" if streaming else "in-memory", optimizations=flags)
'''


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with Polars."""
    if request.read is not None:
        return polars_table.code(request, request.read)
    query, lazy, on = request.query, request.switches.get("api") == "lazy", request.pushdown != "off"
    path = "FILE, glob=False, hive_partitioning=False"
    way = WAYS[request.switches.get("way", "default")]
    if not lazy and query is None and way.of_scan:
        body = [f"scan = pl.scan_parquet({path})", "rows = scan.select(length(pl)).collect().item()"]
        close = way.expression
    elif not lazy and (query is None or not on):
        options = "".join(f", {name}={value!a}" for name, value in way.options.items())
        body, close = [f"frame = pl.read_parquet({path}{options})"], way.expression
    else:
        text = "" if query is None else f", use_statistics={on}"
        body = [f"frame = pl.scan_parquet({path}{text})"]
        close = f"collected(frame, streaming={lazy}, pushdown={on})"
    if isinstance(query, Filter):
        body.append(f"frame = frame.filter({condition(query.predicate)})")
    elif isinstance(query, SemiJoin):
        body.append(f"frame = {semi_join(query)}")
    elif isinstance(query, (Distinct, Groups, Top)):
        body.append(f"frame = {of_column(query)}")
    if isinstance(query, (Filter, SemiJoin, Project)) and query.columns is not None:
        body.append(f"frame = frame.select([{select_list(query.columns)}])")
    elif isinstance(query, Aggregate):
        body.append(f"frame = frame.select([{aggregates(query)}])")
    elif isinstance(query, (RowGroup, Batches)):
        raise Unsupported(f"Polars does not answer queries of kind {query.kind}")
    return Code(
        ARROW,
        [*body, f"return told({close}.to_arrow())"],
        ["import decimal", "import polars as pl"],
        _HELPERS,
    )
