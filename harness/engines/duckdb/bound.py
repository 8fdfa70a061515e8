"""Statements of DuckDB's SQL for the columns of one file: their types checked, their constants bound."""

# ruff: noqa: S608 - names are quoted, and constants are parameters

from __future__ import annotations

from typing import Any

from corpora.predicates import Computed, leaves
from corpora.queries import Filter, FilterHeld, Join, Project, Query, Slice, ToJson, predicate_of
from corpora.query_base import OfColumn
from corpora.tagged import Value
from harness.engines.duckdb.constants import check_constant, check_days
from harness.engines.duckdb.lists import is_numbered
from harness.engines.duckdb.query import NUMBER, held_type, sources, statement
from harness.engines.duckdb.versions import of_version, summed_days
from harness.engines.duckdb.ways import QUERIES, Way
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate, quoted
from harness.engines.terms import constants_of, each_once, only


class Sql:
    """Statements of a table, whose columns are known, in a way.

    `source` is the table as SQL, `numbered` the same with the numbers of its rows; `parameters` are theirs.
    `version` is that of DuckDB, "" for a new one.
    """

    def __init__(
        self, connection: Any, source: str, numbered: str, parameters: dict[str, Any], version: str = ""
    ) -> None:
        self.connection = connection
        self.way = QUERIES["default"]
        self.parameters = dict(parameters)
        self.source, self.numbered, self.version = source, numbered, version
        described = connection.sql(f"SELECT * FROM {self.source}", params=self.parameters)
        self.types = dict(zip(described.columns, described.types))

    @classmethod
    def of_file(
        cls, connection: Any, file: str, keyed: str = "", way: Way | None = None, version: str = ""
    ) -> Sql:
        """Return the statements of one file; `keyed` is the option that opens an encrypted one."""
        way = way or QUERIES["default"]
        is_view = "{view}" in way.source  # which has no parameters
        plain, numbered = sources(quoted(file, "'") if is_view else "$file", way, keyed)
        for view in (plain, numbered) if is_view else ():
            connection.execute(view.statement)
        sql = cls(connection, plain.text, numbered.text, {} if is_view else {"file": file}, version)
        sql.way = way
        return sql

    def text(self, query: Query) -> str:
        """Return the SQL of a query, and bind `parameters`; raises Unsupported for columns that lack it."""
        self._check(query)
        text, columns, parameters = statement(query, numbered=self.way.numbered)
        names = {f"t{at}": str(self._type(path)) for at, path in enumerate(columns)}
        self.parameters.update((name, evaluate(value, names)) for name, value in parameters.items())
        text = text.format(source=self.source, numbered=self.numbered, **names)
        for name in summed_days(text, self.version):
            check_days(int(self.parameters[name]))
        return of_version(text, self.version)

    def _check(self, query: Query) -> None:
        """Raise Unsupported for columns that the file lacks, or that constants are not compared with."""
        if isinstance(query, OfColumn):
            column = self._type(query.path)
            if isinstance(query, (ToJson, FilterHeld)) and str(column) != "VARIANT":
                raise Unsupported(f"DuckDB reads a {column}, not a Variant")
        if isinstance(query, Join):
            for value in filter(_is_given, query.values):
                check_constant(query.type, value, str(self._type(query.path)))
        if isinstance(query, (Filter, FilterHeld, Join, Slice, Project)):
            if query.columns is None:
                each_once(self.types, fold=True)
            for name in query.columns or ():
                self._type((name,))
        has_number = isinstance(query, (Filter, FilterHeld, Slice)) and self.way.numbered
        if (has_number or is_numbered(query)) and any(name.lower() == NUMBER for name in self.types):
            raise Unsupported(f"a column is called {NUMBER}, as DuckDB's number of rows")
        self._check_constants(query)

    def _check_constants(self, query: Query) -> None:
        """Raise Unsupported for constants that the columns of a query's predicate are not compared with."""
        predicate = query.predicate if isinstance(query, FilterHeld) else predicate_of(query)
        for test in () if predicate is None else leaves(predicate):
            target = held_type(query.type) if isinstance(query, FilterHeld) else str(self._type(test.path))
            if isinstance(test, Computed) and test.function in {"cast", "year", "like", "itself"}:
                continue
            for type_, value in constants_of(test):
                check_constant(type_, value, target)

    def _type(self, path: tuple[str, ...]) -> Any:
        """Return the type of a column, or of a field of structs."""
        type_ = self.types[only(path[0], self.types, fold=True)]
        for name in path[1:]:
            if not (str(type_).startswith("STRUCT(") and str(type_).endswith(")")):
                raise Unsupported(f"{name!r:.80} is in a {type_}, not in a struct")
            if not hasattr(type(type_), "children"):  # before 0.9, a field is found by its name alone
                type_ = type_[name]
                continue
            fields = dict(type_.children)
            type_ = fields[only(name, fields, fold=True)]
        return type_


def _is_given(value: Value) -> bool:
    return value is not None
