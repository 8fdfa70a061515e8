"""Shared parts of queries: their JSON form, the path of a column, and lists of columns.

Standard library only, Python 3.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from corpora import predicates
from corpora.constants import QueryError


class QueryBase:
    """Base of the queries."""

    kind: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return predicates.members_of(self, "kind")


@dataclass(frozen=True)
class OfColumn(QueryBase):
    """A query of a column or of a field of structs."""

    path: tuple[str, ...]

    def __post_init__(self) -> None:
        predicates.check_path(self.path)


def check_columns(columns: Any) -> None:
    """Raise QueryError unless `columns` are distinct names."""
    predicates.check_path(columns)
    if len(set(columns)) != len(columns):
        raise QueryError(f"columns {columns!r:.120} are not distinct")


def check_count(what: str, value: Any, least: int) -> None:
    """Raise QueryError unless `value` is a count from `least`."""
    if type(value) is not int or value < least:
        raise QueryError(f"{what} is {value!r:.40}, not a count from {least}")


def show_columns(columns: tuple[str, ...]) -> str:
    """Return names of columns for people."""
    return ", ".join(predicates.show_path((name,)) for name in columns)
