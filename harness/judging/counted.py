"""Wrong numbers of rows whose filter has the wrong rows too: one failure, told as that of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpora.cases import Probe
from corpora.queries import CountRows, Filter
from corpora.tagged import Table, integer
from harness.children.outcomes import Outcome
from harness.judging.probes import ROWS, Probed
from harness.judging.verdicts import Verdict

_TYPE = "type"  # the kind of a difference of types


def filters_of(query: CountRows, probes: Sequence[Probe]) -> Iterator[int]:
    """Yield the numbers of the probes that ask for the rows that a query counts."""
    for number, probe in enumerate(probes):
        if isinstance(probe.query, Filter) and probe.query.predicate == query.predicate:
            yield number


def has_number(answer: Table | None, rows: int) -> bool:
    """Return whether an answer to a COUNT is a table of one number, which is `rows`."""
    if answer is None or answer.num_rows != 1 or len(answer.columns) != 1:
        return False
    return answer.columns[0].type == integer(64) and answer.column(0) == [str(rows)]


def as_filter(counted: Probed, count: Outcome, filtered: Probed, rows: Outcome) -> Probed | None:
    """Return the judgement on a count as that on its filter; None if they are not of the same wrong rows.

    They are where the filter's rows are as many as the count says, and are rows lost or gained.
    """
    wrong, right = filtered.judgement.difference, counted.judgement.difference
    if wrong is None or right is None or rows.table is None or wrong.path.what not in ROWS[:3]:
        return None
    if filtered.judgement.verdict is not Verdict.DIFFERENT or right.kind == _TYPE:
        return None
    if not has_number(count.table, rows.table.num_rows):
        return None
    expected, actual = f"{right.expected} rows counted", f"{right.actual} rows counted"
    difference = right._replace(path=wrong.path, expected=expected, actual=actual, kind=wrong.kind)
    return replace(filtered, judgement=replace(counted.judgement, difference=difference))
