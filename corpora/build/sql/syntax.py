"""The parts of a query in SQL as it is written, before the columns of a file give it types.

`at` is a place in the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

GROUPS = "GROUP BY is SELECT column, COUNT(*) GROUP BY column, without WHERE, ORDER BY and LIMIT"


class Name(NamedTuple):
    """The path of a column; a part that is not in quotes (`quoted`) may differ from the file's in case."""

    parts: tuple[str, ...]
    quoted: tuple[bool, ...]
    at: int

    def behind(self, table: Name) -> Name | None:
        """Return the rest of a name that begins with a table's, of which the first parts may be left out."""
        for size in range(1, len(self.parts)):
            if Name(self.parts[:size], self.quoted[:size], self.at).is_of(table):
                return self._replace(parts=self.parts[size:], quoted=self.quoted[size:])
        return None

    def is_of(self, table: Name) -> bool:
        """Return whether this is the name of a table, of which the first parts may be left out."""
        return _folded(self.parts) == _folded(table.parts[-len(self.parts) :])

    def __str__(self) -> str:
        return ".".join(self.parts)


def _folded(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)


class Call(NamedTuple):
    """A function of `corpora.expressions` of a column."""

    function: str
    argument: str | None
    name: Name

    @property
    def at(self) -> int:
        """Return the place of the column."""
        return self.name.at

    def __str__(self) -> str:
        cast = f" AS {self.argument}".upper() if self.function == "cast" else ""
        return f"{self.function.upper()}({self.name}{cast})"


class Literal(NamedTuple):
    """A constant: `kind` is number, text, bytes, bool, date, time, timestamp or null."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        quoted = f"'{self.text}'"
        prefix = {"text": "", "bytes": "X"}.get(self.kind, f"{self.kind.upper()} ")
        return self.text if self.kind in {"number", "bool", "null"} else prefix + quoted


Term = Name | Call


@dataclass(frozen=True)
class Comparison:
    """A column, or a function of one, against a constant."""

    term: Term
    op: str
    literal: Literal


@dataclass(frozen=True)
class OneOf:
    """A column, or a function of one, is one of some constants."""

    term: Term
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class Null:
    """A column is null."""

    name: Name


@dataclass(frozen=True)
class Same:
    """A column equals a constant, or both are null."""

    name: Name
    literal: Literal


@dataclass(frozen=True)
class Pattern:
    """The text of a column fits a pattern."""

    name: Name
    literal: Literal


@dataclass(frozen=True)
class Flag:
    """A column is a condition itself."""

    name: Name


@dataclass(frozen=True)
class Inverse:
    """NOT a condition."""

    of: Condition


@dataclass(frozen=True)
class Truth:
    """A condition is, or `is_not`, TRUE, FALSE or UNKNOWN (`value`); `at` is the place of IS."""

    of: Condition
    value: str
    is_not: bool
    at: int


@dataclass(frozen=True)
class Joined:
    """Conditions joined by AND, or by OR (`op`)."""

    op: str
    of: tuple[Condition, ...]


Condition = Comparison | OneOf | Null | Same | Pattern | Flag | Inverse | Truth | Joined


class Order(NamedTuple):
    """ORDER BY a column."""

    name: Name
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Statement:
    """A query; `text` is the query on one line, `at` where it begins.

    `columns` are None for all. `aggregates` are pairs of COUNT, MIN or MAX and a column, None for `*`.
    `results` are the columns that AS gives another name, by this name in lower case. `table` is the name
    of the table, which may stand before a column's.
    """

    text: str
    at: int
    columns: tuple[Name, ...] | None = None
    aggregates: tuple[tuple[str, Name | None], ...] = ()
    is_distinct: bool = False
    where: Condition | None = None
    group: Name | None = None
    order: Order | None = None
    limit: int | None = None
    offset: int = 0
    results: Mapping[str, Name] = field(default_factory=dict)
    table: Name | None = None

    def result(self, name: Name) -> Name:
        """Return the column that has another name in the result, or the name itself."""
        return self.results.get(name.parts[0].lower(), name) if len(name.parts) == 1 else name
