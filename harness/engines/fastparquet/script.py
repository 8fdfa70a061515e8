"""Scripts that query with fastparquet: the source that its adapter executes."""

from __future__ import annotations

from harness.engines.fastparquet.query import statements
from harness.engines.fastparquet.rendering import PANDAS
from harness.engines.fastparquet.ways import QUERIES, WAYS
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with fastparquet."""
    query = request.query
    ways = QUERIES if query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    body = [f"file = {way.opened}", "names = list(file.schema.root['children'])"]
    body += statements(query, request.pushdown, way) if query else [f"frame = {way.whole}"]
    return Code(PANDAS, [*body, "return told(frame)"])
