"""Wrong numbers and extremes of rows whose filter has the wrong rows too: one failure, that of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpora.aggregates import order_of_extremes
from corpora.answers import answer, settled
from corpora.cases import Probe
from corpora.constants import QueryError
from corpora.queries import Aggregate, AggregateWhere, CountRows, Filter
from corpora.tagged import Table, integer
from harness.children.outcomes import Outcome
from harness.judging.compare import compare
from harness.judging.probes import Probed
from harness.judging.rows import ROWS
from harness.judging.traits import Traits
from harness.judging.verdicts import Verdict

_TYPE = "type"  # the kind of a difference of types


def filters_of(query: AggregateWhere | CountRows, probes: Sequence[Probe]) -> Iterator[int]:
    """Yield the numbers of the probes that ask for the rows that a query is about."""
    for number, probe in enumerate(probes):
        if isinstance(probe.query, Filter) and probe.query.predicate == query.predicate:
            yield number


def has_number(answer: Table | None, rows: int) -> bool:
    """Return whether an answer to a COUNT is a table of one number, which is `rows`."""
    if answer is None or answer.num_rows != 1 or len(answer.columns) != 1:
        return False
    return answer.columns[0].type == integer(64) and answer.column(0) == [str(rows)]


def has_extremes(query: AggregateWhere, actual: Table | None, rows: Table, traits: Traits) -> bool:
    """Return whether an answer has the counts and extremes of `rows`, which a filter has left."""
    if actual is None:
        return False
    order = order_of_extremes(traits.order(query))
    try:
        right = answer(Aggregate(query.path), rows, order)
    except QueryError:  # the filter returns other columns
        return False
    return compare(right, settled(query, actual, order), traits.claimed).equal


def as_filter(  # noqa: PLR0917 - two judgements with their outcomes
    query: AggregateWhere | CountRows,
    counted: Probed,
    count: Outcome,
    filtered: Probed,
    rows: Outcome,
    traits: Traits,
) -> Probed | None:
    """Return the judgement on a count as that on its filter; None if they are not of the same wrong rows.

    They are where the filter's rows are as many as the count says, or have the extremes that the engine
    returned, and are rows lost or gained.
    """
    wrong, right = filtered.judgement.difference, counted.judgement.difference
    if wrong is None or right is None or rows.table is None or wrong.path.what not in ROWS[:3]:
        return None
    if filtered.judgement.verdict is not Verdict.DIFFERENT or right.kind == _TYPE:
        return None
    if isinstance(query, AggregateWhere):
        is_same, what = has_extremes(query, count.table, rows.table, traits), "in the extremes"
    else:
        is_same, what = has_number(count.table, rows.table.num_rows), "rows counted"
    if not is_same:
        return None
    expected, actual = f"{right.expected} {what}", f"{right.actual} {what}"
    difference = right._replace(path=wrong.path, expected=expected, actual=actual, kind=wrong.kind)
    return replace(filtered, judgement=replace(counted.judgement, difference=difference))
