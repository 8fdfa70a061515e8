"""Rows after further looks: a second one, and one in a fresh process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpora.known_failures import Entry
from harness.children.outcomes import Outcome
from harness.judging.order import Order
from harness.judging.records import difference_to_json, with_known
from harness.judging.signature import Stored
from harness.judging.verdicts import cost_of, judge_again


def settle(stored: Stored, before: Outcome | None, after: Outcome | None, known: Sequence[Entry]) -> Stored:
    """Return a row after a second look: `unstable` if the outcomes differ, else unchanged.

    A cost out of proportion must show again.
    """
    unstable = judge_again(before, after) if before and after else None
    if unstable is None:
        return _without_chance(stored, after, known)
    difference = difference_to_json(unstable.difference)
    row = replace(stored.row, verdict=unstable.verdict.value)
    row = row.with_detail(difference=difference, equivalences=(), cost=None)
    return with_known(replace(stored, row=row, cell=""), known)


def _without_chance(stored: Stored, after: Outcome | None, known: Sequence[Entry]) -> Stored:
    """Return a row with the verdict on its answer alone if its cost does not show in a second answer.

    Such a cost is that of a heap or of a cache, not of the file.
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
) -> Stored:
    """Return the row of a case that a fresh process answers otherwise than one that had read other files.

    `order` says what had been read, None if chance decides; `query` is what was asked, None for the file.
    """
    unstable = judge_again(alone, warm)
    if unstable is None or unstable.difference is None:
        return stored
    if order is not None:
        unstable = order.judgement(unstable.difference)
    difference = difference_to_json(unstable.difference)
    row = replace(stored.row, verdict=unstable.verdict.value, outcome=warm.kind.value)
    row = row.with_detail(
        **vars(warm.detail), difference=difference, equivalences=(), cost=None, probe=query, order=order
    )
    return with_known(replace(stored, row=row, cell=""), known)
