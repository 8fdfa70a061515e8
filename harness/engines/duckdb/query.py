"""Queries as DuckDB's SQL: names quoted, constants as parameters that are cast to the column's type.

A query is stated once, as a `Statement`: the adapter executes it, and scripts print it.
"""

# ruff: noqa: S608 - names are quoted, and constants are parameters

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from corpora.constants import BINARY, TEXT
from corpora.predicates import Compare, Computed, In, IsNull, NullSafe, StartsWith, Test, leaves, unhandled
from corpora.queries import (
    AGGREGATES,
    COUNT,
    EXTRACTED,
    VALUE,
    Aggregate,
    Distinct,
    Filter,
    FilterHeld,
    Groups,
    Project,
    Query,
    SemiJoin,
    ToJson,
    Top,
)
from corpora.query_base import OfColumn
from corpora.tagged import BOOL, BYTES, DATE, STRING, Type, Value, floating, integer, timestamp
from harness.engines.duckdb.ways import MOST_ROWS, QUERIES, Way
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted, evaluate, python, quoted
from harness.engines.terms import (
    bytes_of,
    constants_of,
    integer_of,
    only,
    rescaled,
    text_of,
    time_of_day,
    where,
)

NUMBER = "file_row_number"
VIEW = "colconf_view"
_NUMBERED = f", {NUMBER} = true"

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
_CASTS = {"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "string": "VARCHAR"}
_SCALAR = re.compile(r"[A-Z_0-9 ]+(\(\d+, *\d+\))?")
_DAYS = re.compile(r"make_date\((\$p[0-9]+::INTEGER)\)")
_LAST_DAY = 2**31 - 2
_OF_DAYS = (
    "SELECT 1 FROM duckdb_functions() WHERE function_name = 'make_date' AND parameter_types = ['INTEGER']"
)
_INFINITE = (1 << 63) - 1  # what DuckDB has for infinity, which no cast to TIMESTAMPTZ_NS takes
# https://duckdb.org/docs/stable/sql/data_types/timestamp: from 290309-12-22 BC on.
_LEAST_MICROS = -9_223_372_022_400_000_000
_TIMES = {"TIME": "us", "TIME_NS": "ns"}


class Source(NamedTuple):
    """The table that is asked, as SQL, and the statement that makes the view of its name."""

    text: str
    statement: str


def sources(file: str, way: Way, keyed: str) -> tuple[Source, Source]:
    """Return the tables of a way without and with the numbers of rows; `file` names it in SQL."""
    options = way.options.replace(_NUMBERED, "")
    wrapped = "{source}" if _NUMBERED in way.options else way.source
    pairs = ((VIEW, way.options, way.source), (f"{VIEW}_numbered", _NUMBERED + options, wrapped))
    result = []
    for view, given, source in pairs:
        scan = f"read_parquet({file}, hive_partitioning = false{given}{keyed})"
        statement = f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT * FROM {scan}"
        result.append(Source(source.format(source=scan, view=view), statement))
    return result[0], result[1]


class Statement(NamedTuple):
    """A query as SQL.

    `text` is a format string: of `source`, of `numbered` (the source with the numbers of its rows) and of the
    types `t0`, `t1`, … of the `columns`. `parameters` are expressions of Python, and may ask for those types.
    """

    text: str
    columns: list[tuple[str, ...]]
    parameters: dict[str, str]


def statement(query: Query, *, numbered: bool = False) -> Statement:
    """Return a query as SQL; raises Unsupported for what DuckDB cannot be asked.

    `numbered`: a filter is asked for the first rows by their number, which are all of them.
    """
    if numbered and not isinstance(query, (Filter, FilterHeld)):
        raise Unsupported("only filters are asked for the first of their rows")
    return _Builder(numbered=numbered).statement(query)


class _Builder:
    """Collects the columns whose types a statement names, and its parameters.

    `numbered`: a filter is asked for the first rows by their number, up to MOST_ROWS.
    """

    def __init__(self, *, numbered: bool = False) -> None:
        self.numbered = numbered
        self.columns: list[tuple[str, ...]] = []
        self.parameters: dict[str, str] = {}

    def statement(self, query: Query) -> Statement:
        return Statement(self._text(query), self.columns, self.parameters)

    def _text(self, query: Query) -> str:
        if isinstance(query, Project):
            return f"SELECT {_list(query.columns)} FROM {{source}}"
        if isinstance(query, ToJson):
            return f'SELECT {_column(query.path)}::JSON::VARCHAR AS "{EXTRACTED}" FROM {{source}}'
        if isinstance(query, Aggregate):
            column = _column(query.path)
            parts = ("count(*)", f"count({column})", f"min({column})", f"max({column})")
            named = ", ".join(f'{part} AS "{name}"' for part, name in zip(parts, AGGREGATES))
            return f"SELECT {named} FROM {{source}}"
        if isinstance(query, (Distinct, Groups, Top)):
            return _of_column(query)
        if isinstance(query, SemiJoin):
            return self._semi_join(query)
        if not isinstance(query, (Filter, FilterHeld)):
            raise Unsupported(f"DuckDB does not answer queries of kind {query.kind}")
        condition = where(query.predicate, self._leaf if isinstance(query, Filter) else self._held(query))
        if not is_join(query) and not self.numbered:
            columns = "*" if query.columns is None else _list(query.columns)
            return f"SELECT {columns} FROM {{source}} WHERE {condition}"
        columns = f"* EXCLUDE ({NUMBER})" if query.columns is None else _list(query.columns)
        first = f" LIMIT {MOST_ROWS}" if self.numbered else ""
        return f"SELECT {columns} FROM {{numbered}} WHERE {condition} ORDER BY {NUMBER}{first}"

    def _semi_join(self, query: SemiJoin) -> str:
        target = self._type(query.path)
        constants = ("NULL" if v is None else self._constant(query.type, v, target) for v in query.values)
        table = f"(VALUES {', '.join(f'({constant})' for constant in constants)}) AS small(match)"
        columns = "*" if query.columns is None else _list(query.columns)
        return f"SELECT {columns} FROM {{source}} WHERE {_column(query.path)} IN (SELECT match FROM {table})"

    def _held(self, query: FilterHeld) -> Callable[[Any], str]:
        """Return what makes the text of a test of what Variants hold; elements are counted from 1."""
        held = _column(query.path)
        for step in query.steps:
            at = f"{step + 1}::UINTEGER" if isinstance(step, int) else self._parameter(ascii(text_of(step)))
            held = f"variant_extract({held}, {at})"
        target = held_type(query.type)
        return lambda test: self._test(test, f"TRY_CAST({held} AS {target})", target)

    def _leaf(self, test: Test) -> str:
        if isinstance(test, Computed):
            return self._computed(test)
        return self._test(test, _column(test.path), self._type(test.path) if constants_of(test) else "")

    def _computed(self, test: Computed) -> str:
        column, argument = _column(test.path), test.argument
        if test.function == "like":
            return f"({column} LIKE {self._parameter(ascii(argument))})"
        target = _CASTS.get(argument or "") or (
            "INTEGER" if test.function == "year" else self._type(test.path)
        )
        constant = self._constant(test.type, test.value, target)
        added = f"{self._parameter(str(argument))}::{target}" if test.function == "add" else ""
        function = {
            "cast": f"CAST({column} AS {target})",
            "add": f"({column} + {added})",
            "year": f"year({column})",
            "date_trunc": f"date_trunc('{argument}', {column})",
            "lower": f"lower({column})",
            "prefix": f"substring({column}, 1, {argument})",
        }[test.function]
        return f"({function} {test.test} {constant})"

    def _type(self, path: tuple[str, ...]) -> str:
        if path not in self.columns:
            self.columns.append(path)
        return f"{{t{self.columns.index(path)}}}"

    def _test(self, test: Test, column: str, target: str) -> str:
        if isinstance(test, IsNull):
            return f"({column} IS NULL)"
        if isinstance(test, Compare):
            return f"({column} {test.op} {self._constant(test.type, test.value, target)})"
        if isinstance(test, NullSafe):
            constant = "NULL" if test.value is None else self._constant(test.type, test.value, target)
            return f"({column} IS NOT DISTINCT FROM {constant})"
        if isinstance(test, In):
            constants = [self._constant(test.type, value, target) for value in test.values]
            return f"({column} IN ({', '.join(constants)}))"
        if isinstance(test, StartsWith):
            return f"starts_with({column}, {self._parameter(ascii(text_of(test.prefix)))})"
        if isinstance(test, Computed):
            raise Unsupported("DuckDB is asked for no function of what a Variant holds")
        raise unhandled(test)

    def _parameter(self, expression: str) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = expression
        return f"${name}"

    def _constant(self, type_: Type, value: Value, target: str) -> str:
        """Return an expression of DuckDB's type `target`, which the optimizer folds into a constant."""
        kind = type_.kind
        if kind == "date":
            return f"make_date({self._parameter(str(integer_of(type_, value)))}::INTEGER)::{target}"
        if kind in ("timestamp", "int96"):
            return f"{self._timestamp(type_, value)}::{target}"
        if kind == "time":
            return f"{self._parameter(ascii(_clock(type_, value)))}::{target}"
        return f"{self._parameter(_expression(type_, value, target))}::{target}"

    def _timestamp(self, type_: Type, value: Value) -> str:
        """Return a count of microseconds, or of nanoseconds that are none; the cast to a type comes after."""
        try:
            return f"make_timestamp({self._parameter(str(rescaled(type_, value, 'us')))}::BIGINT)"
        except Unsupported:
            count = rescaled(type_, value, "ns")
        if abs(count) == _INFINITE:  # which make_timestamp_ns does not make
            return f"{self._parameter(ascii('infinity' if count > 0 else '-infinity'))}::TIMESTAMP_NS"
        return f"make_timestamp_ns({self._parameter(str(count))}::BIGINT)"


class Sql:
    """Statements of one file, whose columns are known, in a way.

    `keyed` is the option that opens an encrypted file.
    """

    def __init__(self, connection: Any, file: str, keyed: str = "", way: Way | None = None) -> None:
        self.connection = connection
        self.way = way = way or QUERIES["default"]
        is_view = "{view}" in way.source  # which has no parameters
        self.parameters: dict[str, Any] = {} if is_view else {"file": file}
        plain, numbered = sources(quoted(file, "'") if is_view else "$file", way, keyed)
        for view in (plain, numbered) if is_view else ():
            connection.execute(view.statement)
        self.source, self.numbered = plain.text, numbered.text
        described = connection.sql(f"SELECT * FROM {self.source}", params=self.parameters)
        self.types = dict(zip(described.columns, described.types))

    def text(self, query: Query) -> str:
        """Return the SQL of a query, and bind `parameters`; raises Unsupported for columns that lack it."""
        self._check(query)
        text, columns, parameters = statement(query, numbered=self.way.numbered)
        names = {f"t{at}": str(self._type(path)) for at, path in enumerate(columns)}
        self.parameters.update((name, evaluate(value, names)) for name, value in parameters.items())
        text = text.format(source=self.source, numbered=self.numbered, **names)
        if not _DAYS.search(text) or self._makes_dates():
            return text
        for name in _DAYS.findall(text):
            _check_days(int(self.parameters[name[1:].partition(":")[0]]))
        return _DAYS.sub(r"(DATE '1970-01-01' + \1)", text)

    def _makes_dates(self) -> bool:
        """Return whether `make_date` takes days, as since 1.2; a sum ends before the greatest date."""
        return bool(self.connection.execute(_OF_DAYS).fetchall())

    def _check(self, query: Query) -> None:
        """Raise Unsupported for columns that the file has not, or that constants are not compared with."""
        if isinstance(query, OfColumn):
            column = self._type(query.path)
            if isinstance(query, (ToJson, FilterHeld)) and str(column) != "VARIANT":
                raise Unsupported(f"DuckDB reads a {column}, not a Variant")
        if isinstance(query, SemiJoin):
            for value in filter(_is_given, query.values):
                _check_constant(query.type, value, str(self._type(query.path)))
        if isinstance(query, (Filter, FilterHeld, SemiJoin, Project)):
            for name in self.types if query.columns is None else query.columns:
                self._type((name,))
        if not isinstance(query, (Filter, FilterHeld)):
            return
        if (is_join(query) or self.way.numbered) and any(name.lower() == NUMBER for name in self.types):
            raise Unsupported(f"a column is called {NUMBER}, as DuckDB's number of rows")
        for test in leaves(query.predicate):
            target = held_type(query.type) if isinstance(query, FilterHeld) else str(self._type(test.path))
            if isinstance(test, Computed) and test.function in {"cast", "year", "like"}:
                continue
            for type_, value in constants_of(test):
                _check_constant(type_, value, target)

    def _type(self, path: tuple[str, ...]) -> Any:
        """Return the type of a column, or of a field of structs."""
        type_ = self.types[only(path[0], self.types, fold=True)]
        for name in path[1:]:
            if type_.id != "struct":
                raise Unsupported(f"{name!r:.80} is in a {type_}, not in a struct")
            fields = dict(type_.children)
            type_ = fields[only(name, fields, fold=True)]
        return type_


def is_join(query: Filter | FilterHeld) -> bool:
    """Return whether an IN is long: DuckDB makes a join of it, whose rows have an order of their own."""
    return any(isinstance(test, In) and len(test.values) > 1 for test in leaves(query.predicate))


def _of_column(query: Distinct | Groups | Top) -> str:
    """Return the SQL of distinct values, of their counts, or of the first of them in their order."""
    value = f'{_column(query.path)} AS "{VALUE}"'
    if isinstance(query, Distinct):
        return f"SELECT DISTINCT {value} FROM {{source}}"
    if isinstance(query, Groups):
        return f'SELECT {value}, count(*) AS "{COUNT}" FROM {{source}} GROUP BY 1'
    direction = "DESC" if query.descending else "ASC"
    nulls = "FIRST" if query.nulls_first else "LAST"
    return f"SELECT {value} FROM {{source}} ORDER BY 1 {direction} NULLS {nulls} LIMIT {query.rows}"


def _is_given(value: Value) -> bool:
    return value is not None


def held_type(type_: Type) -> str:
    """Return DuckDB's name of a type that Variants are cast to; raises Unsupported."""
    if type_.kind == "decimal":
        return f"DECIMAL({type_.precision},{type_.scale})"
    if type_ not in _HELD:
        raise Unsupported(f"DuckDB is asked for no Variant as {type_}")
    return _HELD[type_]


def _check_days(days: int) -> None:
    """Raise Unsupported for the days that DuckDB has for infinity, which a sum does not reach."""
    if abs(days) > _LAST_DAY:
        raise Unsupported(f"a version before 1.2 cannot be asked for the date of day {days}")


def _check_constant(type_: Type, value: Value, target: str) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    kind = type_.kind
    if not _SCALAR.fullmatch(target):  # others hold names of fields and values of enumerations
        raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target:.80}")
    if target in _UNITS and kind in ("timestamp", "int96"):
        count = rescaled(type_, value, _UNITS[target])
        if _UNITS[target] == "us" and not _LEAST_MICROS <= count < _INFINITE:
            raise Unsupported("DuckDB makes no timestamp outside its range, nor one of infinity")
        if target == "TIMESTAMPTZ_NS" and abs(count) == _INFINITE:
            raise Unsupported("DuckDB has no constant for the infinities of TIMESTAMPTZ_NS")
    elif kind in TEXT and target == "VARCHAR":
        text_of(value)
    elif target in _TIMES and kind == "time":
        time_of_day(type_, value, _TIMES[target])
    elif not (
        kind in ("date", "int", "float", "bool")
        or (kind == "decimal" and target.startswith("DECIMAL"))
        or (kind in (*TEXT, *BINARY) and target in ("BLOB", "UUID"))
    ):
        raise Unsupported(f"a constant of type {type_} for a column of DuckDB's type {target}")


def _expression(type_: Type, value: Value, target: str) -> str:
    """Return a constant as an expression of Python; a column of bytes has the bytes of a text."""
    if type_.kind not in (*TEXT, *BINARY):
        return python(type_, value)
    raw = ascii(bytes_of(type_, value))
    try:
        text = ascii(text_of(value))
    except Unsupported:  # only columns of bytes are compared with it
        return raw
    is_bytes = f"{target[1:-1]} == 'BLOB'" if target.startswith("{") else target == "BLOB"
    return f"({raw} if {is_bytes} else {text})"


def _clock(type_: Type, value: Value) -> str:
    """Return a time of day as text with all its digits."""
    seconds, fraction = divmod(time_of_day(type_, value, "ns"), 10**9)
    digits = f"{fraction:09}" if fraction % 1000 else f"{fraction // 1000:06}"
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{digits}"


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(_column((name,)) for name in names)


def _column(path: tuple[str, ...]) -> str:
    """Return the SQL of a column, or of a field of structs, as a format string has it."""
    return dotted(path, '"').replace("{", "{{").replace("}", "}}")
