"""Which outcomes of two versions can be compared: those of questions that both were asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from corpora.answers import answer
from corpora.cases import Probe
from corpora.constants import QueryError
from corpora.queries import Query
from corpora.tagged import Table
from harness.children.outcomes import LOST, Outcome, OutcomeKind
from harness.judging.slices import has_any_rows
from harness.judging.traits import Traits


def are_compared(old: Outcome, new: Outcome, *, in_way: bool) -> bool:
    """Return whether both versions were asked: one may lack the option or the package that it takes.

    A crash of either is told all the same. What only the new version lacks is a difference, except for what a
    way to call it takes. A limit of the run, such as a full disk, says nothing of a version.
    """
    if old.is_ours or new.is_ours or OutcomeKind.LIMITED in {old.kind, new.kind}:
        return False
    if _was_not_asked(old) and new.kind not in LOST:
        return False
    return not (in_way and _was_not_asked(new) and old.kind not in LOST)


def are_answers(old: Outcome, new: Outcome, *, in_way: bool) -> bool:
    """Return whether two outcomes say anything about the versions: compared, and not unsupported by both."""
    both = {old.kind, new.kind}
    return are_compared(old, new, in_way=in_way) and both != {OutcomeKind.UNSUPPORTED}


def is_left_open(query: Query, old: Outcome, new: Outcome, *, file_order: bool) -> bool:
    """Return whether a query leaves open which of some rows it returns, and both returned as many."""
    if old.table is None or new.table is None or not has_any_rows(query, file_order=file_order):
        return False
    return old.table.num_rows == new.table.num_rows


def right_answer(probe: Probe, file: Table, traits: Traits) -> Table | None:
    """Return the right result of a query, None if it is not defined, or does not fit the file's types."""
    try:
        return answer(probe.query, file, traits.order(probe.query), probe.rows)
    except QueryError:
        return None


def no_counts() -> dict[str, Any]:
    """Return the counts of no case: `places` are the compared answers.

    `unread` are the cases without one that one of the versions was not asked for; `reasons` counts why, by
    the first answer of each. `queries` counts, by the text of a query of the user, the cases of which its
    answers were compared.
    """
    counters = {"reasons": Counter[str](), "queries": Counter[str]()}
    return {"cases": 0, "places": 0, "differing": 0, "unread": 0, **counters, "seconds": [0.0, 0.0]}


def reason_of(versions: Sequence[str], outcomes: Sequence[Outcome]) -> str:
    """Return why the outcomes of two versions are not compared, "" if both are tables."""
    texts = (
        f"{version}: {outcome.detail.message or outcome.kind.value}"
        for version, outcome in zip(versions, outcomes, strict=True)
        if outcome.kind is not OutcomeKind.TABLE
    )
    return next(texts, "")


def is_of_one(outcomes: Sequence[Outcome]) -> bool:
    """Return whether one of two versions can be asked what is not compared."""
    return {outcome.kind for outcome in outcomes} != {OutcomeKind.UNSUPPORTED}


def _was_not_asked(outcome: Outcome) -> bool:
    """Return whether an adapter says that the version lacks what the question takes."""
    return outcome.kind is OutcomeKind.UNSUPPORTED and outcome.detail.error_class.startswith("harness.")
