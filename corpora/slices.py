"""The query of some rows by their place: limit and offset, behind a filter if there is one.

A reader may end early, skip whole row groups and pages, and begin in the middle of a page or of a batch of
its own. Standard library only, Python 3.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corpora.constants import QueryError
from corpora.evaluation import evaluate
from corpora.predicates import PREDICATES, Predicate
from corpora.query_base import QueryBase, check_columns, check_count, show_columns
from corpora.tagged import Table


@dataclass(frozen=True)
class Slice(QueryBase):
    """At most `rows` rows behind the first `offset` rows, of those for which a predicate is TRUE, if any.

    In the order of the file where the engine documents an order; else any rows, each as often as it is there.
    """

    kind: ClassVar[str] = "slice"
    offset: int
    rows: int
    predicate: Predicate | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_count("offset", self.offset, 0)
        check_count("rows", self.rows, 0)
        if self.predicate is not None and not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")
        if self.columns is not None:
            check_columns(self.columns)

    def __str__(self) -> str:
        columns = "ALL" if self.columns is None else show_columns(self.columns)
        where = "" if self.predicate is None else f" WHERE {self.predicate}"
        return f"{columns}{where} LIMIT {self.rows} OFFSET {self.offset}"


def candidates(query: Slice, table: Table, float_order: str) -> list[int]:
    """Return the ordinals of the rows that a slice chooses from; raises QueryError as `evaluate` does."""
    if query.predicate is None:
        return list(range(table.num_rows))
    return evaluate(query.predicate, table, float_order)


def rows_of_slice(query: Slice, table: Table, float_order: str) -> list[int]:
    """Return the ordinals of a slice's rows in the file's order; raises QueryError as `evaluate` does."""
    return candidates(query, table, float_order)[query.offset : query.offset + query.rows]
