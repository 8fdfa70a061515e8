"""Queries in SQL as queries of a file: its columns give paths and constants their names and types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corpora import predicates
from corpora.build.sql.bound_conditions import ConditionBinding
from corpora.build.sql.syntax import GROUPS, Name, Order, Statement
from corpora.build.sql.tokens import SqlError
from corpora.constants import QueryError, comparable
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    CountRows,
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    Predicate,
    Project,
    Query,
    Slice,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import Field

_OF_TABLES = (Aggregate, CountRows, Fields, Filter, Slice)  # those that engines answer of folders


class Bound(NamedTuple):
    """A query of a file, and a note about each comparison with a constant that the column's type lacks."""

    query: Query
    notes: tuple[str, ...]


def bind(statement: Statement, columns: Sequence[Field], *, is_table: bool = False) -> Bound:
    """Return the query of a file with these columns, or of a folder (`is_table`) that is read so.

    Raises SqlError for a column that is not there, and for a constant that cannot be compared with a column.
    """
    try:
        binding = _Binding(columns, [], statement.table)
        query = binding.query(statement)
        if is_table and isinstance(query, Project):
            query = Fields(tuple((name,) for name in query.columns))
        if is_table and (isinstance(query, CountValues) or not isinstance(query, _OF_TABLES)):
            raise SqlError(
                "this form of query is of files, not of folders that are read as tables", statement.at
            )
    except QueryError as error:
        raise SqlError(str(error), statement.at) from error
    return Bound(query, tuple(dict.fromkeys(binding.notes)))


class _Binding(ConditionBinding):
    """The columns of a file."""

    def query(self, statement: Statement) -> Query:
        where = None if statement.where is None else self.predicate(statement.where)
        if where is not None:
            predicates.from_json(where.to_json())  # which checks its depth
        if statement.group is not None:
            return Groups(self._group(statement, statement.group))
        if statement.aggregates:
            return self._aggregate(statement, where)
        if statement.is_distinct and statement.columns:
            return Distinct(self._grouped(statement.columns[0]))
        paths = None if statement.columns is None else tuple(map(self._path, statement.columns))
        if statement.order is not None:
            return self._sorted(statement, statement.order, paths, where)
        names = None if paths is None else tuple(path[0] for path in paths)
        is_nested = any(len(path) > 1 for path in paths or ())
        if statement.limit is not None:
            if is_nested:
                raise SqlError("fields of structs with LIMIT cannot be expressed", statement.at)
            return Slice(statement.offset, statement.limit, where, names)
        if is_nested and paths:
            return Fields(paths, where)
        return Filter(where, names) if where is not None else Project(names or ())

    def _aggregate(self, statement: Statement, where: Predicate | None) -> Query:
        names = [name for _, name in statement.aggregates if name is not None]
        if not names:
            return CountRows(where)
        name = names[0]
        path, type_ = self.column(name)
        if any(self._path(other) != path for other in names):
            raise SqlError("aggregates of several columns cannot be expressed: one query each", statement.at)
        is_count = all(function == "COUNT" for function, _ in statement.aggregates)
        if is_count and where is None:
            return CountValues(path)
        if not comparable(type_):
            raise SqlError(f"{name} is of type {type_}, which has no minimum", name.at)
        return Aggregate(path) if where is None else AggregateWhere(path, where)

    def _sorted(
        self,
        statement: Statement,
        order: Order,
        paths: tuple[tuple[str, ...], ...] | None,
        where: Predicate | None,
    ) -> Query:
        path, type_ = self.column(statement.result(order.name))
        if not comparable(type_):
            raise SqlError(f"{order.name} is of type {type_}, which has no order", order.name.at)
        how = (path, statement.limit or 0, order.descending, order.nulls_first)
        is_plain = where is None and not statement.offset
        if paths == (path,) and is_plain:
            return Top(*how)
        if any(len(each) > 1 for each in paths or ()):
            what = "in the order of another column" if is_plain else "with ORDER BY and WHERE or OFFSET"
            raise SqlError(f"fields of structs {what} cannot be expressed", statement.at)
        names = None if paths is None else tuple(each[0] for each in paths)
        return TopRows(*how, names) if is_plain else TopWhere(*how, names, where, statement.offset)

    def _group(self, statement: Statement, group: Name) -> tuple[str, ...]:
        """Return the path of the column of GROUP BY, which may be the other name of one."""
        path = self._grouped(group if self.has(group) else statement.result(group))
        if statement.columns and self._path(statement.columns[0]) != path:
            raise SqlError(GROUPS, statement.at)
        return path

    def _path(self, name: Name) -> tuple[str, ...]:
        return self.column(name)[0]

    def _grouped(self, name: Name) -> tuple[str, ...]:
        """Return the path of a column whose values can be told apart; raises SqlError."""
        path, type_ = self.column(name)
        if not comparable(type_):
            raise SqlError(f"{name} is of type {type_}, whose values cannot be grouped", name.at)
        return path
