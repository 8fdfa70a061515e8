"""Files that an engine cannot read whole: the queries that it may still run on them.

One column that an engine does not support must not hide how it reads the others. So filters, and queries that
name their columns, are run on a file whose values are known even if the engine refused to read it whole.
Another refusal is the same finding; a wrong result, or the loss of the process, is a finding of its own: rows
that cannot be read must not be missing from the result. Such files are queried apart from those that could be
read: a heavy engine that cannot read one file fails for all files of the same query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from corpora.answers import take
from corpora.cases import Case
from corpora.queries import Filter, Query
from corpora.query_base import OfColumn
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import compare
from harness.judging.verdicts import Judgement, Verdict

_NAN = {32: "7fc00000", 64: "7ff8000000000000"}
_UNREAD = frozenset({OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED})


def as_documented(file: Table | None, claimed: Collection[str]) -> Table | None:
    """Return the table that an engine documents to read from such a file; None if it is `file` itself.

    An engine may document that it reads nulls of a FLOAT column as NaN, which satisfies other predicates.
    """
    if file is None or file.spill is not None or "null-as-nan" not in claimed:
        return None
    columns = [
        [_NAN[bits] if value is None else value for value in file.column(at)]
        if (bits := column.type.bits or 0) in _NAN and column.type.kind == "float"
        else file.column(at)
        for at, column in enumerate(file.columns)
    ]
    return Table.of([(column.name, column.type) for column in file.columns], columns, file.num_rows)


def is_unread(outcome: Outcome, case: Case) -> bool:
    """Return whether an engine reports that it cannot read a whole file, and the file's values are known."""
    expectation = case.expectation
    has_values = expectation.table is not None and expectation.kind != "refuse"
    return has_values and outcome.kind in _UNREAD and not outcome.is_ours


def in_turns(unread: list[int], at: int, query: Query, *, heavy: bool) -> list[int]:
    """Return the unread files on which the query `at` is run; for a heavy engine only one, in turns.

    A heavy engine that refuses all files at once would be run again on halves of them, down to single files.
    """
    if not unread or not may_be_answered(query):
        return []
    return [unread[at % len(unread)]] if heavy else unread


def of_other_types(expected: Table, actual: Table, claimed: Iterable[str]) -> Judgement | None:
    """Return the judgement on a result with wrong columns or types, else None.

    It is the same as for a read of the whole file: the types are wrong whatever the query is.
    """
    difference = compare(take(expected, ()), take(actual, ()), claimed).difference
    return None if difference is None else Judgement(Verdict.DIFFERENT, (), difference)


def may_be_answered(query: Query) -> bool:
    """Return whether a query may be answered without reading all columns.

    It names those that its answer needs, or it is a filter, which may lose the rows that cannot be read.
    """
    named = getattr(query, "columns", () if isinstance(query, OfColumn) else None)
    return isinstance(query, Filter) or named is not None
