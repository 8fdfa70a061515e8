"""Queries of a column that need more than a filter: joins, sorting, grouping.

Readers skip rows by intermediate results of such a query (dynamic filters): a join by the values of the small
table, a sort with a limit by the last row that is kept so far. Standard library only, Python 3.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corpora import predicates
from corpora.constants import QueryError, check_constant, show
from corpora.predicates import PREDICATES, Predicate
from corpora.query_base import OfColumn, check_columns, check_count, show_columns
from corpora.tagged import Type, Value

VALUE = "value"  # the column of values in the result of Distinct, Groups and Top
COUNT = "rows"  # the numbers of rows in the result of Groups


@dataclass(frozen=True)
class Join(OfColumn):
    """Base of the joins with a small table of one column, whose values may be null."""

    type: Type
    values: tuple[Value, ...]
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.values, tuple) or all(value is None for value in self.values):
            raise QueryError(f"the values of a join are {self.values!r:.80}, not one or more")
        for value in self.values:
            if value is not None:
                check_constant(self.type, value)
        if self.columns is not None:
            check_columns(self.columns)

    def _text(self, operator: str) -> str:
        rows = ", ".join(f"({'NULL' if v is None else show(self.type, v)})" for v in self.values)
        columns = "" if self.columns is None else f"{show_columns(self.columns)} WHERE "
        return f"{columns}{predicates.show_path(self.path)} {operator} (VALUES {rows})"


class SemiJoin(Join):
    """The rows whose value is equal to a value of a small table; null is equal to nothing."""

    kind: ClassVar[str] = "semi_join"

    def __str__(self) -> str:
        return self._text("IN")


@dataclass(frozen=True)
class AntiJoin(Join):
    """The rows whose value is equal to no value of a small table.

    By NOT EXISTS, a null is equal to nothing, so that rows of nulls are in the result. By NOT IN (`not_in`),
    a comparison with null is unknown: no row of null is, and no row at all if the small table has a null.
    """

    kind: ClassVar[str] = "anti_join"
    not_in: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.not_in) is not bool:
            raise QueryError("an anti-join is by NOT IN or not")

    def __str__(self) -> str:
        return self._text("NOT IN" if self.not_in else "EQUAL TO NONE OF")


class Distinct(OfColumn):
    """The distinct values of a column or of a field of structs, null among them."""

    kind: ClassVar[str] = "distinct"

    def __str__(self) -> str:
        return f"DISTINCT {predicates.show_path(self.path)}"


class Groups(OfColumn):
    """The distinct values of a column or of a field of structs, each with its number of rows."""

    kind: ClassVar[str] = "groups"

    def __str__(self) -> str:
        return f"COUNT BY {predicates.show_path(self.path)}"


@dataclass(frozen=True)
class Sorted(OfColumn):
    """Base of the first rows in the order of a column, or, descending, in the reverse order."""

    rows: int
    descending: bool = False
    nulls_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("rows", self.rows, 1)
        if type(self.descending) is not bool or type(self.nulls_first) is not bool:
            raise QueryError("an order is descending or not, with nulls first or not")

    def _text(self, columns: str, where: str = "") -> str:
        direction = "DESC" if self.descending else "ASC"
        nulls = "FIRST" if self.nulls_first else "LAST"
        path = predicates.show_path(self.path)
        return f"{columns}{where} ORDER BY {path} {direction} NULLS {nulls} LIMIT {self.rows}"


class Top(Sorted):
    """The first values of a column in its order."""

    kind: ClassVar[str] = "top"

    def __str__(self) -> str:
        return self._text(predicates.show_path(self.path))


@dataclass(frozen=True)
class TopRows(Sorted):
    """The first rows in the order of a column; of rows with equal values, any.

    A reader may sort one column, and fetch the others of the first rows only (late materialization).
    """

    kind: ClassVar[str] = "top_rows"
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns is not None:
            check_columns(self.columns)

    def __str__(self) -> str:
        return self._text("ALL" if self.columns is None else show_columns(self.columns))


@dataclass(frozen=True)
class TopWhere(TopRows):
    """The first rows in the order of a column, behind `offset` of them, of those where a predicate is TRUE.

    A reader that skips rows by the last one that is kept so far may only count rows that pass the filter, and
    keeps the rows of the offset, too.
    """

    kind: ClassVar[str] = "top_where"
    predicate: Predicate | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("offset", self.offset, 0)
        if self.predicate is not None and not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")

    def __str__(self) -> str:
        columns = "ALL" if self.columns is None else show_columns(self.columns)
        where = "" if self.predicate is None else f" WHERE {self.predicate}"
        return f"{self._text(columns, where)} OFFSET {self.offset}"


def offset_of(query: Sorted) -> int:
    """Return the number of rows that a query passes over."""
    return query.offset if isinstance(query, TopWhere) else 0
