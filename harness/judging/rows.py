"""The rows that an answer lacks, and those it has in excess, by their ordinals in the file.

Rows of an answer are identified by their values, under the equivalences that the engine claims; of equal
rows, the first in the file count as answered.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corpora.tagged import Table, Value
from harness.judging.columns import ColumnPlan, Mismatch, in_form, named, plan_of


class Misplaced(NamedTuple):
    """Ascending ordinals of lost and of gained rows, and the number of rows that are not in the file."""

    lost: list[int]
    gained: list[int]
    strange: int


def misplaced(file: Table, wanted: Sequence[int], actual: Table, claimed: Iterable[str]) -> Misplaced | None:
    """Compare an answer with the rows `wanted` of a file; both have the same columns.

    None if no claimed equivalence brings their types together.
    """
    equivalences = named(claimed)
    try:
        plans = [
            plan_of(left.type, right.type, equivalences, "")
            for left, right in zip(file.columns, actual.columns, strict=True)
        ]
    except (Mismatch, ValueError):
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
    places: dict[str, deque[int]] = {}
    for row in sorted(left):
        places.setdefault(keys[row], deque()).append(row)
    gained, strange = [], 0
    for key in answered.elements():
        if places.get(key):
            gained.append(places[key].popleft())
        else:
            strange += 1
    return Misplaced(lost, sorted(gained), strange)


def _keys(table: Table, plans: Sequence[ColumnPlan], *, rewrite: bool) -> list[str]:
    keys: list[str] = []
    for block in table.blocks():
        columns = [_column(plan, values, rewrite=rewrite) for plan, values in zip(plans, block, strict=True)]
        keys += [json.dumps(row) for row in zip(*columns, strict=True)]
    return keys


def _column(plan: ColumnPlan, values: Iterable[Value], *, rewrite: bool) -> list[Value]:
    if rewrite and plan.convert:
        values = [None if value is None else plan.convert(value) for value in values]
    return [in_form(plan, value) for value in values]
