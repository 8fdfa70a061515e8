"""Queries of a column, and slices, in the SQL that dialects share; the columns are quoted by the dialect."""

# ruff: noqa: S608 - names are quoted by who calls, all else is digits

from __future__ import annotations

from corpora.queries import COUNT, VALUE, Distinct, Groups, Slice, Top

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
    direction = "DESC" if query.descending else "ASC"
    nulls = "FIRST" if query.nulls_first else "LAST"
    return f"SELECT {value} FROM {source} ORDER BY {column} {direction} NULLS {nulls} LIMIT {query.rows}"


def of_slice(query: Slice, columns: str, source: str, condition: str) -> str:
    """Return the rows of a slice, of those that fulfil a condition, which may be empty."""
    where = f" WHERE {condition}" if condition else ""
    return f"SELECT {columns} FROM {source}{where} LIMIT {query.rows} OFFSET {query.offset}"
