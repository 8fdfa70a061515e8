"""The sizes of results: on a large file, only queries are run whose results are small, or are digested.

A result is read, stored and compared for each engine, configuration and query. Of rows in the order of the
file, or which a child sorts because they have no order, digests are compared
(`harness/judging/large_answers.py`), so that they may be many. If a file is read only in part, the rows that
were read represent all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora.answers import answer, take
from corpora.cases import Probe
from corpora.predicates import Compare, In, leaves
from corpora.queries import (
    Aggregate,
    Batches,
    CountRows,
    Distinct,
    Fields,
    Filter,
    Groups,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    Sorted,
)
from corpora.tagged import Table

MOST_ROWS = 1 << 16  # of an answer that is sent
MOST_CELLS = 1 << 23  # of an answer that is compared by digests
BY_DIGEST = (Fields, Filter, Project, RowGroup, Batches, Join, Distinct, Groups)
_SAMPLE = 1_024  # rows
_BOUNDED = (Aggregate, CountRows, Slice, Sorted)  # one row, and limits of rows


class Answers:
    """The answers of a file of `rows` rows, of which `read` were read."""

    def __init__(self, read: Table, rows: int) -> None:
        self._rows = rows
        self._is_whole = read.num_rows == rows or rows <= MOST_ROWS
        step = max(1, read.num_rows // _SAMPLE)
        self._columns = len(read.columns)
        self._sample = read if self._is_whole else take(read, range(0, read.num_rows, step))

    def askable(self, probe: Probe) -> Probe | None:
        """Return a probe that can be asked for a query; None for a query whose answer is too large.

        A filter or join that leaves too much of a large file is asked for the columns that it tests. Of a
        file that was read whole each query is asked.
        """
        query = probe.query
        if self._is_whole or isinstance(query, _BOUNDED):
            return probe
        rows = self._estimate(probe)
        if rows <= MOST_ROWS:
            return probe
        if not isinstance(query, BY_DIGEST):
            return None
        if rows * self._width(query) <= MOST_CELLS:
            return probe
        if not isinstance(query, (Filter, Join)) or query.columns is not None:
            return None
        names = tuple(dict.fromkeys(path[0] for path in _paths(query)))
        narrow = replace(query, columns=names)
        return replace(probe, query=narrow) if rows * len(names) <= MOST_CELLS else None

    def _estimate(self, probe: Probe) -> float:
        """Return how many rows a query has, judging by a sample."""
        query = probe.query
        if probe.rows is not None:
            return len(probe.rows)
        if isinstance(query, (Project, Batches)) or (isinstance(query, Fields) and query.predicate is None):
            return self._rows
        if not self._sample.num_rows:
            return 0 if _is_equality(query) else self._rows
        return answer(query, self._sample, "ieee").num_rows / self._sample.num_rows * self._rows

    def _width(self, query: Query) -> int:
        if isinstance(query, (Distinct, Groups)):
            return 2  # a value and its count
        if isinstance(query, Fields):
            return len(query.paths)
        columns = getattr(query, "columns", None)
        return self._columns if columns is None else len(columns)


def _paths(query: Filter | Join) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the columns that a query tests."""
    if isinstance(query, Filter):
        yield from (test.path for test in leaves(query.predicate))
    else:
        yield query.path


def _is_equality(query: Query) -> bool:
    """Return whether a query asks for rows with given values, which are few in most columns."""
    test = query.predicate if isinstance(query, Filter) else None
    return isinstance(test, In) or (isinstance(test, Compare) and test.op == "=")
