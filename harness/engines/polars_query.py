"""Queries as expressions of Polars, constants as literals of the column's type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull
from corpora.queries import AGGREGATES, Aggregate, Filter, Project
from corpora.tagged import STRING
from harness.engines.base import Unsupported
from harness.engines.terms import (
    COMPARE,
    bytes_of,
    combine,
    decimal_of,
    float_of,
    integer_of,
    only,
    rescaled,
    text_of,
    time_of_day,
)

if TYPE_CHECKING:
    from corpora.queries import Query
    from corpora.tagged import Type, Value

_LONGEST = 4_000  # characters; regular expressions have a limit of their size


def ask(pl: Any, frame: Any, query: Query, schema: Any) -> Any:
    """Return a frame, eager or lazy as `frame`, that is the answer to a query; `schema` is the frame's."""
    if isinstance(query, Project):
        return frame.select([pl.col(literal(only(name, schema))) for name in query.columns])
    if isinstance(query, Aggregate):
        column, _ = _column(pl, schema, query.path)
        counts = [pl.len().cast(pl.Int64), column.count().cast(pl.Int64)]
        found = [*counts, column.min(), column.max()]
        return frame.select([one.alias(name) for one, name in zip(found, AGGREGATES)])
    assert isinstance(query, Filter)
    rows = frame.filter(expression(pl, query.predicate, schema))
    if query.columns is None:
        return rows
    return rows.select([pl.col(literal(only(name, schema))) for name in query.columns])


def literal(name: str) -> str:
    """Return what `pl.col` takes for the column of this name alone.

    https://docs.pola.rs/api/python/stable/reference/expressions/col.html: `*` is every column, and `^…$` are
    those that a regular expression fits; the one that fits this name is of this form, too. Raises
    Unsupported for a name that is longer than such expressions may be.
    """
    if not is_pattern(name):
        return name
    if len(name) > _LONGEST:
        raise Unsupported(f"Polars takes {name!r:.80} for a regular expression, and it is too long for one")
    return f"^{re.escape(name)}$"


def is_pattern(name: str) -> bool:
    """Return whether Polars takes a name for a pattern."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def expression(pl: Any, predicate: Any, schema: Any) -> Any:
    """Return the `polars.Expr` of a predicate."""

    def leaf(test: Any, _: bool) -> Any:
        column, dtype = _column(pl, schema, test.path)
        if isinstance(test, IsNull):
            return column.is_null()
        if isinstance(test, Compare):
            return COMPARE[test.op](column, _literal(pl, test.type, test.value, dtype))
        if isinstance(test, In):
            values = [_literal(pl, test.type, value, dtype) for value in test.values]
            return column.is_in(pl.concat([pl.select(value).to_series() for value in values]).implode())
        if dtype == pl.Binary:
            return column.bin.starts_with(bytes_of(STRING, test.prefix))
        return column.str.starts_with(text_of(test.prefix))

    return combine(predicate, leaf)


def _column(pl: Any, schema: Any, path: tuple[str, ...]) -> tuple[Any, Any]:
    column, dtype = pl.col(literal(only(path[0], schema))), schema[path[0]]
    for name in path[1:]:
        if dtype != pl.Struct:
            raise Unsupported(f"{name!r:.80} is in a {dtype}, not in a struct")
        if is_pattern(name):  # versions panic at the expression that fits it alone
            raise Unsupported(f"Polars takes {name!r:.80} for a pattern of fields")
        fields = {field.name: field.dtype for field in dtype.fields}
        column, dtype = column.struct.field(only(name, fields)), fields[name]
    return column, dtype


def _literal(pl: Any, type_: Type, value: Value, dtype: Any) -> Any:
    """Return a literal of `dtype`; raises Unsupported where a constant is none."""
    kind = type_.kind
    if kind == "bool":
        return pl.lit(value)
    if kind == "int" and dtype.is_integer():
        return pl.lit(integer_of(type_, value), dtype=dtype)
    if kind == "float" and dtype.is_float():
        return pl.lit(float_of(type_, value), dtype=dtype)
    if kind == "decimal" and dtype == pl.Decimal:
        return pl.lit(decimal_of(type_, value), dtype=dtype)
    if kind == "date" and dtype == pl.Date:
        return pl.lit(integer_of(type_, value), dtype=pl.Int32).cast(pl.Date)
    if kind == "time" and dtype == pl.Time:
        return pl.lit(time_of_day(type_, value, "ns"), dtype=pl.Int64).cast(pl.Time)
    if kind in ("timestamp", "int96", "duration") and dtype in (pl.Datetime, pl.Duration):
        return pl.lit(rescaled(type_, value, dtype.time_unit), dtype=pl.Int64).cast(dtype)
    if kind in TEXT and dtype == pl.String:
        return pl.lit(text_of(value))
    if dtype == pl.Binary:
        return pl.lit(bytes_of(type_, value))
    raise Unsupported(f"a constant of type {type_} for a column of type {dtype}")
