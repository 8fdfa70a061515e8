"""The rows that an answer lacks, and those it has in excess, by their ordinals in the file.

Rows of an answer are identified by their values, under the equivalences that the engine claims; of equal
rows, the first in the file count as answered.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import eq, ne
from typing import NamedTuple

from corpora.answers import take
from corpora.field_queries import fields_of
from corpora.queries import Batches, Fields, Filter, FilterHeld, Join, Project, RowGroup, Slice, TopRows
from corpora.tagged import Table, Value
from harness.children.outcomes import Outcome
from harness.judging.columns import ColumnPlan, Mismatch, in_form, named, plan_of

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
    answered = Counter(_keys(actual, plans, rewrite=False))
    keys = _keys(file, plans, rewrite=True)
    lost = []
    for row in wanted:
        if answered[keys[row]]:
            answered[keys[row]] -= 1
        else:
            lost.append(row)
    left = set(range(file.num_rows)).difference(wanted)
    places: dict[_Row, deque[int]] = {}
    for row in sorted(left):
        places.setdefault(keys[row], deque()).append(row)
    gained, strange = [], 0
    for key in answered.elements():
        if places.get(key):
            gained.append(places[key].popleft())
        else:
            strange += 1
    return Misplaced(lost, sorted(gained), strange)


def aligned(expected: Table, actual: Table, claimed: Iterable[str]) -> Table:
    """Return `actual` with its rows in the order of the equal rows of `expected`; the others fill the gaps.

    A row that equals none stands beside the row of a gap with which it has most cells in common. Where no
    claimed equivalence brings the types together, the order stays as it is.
    """
    plans = None if _are_equal(expected, actual) else _plans(expected, actual, claimed)
    if plans is None:
        return actual
    places: dict[_Row, deque[int]] = {}
    answered, wanted = _keys(actual, plans, rewrite=False), _keys(expected, plans, rewrite=True)
    for row, key in enumerate(answered):
        places.setdefault(key, deque()).append(row)
    matches = [places[key].popleft() if places.get(key) else None for key in wanted]
    others = sorted(row for rows in places.values() for row in rows)
    gaps = [row for row, match in enumerate(matches) if match is None]
    nearest = _nearest({row: wanted[row] for row in gaps}, {row: answered[row] for row in others})
    order = [nearest.get(row) if match is None else match for row, match in enumerate(matches)]
    paired = set(nearest.values())
    rows = [*(row for row in order if row is not None), *(row for row in others if row not in paired)]
    columns = actual.all_columns()
    fields = [(field.name, field.type) for field in actual.columns]
    return Table.of(fields, [[column[row] for row in rows] for column in columns], actual.num_rows)


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


def _keys(table: Table, plans: Sequence[ColumnPlan], *, rewrite: bool) -> list[_Row]:
    keys: list[_Row] = []
    for block in table.blocks():
        columns = [_column(plan, values, rewrite=rewrite) for plan, values in zip(plans, block, strict=True)]
        keys += zip(*columns, strict=True)
    return keys


def _column(plan: ColumnPlan, values: Iterable[Value], *, rewrite: bool) -> list[Value]:
    if rewrite and plan.convert:
        values = [None if value is None else plan.convert(value) for value in values]
    if plan.forms or plan.children:
        values = [in_form(plan, value) for value in values]
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
