"""Queries as expressions of Polars, constants as literals of the column's type."""

from __future__ import annotations

import decimal
import re
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
from corpora.tagged import STRING
from harness.engines.errors import Unsupported
from harness.engines.polars.constants import cast_target, check_constant, constant
from harness.engines.polars.versions import among, is_extension, length, moment, storage_of
from harness.engines.scripts.literals import evaluate, fields_list, joined, operator
from harness.engines.scripts.select import MATCH
from harness.engines.terms import bytes_of, constants_of, only, text_of

_LONGEST = 4_000  # characters; regular expressions have a limit of their size
_UNITS = {"year": "1y", "month": "1mo", "day": "1d", "hour": "1h"}


def ask(pl: Any, frame: Any, query: Query, schema: Any) -> Any:
    """Return a frame, eager or lazy as `frame`, that is the answer to a query; `schema` is the frame's."""
    _check(pl, query, schema)
    names = _names(pl, schema)
    for step in steps(query):
        frame = evaluate(step, {**names, "frame": frame})
    return frame


def steps(query: Query) -> list[str]:
    """Return the expressions that, one after the other, make of `frame` the answer to a query of it."""
    predicate, columns = predicate_of(query), getattr(query, "columns", None)
    result = [] if predicate is None else [f"frame.filter({condition(predicate)})"]
    if isinstance(query, Slice):
        result.append(f"frame.slice({query.offset}, {query.rows})")
    elif isinstance(query, Join):
        result.append(_join(query))
    elif isinstance(query, (Distinct, Groups, Top)):
        result.append(_of_column(query))
    elif isinstance(query, TopRows):
        result.append(_first_of(query))
    elif isinstance(query, Aggregate):
        result.append(f"frame.select([{_aggregates(query)}])")
    elif isinstance(query, CountRows):
        result.append(f"frame.select(length(pl).cast(pl.Int64).alias({COUNT!a}))")
    elif isinstance(query, Fields):
        result.append(f"frame.select([{fields_list(query, _column)}])")
    elif not isinstance(query, (Filter, Project)):
        raise Unsupported(f"Polars does not answer queries of kind {query.kind}")
    if columns == ():
        raise Unsupported("a frame of Polars without columns has no rows")
    if columns is not None:
        result.append(f"frame.select([{', '.join(_column((name,)) for name in columns)}])")
    return result


def _check(pl: Any, query: Query, schema: Any) -> None:
    """Raise Unsupported for columns that are not there, and for constants that they cannot have."""
    for name in getattr(query, "columns", None) or ():
        only(name, schema)
    paths = query.paths if isinstance(query, Fields) else (query.path,) if isinstance(query, OfColumn) else ()
    for path in paths:
        _type_at(pl, schema, path)
    predicate = predicate_of(query)
    for test in () if predicate is None else leaves(predicate):
        dtype = storage_of(_type_at(pl, schema, test.path))
        if isinstance(test, NullSafe) and not hasattr(pl.Expr, "eq_missing"):
            raise Unsupported(f"Polars {pl.__version__} has no null-safe equality")
        for type_, value in constants_of(test) if not isinstance(test, Computed) else ():
            check_constant(pl, type_, value, dtype)
    if isinstance(query, Join):
        if MATCH in schema:
            raise Unsupported(f"a column is called {MATCH}, as that of the small table")
        for value in query.values:
            if value is not None:
                check_constant(pl, query.type, value, storage_of(_type_at(pl, schema, query.path)))


def _names(pl: Any, schema: Any) -> dict[str, Any]:
    """Return the names in the text of an expression that are not columns."""

    def type_of(path: tuple[str, ...]) -> Any:
        return storage_of(_type_at(pl, schema, path))

    def of_extension(path: tuple[str, ...]) -> bool:
        return is_extension(_type_at(pl, schema, path))

    helpers = {"moment": moment, "type_of": type_of, "of_extension": of_extension, "among": among}
    return {"pl": pl, "decimal": decimal, "length": length, **helpers}


def _type_at(pl: Any, schema: Any, path: tuple[str, ...]) -> Any:
    dtype = schema[only(path[0], schema)]
    for name in path[1:]:
        if dtype != pl.Struct:
            raise Unsupported(f"{name!r:.80} is in a {dtype}, not in a struct")
        fields = {field.name: field.dtype for field in dtype.fields}
        dtype = fields[only(name, fields)]
    return dtype


def condition(predicate: Predicate) -> str:
    """Return a predicate as an expression of Polars, of `type_of`, `of_extension`, `moment` and `among`."""
    return joined(predicate, _test, untrue="(~{}.fill_null(False))")


def _test(test: Test, plain: bool) -> str:
    column = _compared(test)
    if isinstance(test, IsNull):
        return f"{column}.is_null()"
    if isinstance(test, StartsWith):
        return _starts_with(column, test)
    if isinstance(test, Compare):
        return f"{column} {operator(test.op)} {constant(test.type, test.value, test.path)}"
    if isinstance(test, Computed):
        return _computed(column, test)
    if isinstance(test, NullSafe):
        return f"{column}.eq_missing({constant(test.type, test.value, test.path)})"
    if isinstance(test, In):
        series = [f"pl.select({constant(test.type, value, test.path)}).to_series()" for value in test.values]
        listed = f"{column}.is_in(among(pl, pl.concat([{', '.join(series)}])))"
        # FALSE where SQL says UNKNOWN, which is the same to a filter unless it stands below NOT.
        return listed if plain or None not in test.values else f"{listed} | pl.lit(None, dtype=pl.Boolean)"
    raise unhandled(test)


def _compared(test: Test) -> str:
    """Return the expression of a test's column: JSON is an extension type, whose stored values compare."""
    if isinstance(test, StartsWith) or (not isinstance(test, IsNull) and test.type.kind == "json"):
        return _stored(test.path)
    return _column(test.path)


def _computed(column: str, test: Computed) -> str:
    """Return a comparison of a function of a column; `truncate` of a timestamp takes a text of its unit."""
    argument = str(test.argument)
    if test.function == "itself":
        return column
    if test.function == "like":
        return _like(column, argument)
    if test.function in {"cast", "year"}:
        target, other = cast_target(test)
        function = f"{column}.cast({target})" if test.function == "cast" else f"{column}.dt.year()"
        return f"{function} {operator(test.test)} {other}"
    function = {
        "add": f"({column} + pl.lit({argument}, dtype=type_of({test.path!a})))",
        "date_trunc": f"{column}.dt.truncate({_UNITS.get(argument, '')!a})",
        "lower": f"{column}.str.to_lowercase()",
        "prefix": f"{column}.str.slice(0, {argument})",
    }[test.function]
    return f"{function} {operator(test.test)} {constant(test.type, test.value, test.path)}"


def _like(column: str, pattern: str) -> str:
    """Return a test of a pattern that begins or ends with any characters, as expressions have no LIKE."""
    text = pattern.strip("%")
    tests = {
        f"%{text}%": f"{column}.str.contains({text!a}, literal=True)",
        f"%{text}": f"{column}.str.ends_with({text!a})",
        f"{text}%": f"{column}.str.starts_with({text!a})",
    }
    if pattern not in tests or "%" in text or "_" in text:
        raise Unsupported("Polars' expressions have no LIKE")
    return tests[pattern]


def _starts_with(column: str, test: StartsWith) -> str:
    binary = f"{column}.bin.starts_with({bytes_of(STRING, test.prefix)!a})"
    try:
        text = f"{column}.str.starts_with({text_of(test.prefix)!a})"
    except Unsupported:  # only bytes begin so
        return binary
    return f"{binary} if type_of({test.path!a}) == pl.Binary else {text}"


def _of_column(query: Distinct | Groups | Top) -> str:
    """Return the expression of a query of the values of a column, of `frame` and `length`."""
    value = f"{_column(query.path)}.alias({VALUE!a})"
    if isinstance(query, Distinct):
        return f"frame.select({value}).unique()"
    if isinstance(query, Groups):
        grouped = f"(frame.group_by if hasattr(frame, 'group_by') else frame.groupby)({value})"
        return f"{grouped}.agg(length(pl).cast(pl.Int64).alias({COUNT!a}))"
    return f"frame.select({value}).sort({VALUE!a}, {_order(query)}).head({query.rows})"


def _first_of(query: TopRows) -> str:
    """Return the expression of the first rows, in the order of a column, of a `frame` that was filtered."""
    offset = offset_of(query)
    taken = f"slice({offset}, {query.rows})" if offset else f"head({query.rows})"
    return f"frame.sort({_column(query.path)}, {_order(query)}).{taken}"


def _order(query: Sorted) -> str:
    return f"descending={query.descending}, nulls_last={not query.nulls_first}"


def _join(query: Join) -> str:
    """Return the expression of a join of `frame`, of the names of an expression of a predicate.

    Raises Unsupported for NOT IN: of the keys of a join, null is equal to nothing.
    """
    if isinstance(query, AntiJoin) and query.not_in:
        raise Unsupported("an anti-join of Polars is not that of NOT IN")
    how = "anti" if isinstance(query, AntiJoin) else "semi"
    series = [f"pl.select({constant(query.type, value, query.path)}).to_series()" for value in query.values]
    small = f"pl.concat([{', '.join(series)}]).alias({MATCH!a}).to_frame()"
    lazy = f"({small}.lazy() if isinstance(frame, pl.LazyFrame) else {small})"
    left = _stored(query.path) if query.type.kind == "json" else _column(query.path)
    return f"frame.join({lazy}, left_on=[{left}], right_on=[{MATCH!a}], how={how!a})"


def _aggregates(query: Aggregate) -> str:
    """Return the expressions of an aggregate, joined by commas."""
    column = _column(query.path)
    counts = ("length(pl).cast(pl.Int64)", f"{column}.count().cast(pl.Int64)")
    parts = (*counts, f"{column}.min()", f"{column}.max()")
    return ", ".join(f"{part}.alias({name!a})" for part, name in zip(parts, query.names))


def _column(path: tuple[str, ...]) -> str:
    """Return the expression of a column, or of a field of structs."""
    return f"pl.col({literal(path[0])!a})" + "".join(f".struct.field({literal(name)!a})" for name in path[1:])


def _stored(path: tuple[str, ...]) -> str:
    """Return the expression of a column's values as they are stored, if its type is an extension."""
    return f"({_column(path)}.ext.storage() if of_extension({path!a}) else {_column(path)})"


def literal(name: str) -> str:
    """Return what `pl.col` takes for the column of this name alone, and `struct.field` for the field.

    https://docs.pola.rs/api/python/stable/reference/expressions/col.html: `*` is every column, `^…$` those
    that a regular expression fits; the one that fits this name is of this form, too.
    https://docs.pola.rs/api/python/stable/reference/expressions/api/polars.Expr.struct.field.html: the same
    holds of fields. Raises Unsupported for a name that is longer than such expressions may be.
    """
    if not (name == "*" or (name.startswith("^") and name.endswith("$"))):
        return name
    if len(name) > _LONGEST:
        raise Unsupported(f"Polars takes {name!r:.80} for a regular expression, and it is too long for one")
    return f"^{re.escape(name)}$"
