"""Source texts of SQL that DuckDB and Spark share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.predicates import Compare, In, IsNull, StartsWith
from corpora.queries import AGGREGATES, Aggregate, Filter
from harness.engines.scripts.literals import quoted
from harness.engines.terms import text_of, where

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.queries import Query
    from corpora.tagged import Type, Value


class Columns:
    """Columns that a condition asks about: variables of the script for their text and type."""

    def __init__(self, quote: str) -> None:
        self.quote = quote
        self.lines: list[str] = []
        self.known: dict[tuple[str, ...], int] = {}

    def name(self, path: tuple[str, ...], *, typed: bool) -> tuple[str, str]:
        """Return the places of a column's text and type in the f-string of a condition."""
        number = self.known.setdefault(path, len(self.known))
        text = ".".join(quoted(one, self.quote) for one in path)
        for line in (f"c{number} = {text!a}", f"t{number} = type_of(c{number})" if typed else ""):
            if line and line not in self.lines:
                self.lines.append(line)
        return f"{{c{number}}}", f"{{t{number}}}"

    def condition(self, query: Filter, constant: Callable[[Type, Value, str], str]) -> list[str]:
        """Return lines that end with `condition = …`."""

        def leaf(test: Any) -> str:
            typed = isinstance(test, (Compare, In))
            column, type_ = self.name(test.path, typed=typed)
            if isinstance(test, IsNull):
                return f"({column} IS NULL)"
            if isinstance(test, StartsWith):
                start = "starts_with" if self.quote == '"' else "startswith"
                return f"{start}({column}, {braced(text_source(test.prefix, self.quote))})"
            if isinstance(test, Compare):
                return f"({column} {test.op} {constant(test.type, test.value, type_)})"
            constants = [constant(test.type, value, type_) for value in test.values]
            return f"({column} IN ({', '.join(constants)}))"

        text = where(query.predicate, leaf)
        return [*self.lines, f"condition = f{text!a}"]


def text_source(value: Value, quote: str) -> str:
    """Return a constant of text as SQL: Spark's, whose names stand in backquotes, or DuckDB's."""
    if quote == "`":
        return f"CAST(X'{text_of(value).encode('utf-8').hex()}' AS STRING)"
    return "'" + text_of(value).replace("'", "''") + "'"


def braced(text: str) -> str:
    """Return text as an f-string has it."""
    return text.replace("{", "{{").replace("}", "}}")


def select_list(query: Query | None, quote: str) -> str:
    """Return the columns of a query, `*` for all of them."""
    columns = getattr(query, "columns", None)
    return "*" if columns is None else ", ".join(quoted(name, quote) for name in columns)


def aggregates(query: Aggregate, quote: str, every: str) -> str:
    """Return the columns of an aggregate; `every` is the count of all rows."""
    column = ".".join(quoted(one, quote) for one in query.path)
    parts = (every, f"count({column})", f"min({column})", f"max({column})")
    named = zip(parts, AGGREGATES)
    return ", ".join(f"{part} AS {quoted(name, quote)}" for part, name in named)
