"""How DataFusion is asked: queries as its own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import Compare, In, IsNull, StartsWith
from corpora.queries import AGGREGATES, Aggregate, Batches, Filter, Project, RowGroup
from harness.engines.datafusion import query as datafusion_query
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import TYPE_OF, arrow, asks_types, joined, operator
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest
from harness.engines.terms import text_of

if TYPE_CHECKING:
    from corpora.predicates import Predicate


def code(request: ScriptRequest) -> Code:
    """Return the code that asks DataFusion."""
    query, given = request.query, datafusion_query.settings(request.pushdown)
    config = f"datafusion.SessionConfig({given or ''}).with_target_partitions(1)"
    if isinstance(query, Batches):
        config += f".with_batch_size({query.rows})"
    pruning = f", parquet_pruning={request.pushdown != 'off'}" if query else ""
    body = [f"session = datafusion.SessionContext({config})", f"frame = session.read_parquet(FILE{pruning})"]
    if isinstance(query, Filter):
        body += ["schema = frame.schema()", f"frame = frame.filter({_condition(query.predicate)})"]
    if isinstance(query, (Filter, Project)) and query.columns is not None:
        body.append(f"frame = frame.select({', '.join(_column((name,)) for name in query.columns)})")
    elif isinstance(query, Aggregate):
        column = _column(query.path)
        calls = ("count_star()", f"count({column})", f"min({column})", f"max({column})")
        pairs = zip(calls, AGGREGATES)
        named = ", ".join(f"datafusion.functions.{call}.alias({name!a})" for call, name in pairs)
        body.append(f"frame = frame.aggregate([], [{named}])")
    elif isinstance(query, RowGroup):
        raise Unsupported("DataFusion cannot be asked for a row group")
    imports = ["import datafusion", *(["import decimal"] if isinstance(query, Filter) else [])]
    helpers = TYPE_OF if asks_types(body) else ""
    return Code(ARROW, [*body, "return told(frame.to_arrow_table())"], imports, helpers)


def _condition(predicate: Predicate) -> str:
    def leaf(test: Any, _: bool) -> str:
        column, target = _column(test.path), f"type_of(schema, {test.path!a})"
        if isinstance(test, IsNull):
            return f"{column}.is_null()"
        if isinstance(test, StartsWith):
            prefix = ascii(text_of(test.prefix))
            return f"datafusion.functions.starts_with({column}, datafusion.lit({prefix}))"
        if isinstance(test, Compare):
            constant = arrow(test.type, test.value, target)
            return f"{column} {operator(test.op)} datafusion.lit({constant})"
        assert isinstance(test, In)
        constants = [f"datafusion.lit({arrow(test.type, value, target)})" for value in test.values]
        return f"datafusion.functions.in_list({column}, [{', '.join(constants)}])"

    return joined(predicate, leaf)


def _column(path: tuple[str, ...]) -> str:
    name = '"' + path[0].replace('"', '""') + '"'
    return f"datafusion.col({name!a})" + "".join(f"[{one!a}]" for one in path[1:])
