"""Queries of a column, counts, slices and joins in the SQL that dialects share; they quote the columns."""

# ruff: noqa: S608 - names are quoted by who calls, all else is digits

from __future__ import annotations

from collections.abc import Callable, Iterable

from corpora.predicates import Test
from corpora.queries import (
    COUNT,
    VALUE,
    AntiJoin,
    CountRows,
    Distinct,
    Groups,
    Join,
    Query,
    Slice,
    Sorted,
    Top,
    predicate_of,
)
from harness.engines.terms import where

SMALL, MATCH = "colconf_small", "colconf_match"  # the small table of a join, and its column


def of_column(
    query: Distinct | Groups | Top, column: str, source: str, quote: str, count: str = "count(*)"
) -> str:
    """Return the distinct values of a column, their counts, or the first of them in their order."""
    value = f"{column} AS {quote}{VALUE}{quote}"
    if isinstance(query, Distinct):
        return f"SELECT DISTINCT {value} FROM {source}"
    if isinstance(query, Groups):
        return f"SELECT {value}, {count} AS {quote}{COUNT}{quote} FROM {source} GROUP BY {column}"
    return first_of(query, value, column, source)


def first_of(query: Sorted, selected: str, column: str, source: str) -> str:
    """Return what is selected of the first rows in the order of a column."""
    direction = "DESC" if query.descending else "ASC"
    nulls = "FIRST" if query.nulls_first else "LAST"
    return f"SELECT {selected} FROM {source} ORDER BY {column} {direction} NULLS {nulls} LIMIT {query.rows}"


def count_of(query: CountRows, source: str, test: Callable[[Test], str], count: str = "count(*)") -> str:
    """Return the number of rows, or of those that fulfil a predicate, of which `test` writes a test."""
    return f'SELECT {count} AS "{COUNT}" FROM {source}{where_of(query, test)}'


def where_of(query: Query, test: Callable[[Test], str]) -> str:
    """Return the WHERE clause of a query's predicate, of which `test` writes a test; "" without one."""
    predicate = predicate_of(query)
    return "" if predicate is None else f" WHERE {where(predicate, test)}"


def of_slice(query: Slice, columns: str, source: str, condition: str, order: str = "") -> str:
    """Return the rows of a slice, of those that fulfil a condition; `condition` and `order` may be empty."""
    where = f" WHERE {condition}" if condition else ""
    by = f" ORDER BY {order}" if order else ""
    return f"SELECT {columns} FROM {source}{where}{by} LIMIT {query.rows} OFFSET {query.offset}"


def in_small(query: Join, column: str, constants: Iterable[str]) -> str:
    """Return the condition of a join with a table of constants, which the dialect has written."""
    table = f"(VALUES {', '.join(f'({constant})' for constant in constants)}) AS {SMALL}({MATCH})"
    if isinstance(query, AntiJoin) and not query.not_in:
        return f"NOT EXISTS (SELECT 1 FROM {table} WHERE {MATCH} = {column})"
    word = "NOT IN" if isinstance(query, AntiJoin) else "IN"
    return f"{column} {word} (SELECT {MATCH} FROM {table})"
