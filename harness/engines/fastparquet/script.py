"""Scripts that query with fastparquet: the source that its adapter executes."""

from __future__ import annotations

from corpora.queries import Filter, Project, RowGroup
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.query import filters_source
from harness.engines.fastparquet.rendering import PANDAS
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with fastparquet."""
    query = request.query
    body = ["file = fastparquet.ParquetFile(FILE)", "names = list(file.schema.root['children'])"]
    if query is None:
        body.append("frame = file.to_pandas(index=False)")
    elif isinstance(query, RowGroup):
        body.append(f"frame = file[{query.number}].to_pandas(index=False)")
    elif isinstance(query, (Project, Filter)):
        if query.columns is not None:
            body.append(f"names = {list(query.columns)!a}")
        if isinstance(query, Project):
            body.append("frame = file.to_pandas(columns=names, index=False)[names]")
        else:
            body += _filtered(query, request.pushdown)
    else:
        raise Unsupported(f"fastparquet does not answer queries of kind {query.kind}")
    return Code(PANDAS, [*body, "return told(frame)"])


def _filtered(query: Filter, pushdown: str) -> list[str]:
    body = [f"wanted = {filters_source(query.predicate)}"]
    if pushdown == "rows":
        read = "file.to_pandas(columns=names, filters=wanted, row_filter=True, index=False)[names]"
        return [*body, f"frame = {read}"]
    groups = "[]" if pushdown == "off" else "wanted"
    return [
        *body,
        f"frame = file.to_pandas(filters={groups}, index=False)",
        "frame = frame[file._column_filter(frame, wanted)].reset_index(drop=True)[names]",
    ]
