"""Queries as DuckDB's SQL: names quoted, constants as parameters that are cast to the column's type."""

# ruff: noqa: S608 - names are quoted, and constants are parameters

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from corpora.constants import TEXT
from corpora.predicates import Compare, In, IsNull, leaves
from corpora.queries import AGGREGATES, EXTRACTED, Aggregate, Filter, FilterHeld, Project, ToJson
from corpora.tagged import BOOL, BYTES, DATE, STRING, floating, integer, timestamp
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
    from collections.abc import Callable

    from corpora.queries import Query
    from corpora.tagged import Type, Value

_NUMBER = "file_row_number"
_UNITS = {
    "TIMESTAMP_S": "s",
    "TIMESTAMP_MS": "ms",
    "TIMESTAMP": "us",
    "TIMESTAMP_NS": "ns",
    "TIMESTAMP WITH TIME ZONE": "us",
    "TIMESTAMPTZ_NS": "ns",
}
_HELD = {
    BOOL: "BOOLEAN",
    BYTES: "BLOB",
    DATE: "DATE",
    STRING: "VARCHAR",
    floating(32): "FLOAT",
    floating(64): "DOUBLE",
    integer(8): "TINYINT",
    integer(16): "SMALLINT",
    integer(32): "INTEGER",
    integer(64): "BIGINT",
    timestamp("us", utc=True): "TIMESTAMP WITH TIME ZONE",
    timestamp("us", utc=False): "TIMESTAMP",
}
_SCALAR = re.compile(r"[A-Z_0-9 ]+(\(\d+, *\d+\))?")
_TIMES = {"TIME": ("us", 6), "TIME_NS": ("ns", 9)}


class Sql:
    """The text of one query, and its parameters; `keyed` is the option that opens an encrypted file."""

    def __init__(self, connection: Any, file: str, keyed: str = "") -> None:
        self.parameters: dict[str, Any] = {"file": file}
        self.keyed = keyed
        described = connection.sql(f"SELECT * FROM {self._source()}", params=self.parameters)
        self.types = dict(zip(described.columns, described.types))

    def text(self, query: Query) -> str:
        """Return the statement; raises Unsupported for what DuckDB cannot be asked."""
        if isinstance(query, Project):
            return f"SELECT {self._list(query.columns)} FROM {self._source()}"
        if isinstance(query, ToJson):
            return f'SELECT {self._variant(query.path)}::JSON::VARCHAR AS "{EXTRACTED}" FROM {self._source()}'
        if isinstance(query, Aggregate):
            column, _ = self._column(query.path)
            parts = ("count(*)", f"count({column})", f"min({column})", f"max({column})")
            named = ", ".join(f'{part} AS "{name}"' for part, name in zip(parts, AGGREGATES))
            return f"SELECT {named} FROM {self._source()}"
        assert isinstance(query, (Filter, FilterHeld))
        columns = self._list(tuple(self.types) if query.columns is None else query.columns)
        condition = where(query.predicate, self._leaf if isinstance(query, Filter) else self._held(query))
        # A longer IN becomes a join, which answers rows in an order of its own.
        if not any(isinstance(test, In) and len(test.values) > 1 for test in leaves(query.predicate)):
            return f"SELECT {columns} FROM {self._source()} WHERE {condition}"
        if any(name.lower() == _NUMBER for name in self.types):
            raise Unsupported(f"a column is called {_NUMBER}, as DuckDB's number of rows")
        numbered = self._source(", file_row_number = true")
        return f"SELECT {columns} FROM {numbered} WHERE {condition} ORDER BY {_NUMBER}"

    def _source(self, more: str = "") -> str:
        return f"read_parquet($file, hive_partitioning = false{more}{self.keyed})"

    def _list(self, names: tuple[str, ...]) -> str:
        return ", ".join(self._column((name,))[0] for name in names)

    def _column(self, path: tuple[str, ...]) -> tuple[str, Any]:
        """Return the text and the type of a column, or of a field of structs."""
        type_ = self.types[only(path[0], self.types, fold=True)]
        text = _quoted(path[0])
        for name in path[1:]:
            if type_.id != "struct":
                raise Unsupported(f"{name!r:.80} is in a {type_}, not in a struct")
            fields = dict(type_.children)
            type_ = fields[only(name, fields, fold=True)]
            text += f".{_quoted(name)}"
        return text, type_

    def _variant(self, path: tuple[str, ...]) -> str:
        column, type_ = self._column(path)
        if str(type_) != "VARIANT":
            raise Unsupported(f"DuckDB reads a {type_}, not a Variant")
        return column

    def _held(self, query: FilterHeld) -> Callable[[Any], str]:
        """Return what makes the text of a test of what Variants hold; elements are counted from 1."""
        held = self._variant(query.path)
        for step in query.steps:
            at = f"{step + 1}::UINTEGER" if isinstance(step, int) else self._parameter(step)
            held = f"variant_extract({held}, {at})"
        target = held_type(query.type)
        return lambda test: self._test(test, f"TRY_CAST({held} AS {target})", target)

    def _leaf(self, test: Any) -> str:
        column, type_ = self._column(test.path)
        return self._test(test, column, str(type_))

    def _test(self, test: Any, column: str, type_: str) -> str:
        if isinstance(test, IsNull):
            return f"{column} IS NULL"
        if isinstance(test, Compare):
            return f"{column} {test.op} {self._constant(test.type, test.value, type_)}"
        if isinstance(test, In):
            constants = [self._constant(test.type, value, type_) for value in test.values]
            return f"{column} IN ({', '.join(constants)})"
        return f"starts_with({column}, {self._parameter(text_of(test.prefix))})"

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    def _constant(self, type_: Type, value: Value, target: str) -> str:
        """Return an expression of DuckDB's type `target`, which the optimizer folds into a constant."""
        kind = type_.kind
        if not _SCALAR.fullmatch(target):  # others hold names of fields and values of enumerations
            raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target:.80}")
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


def held_type(type_: Type) -> str:
    """Return DuckDB's name of a type that Variants are cast to; raises Unsupported."""
    if type_.kind == "decimal":
        return f"DECIMAL({type_.precision},{type_.scale})"
    if type_ not in _HELD:
        raise Unsupported(f"DuckDB is asked for no Variant as {type_}")
    return _HELD[type_]


def _clock(type_: Type, value: Value, unit: str, digits: int) -> str:
    """Return a time of day as text with all its digits."""
    seconds, fraction = divmod(time_of_day(type_, value, unit), 10**digits)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:0{digits}}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
