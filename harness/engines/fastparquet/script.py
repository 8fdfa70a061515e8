"""How fastparquet is asked: queries as its own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora.constants import TEXT
from corpora.predicates import And, Compare, In, Or
from corpora.queries import Filter, Project, RowGroup
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.rendering import PANDAS
from harness.engines.scripts.literals import python
from harness.engines.scripts.request import Code, ScriptRequest

if TYPE_CHECKING:
    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value


def code(request: ScriptRequest) -> Code:
    """Return the code that asks fastparquet."""
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
    wanted = "[" + ", ".join(f"[{', '.join(group)}]" for group in _groups(query.predicate)) + "]"
    body = [f"wanted = {wanted}"]
    if pushdown == "rows":
        read = "file.to_pandas(columns=names, filters=wanted, row_filter=True, index=False)[names]"
        return [*body, f"frame = {read}"]
    groups = "[]" if pushdown == "off" else "wanted"
    return [
        *body,
        f"frame = file.to_pandas(filters={groups}, index=False)",
        "frame = frame[file._column_filter(frame, wanted)].reset_index(drop=True)[names]",
    ]


def _groups(predicate: Predicate) -> list[list[str]]:
    """Return tests joined by AND, joined by OR; what fastparquet has no words for is Unsupported."""
    if isinstance(predicate, Or):
        return [group for one in predicate.of for group in _groups(one)]
    if isinstance(predicate, And):
        joined_: list[list[str]] = [[]]
        for part in predicate.of:
            joined_ = [one + other for one in joined_ for other in _groups(part)]
        return joined_
    if not isinstance(predicate, (Compare, In)) or len(predicate.path) > 1:
        raise Unsupported(f"fastparquet has no filter for {predicate}")
    name = predicate.path[0]
    if isinstance(predicate, In):
        values = ", ".join(_pandas(predicate.type, value) for value in predicate.values)
        return [[f"({name!a}, 'in', [{values}])"]]
    op = "==" if predicate.op == "=" else predicate.op
    return [[f"({name!a}, {op!a}, {_pandas(predicate.type, predicate.value)})"]]


def _pandas(type_: Type, value: Value) -> str:
    kind, text = type_.kind, python(type_, value)
    if kind == "date":
        return f"np.datetime64({text}, 'D')"
    if kind in ("timestamp", "int96"):
        return f"np.datetime64({text}, {type_.unit or 'ns'!a})"
    if kind == "time":
        return f"np.timedelta64({text}, {type_.unit!a})"
    if kind in ("int", "float", "bool", "bytes", *TEXT):
        return text
    raise Unsupported(f"a constant of type {type_}, which pandas does not have")
