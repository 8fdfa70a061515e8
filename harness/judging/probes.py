"""Judges an engine's answer to a query by the oracle, and by the same engine's answer without pushdown.

The right answer is that of `corpora.answers.answer` for the expected table, in the engine's float order.
Where the engine documents that it reads other values (an equivalence was needed to agree on the whole file),
the answer over those values is right too. There are two kinds of wrong answers:

* kind `pushdown`: without pushdown the answer differs, so that skipping or filtering of rows is at fault;
* the query's own kind (`filter`, `aggregate`, …): without pushdown the answer is the same, or not known.

Where a file's statistics, indexes or filters are false (`Probe.misled`), the answer of a reader that trusts
them is right too, and so is a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpora.answers import UNORDERED, answer, rows_of, settled, take
from corpora.cases import Expectation, Probe
from corpora.evaluation import evaluate
from corpora.queries import (
    Aggregate,
    CountRows,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Query,
    QueryError,
    RowGroup,
    Slice,
    Sorted,
    ToJson,
    Top,
    TopRows,
)
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import Difference, TablePath, compare
from harness.judging.rows import ROWS, aligned, misplaced, moved_rows, of_all_rows
from harness.judging.slices import (
    difference_of_count,
    has_any_rows,
    is_sorted,
    nearest,
    nearest_rows,
    unsorted,
)
from harness.judging.traits import Traits
from harness.judging.verdicts import Judgement, Verdict, judge

PUSHDOWN = "pushdown"
_OF_ROWS = frozenset({"rows", "value"})  # kinds of differences
_SHOWN_ROWS = 8


@dataclass(frozen=True)
class Probed:
    """A judgement; `pushed`: the outcome differs without pushdown; `misled`: by false metadata."""

    judgement: Judgement
    pushed: bool
    misled: bool = False


def judge_probe(
    probe: Probe,
    expected: Table,
    outcome: Outcome,
    traits: Traits,
    *,
    file: Table,
    read: Table | None = None,
    off: Outcome | None = None,
    file_bytes: int | None = None,
) -> Probed:
    """Judge the answer to a query.

    `expected` is the oracle's answer over `file`, the expected table. `read` is the table that the engine
    read, if it needed an equivalence to agree with `file`; `off` is its outcome of this query without
    pushdown.
    """
    order = traits.order(probe.query)
    if outcome.table is not None:
        outcome = replace(outcome, table=settled(probe.query, outcome.table, order))
    judgement = _judged(probe.query, expected, outcome, traits, file_bytes, file)
    if judgement.verdict is Verdict.DIFFERENT and read is not None:
        own = _own(probe, read, order)
        agrees = own is not None and _agrees(probe.query, own, outcome, traits, read)
        if agrees or (own is None and _has_right_rows(probe.query, outcome, traits, file, read)):
            return Probed(Judgement(Verdict.EQUIVALENT), pushed=False)
    if probe.misled is not None and judgement.verdict in {Verdict.DIFFERENT, Verdict.REFUSED_VALID}:
        if outcome.table is None:
            return Probed(Judgement(Verdict.REFUSED_AS_EXPECTED), pushed=False)
        lie = answer(probe.query, file, order, probe.misled)
        if _judged(probe.query, lie, outcome, traits, file_bytes).difference is None:
            return Probed(Judgement(Verdict.AGREE), pushed=False, misled=True)
    pushed = _pushed(probe.query, outcome, off, traits, expected, file)
    if judgement.verdict is not Verdict.DIFFERENT or outcome.table is None:
        return Probed(judgement, pushed)
    kind = PUSHDOWN if pushed else probe.query.kind
    difference = _rows(probe, file, outcome.table, traits) or judgement.difference
    assert difference is not None
    return Probed(Judgement(Verdict.DIFFERENT, (), difference._replace(kind=kind)), pushed)


def judge_against_off(
    probe: Probe, outcome: Outcome, off: Outcome | None, traits: Traits, *, file_bytes: int | None = None
) -> Probed:
    """Judge a query result by the same engine's result without pushdown, for a file whose values are unknown.

    Without such a result, only the loss of the process is a problem.
    """
    order = traits.order(probe.query)
    if outcome.table is not None and (off is None or off.table is None):
        return Probed(Judgement(Verdict.AGREE), pushed=False)
    if off is None or off.table is None:
        either = Expectation.either("no specification defines the right result", source="vote")
        return Probed(judge(either, outcome, (), file_bytes=file_bytes), pushed=False)
    if outcome.table is not None:
        outcome = replace(outcome, table=settled(probe.query, outcome.table, order))
    plain = Traits(file_order=traits.file_order, row_order=traits.row_order)
    judgement = _judged(probe.query, settled(probe.query, off.table, order), outcome, plain, file_bytes)
    if judgement.difference is None:
        return Probed(judgement, pushed=judgement.verdict is Verdict.REFUSED_VALID)
    moved = moved_rows(off.table, outcome.table) if judgement.difference.kind in _OF_ROWS else None
    difference = (moved or judgement.difference)._replace(kind=PUSHDOWN)
    return Probed(Judgement(Verdict.DIFFERENT, (), difference), pushed=True)


def _judged(  # noqa: PLR0917 - an answer, and what is right
    query: Query,
    expected: Table,
    outcome: Outcome,
    traits: Traits,
    file_bytes: int | None,
    file: Table | None = None,
) -> Judgement:
    if outcome.table is not None:
        if file is None and has_any_rows(query, file_order=traits.file_order):
            return _counted(expected, outcome.table)
        actual = outcome.table
        expected, table = paired(query, expected, actual, traits, file)
        outcome = replace(outcome, table=table)
        if isinstance(query, TopRows) and not is_sorted(query, actual, traits.order(query)):
            return Judgement(Verdict.DIFFERENT, (), unsorted(query))
    expectation = Expectation.accept(expected, "generator")
    return judge(expectation, outcome, traits.claimed, file_bytes=file_bytes)


def paired(
    query: Query, expected: Table, actual: Table, traits: Traits, file: Table | None
) -> tuple[Table, Table]:
    """Return the right answer that an answer is compared with, and the answer, its rows in the same order.

    `file` is the table of the file; None where the answer may not have any rows of it.
    """
    is_any = has_any_rows(query, file_order=traits.file_order)
    if isinstance(query, Slice | TopRows) and file is not None and is_any:
        right = nearest(query, file, actual, traits.claimed, traits.order(query))
        return right, aligned(right, actual, traits.claimed)
    has_order = traits.row_order and not isinstance(query, UNORDERED)
    return expected, actual if has_order else aligned(expected, actual, traits.claimed)


def judge_any_rows(probe: Probe, outcome: Outcome, traits: Traits, file: Table) -> Judgement | None:
    """Return the judgement on a slice in a way in which rows have no order; None if it has right rows.

    None, too, if it is not known which rows are right.
    """
    traits = replace(traits, file_order=False)
    try:
        expected = answer(probe.query, file, traits.order(probe.query))
    except QueryError:
        return None
    judgement = _judged(probe.query, expected, outcome, traits, None, file)
    return judgement if judgement.difference is not None else None


def _counted(expected: Table, actual: Table) -> Judgement:
    difference = difference_of_count(expected, actual)
    return Judgement(Verdict.AGREE if difference is None else Verdict.DIFFERENT, (), difference)


def _agrees(query: Query, expected: Table, outcome: Outcome, traits: Traits, file: Table) -> bool:
    return _judged(query, expected, outcome, traits, None, file).difference is None


def _has_right_rows(query: Query, outcome: Outcome, traits: Traits, file: Table, read: Table) -> bool:
    """Return whether an answer that may have any of some rows has right ones, with the values of `read`.

    That is for queries that do not fit the types of `read`, such as those of text that is read as bytes.
    """
    actual, order = outcome.table, traits.order(query)
    is_any = isinstance(query, Slice | TopRows) and has_any_rows(query, file_order=traits.file_order)
    if not is_any or actual is None or read.num_rows != file.num_rows or not traits.row_order:
        return False
    if isinstance(query, TopRows) and not is_sorted(query, actual, order):
        return False
    assert isinstance(query, Slice | TopRows)
    rows = nearest_rows(query, file, actual, (), order, read)
    right = take(read, rows, query.columns)
    return compare(right, aligned(right, actual, ()), ()).equal


def _own(probe: Probe, read: Table, order: str) -> Table | None:
    """Return the oracle's answer over the engine's own table; None if the query does not fit its types.

    The rows that are recorded are those of the file's values; only which rows a row group has is alike.
    """
    rows = probe.rows if isinstance(probe.query, RowGroup) else None
    try:
        return answer(probe.query, read, order, rows)
    except QueryError:
        return None


def _pushed(  # noqa: PLR0917 - two outcomes, and what is right
    query: Query, outcome: Outcome, off: Outcome | None, traits: Traits, expected: Table, file: Table
) -> bool:
    if off is None:
        return False
    if outcome.table is None:
        return off.kind is OutcomeKind.TABLE
    if has_any_rows(query, file_order=traits.file_order):
        return off.table is not None and _agrees(query, expected, off, traits, file)
    order = traits.order(query)
    return off.table is not None and not compare(settled(query, off.table, order), outcome.table, ()).equal


def _rows(probe: Probe, file: Table, actual: Table, traits: Traits) -> Difference | None:
    """Return a difference of rows by their ordinals, or of their order; None for other differences."""
    query = probe.query
    if isinstance(query, Sorted) and not is_sorted(query, actual, traits.order(query)):
        return unsorted(query)
    if isinstance(query, Top):
        return None
    if isinstance(query, Aggregate | CountRows | Extract | ToJson | Distinct | Groups):
        return None
    whole = of_all_rows(query, file)
    if not whole.columns:  # rows without values, which are counted
        return None
    if [column.name for column in whole.columns] != [column.name for column in actual.columns]:
        return None
    wanted = _wanted(probe, file, actual, traits)
    moved = misplaced(whole, wanted, actual, traits.claimed)
    if moved is None or moved.strange:
        return None
    lost, gained = moved.lost, moved.gained
    if not lost and not gained:
        return Difference(TablePath(ROWS[3]), "in the order of the file", "in another order", "")
    path = ROWS[2] if lost and gained else ROWS[0] if lost else ROWS[1]
    parts = [f"{word} {_numbers(rows)}" for word, rows in (("without", lost), ("also", gained)) if rows]
    parts.append(f"({actual.num_rows} rows)")
    wanted_text = f"rows {_numbers(wanted)}" if wanted else "no rows"
    return Difference(TablePath(path), wanted_text, " ".join(parts), "")


def _wanted(probe: Probe, file: Table, actual: Table, traits: Traits) -> Sequence[int]:
    """Return the ordinals of the rows of the right answer; of any rows, those nearest to the answer."""
    query = probe.query
    if probe.rows is not None:
        return probe.rows
    if isinstance(query, Slice | TopRows) and has_any_rows(query, file_order=traits.file_order):
        return nearest_rows(query, file, actual, traits.claimed, traits.order(query))
    if isinstance(query, Filter | FilterHeld | Join | Slice):
        return rows_of(query, file, traits.order(query))
    if isinstance(query, Fields) and query.predicate is not None:
        return evaluate(query.predicate, file, traits.float_order)
    return range(file.num_rows)


def _numbers(rows: Sequence[int]) -> str:
    text = ", ".join(map(str, rows[:_SHOWN_ROWS]))
    return f"{text} and {len(rows) - _SHOWN_ROWS} more" if len(rows) > _SHOWN_ROWS else text
