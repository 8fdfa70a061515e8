"""Slices (`corpora/slices.py`) of engines that document no order of rows: which rows are right.

The number of rows is right or wrong; each row is one of the file's, and none is there more often than in the
file. So the expected rows are those of the answer that fit, filled up with others to their number.
"""

from __future__ import annotations

from corpora.answers import take
from corpora.queries import Query
from corpora.slices import Slice, candidates
from corpora.tagged import Table
from harness.judging.compare import Difference, TablePath
from harness.judging.rows import misplaced


def has_any_rows(query: Query, *, file_order: bool) -> bool:
    """Return whether the answer to a query may have any of the rows that it chooses from."""
    return isinstance(query, Slice) and not file_order


def nearest(query: Slice, file: Table, actual: Table, claimed: tuple[str, ...], float_order: str) -> Table:
    """Return the right answer that has the most rows of `actual`, in the order of the file."""
    return take(file, nearest_rows(query, file, actual, claimed, float_order), query.columns)


def nearest_rows(
    query: Slice, file: Table, actual: Table, claimed: tuple[str, ...], float_order: str
) -> list[int]:
    """Return the ordinals of the rows of `nearest`; the first ones, if the types do not come together."""
    chosen = candidates(query, file, float_order)
    count = len(chosen[query.offset : query.offset + query.rows])
    moved = misplaced(take(file, range(file.num_rows), query.columns), chosen, actual, claimed)
    lost = chosen if moved is None else moved.lost
    answered = sorted(set(chosen).difference(lost))
    return sorted([*answered, *lost][:count])


def difference_of_count(expected: Table, actual: Table) -> Difference | None:
    """Return the difference of an answer with too few or too many rows."""
    if expected.num_rows == actual.num_rows:
        return None
    path = "rows lost" if actual.num_rows < expected.num_rows else "rows gained"
    return Difference(TablePath(path), f"{expected.num_rows} rows", f"{actual.num_rows} rows", "slice")
