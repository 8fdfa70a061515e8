"""The query of a number of rows: all of them, or those that a filter takes.

A reader need not decode a column for it: it may take the number from the footer, or count what statistics,
indexes and filters leave. Standard library only, Python 3.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corpora.column_queries import COUNT
from corpora.constants import QueryError
from corpora.evaluation import evaluate
from corpora.predicates import PREDICATES, Predicate
from corpora.query_base import QueryBase
from corpora.tagged import Table, integer


@dataclass(frozen=True)
class CountRows(QueryBase):
    """The number of rows for which a predicate is TRUE; without a predicate, the number of all rows."""

    kind: ClassVar[str] = "count"
    predicate: Predicate | None = None

    def __post_init__(self) -> None:
        if self.predicate is not None and not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")

    def __str__(self) -> str:
        return "COUNT" if self.predicate is None else f"COUNT WHERE {self.predicate}"


def counted(query: CountRows, table: Table, float_order: str) -> Table:
    """Return the answer to a query of a number of rows; raises QueryError as `evaluate` does."""
    if query.predicate is None:
        return count_of(table.num_rows)
    return count_of(len(evaluate(query.predicate, table, float_order)))


def count_of(rows: int) -> Table:
    """Return the table of a number of rows: one row, the column COUNT."""
    return Table.of([(COUNT, integer(64))], [[str(rows)]])
