"""Queries as DuckDB's SQL: names quoted, constants as parameters that are cast to the column's type."""

# ruff: noqa: S608 - names are quoted, and constants are parameters

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull, leaves
from corpora.queries import AGGREGATES, Aggregate, Filter, Project
from harness.engines.base import Unsupported
from harness.engines.terms import (
    bytes_of,
    decimal_text,
    float_of,
    integer_of,
    only,
    rescaled,
    text_of,
    time_of_day,
    where,
)

if TYPE_CHECKING:
    from corpora.queries import Query
    from corpora.tagged import Type, Value

_SOURCE = "read_parquet($file, hive_partitioning = false)"
_NUMBERED = "read_parquet($file, hive_partitioning = false, file_row_number = true)"
_NUMBER = "file_row_number"
_UNITS = {
    "TIMESTAMP_S": "s",
    "TIMESTAMP_MS": "ms",
    "TIMESTAMP": "us",
    "TIMESTAMP_NS": "ns",
    "TIMESTAMP WITH TIME ZONE": "us",
    "TIMESTAMPTZ_NS": "ns",
}
_TIMES = {"TIME": ("us", 6), "TIME_NS": ("ns", 9)}


class Sql:
    """The text of one query, and its parameters."""

    def __init__(self, connection: Any, file: str) -> None:
        self.parameters: dict[str, Any] = {"file": file}
        described = connection.sql(f"SELECT * FROM {_SOURCE}", params=self.parameters)
        self.types = dict(zip(described.columns, described.types))

    def text(self, query: Query) -> str:
        """Answer the statement; raises Unsupported for what DuckDB cannot be asked."""
        if isinstance(query, Project):
            return f"SELECT {self._list(query.columns)} FROM {_SOURCE}"
        if isinstance(query, Aggregate):
            column, _ = self._column(query.path)
            parts = ("count(*)", f"count({column})", f"min({column})", f"max({column})")
            named = ", ".join(f'{part} AS "{name}"' for part, name in zip(parts, AGGREGATES))
            return f"SELECT {named} FROM {_SOURCE}"
        assert isinstance(query, Filter)
        columns = self._list(tuple(self.types) if query.columns is None else query.columns)
        condition = where(query.predicate, self._leaf)
        # A longer IN becomes a join, which answers rows in an order of its own.
        if not any(isinstance(test, In) and len(test.values) > 1 for test in leaves(query.predicate)):
            return f"SELECT {columns} FROM {_SOURCE} WHERE {condition}"
        if any(name.lower() == _NUMBER for name in self.types):
            raise Unsupported(f"a column is called {_NUMBER}, as DuckDB's number of rows")
        return f"SELECT {columns} FROM {_NUMBERED} WHERE {condition} ORDER BY {_NUMBER}"

    def _list(self, names: tuple[str, ...]) -> str:
        return ", ".join(self._column((name,))[0] for name in names)

    def _column(self, path: tuple[str, ...]) -> tuple[str, Any]:
        """Answer the text and the type of a column, or of a field of structs."""
        type_ = self.types[only(path[0], self.types, fold=True)]
        text = _quoted(path[0])
        for name in path[1:]:
            if type_.id != "struct":
                raise Unsupported(f"{name!r:.80} is in a {type_}, not in a struct")
            fields = dict(type_.children)
            type_ = fields[only(name, fields, fold=True)]
            text += f".{_quoted(name)}"
        return text, type_

    def _leaf(self, test: Any) -> str:
        column, type_ = self._column(test.path)
        if isinstance(test, IsNull):
            return f"{column} IS NULL"
        if isinstance(test, Compare):
            return f"{column} {test.op} {self._constant(test.type, test.value, str(type_))}"
        if isinstance(test, In):
            constants = [self._constant(test.type, value, str(type_)) for value in test.values]
            return f"{column} IN ({', '.join(constants)})"
        return f"starts_with({column}, {self._parameter(text_of(test.prefix))})"

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def _constant(self, type_: Type, value: Value, target: str) -> str:
        """Answer an expression of DuckDB's type `target`, which the optimizer folds into a constant."""
        kind = type_.kind
        if kind == "date":
            return f"make_date({self._parameter(integer_of(type_, value))}::INTEGER)::{target}"
        if target in _UNITS and kind in ("timestamp", "int96"):
            return self._timestamp(type_, value, target)
        if target in _TIMES and kind == "time":
            return f"{self._parameter(_clock(type_, value, *_TIMES[target]))}::{target}"
        if kind == "int":
            return f"{self._parameter(integer_of(type_, value))}::{target}"
        if kind == "float":
            return f"{self._parameter(float_of(type_, value))}::{target}"
        if kind == "decimal" and target.startswith("DECIMAL"):
            return f"{self._parameter(decimal_text(type_, value))}::{target}"
        if kind == "bool":
            return f"{self._parameter(value)}::{target}"
        if kind in TEXT and target == "VARCHAR":
            return f"{self._parameter(text_of(value))}::{target}"
        if target == "UUID":
            return f"{self._parameter(str(value))}::{target}"
        if target == "BLOB":
            return f"{self._parameter(bytes_of(type_, value))}::{target}"
        raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target}")

    def _timestamp(self, type_: Type, value: Value, target: str) -> str:
        unit = _UNITS[target]
        if unit == "ns":
            made = f"make_timestamp_ns({self._parameter(rescaled(type_, value, 'ns'))}::BIGINT)"
        else:
            rescaled(type_, value, unit)
            made = f"make_timestamp({self._parameter(rescaled(type_, value, 'us'))}::BIGINT)"
        return f"{made}::{target}"


def _clock(type_: Type, value: Value, unit: str, digits: int) -> str:
    """Answer a time of day as text with all its digits."""
    seconds, fraction = divmod(time_of_day(type_, value, unit), 10**digits)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:0{digits}}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
