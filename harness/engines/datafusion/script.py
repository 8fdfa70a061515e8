"""Scripts that query with DataFusion: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import (
    Aggregate,
    AntiJoin,
    Batches,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    Top,
    TopRows,
    predicate_of,
)
from harness.engines.datafusion import table as datafusion_table
from harness.engines.datafusion.query import (
    NUMBER_OF_ROWS,
    aggregates,
    column_source,
    condition,
    first_of,
    join,
    of_column,
    settings,
    slice_of,
    small_table,
)
from harness.engines.datafusion.sql import is_sql, not_in, statement
from harness.engines.datafusion.versions import helpers_of, imported, literal, session
from harness.engines.datafusion.ways import QUERIES, WAYS
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import fields_list
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.scripts.select import SMALL, SOURCE


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with DataFusion."""
    if request.read is not None:
        return datafusion_table.code(request, request.read, _asking(request.query, request.version))
    query = request.query
    ways = QUERIES if query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    given = {**(settings(request.pushdown, request.version) if query else {}), **way.options}
    config = f"datafusion.SessionConfig({given or ''}).with_target_partitions({way.partitions})"
    if isinstance(query, Batches):
        config += f".with_batch_size({query.rows})"
    pruning = f", parquet_pruning={request.pushdown != 'off'}" if query else ""
    body = [
        f"session = {session(config, request.version)}",
        f"frame = session.read_parquet(FILE{pruning})",
    ]
    body += _asking(query, request.version)
    imports = [
        imported(request.version),
        *(["import decimal"] if isinstance(query, Join) or (query and predicate_of(query)) else []),
    ]
    stream = 'hasattr(answer, "__arrow_c_stream__")'
    answer = [
        f"answer = {way.expression}",
        f"return told(pa.table(answer) if {stream} else answer.to_arrow_table())",
    ]
    return Code(ARROW, [*body, *answer], imports, helpers_of(body, request.version))


def _asking(query: Query | None, version: str) -> list[str]:
    """Return the statements that make `frame` the answer to a query of it."""
    body = []
    predicate = None if query is None else predicate_of(query)
    if predicate is not None and is_sql(predicate):
        sql, parameters = statement(predicate)
        values = ", ".join(f"{name!a}: {value}" for name, value in parameters.items())
        body += ["schema = frame.schema()", f"session.register_table({SOURCE!a}, frame.into_view())"]
        body.append(f"frame = session.sql({sql!a}, param_values={{{values}}})")
    elif predicate is not None:
        body += ["schema = frame.schema()", f"frame = frame.filter({condition(predicate, literal(version))})"]
    if isinstance(query, Fields):
        body.append(f"frame = frame.select({fields_list(query, column_source)})")
    elif isinstance(query, CountRows):
        body.append(f"frame = {NUMBER_OF_ROWS}")
    elif isinstance(query, Slice):
        body.append(f"frame = {slice_of(query)}")
    elif isinstance(query, AntiJoin) and query.not_in:
        body += ["schema = frame.schema()", f"session.register_table({SOURCE!a}, frame.into_view())"]
        body += [small_table(query, SMALL), f"frame = session.sql({not_in(query)!a})"]
    elif isinstance(query, Join):
        body += ["schema = frame.schema()", f"frame = {join(query)}"]
    elif isinstance(query, (Distinct, Groups, Top)):
        body.append(f"frame = {of_column(query)}")
    elif isinstance(query, TopRows):
        body.append(f"frame = {first_of(query)}")
    if isinstance(query, (Filter, Join, Slice, Project, TopRows)) and query.columns is not None:
        body.append(f"frame = frame.select({', '.join(column_source((name,)) for name in query.columns)})")
    elif isinstance(query, Aggregate):
        body.append(f"frame = frame.aggregate([], [{aggregates(query)}])")
    elif isinstance(query, RowGroup):
        raise Unsupported("DataFusion has no option to read a row group")
    return body
