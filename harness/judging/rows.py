"""The rows that an answer lacks, and those it has in excess, by their ordinals in the file.

Rows of an answer are identified by their values, under the equivalences that the engine claims; of equal
rows, the first in the file count as answered.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import eq, ne
from typing import NamedTuple

from corpora.answers import take
from corpora.field_queries import fields_of
from corpora.queries import Batches, Fields, Filter, FilterHeld, Join, Project, RowGroup, Slice, TopRows
from corpora.tagged import Table, Value
from harness.children.outcomes import Outcome
from harness.judging.columns import ColumnPlan, Mismatch, in_form, named, plan_of
from harness.judging.compare import Difference, TablePath, same_cell

ORDER = "order of rows"
ROWS = ("rows lost", "rows gained", "rows lost and gained", ORDER)  # paths of a difference
_MOST_PAIRS = 1 << 12  # of rows that are compared cell by cell
_Row = tuple[Value, ...]  # each cell is hashable: one of several values, or a long one, is its JSON text


class Misplaced(NamedTuple):
    """Ascending ordinals of lost and of gained rows, and the number of rows that are not in the file."""

    lost: list[int]
    gained: list[int]
    strange: int


def misplaced(file: Table, wanted: Sequence[int], actual: Table, claimed: Iterable[str]) -> Misplaced | None:
    """Compare an answer with the rows `wanted` of a file; both have the same columns.

    None if no claimed equivalence brings their types together.
    """
    plans = _plans(file, actual, claimed)
    if plans is None:
        return None
    matches: dict[int, int] = {}
    others = _matched(matches, file, actual, plans, wanted)
    lost = [row for row in wanted if row not in matches]
    left = sorted(set(range(file.num_rows)).difference(wanted))
    strange = _matched(matches, file, actual, plans, left) if others else []
    return Misplaced(lost, [row for row in left if row in matches], len(strange))


def aligned(expected: Table, actual: Table, claimed: Iterable[str]) -> Table:
    """Return `actual` with its rows in the order of the equal rows of `expected`; the others fill the gaps.

    Equal rows come first, then those that are equal if what may stand for a null is null. A row that equals
    none stands beside the row of a gap with which it has most cells in common. Where no claimed equivalence
    brings the types together, the order stays as it is.
    """
    plans = None if _are_equal(expected, actual) else _plans(expected, actual, claimed)
    if plans is None:
        return actual
    matches: dict[int, int] = {}
    others = _matched(matches, expected, actual, plans, range(expected.num_rows))
    gaps = [row for row in range(expected.num_rows) if row not in matches]
    if gaps and others:
        wanted = _keys(expected, plans, rewrite=True, as_null=True)
        answered = _keys(actual, plans, rewrite=False, as_null=True)
        nearest = _nearest({row: wanted[row] for row in gaps}, {row: answered[row] for row in others})
        matches |= nearest
    paired = set(matches.values())
    rows = [*(matches[row] for row in sorted(matches)), *(row for row in others if row not in paired)]
    columns = actual.all_columns()
    fields = [(field.name, field.type) for field in actual.columns]
    return Table.of(fields, [[column[row] for row in rows] for column in columns], actual.num_rows)


def _matched(
    matches: dict[int, int], expected: Table, actual: Table, plans: Sequence[ColumnPlan], rows: Sequence[int]
) -> list[int]:
    """Pair equal rows; return the rows of `actual` that are left.

    `matches` has rows of `actual` by rows of `expected`, and gets those of `rows`: first of equal rows, then
    of rows that are equal if what a claimed equivalence lets stand for a null is null.
    """
    others = _match(matches, expected, actual, plans, rows, as_null=False)
    if others and any(row not in matches for row in rows) and any(map(_has_stand_ins, plans)):
        others = _match(matches, expected, actual, plans, rows, as_null=True)
    return others


def _match(
    matches: dict[int, int],
    expected: Table,
    actual: Table,
    plans: Sequence[ColumnPlan],
    rows: Sequence[int],
    *,
    as_null: bool,
) -> list[int]:
    taken = set(matches.values())
    places: dict[_Row, deque[int]] = {}
    for row, key in enumerate(_keys(actual, plans, rewrite=False, as_null=as_null)):
        if row not in taken:
            places.setdefault(key, deque()).append(row)
    wanted = _keys(expected, plans, rewrite=True, as_null=as_null)
    cells = (expected.all_columns(), actual.all_columns()) if as_null else ([], [])
    for row in rows:
        alike = places.get(wanted[row])
        if row in matches or not alike:
            continue
        # An equal key says that one may stand for a null, not which of both is the null.
        place = next((at for at in alike if not as_null or _are_same(plans, cells, row, at)), None)
        if place is not None:
            alike.remove(place)
            matches[row] = place
    return sorted(row for of_key in places.values() for row in of_key)


def _are_same(
    plans: Sequence[ColumnPlan], cells: tuple[list[list[Value]], list[list[Value]]], row: int, place: int
) -> bool:
    """Return whether a row and the row at a place mean the same under what the engine claims."""
    columns = zip(plans, *cells, strict=True)
    return all(same_cell(plan, expected[row], actual[place]) for plan, expected, actual in columns)


def _has_stand_ins(plan: ColumnPlan) -> bool:
    """Return whether something may stand for a null of a column, or in it."""
    return bool(plan.of_nulls) or any(map(_has_stand_ins, plan.children))


def _are_equal(left: Table, right: Table) -> bool:
    """Return whether two tables have the same values in the same order, which costs little to find out."""
    if left.columns != right.columns or left.num_rows != right.num_rows:
        return False
    return left.has_text_of(right) or all(map(eq, left.blocks(), right.blocks()))


def _nearest(gaps: Mapping[int, _Row], others: Mapping[int, _Row]) -> dict[int, int]:
    """Return, for rows of `gaps`, the row of `others` beside which it stands; both are keys by row.

    The pairs with the fewest different cells come first, of equal ones the first rows. Of too many rows, one
    after the other is taken.
    """
    if len(gaps) * len(others) > _MOST_PAIRS:
        return dict(zip(gaps, others, strict=False))
    distances = sorted(
        (sum(map(ne, wanted, answered)), gap, other)
        for gap, wanted in gaps.items()
        for other, answered in others.items()
    )
    paired: dict[int, int] = {}
    taken: set[int] = set()
    for _, gap, other in distances:
        if gap not in paired and other not in taken:
            paired[gap] = other
            taken.add(other)
    return paired


def in_rows_of(expected: Table | None, outcome: Outcome, claimed: Iterable[str]) -> Outcome:
    """Return the outcome of reading a table of several files, of which the rows have no order, `aligned`."""
    if expected is None or outcome.table is None:
        return outcome
    return replace(outcome, table=aligned(expected, outcome.table, claimed))


def _plans(left: Table, right: Table, claimed: Iterable[str]) -> list[ColumnPlan] | None:
    equivalences = named(claimed)
    try:
        return [
            plan_of(first.type, second.type, equivalences, "")
            for first, second in zip(left.columns, right.columns, strict=True)
        ]
    except (Mismatch, ValueError):
        return None


def _keys(table: Table, plans: Sequence[ColumnPlan], *, rewrite: bool, as_null: bool = False) -> list[_Row]:
    if not table.columns:  # nothing tells its rows apart
        return [()] * table.num_rows
    keys: list[_Row] = []
    for block in table.blocks():
        columns = [
            _column(plan, values, rewrite=rewrite, as_null=as_null)
            for plan, values in zip(plans, block, strict=True)
        ]
        keys += zip(*columns, strict=True)
    return keys


def _column(plan: ColumnPlan, values: Iterable[Value], *, rewrite: bool, as_null: bool) -> list[Value]:
    if rewrite and plan.convert:
        values = [None if value is None else plan.convert(value) for value in values]
    if plan.forms or plan.children or as_null:
        values = [in_form(plan, value, as_null=as_null) for value in values]
    return [json.dumps(value) if isinstance(value, (list, dict)) else value for value in values]


def of_all_rows(
    query: Batches | Fields | Filter | FilterHeld | Join | Project | RowGroup | Slice | TopRows, file: Table
) -> Table:
    """Return what a query has of all rows of a file."""
    if isinstance(query, Fields):
        return fields_of(query, file, "ieee", range(file.num_rows))
    if isinstance(query, RowGroup | Batches):
        return file
    return Table.of([], [], 0) if query.columns == () else take(file, range(file.num_rows), query.columns)


def moved_rows(wanted: Table | None, actual: Table | None) -> Difference | None:
    """Return the difference of two tables as of bags of rows; None where as many were lost as gained."""
    if wanted is None or actual is None:
        return None
    left, right = (Counter(_texts(table)) for table in (wanted, actual))
    lost, gained = (left - right).total(), (right - left).total()
    if lost and gained:
        return None
    path = ROWS[0] if lost else ROWS[1] if gained else ROWS[3]
    return Difference(TablePath(path), f"{wanted.num_rows} rows", f"{actual.num_rows} rows", "rows")


def _texts(table: Table) -> Iterator[str]:
    if not table.columns:
        yield from [""] * table.num_rows
        return
    for block in table.blocks():
        yield from map(json.dumps, zip(*block, strict=True))
