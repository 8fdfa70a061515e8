"""Fake engines for the measure: right ones, ones that share a mistake, ones that refuse, and one that fails.

Names before the first `-` are lineages. Their answers follow from the truth of a file alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.investigate.blames.measure import Answers, Known, about
from harness.judging.ballots import Ballot

_REFUSED = Outcome(OutcomeKind.REFUSED, detail=Detail("Error", "no"))
_LACKS = Outcome(OutcomeKind.UNSUPPORTED)
_MISTAKE = "could not broadcast input array from shape (2,) into shape (1,)"  # of numpy, about no file
_FAILS = Outcome(OutcomeKind.REFUSED, detail=Detail("ValueError", _MISTAKE))
RIGHT, MISTAKEN, OTHER, REFUSES, LACKS, FAILS = "right", "mistaken", "other", "refuses", "lacks", "fails"
FAKES: Mapping[str, str] = MappingProxyType(
    {
        "a-1": RIGHT,
        "a-2": RIGHT,
        "b": RIGHT,
        "c": MISTAKEN,
        "d": MISTAKEN,
        "e": MISTAKEN,
        "f": REFUSES,
        "g": REFUSES,
        "h": OTHER,
        "i": LACKS,
        "j": FAILS,
    }
)


def answers(known: Known) -> Answers:
    """Return the answers of all fakes to a file."""
    outcomes = _outcomes(known)
    claimed = about(known, ())
    ballots = {
        name: Ballot(outcomes[behaviour], claimed, name.partition("-")[0], name)
        for name, behaviour in FAKES.items()
    }
    return Answers.of(known, ballots)


def _outcomes(known: Known) -> dict[str, Outcome]:
    """Return the answer of each behaviour; of a file that may mean anything, each answer is another one."""
    truth = known.truth.expectation
    own = truth.table or known.reference.table or Table.of([("x", integer(32))], [["1"]])
    mistaken, other = _table(changed(own)), _table(with_column(own, "other"))
    right = _REFUSED if truth.kind == "refuse" else _table(own)
    given = {RIGHT: right, MISTAKEN: mistaken, OTHER: other}
    return {**given, REFUSES: _REFUSED, LACKS: _LACKS, FAILS: _FAILS}


def _table(table: Table) -> Outcome:
    return Outcome(OutcomeKind.TABLE, table)


def changed(table: Table) -> Table:
    """Return a table whose first value is another one: null, or no column of the file."""
    columns = [list(table.column(at)) for at in range(len(table.columns))]
    fields = [(column.name, column.type) for column in table.columns]
    for values in columns:
        if values and values[0] is not None:
            values[0] = None
            return Table.of(fields, columns, table.num_rows)
    return with_column(table, "null")


def with_column(table: Table, name: str) -> Table:
    """Return a table with a column more."""
    columns = [table.column(at) for at in range(len(table.columns))]
    fields = [(column.name, column.type) for column in table.columns]
    texts = [str(row) for row in range(table.num_rows)]
    return Table.of([*fields, (name, STRING)], [*columns, texts], table.num_rows)
