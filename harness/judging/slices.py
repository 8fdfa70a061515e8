"""Which rows are right in a result that may have any of some rows.

These are slices (`corpora/slices.py`) of engines that document no order of rows, and the first rows in the
order of a column, of which some have equal values. The number of rows is right or wrong; each row is one of
the file's, and none is there more often than in the file. So the expected rows are those of the answer that
fit, filled up with others to their number. Behind an offset, this is so of two sets of equal rows.
"""

from __future__ import annotations

from collections.abc import Callable

from corpora.aggregates import order_of_extremes
from corpora.answers import answer, settled, take
from corpora.column_answers import FirstRows, first_rows
from corpora.constants import QueryError
from corpora.queries import VALUE, Fields, Query, Sorted, Top, TopRows
from corpora.slices import Slice, candidates
from corpora.tagged import Table
from harness.judging.compare import Difference, TablePath, compare
from harness.judging.rows import misplaced


def has_any_rows(query: Query, *, file_order: bool) -> bool:
    """Return whether several choices of rows are right: of tied rows, or of rows without a file order."""
    return isinstance(query, TopRows) or (isinstance(query, Slice) and not file_order)


def nearest(
    query: Slice | TopRows, file: Table, actual: Table, claimed: tuple[str, ...], float_order: str
) -> Table:
    """Return the right result that shares the most rows with `actual`, in the order of the file."""
    return take(file, nearest_rows(query, file, actual, claimed, float_order), query.columns)


def nearest_rows(  # noqa: PLR0917 - an answer, and what is right
    query: Slice | TopRows,
    file: Table,
    actual: Table,
    claimed: tuple[str, ...],
    float_order: str,
    read: Table | None = None,
) -> list[int]:
    """Return the ordinals of the rows of `nearest`; the first ones, if the types do not come together.

    `read`: the rows of the file as they are in the answer, None if they have the file's values.
    """
    if isinstance(query, TopRows):
        first = first_rows(query, file, float_order)
    else:
        chosen = candidates(query, file, float_order)
        count = len(chosen[query.offset : query.offset + query.rows])
        first = FirstRows([], 0, [], chosen, count)
    whole = take(file if read is None else read, range(file.num_rows), query.columns)

    def answered(wanted: list[int]) -> list[int]:
        """Return those of some rows that the result has; of rows that look alike, the first ones."""
        moved = misplaced(whole, wanted, actual, claimed)
        lost = set(wanted if moved is None else moved.lost)
        return [row for row in wanted if row not in lost]

    before = _before(first, answered)
    return sorted([*first.certain, *before, *_behind(first, answered, before)])


def _before(first: FirstRows, answered: Callable[[list[int]], list[int]]) -> list[int]:
    """Return the rows of a result that are equal to one of the offset.

    First come those that cannot be rows behind the certain ones, which may look alike without the column.
    """
    if not first.before:
        return []
    only = set(answered([*first.certain, *first.behind, *first.before]))
    must = [row for row in first.before if row in only]
    others = [row for row in first.before if row not in only]
    present = set(answered([*first.certain, *must, *others, *first.behind]))
    ranked = [*must, *sorted(others, key=lambda row: row not in present)]
    return ranked[: first.of_before]


def _behind(first: FirstRows, answered: Callable[[list[int]], list[int]], before: list[int]) -> list[int]:
    """Return the rows of a result that are equal to its last one."""
    # Rows that are known come first, so that an equal one of the others is not taken for them.
    present = set(answered([*first.certain, *before, *first.behind]))
    return sorted(first.behind, key=lambda row: row not in present)[: first.of_behind]


def difference_of_count(expected: Table, actual: Table) -> Difference | None:
    """Return the difference of an answer with too few or too many rows."""
    if expected.num_rows == actual.num_rows:
        return None
    path = "rows lost" if actual.num_rows < expected.num_rows else "rows gained"
    return Difference(TablePath(path), f"{expected.num_rows} rows", f"{actual.num_rows} rows", "slice")


def unsorted(query: Sorted) -> Difference:
    """Return the difference of an answer whose rows have another order than the query's."""
    return Difference(TablePath("order of rows"), f"sorted by {query}", "another order", "")


def is_sorted(query: Sorted, actual: Table, order: str) -> bool:
    """Return whether the rows of an answer have the query's order; True if they cannot be compared."""
    order = order_of_extremes(order)
    if isinstance(query, Top) and len(actual.columns) != 1:
        return True
    path = (actual.columns[0].name,) if isinstance(query, Top) else query.path
    all_rows = Top(path, max(actual.num_rows, 1), query.descending, query.nulls_first)
    try:
        values = answer(Fields((path,)), actual, order)
        again = answer(all_rows, actual, order)
    except QueryError:  # the column is not in the answer, or has another type
        return True
    columns = [(VALUE, values.columns[0].type)]
    return compare(again, settled(all_rows, Table.of(columns, [values.column(0)]), order), ()).equal
