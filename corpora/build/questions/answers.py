"""The sizes of answers: of a large file only queries are asked whose answers are small.

An answer is read, stored and compared for each engine, configuration and query. Of a file that is read in
part, rows that were read stand for all.
"""

from __future__ import annotations

from corpora.answers import answer, take
from corpora.cases import Probe
from corpora.predicates import Compare, In
from corpora.queries import Aggregate, Filter, Query, RowGroup, Slice, Top
from corpora.tagged import Table

MOST_ROWS = 1 << 16  # of an answer of a file that is read in part
_SAMPLE = 1_024  # rows
_BOUNDED = (Aggregate, RowGroup, Slice, Top)  # one row, the rows in the probe, and limits of rows


class Answers:
    """The answers of a file of `rows` rows, of which `read` were read."""

    def __init__(self, read: Table, rows: int) -> None:
        self._rows = rows
        self._is_whole = read.num_rows == rows or rows <= MOST_ROWS
        step = max(1, read.num_rows // _SAMPLE)
        self._sample = read if self._is_whole else take(read, range(0, read.num_rows, step))

    def are_small(self, probe: Probe) -> bool:
        """Return whether the answer of a query has few rows; of a file that was read whole, each may."""
        if self._is_whole or isinstance(probe.query, _BOUNDED):
            return True
        if not self._sample.num_rows:
            return _is_equality(probe.query)
        share = answer(probe.query, self._sample, "ieee").num_rows / self._sample.num_rows
        return share * self._rows <= MOST_ROWS


def _is_equality(query: Query) -> bool:
    """Return whether a query asks for rows with given values, which are few in most columns."""
    test = query.predicate if isinstance(query, Filter) else None
    return isinstance(test, In) or (isinstance(test, Compare) and test.op == "=")
