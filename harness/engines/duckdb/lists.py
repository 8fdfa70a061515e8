"""Queries whose rows have an order of their own, or none: a list of values becomes a join, for example."""

from __future__ import annotations

from corpora.predicates import In, leaves
from corpora.queries import (
    AntiJoin,
    Distinct,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Query,
    SemiJoin,
    Slice,
    Sorted,
)
from harness.engines.duckdb.ways import Way
from harness.engines.errors import Unsupported


def is_numbered(query: Query) -> bool:
    """Return whether a query is a slice of rows that are numbered: of those behind a list.

    In the order of a join it would have other rows, which could not be told from lost ones.
    """
    return isinstance(query, Slice) and _has_list(query)


def in_one_thread(way: Way, query: Query) -> Way:
    """Return the way in which a query is asked: a filter by a list in one thread.

    DuckDB makes a join of a list, whose rows come as threads are done, each time in another order, though
    https://duckdb.org/docs/stable/sql/dialect/order_preservation says that WHERE keeps it.
    """
    if not isinstance(query, (Fields, Filter, FilterHeld)) or not _has_list(query):
        return way
    return way._replace(settings=tuple({**dict(way.settings), "threads": "1"}.items()))


def _has_list(query: Fields | Filter | FilterHeld | Slice) -> bool:
    tests = () if query.predicate is None else leaves(query.predicate)
    return any(isinstance(test, In) and len(test.values) > 1 for test in tests)


# Their rows have an order that a subquery need not keep, or none.
_NO_ORDER = (Distinct, Groups, Sorted, SemiJoin, AntiJoin)


def in_way(way: Way, query: Query, sql: str) -> str:
    """Return the SQL of a query in a way; raises Unsupported for rows whose order the way may change."""
    if way.answer != "{answer}" and (isinstance(query, _NO_ORDER) or is_numbered(query)):
        raise Unsupported("a subquery has no order to keep")
    return way.answer.format(answer=sql)
