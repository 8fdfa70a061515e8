"""Scripts that query with DataFusion: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import Batches, Join, Query, predicate_of
from harness.engines.datafusion import table as datafusion_table
from harness.engines.datafusion.query import settings, steps
from harness.engines.datafusion.versions import helpers_of, imported, literal, session
from harness.engines.datafusion.ways import QUERIES, WAYS
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


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
    parts = steps(query, literal(version)) if query else ()
    return [f"{name} = {expression}" if name else expression for name, expression in parts]
