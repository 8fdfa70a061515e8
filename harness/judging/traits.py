"""What an engine says of itself, by which its answers are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from corpora.aggregates import order_of_both
from corpora.queries import Aggregate, AggregateWhere, Query, Sorted, TopWhere
from corpora.table_reads import TableRead
from harness.judging.claims import about, under


@dataclass(frozen=True)
class Traits:
    """The parts of an engine's description that answers are judged by.

    `file_order`: slices have the rows of the file in their order, not any rows. `row_order`: filters have
    their rows in the order of the file; a folder or an engine may promise none. `sort_order`: of floats, if
    it is another than that of filters.
    """

    claimed: tuple[str, ...] = ()
    float_order: str = "ieee"
    aggregate_order: str = "ieee"
    file_order: bool = False
    row_order: bool = True
    sort_order: str = ""

    @staticmethod
    def of(description: dict[str, Any]) -> Traits:
        """Read the traits from the engine's description."""
        claimed = tuple(description["equivalences"])
        orders = description["float_order"], description["aggregate_order"]
        more = description.get("row_order", True), description.get("sort_order", "")
        return Traits(claimed, *orders, description["file_order"], *more)

    def under(self, switches: Mapping[str, str]) -> Traits:
        """Return the traits under a configuration."""
        return replace(self, claimed=under(self.claimed, switches))

    def about(self, features: Iterable[str]) -> Traits:
        """Return the traits for a file with these features."""
        return replace(self, claimed=about(self.claimed, features))

    def reading(self, read: TableRead | None) -> Traits:
        """Return the traits for a file, or with a `read` for a folder, whose rows have no order."""
        return self if read is None else replace(self, file_order=False, row_order=False)

    def order(self, query: Query) -> str:
        """Return the float order that the answer to a query obeys."""
        if isinstance(query, AggregateWhere):
            return order_of_both(self.float_order, self.aggregate_order)
        if isinstance(query, TopWhere):
            return order_of_both(self.float_order, self.sort_order or self.float_order)
        if isinstance(query, Sorted) and self.sort_order:
            return self.sort_order
        return self.aggregate_order if isinstance(query, Aggregate) else self.float_order
