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
from corpora.query_base import OfColumn
from harness.engines.datafusion.sql import is_sql, not_in, statement
from harness.engines.datafusion.versions import LITERAL
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import (
    arrow,
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
    import pyarrow as pa

    schema = frame.schema()
    _check(pa, session, frame, query, schema)
    names = execute(LITERAL.splitlines(), {"datafusion": datafusion, "session": session, "frame": frame})
    for name, expression in steps(query, "literal"):
        names[name] = evaluate_arrow(expression, pa, schema, names)
    return names["frame"]


def steps(query: Query, literal: str) -> list[tuple[str, str]]:
    """Return expressions and the names of their values, the last of which is `frame`, the answer to a query.

    They are of `datafusion`, of the `frame` of the file, of its `session` and, if they have any constants, of
    its `schema` and `type_of`; `literal` is the function of constants. The name "" is of no value.
    """
    predicate, columns = predicate_of(query), getattr(query, "columns", None)
    result = [] if predicate is None else _filter(predicate, literal)
    if isinstance(query, Slice):
        result.append(("frame", f"frame.limit({query.rows}, {query.offset})"))
    elif isinstance(query, Join):
        result += _join(query)
    elif isinstance(query, (Distinct, Groups, Top)):
        result.append(("frame", _of_column(query)))
    elif isinstance(query, TopRows):
        result.append(("frame", _first_of(query)))
    elif isinstance(query, Aggregate):
        result.append(("frame", f"frame.aggregate([], [{_aggregates(query)}])"))
    elif isinstance(query, CountRows):
        count = f"datafusion.functions.count_star().alias({COUNT!a})"
        result.append(("frame", f"frame.aggregate([], [{count}])"))
    elif isinstance(query, Fields):
        result.append(("frame", f"frame.select({fields_list(query, _column)})"))
    elif not isinstance(query, (Batches, Filter, Project)):
        raise Unsupported(f"DataFusion does not answer queries of kind {query.kind}")
    if columns is not None:
        result.append(("frame", f"frame.select({', '.join(_column((name,)) for name in columns)})"))
    return result


def _check(pa: Any, session: Any, frame: Any, query: Query, schema: Any) -> None:
    """Raise Unsupported for columns that are not there or not the only ones, and for what a release lacks."""
    for name in getattr(query, "columns", None) or ():
        only(name, schema.names)
    for path in (
        query.paths if isinstance(query, Fields) else [query.path] if isinstance(query, OfColumn) else []
    ):
        arrow_type(pa, schema, path)
    predicate = predicate_of(query)
    by_sql = predicate is not None and is_sql(predicate)
    for test in () if predicate is None else leaves(predicate):
        type_ = arrow_type(pa, schema, test.path)
        if isinstance(test, StartsWith) and not by_sql and type_ not in texts(pa):
            raise Unsupported(f"DataFusion's starts_with takes text, not {type_}")
    not_in = isinstance(query, AntiJoin) and query.not_in
    if (by_sql or not_in) and "param_values" not in inspect.signature(session.sql).parameters:
        raise Unsupported("this DataFusion takes no parameters of SQL, and no frames as tables")
    if isinstance(query, Join):
        if MATCH in schema.names:
            raise Unsupported(f"a column is called {MATCH}, as that of the small table")
        if not not_in and not hasattr(frame, "join_on"):
            raise Unsupported("this DataFusion joins by columns of one name alone")


def texts(pa: Any) -> list[Any]:
    """Return the types of text that this pyarrow has."""
    return [getattr(pa, name)() for name in _TEXTS if hasattr(pa, name)]


def _aggregates(query: Aggregate) -> str:
    """Return the expressions of an aggregate, joined by commas."""
    column = _column(query.path)
    calls = ("count_star()", f"count({column})", f"min({column})", f"max({column})")
    return ", ".join(f"datafusion.functions.{call}.alias({name!a})" for call, name in zip(calls, query.names))


def _of_column(query: Distinct | Groups | Top) -> str:
    """Return the expression of a query of the values of a column, of `frame`."""
    value = f"{_column(query.path)}.alias({VALUE!a})"
    if isinstance(query, Distinct):
        return f"frame.select({value}).distinct()"
    if isinstance(query, Groups):
        count = f"datafusion.functions.count_star().alias({COUNT!a})"
        return f"frame.aggregate([{value}], [{count}])"
    return f"frame.select({value}).sort(datafusion.col({VALUE!a}).sort({_order(query)})).limit({query.rows})"


def _first_of(query: TopRows) -> str:
    """Return the expression of the first rows, in the order of a column, of a `frame` that was filtered."""
    offset = f", {offset_of(query)}" if offset_of(query) else ""
    return f"frame.sort({_column(query.path)}.sort({_order(query)})).limit({query.rows}{offset})"


def _order(query: Sorted) -> str:
    return f"ascending={not query.descending}, nulls_first={query.nulls_first}"


_SCHEMA = ("schema", "frame.schema()")
_REGISTER = ("", f"session.register_table({SOURCE!a}, frame.into_view())")


def _filter(predicate: Predicate, literal: str) -> list[tuple[str, str]]:
    """Return the steps of a filter; some tests are asked in SQL."""
    if not is_sql(predicate):
        return [_SCHEMA, ("frame", f"frame.filter({condition(predicate, literal)})")]
    sql, parameters = statement(predicate)
    values = ", ".join(f"{name!a}: {value}" for name, value in parameters.items())
    return [_SCHEMA, _REGISTER, ("frame", f"session.sql({sql!a}, param_values={{{values}}})")]


def _join(query: Join) -> list[tuple[str, str]]:
    """Return the steps of a join with a small table of `session`; NOT IN is asked in SQL, by its name."""
    values = arrow(query.type, query.values, f"type_of(schema, {query.path!a})")
    table = f"pa.table({{{MATCH!a}: {values}}})"
    if isinstance(query, AntiJoin) and query.not_in:
        small = ("", f"session.from_arrow({table}, {SMALL!a})")
        return [_SCHEMA, _REGISTER, small, ("frame", f"session.sql({not_in(query)!a})")]
    test = f"{_column(query.path)} == datafusion.col({MATCH!a})"
    how = "anti" if isinstance(query, AntiJoin) else "semi"
    return [_SCHEMA, ("frame", f"frame.join_on(session.from_arrow({table}), {test}, how={how!a})")]


def condition(predicate: Predicate, literal: str = "datafusion.lit") -> str:
    """Return a predicate as an expression of DataFusion, of `type_of` and the `schema` of the columns.

    `literal` is the function of constants.
    """
    return joined(predicate, lambda test, _: _test(test, literal), untrue=None)  # SQL has one: `is_sql`


def _test(test: Test, literal: str) -> str:
    column, target = _column(test.path), f"type_of(schema, {test.path!a})"
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


def _column(path: tuple[str, ...]) -> str:
    """Return the expression of a column, or of a field of structs."""
    name = '"' + path[0].replace('"', '""') + '"'
    return f"datafusion.col({name!a})" + "".join(f"[{field!a}]" for field in path[1:])
