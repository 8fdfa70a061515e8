"""The query of fields of structs, for which a reader decodes only the leaves below these fields.

A field is null where a struct above it is null. Standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from corpora.constants import QueryError
from corpora.evaluation import evaluate, resolve
from corpora.predicates import PREDICATES, Predicate, check_path, show_path
from corpora.query_base import QueryBase
from corpora.tagged import Table, Value

FIELD = "field_"  # names of the columns of a result begin so, and end with a number from 0


@dataclass(frozen=True)
class Fields(QueryBase):
    """Fields of structs and whole columns, of the rows for which a predicate is TRUE, or of all."""

    kind: ClassVar[str] = "fields"
    paths: tuple[tuple[str, ...], ...]
    predicate: Predicate | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.paths, tuple) or not self.paths or len(set(self.paths)) != len(self.paths):
            raise QueryError(f"paths are {self.paths!r:.120}, not a tuple of distinct ones")
        for path in self.paths:
            check_path(path)
        if self.predicate is not None and not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """Return the paths by the names of their columns in the result."""
        return {f"{FIELD}{at}": path for at, path in enumerate(self.paths)}

    def __str__(self) -> str:
        where = "" if self.predicate is None else f" WHERE {self.predicate}"
        return f"SELECT {', '.join(map(show_path, self.paths))}{where}"


def fields_of(query: Fields, table: Table, float_order: str, rows: Iterable[int] | None = None) -> Table:
    """Return the result for the rows that the predicate takes, or for `rows`, rising ordinals of others.

    Raises QueryError as `evaluate` does, and for a path that leads to no column or field.
    """
    if rows is None and query.predicate is not None:
        rows = evaluate(query.predicate, table, float_order)
    taken = None if rows is None else set(rows)
    types = [resolve(path, table.columns, [[] for _ in table.columns])[0] for path in query.paths]
    values: list[list[Value]] = [[] for _ in query.paths]
    first = 0
    for block in table.blocks():
        end = first + len(block[0])
        here = range(first, end) if taken is None else [row for row in range(first, end) if row in taken]
        for at, path in enumerate(query.paths):
            column = resolve(path, table.columns, block)[1]
            values[at] += [column[row - first] for row in here]
        first = end
    return Table.of(list(zip(query.named, types)), values)
