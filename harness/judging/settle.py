"""Rows after a case was repeated: in the same process, and in a fresh one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpora.known_failures import Entry
from harness.children.outcomes import Outcome
from harness.judging.column_features import ColumnsOf
from harness.judging.order import Order
from harness.judging.records import difference_to_json, with_known
from harness.judging.signature import Stored
from harness.judging.verdicts import cost_of, judge_again


def settle(
    stored: Stored,
    before: Outcome | None,
    after: Outcome | None,
    known: Sequence[Entry],
    columns: ColumnsOf,
) -> Stored:
    """Return a row after a second look: `unstable` if the outcomes differ, else unchanged.

    A cost out of proportion to the file must recur. `columns` are those of the row's place.
    """
    unstable = judge_again(before, after) if before and after else None
    if unstable is None:
        return _without_chance(stored, after, known)
    difference = difference_to_json(unstable.difference)
    row = replace(stored.row, verdict=unstable.verdict.value)
    about = columns(unstable.difference)
    row = row.with_detail(difference=difference, equivalences=(), cost=None, column_features=about)
    return with_known(replace(stored, row=row, cell=""), known)


def _without_chance(stored: Stored, after: Outcome | None, known: Sequence[Entry]) -> Stored:
    """Return a row without its cost, if the cost does not recur in a second result; its values still count.

    Such a cost is caused by a heap or a cache, not by the file.
    """
    cost = stored.row.detail.cost
    if cost is None or not cost.verdict or after is None or cost_of(after, cost.bytes) is not None:
        return stored
    row = replace(stored.row, verdict=cost.verdict).with_detail(cost=None)
    return with_known(replace(stored, row=row), known)


def settle_order(
    stored: Stored,
    alone: Outcome,
    warm: Outcome,
    known: Sequence[Entry],
    *,
    order: Order | None,
    query: str | None,
    columns: ColumnsOf,
) -> Stored:
    """Return the row of a case whose result in a fresh process differs from that after other files were read.

    `order` has these files, None if the result is random; `query` is the query, None for a read of the file;
    `columns` are those of its place.
    """
    unstable = judge_again(alone, warm)
    if unstable is None or unstable.difference is None:
        return stored
    if order is not None:
        unstable = order.judgement(unstable.difference)
    difference = difference_to_json(unstable.difference)
    row = replace(stored.row, verdict=unstable.verdict.value, outcome=warm.kind.value)
    row = row.with_detail(
        **vars(warm.detail),
        difference=difference,
        equivalences=(),
        cost=None,
        probe=query,
        order=order,
        column_features=columns(unstable.difference),
    )
    return with_known(replace(stored, row=row, cell=""), known)
