"""Queries in SQL as queries of a file: its columns give paths and constants their names and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora import expressions, predicates
from corpora.build.sql.constants import constant
from corpora.build.sql.syntax import (
    Call,
    Comparison,
    Condition,
    Flag,
    Inverse,
    Joined,
    Literal,
    Name,
    Null,
    OneOf,
    Order,
    Pattern,
    Statement,
)
from corpora.build.sql.tokens import SqlError
from corpora.constants import QueryError, comparable
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    And,
    Compare,
    Computed,
    CountRows,
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    In,
    IsNull,
    Not,
    NullSafe,
    Or,
    Predicate,
    Project,
    Query,
    Slice,
    Top,
    TopRows,
    TopWhere,
)
from corpora.tagged import BOOL, Field, Type

_OF_TABLES = (Aggregate, CountRows, Fields, Filter, Slice)  # those that engines answer of folders


def bind(statement: Statement, columns: Sequence[Field], *, is_table: bool = False) -> Query:
    """Return the query of a file with these columns, or of a folder (`is_table`) that is read so.

    Raises SqlError for a column that is not there, and for a constant that a column's type does not have.
    """
    try:
        query = _Binding(columns).query(statement)
        if is_table and isinstance(query, Project):
            query = Fields(tuple((name,) for name in query.columns))
        if is_table and (isinstance(query, CountValues) or not isinstance(query, _OF_TABLES)):
            raise SqlError(
                "this form of query is of files, not of folders that are read as tables", statement.at
            )
    except QueryError as error:
        raise SqlError(str(error), statement.at) from error
    return query


@dataclass
class _Binding:
    """The columns of a file."""

    columns: Sequence[Field]

    def query(self, statement: Statement) -> Query:
        where = None if statement.where is None else self.predicate(statement.where)
        if where is not None:
            predicates.from_json(where.to_json())  # which checks its depth
        if statement.group is not None:
            return Groups(self._grouped(statement.group))
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
        name = next((name for _, name in statement.aggregates if name is not None), None)
        if name is None:
            return CountRows(where)
        path, type_ = self._column(name)
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
        path, type_ = self._column(order.name)
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

    def predicate(self, condition: Condition) -> Predicate:
        if isinstance(condition, Inverse):
            return Not(self.predicate(condition.of))
        if isinstance(condition, Joined):
            parts = tuple(map(self.predicate, condition.of))
            return And(parts) if condition.op == "and" else Or(parts)
        if isinstance(condition, Comparison):
            return self._comparison(condition)
        if isinstance(condition, OneOf):
            return self._one_of(condition)
        path, type_ = self._column(condition.name)
        if isinstance(condition, Null):
            return IsNull(path)
        if isinstance(condition, Flag):
            return self._computed(Call("itself", None, condition.name), "=", True)
        if isinstance(condition, Pattern):
            argument = condition.literal.text
            if "\\" in argument:
                raise SqlError("engines differ in what a \\ of a pattern means", condition.literal.at)
            return self._computed(Call("like", argument, condition.name), "=", True)
        literal = condition.literal
        if literal.kind == "null":
            return NullSafe(path, type_, None)
        return NullSafe(path, type_, constant(literal, type_, str(condition.name)))

    def _comparison(self, condition: Comparison) -> Predicate:
        term = condition.term
        if isinstance(term, Call):
            return self._computed(term, condition.op, condition.literal)
        path, type_ = self._column(term)
        return Compare(path, condition.op, type_, constant(condition.literal, type_, str(term)))

    def _one_of(self, condition: OneOf) -> Predicate:
        term = condition.term
        if isinstance(term, Call):
            tests = tuple(self._computed(term, "=", literal) for literal in condition.literals)
            return tests[0] if len(tests) == 1 else Or(tests)
        path, type_ = self._column(term)
        values = (
            None if literal.kind == "null" else constant(literal, type_, str(term))
            for literal in condition.literals
        )
        return In(path, type_, tuple(values))

    def _computed(self, term: Call, test: str, right: Literal | bool) -> Predicate:
        path, type_ = self._column(term.name)
        try:
            result = expressions.result_type(term.function, term.argument, type_)
        except QueryError as error:
            what = "a condition" if term.function == "itself" else f"{term.function.upper()} of it"
            raise SqlError(
                f"{term.name} is of type {type_}, so that {what} is not defined", term.at
            ) from error
        value = right if isinstance(right, bool) else constant(right, result, str(term.name))
        return Computed(path, term.function, term.argument, test, BOOL if right is True else result, value)

    def _path(self, name: Name) -> tuple[str, ...]:
        return self._column(name)[0]

    def _grouped(self, name: Name) -> tuple[str, ...]:
        """Return the path of a column whose values can be told apart; raises SqlError."""
        path, type_ = self._column(name)
        if not comparable(type_):
            raise SqlError(f"{name} is of type {type_}, whose values cannot be grouped", name.at)
        return path

    def _column(self, name: Name) -> tuple[tuple[str, ...], Type]:
        """Return the path and type of a column or field; raises SqlError without a single one."""
        fields: Sequence[Field] = self.columns
        path: list[str] = []
        type_: Type | None = None
        for part, is_quoted in zip(name.parts, name.quoted, strict=True):
            if type_ is not None and type_.kind != "struct":
                raise SqlError(f"{'.'.join(path)} is of type {type_}, which has no field {part}", name.at)
            field = _field(fields, part, is_quoted=is_quoted, name=name)
            path.append(field.name)
            type_, fields = field.type, field.type.children
        assert type_ is not None
        return tuple(path), type_


def _field(fields: Sequence[Field], part: str, *, is_quoted: bool, name: Name) -> Field:
    """Return the field of exactly this name or, of a name without quotes, the only one but for case."""
    same = [field for field in fields if field.name == part]
    if not same and not is_quoted:
        same = [field for field in fields if field.name.lower() == part.lower()]
    if len(same) != 1:
        raise SqlError(f"{'more than one' if same else 'no'} column {name}", name.at)
    return same[0]
