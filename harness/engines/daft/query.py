"""Queries as expressions of Daft, constants as literals of the type of the column: source that is evaluated.

https://docs.daft.ai/en/stable/api/expressions/ and …/api/dataframe/ have the functions.
"""

from __future__ import annotations

import decimal
import struct
from typing import Any

from corpora.column_queries import offset_of
from corpora.constants import BINARY, FLOATS, TEXT
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
    OF_COLUMNS,
    ONE_ROW,
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
from corpora.tagged import STRING, Type, Value
from harness.engines.daft.constants import cast_target, constant
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate, fields_list, joined, operator
from harness.engines.scripts.select import MATCH
from harness.engines.terms import (
    check_unknown,
    constants_of,
    float_of,
    only,
    rescaled,
    text_of,
)

QUERIES = ("filter", "project", *ONE_ROW, "slice", "fields", *OF_COLUMNS)
_OF_TEXT = ("lower", "prefix", "like")
_TRUNCATED = ("day", "hour")  # https://docs.daft.ai/en/stable/api/functions/date_trunc/: up to weeks


def ask(daft: Any, frame: Any, query: Query) -> Any:
    """Return the frame that answers a query; raises Unsupported for what Daft has no expression of."""
    types = {field.name: field.dtype for field in frame.schema()}

    def type_of(path: tuple[str, ...]) -> Any:
        return _type_at(types, path)

    def moment(type_: Any, nanos: int) -> int:
        return rescaled(Type("timestamp", unit="ns", utc=False), str(nanos), str(type_.timeunit))

    for path, pairs in _tested(query):
        dtype = type_of(path)
        for type_, value in pairs:
            _check(type_, value, dtype)
    for name in getattr(query, "columns", None) or ():
        only(name, types)
    given = {"daft": daft, "frame": frame, "decimal": decimal, "type_of": type_of, "moment": moment}
    return evaluate(source(query), given)


def source(query: Query) -> str:
    """Return a query of `frame` as an expression, of `daft`, `type_of` and `moment`."""
    if isinstance(query, (Distinct, Groups, Top)):
        return _of_column(query)
    rows = "frame"
    predicate = predicate_of(query)
    if predicate is not None:
        rows += f".where({joined(predicate, _test, untrue='(~{}.fill_null(False))')})"
    if isinstance(query, Aggregate):
        return _aggregate(query, rows)
    if isinstance(query, CountRows):  # https://docs.daft.ai/en/stable/api/dataframe/, count: as COUNT(*)
        return f"{rows}.count().select(daft.col('count').cast(daft.DataType.int64()).alias({COUNT!a}))"
    if isinstance(query, Fields):
        return f"{rows}.select({fields_list(query, _column)})"
    if isinstance(query, Slice):
        rows += f".offset({query.offset}).limit({query.rows})"
    if isinstance(query, Join):
        rows = _join(query)
    if isinstance(query, TopRows):
        offset = f".offset({offset_of(query)})" if offset_of(query) else ""
        rows += f".sort({_column(query.path)}, {_order(query)}){offset}.limit({query.rows})"
    assert isinstance(query, (Filter, Slice, Join, Project, TopRows))
    if query.columns is None:
        return rows
    if not query.columns:
        raise Unsupported("a frame of Daft without columns has no rows")
    return f"{rows}.select({', '.join(_column((name,)) for name in query.columns)})"


def _aggregate(query: Aggregate, rows: str) -> str:
    column = _column(query.path)
    parts = (f"{column}.count('all')", f"{column}.count()", f"{column}.min()", f"{column}.max()")
    named = ", ".join(f"{part}.alias({name!a})" for part, name in zip(parts, query.names))
    counts = [f"daft.col({name!a}).cast(daft.DataType.int64())" for name in query.names[:2]]
    return (
        f"{rows}.agg({named}).select({', '.join((*counts, *(f'daft.col({n!a})' for n in query.names[2:])))})"
    )


def _of_column(query: Distinct | Groups | Top) -> str:
    value = f"frame.select({_column(query.path)}.alias({VALUE!a}))"
    if isinstance(query, Distinct):
        return f"{value}.distinct()"
    if isinstance(query, Groups):
        counted = f"{value}.groupby({VALUE!a}).agg(daft.col({VALUE!a}).count('all').alias({COUNT!a}))"
        return f"{counted}.select(daft.col({VALUE!a}), daft.col({COUNT!a}).cast(daft.DataType.int64()))"
    return f"{value}.sort({VALUE!a}, {_order(query)}).limit({query.rows})"


def _order(query: Sorted) -> str:
    return f"desc={query.descending}, nulls_first={query.nulls_first}"


def _join(query: Join) -> str:
    """Return the source of a join with a frame of the values; raises Unsupported for NOT IN.

    https://docs.daft.ai/en/stable/api/dataframe/#daft.DataFrame.join: nulls are equal to nothing.
    """
    if isinstance(query, AntiJoin) and query.not_in:
        raise Unsupported("an anti-join of Daft is not that of NOT IN")
    how = "anti" if isinstance(query, AntiJoin) else "semi"
    row = "daft.from_pydict({'': [None]})"
    frames = [
        f"{row}.select({constant(query.type, value, query.path)}.alias({MATCH!a}))" for value in query.values
    ]
    small = frames[0] + "".join(f".union_all({frame})" for frame in frames[1:])
    return f"frame.join({small}, left_on={_column(query.path)}, right_on=daft.col({MATCH!a}), how={how!a})"


def _column(path: tuple[str, ...]) -> str:
    """Return the expression of a column, or of a field of structs; `*` is every column."""
    if path[0] == "*":
        raise Unsupported("`*` is every column of a frame of Daft")
    fields = "".join(f".get({text_of(name)!a})" for name in path[1:])
    return f"daft.col({text_of(path[0])!a}){fields}"


def _test(test: Test, plain: bool) -> str:
    column = _column(test.path)
    if isinstance(test, IsNull):
        return f"{column}.is_null()"
    if isinstance(test, StartsWith):
        return f"{column}.startswith({text_of(test.prefix)!a})"
    if isinstance(test, Compare):
        return f"{column} {operator(test.op)} {constant(test.type, test.value, test.path)}"
    if isinstance(test, NullSafe):
        return f"{column}.eq_null_safe({constant(test.type, test.value, test.path)})"
    if isinstance(test, In):
        check_unknown(test, plain=plain)  # no page says what `is_in` is of a null
        return f"{column}.is_in([{', '.join(constant(test.type, v, test.path) for v in test.values)}])"
    if isinstance(test, Computed):
        return _computed(column, test)
    raise unhandled(test)


def _computed(column: str, test: Computed) -> str:
    """Return a comparison of a function of a column."""
    argument = str(test.argument)
    if test.function == "itself":
        return column
    if test.function == "like":
        return f"{column}.like({text_of(argument)!a})"
    if test.function in {"cast", "year"}:
        target, other = cast_target(test)
        function = f"{column}.cast({target})" if test.function == "cast" else f"{column}.year()"
        return f"{function} {operator(test.test)} {other}"
    if test.function == "date_trunc" and argument not in _TRUNCATED:
        raise Unsupported(f"Daft does not truncate moments to a {argument}")
    function = {
        "add": f"({column} + daft.lit({argument}).cast(type_of({test.path!a})))",
        "date_trunc": f"{column}.date_trunc('1 {argument}')",
        "lower": f"{column}.lower()",
        "prefix": f"{column}.left({argument})",
    }[test.function]
    return f"{function} {operator(test.test)} {constant(test.type, test.value, test.path)}"


def _tested(query: Query) -> list[tuple[tuple[str, ...], list[tuple[Type, Value]]]]:
    """Return the columns that a query tests, each with the constants that it is compared with."""
    if isinstance(query, Join):
        return [(query.path, [(query.type, value) for value in query.values if value is not None])]
    predicate: Predicate | None = getattr(query, "predicate", None)
    paths = query.paths if isinstance(query, Fields) else ()
    if isinstance(query, (Aggregate, Distinct, Groups, Sorted)):
        paths = (query.path,)
    tests = () if predicate is None else leaves(predicate)
    return [*((path, []) for path in paths), *((test.path, _constants(test)) for test in tests)]


def _constants(test: Test) -> list[tuple[Type, Value]]:
    """Return the constants of the type of the column that a test needs; text, for functions of text."""
    if isinstance(test, Computed):
        return [(STRING, "")] if test.function in _OF_TEXT else []
    return [(STRING, test.prefix)] if isinstance(test, StartsWith) else list(constants_of(test))


def _type_at(types: dict[str, Any], path: tuple[str, ...]) -> Any:
    dtype = types[only(path[0], types)]
    for name in path[1:]:
        if not dtype.is_struct():
            raise Unsupported(f"{name!r:.80} is in a {dtype}, not in a struct")
        dtype = dtype.fields[only(name, dtype.fields)]
    return dtype


def _check(type_: Type, value: Value, dtype: Any) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    kind = type_.kind
    fits = {
        "bool": dtype.is_boolean(),
        "int": dtype.is_integer(),
        "float": dtype.is_float32() or dtype.is_float64(),
        "decimal": dtype.is_decimal128(),
        "date": dtype.is_date(),
        "time": dtype.is_time(),
        "timestamp": dtype.is_timestamp(),
        "int96": dtype.is_timestamp(),
        "duration": dtype.is_duration(),
        **dict.fromkeys(TEXT, dtype.is_string()),
        **dict.fromkeys(BINARY, dtype.is_binary()),
    }
    if not fits.get(kind, False):
        raise Unsupported(f"a constant of type {type_} for a column of Daft's type {dtype}")
    if kind in ("timestamp", "int96", "duration"):
        rescaled(type_, value, str(dtype.timeunit))
    elif kind in TEXT:
        text_of(value)
    elif kind == "float":
        _check_bits(type_, value)


def _check_bits(type_: Type, value: Value) -> None:
    """Raise Unsupported for a NaN that has other bits as a `float` of Python: a signalling one becomes quiet.

    Daft tells NaN apart by their bits.
    """
    if struct.pack(FLOATS[type_.bits or 64], float_of(type_, value)).hex() != value:
        raise Unsupported("a signalling NaN of fewer than 64 bits is no `float` of Python")
