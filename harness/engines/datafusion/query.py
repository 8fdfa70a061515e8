"""Queries as DataFusion's expressions, constants as Arrow scalars of the column's type."""

from __future__ import annotations

import inspect
from typing import Any

from corpora.column_queries import offset_of
from corpora.predicates import (
    Compare,
    Computed,
    In,
    IsNull,
    NullSafe,
    Predicate,
    StartsWith,
    Test,
    leaves,
    unhandled,
)
from corpora.queries import (
    COUNT,
    VALUE,
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
    Slice,
    Sorted,
    Top,
    TopRows,
    predicate_of,
)
from harness.engines.datafusion.sql import is_sql, not_in, statement
from harness.engines.datafusion.versions import LITERAL
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import (
    arrow,
    evaluate,
    evaluate_arrow,
    execute,
    fields_list,
    joined,
    operator,
)
from harness.engines.scripts.select import MATCH, SMALL, SOURCE
from harness.engines.terms import arrow_type, only, text_of

_TEXTS = ("string", "large_string", "string_view")  # the last since pyarrow 16
_PARQUET = "datafusion.execution.parquet."
_BLOOM, _BLOOM_SINCE = "bloom_filter_on_read", 38
_SKIPPING = ("pruning", "enable_page_index", _BLOOM, "pushdown_filters", "reorder_filters")
_DYNAMIC, _DYNAMIC_SINCE = "datafusion.optimizer.enable_dynamic_filter_pushdown", 49
NUMBER_OF_ROWS = f"frame.aggregate([], [datafusion.functions.count_star().alias({COUNT!a})])"


def settings(pushdown: str, version: str = "") -> dict[str, str]:
    """Return the options of a session (https://datafusion.apache.org/user-guide/configs.html).

    `on` is the defaults: row groups and pages are skipped, and rows filtered after they were read; `late`
    filters rows while they are read; `off` skips nothing, and trusts no statistics for aggregates. Before 38
    no option concerns reading Bloom filters, before 49 none filters of joins and sorts; one that is unknown
    ends in a panic; "" is a new version.
    """
    if pushdown == "late":
        return {_PARQUET + "pushdown_filters": "true"}
    if pushdown != "off":
        return {}
    release = int(version.partition(".")[0]) if version else _DYNAMIC_SINCE
    off = {_PARQUET + name: "false" for name in _SKIPPING if release >= _BLOOM_SINCE or name != _BLOOM}
    if release >= _DYNAMIC_SINCE:
        off[_DYNAMIC] = "false"
    return {**off, "datafusion.execution.collect_statistics": "false"}


def ask(datafusion: Any, session: Any, frame: Any, query: Query) -> Any:
    """Return the data frame that is the answer to a query; `frame` is that of the file, of `session`."""
    schema = frame.schema()
    if isinstance(query, Batches):
        return frame
    if isinstance(query, (Distinct, Groups, Top)):
        _check_type(query.path, schema)
        return evaluate(of_column(query), {"datafusion": datafusion, "frame": frame})
    assert isinstance(query, (Aggregate, CountRows, Fields, Filter, Join, Slice, Project, TopRows))
    rows = frame
    predicate = predicate_of(query)
    if predicate is not None:
        if is_sql(predicate):
            rows = _by_sql(session, frame, predicate, schema)
        else:
            rows = frame.filter(expression(datafusion, predicate, schema))
    if isinstance(query, Aggregate):
        return _aggregate(datafusion, rows, query, schema)
    if isinstance(query, CountRows):
        return evaluate(NUMBER_OF_ROWS, {"datafusion": datafusion, "frame": rows})
    if isinstance(query, Fields):
        for path in query.paths:
            _check_type(path, schema)
        return rows.select(*evaluate(f"[{fields_list(query, column_source)}]", {"datafusion": datafusion}))
    if isinstance(query, Slice):
        rows = evaluate(slice_of(query), {"frame": rows})
    elif isinstance(query, Join):
        rows = _joined(datafusion, session, frame, query)
    elif isinstance(query, TopRows):
        _check_type(query.path, schema)
        rows = evaluate(first_of(query), {"datafusion": datafusion, "frame": rows})
    if query.columns is None:
        return rows
    names = [column_source((only(name, schema.names),)) for name in query.columns]
    return rows.select(*[evaluate(name, {"datafusion": datafusion}) for name in names])


def _aggregate(datafusion: Any, frame: Any, query: Aggregate, schema: Any) -> Any:
    _check_type(query.path, schema)
    return frame.aggregate([], list(evaluate(f"({aggregates(query)})", {"datafusion": datafusion})))


def _check_type(path: tuple[str, ...], schema: Any) -> None:
    """Raise Unsupported for a column that is not there, or is not the only one."""
    import pyarrow as pa

    arrow_type(pa, schema, path)


def _joined(datafusion: Any, session: Any, frame: Any, query: Join) -> Any:
    import pyarrow as pa

    schema = frame.schema()
    _check_type(query.path, schema)
    if MATCH in schema.names:
        raise Unsupported(f"a column is called {MATCH}, as that of the small table")
    names = {"datafusion": datafusion, "session": session, "frame": frame}
    if isinstance(query, AntiJoin) and query.not_in:
        _check_parameters(session)
        session.register_table(SOURCE, frame.into_view())
        evaluate_arrow(small_table(query, SMALL), pa, schema, names)
        return session.sql(not_in(query))
    if not hasattr(frame, "join_on"):
        raise Unsupported("this DataFusion joins by columns of one name alone")
    return evaluate_arrow(join(query), pa, schema, names)


def _by_sql(session: Any, frame: Any, predicate: Predicate, schema: Any) -> Any:
    import pyarrow as pa

    for test in leaves(predicate):
        _check_type(test.path, schema)
    _check_parameters(session)
    sql, parameters = statement(predicate)
    session.register_table(SOURCE, frame.into_view())
    values = {name: evaluate_arrow(value, pa, schema, {}) for name, value in parameters.items()}
    return session.sql(sql, param_values=values)


def _check_parameters(session: Any) -> None:
    """Raise Unsupported for a release without parameters of SQL, which registers no frame as a table, too."""
    if "param_values" not in inspect.signature(session.sql).parameters:
        raise Unsupported("this DataFusion takes no parameters of SQL, and no frames as tables")


def expression(datafusion: Any, predicate: Predicate, schema: Any) -> Any:
    """Return the `datafusion.Expr` of a predicate."""
    import pyarrow as pa

    for test in leaves(predicate):
        type_ = arrow_type(pa, schema, test.path)
        if isinstance(test, StartsWith) and type_ not in texts(pa):
            raise Unsupported(f"DataFusion's starts_with takes text, not {type_}")
    text = condition(predicate, "literal")
    names = execute(LITERAL.splitlines(), {"datafusion": datafusion})
    return evaluate_arrow(text, pa, schema, {"datafusion": datafusion, "literal": names["literal"]})


def texts(pa: Any) -> list[Any]:
    """Return the types of text that this pyarrow has."""
    return [getattr(pa, name)() for name in _TEXTS if hasattr(pa, name)]


def aggregates(query: Aggregate) -> str:
    """Return the expressions of an aggregate, joined by commas."""
    column = column_source(query.path)
    calls = ("count_star()", f"count({column})", f"min({column})", f"max({column})")
    return ", ".join(f"datafusion.functions.{call}.alias({name!a})" for call, name in zip(calls, query.names))


def of_column(query: Distinct | Groups | Top) -> str:
    """Return the expression of a query of the values of a column, of `frame`."""
    value = f"{column_source(query.path)}.alias({VALUE!a})"
    if isinstance(query, Distinct):
        return f"frame.select({value}).distinct()"
    if isinstance(query, Groups):
        count = f"datafusion.functions.count_star().alias({COUNT!a})"
        return f"frame.aggregate([{value}], [{count}])"
    return f"frame.select({value}).sort(datafusion.col({VALUE!a}).sort({_order(query)})).limit({query.rows})"


def first_of(query: TopRows) -> str:
    """Return the expression of the first rows, in the order of a column, of a `frame` that was filtered."""
    offset = f", {offset_of(query)}" if offset_of(query) else ""
    return f"frame.sort({column_source(query.path)}.sort({_order(query)})).limit({query.rows}{offset})"


def _order(query: Sorted) -> str:
    return f"ascending={not query.descending}, nulls_first={query.nulls_first}"


def slice_of(query: Slice) -> str:
    """Return the expression of the rows of a slice, of a `frame` that has been filtered."""
    return f"frame.limit({query.rows}, {query.offset})"


def small_table(query: Join, name: str = "") -> str:
    """Return the expression of the small table of a join, a table of `session`, which has a name in SQL."""
    values = arrow(query.type, query.values, f"type_of(schema, {query.path!a})")
    return f"session.from_arrow(pa.table({{{MATCH!a}: {values}}}){f', {name!a}' if name else ''})"


def join(query: Join) -> str:
    """Return the expression of a join of `frame` and a table of `session`; NOT IN is asked in SQL."""
    test = f"{column_source(query.path)} == datafusion.col({MATCH!a})"
    how = "anti" if isinstance(query, AntiJoin) else "semi"
    return f"frame.join_on({small_table(query)}, {test}, how={how!a})"


def condition(predicate: Predicate, literal: str = "datafusion.lit") -> str:
    """Return a predicate as an expression of DataFusion, of `type_of` and the `schema` of the columns.

    `literal` is the function of constants.
    """
    return joined(predicate, lambda test, _: _test(test, literal), untrue=None)  # SQL has one: `is_sql`


def _test(test: Test, literal: str) -> str:
    column, target = column_source(test.path), f"type_of(schema, {test.path!a})"
    if isinstance(test, IsNull):
        return f"{column}.is_null()"
    if isinstance(test, StartsWith):
        return f"datafusion.functions.starts_with({column}, {literal}({text_of(test.prefix)!a}))"
    if isinstance(test, Compare):
        constant = f"{literal}({arrow(test.type, (test.value,), target)}[0])"
        return f"{column} {operator(test.op)} {constant}"
    if isinstance(test, In):
        constants = f"[{literal}(value) for value in {arrow(test.type, test.values, target)}]"
        return f"datafusion.functions.in_list({column}, {constants}, False)"
    if isinstance(test, (NullSafe, Computed)):
        raise Unsupported("DataFusion tests null-safe equality and functions in SQL only")
    raise unhandled(test)


def column_source(path: tuple[str, ...]) -> str:
    """Return the expression of a column, or of a field of structs."""
    name = '"' + path[0].replace('"', '""') + '"'
    return f"datafusion.col({name!a})" + "".join(f"[{field!a}]" for field in path[1:])
