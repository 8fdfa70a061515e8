"""Scripts that query with fastparquet: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import CountRows, Filter, Project, RowGroup, Slice
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.query import count_source, filters_source
from harness.engines.fastparquet.rendering import PANDAS
from harness.engines.fastparquet.ways import QUERIES, WAYS, Way, slice_of
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with fastparquet."""
    query = request.query
    ways = QUERIES if query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    body = [f"file = {way.opened}", "names = list(file.schema.root['children'])"]
    if query is None:
        body.append(f"frame = {way.whole}")
    elif isinstance(query, RowGroup):
        body.append(f"frame = file[{query.number}].to_pandas(index=False)")
    elif isinstance(query, Slice):
        body += [] if query.columns is None else [f"names = {list(query.columns)!a}"]
        body.append(f"frame = {slice_of(query)}[names]")
    elif isinstance(query, CountRows):
        body += [] if query.predicate is None else [f"wanted = {filters_source(query.predicate)}"]
        body.append(f"frame = {count_source(query, request.pushdown, way)}")
    elif isinstance(query, (Project, Filter)):
        chosen = "names" if query.columns is None else ascii(list(query.columns))
        if isinstance(query, Project):
            body.append(f"frame = file.to_pandas(columns={chosen}, index=False)[{chosen}]")
        else:
            body += _filtered(query, chosen, request.pushdown, way)
    else:
        raise Unsupported(f"fastparquet does not answer queries of kind {query.kind}")
    return Code(PANDAS, [*body, "return told(frame)"])


def _filtered(query: Filter, chosen: str, pushdown: str, way: Way) -> list[str]:
    body = [f"wanted = {filters_source(query.predicate)}"]
    if pushdown == "rows":
        options = "filters=wanted, row_filter=True, index=False"
        read = f"file.to_pandas(columns={chosen}, {options})[{chosen}]"
        return [*body, f"frame = {read}"]
    return [
        *body,
        "tests = wanted",
        *(["wanted = []"] if pushdown == "off" else []),
        f"frame = {way.groups}",
        f"frame = frame[file._column_filter(frame, tests)].reset_index(drop=True)[{chosen}]",
    ]
