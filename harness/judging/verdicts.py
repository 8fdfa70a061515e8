"""What an outcome means: one table, expectation × outcome → verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import Comparison, Difference, TablePath, compare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpora.cases import Expectation

# What reading may cost, beyond what the idle process held: a JVM grows by hundreds of MiB when it reads its
# first file, so that only what no reader needs is out of proportion: 1 GiB, and a thousandfold of what was in
# the file and of what came out of it, a cell counted as a byte.
AMPLIFIED_BASE_BYTES = 1 << 30
AMPLIFIED_FACTOR = 1024


class Verdict(StrEnum):
    """The closed set of verdicts."""

    AGREE = "agree"  # it answered what the file means
    EQUIVALENT = "equivalent"  # it answered something else, as it documents
    DIFFERENT = "different"  # it answered other values
    REFUSED_VALID = "refused_valid"  # it refused what the specification allows
    ACCEPTED_INVALID = "accepted_invalid"  # it answered values of a file that breaks a rule
    REFUSED_AS_EXPECTED = "refused_as_expected"  # it refused, and was right to
    UNSUPPORTED = "unsupported"  # it said that it lacks the feature
    CRASHED = "crashed"  # its process died, or could not be trusted any more
    HUNG = "hung"
    OUT_OF_MEMORY = "out_of_memory"
    AMPLIFIED = "amplified"  # right, but at a cost out of proportion to the file
    UNSTABLE = "unstable"  # it answered differently when asked again
    WROTE_INVALID = "wrote_invalid"  # a file that it wrote breaks a rule, as the validator says


@dataclass(frozen=True)
class Judgement:
    """A verdict, the equivalences it took, and the first difference where there is one."""

    verdict: Verdict
    equivalences: tuple[str, ...] = ()
    difference: Difference | None = None


# None: the values decide. A reader that says it lacks a feature has given no wrong answer, whatever the file.
# One that broke the protocol is one whose process cannot be trusted: the outcome keeps the finer word.
TABLE: dict[str, dict[OutcomeKind, Verdict | None]] = {
    "accept": {OutcomeKind.TABLE: None, OutcomeKind.REFUSED: Verdict.REFUSED_VALID},
    "refuse": {OutcomeKind.TABLE: Verdict.ACCEPTED_INVALID, OutcomeKind.REFUSED: Verdict.REFUSED_AS_EXPECTED},
    "either": {OutcomeKind.TABLE: None, OutcomeKind.REFUSED: Verdict.REFUSED_AS_EXPECTED},
}
_WHATEVER_IS_EXPECTED: dict[OutcomeKind, Verdict | None] = {
    OutcomeKind.UNSUPPORTED: Verdict.UNSUPPORTED,
    OutcomeKind.CRASHED: Verdict.CRASHED,
    OutcomeKind.HUNG: Verdict.HUNG,
    OutcomeKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
    OutcomeKind.MISSPOKE: Verdict.CRASHED,
}
for _row in TABLE.values():
    _row.update(_WHATEVER_IS_EXPECTED)
_MAY_BE_AMPLIFIED = {Verdict.AGREE, Verdict.EQUIVALENT, Verdict.REFUSED_AS_EXPECTED, Verdict.UNSUPPORTED}


def judge(
    expectation: Expectation,
    outcome: Outcome,
    claimed: Iterable[str] = (),
    *,
    file_bytes: int | None = None,
) -> Judgement:
    """Judge one outcome; `claimed` names the engine's equivalences.

    With `file_bytes`, the size of what was read (of the whole sheet, for a sheet), also its cost is judged.
    An expectation of `accept` whose values are yet to be voted on must have been through `vote`: raises
    ValueError.
    """
    verdict = TABLE[expectation.kind][outcome.kind]
    judgement = _by_values(expectation, outcome, claimed) if verdict is None else Judgement(verdict)
    if (
        file_bytes is not None
        and judgement.verdict in _MAY_BE_AMPLIFIED
        and is_amplified(outcome, file_bytes)
    ):
        return replace(judgement, verdict=Verdict.AMPLIFIED)
    return judgement


def judge_again(first: Outcome, second: Outcome) -> Judgement | None:
    """Judge an engine that was asked twice: `unstable` if the answers differ, else None.

    Only what it says counts: a value or its absence, an error or none, but not the text of the error.
    """
    if first.kind is not second.kind:
        path = TablePath("outcome")
        return Judgement(Verdict.UNSTABLE, (), Difference(path, first.kind, second.kind, "outcome"))
    if first.table is None or second.table is None:
        return None
    difference = compare(first.table, second.table, ()).difference
    return Judgement(Verdict.UNSTABLE, (), difference) if difference else None


def is_amplified(outcome: Outcome, file_bytes: int) -> bool:
    """Return whether reading cost more memory than a file of this size, and this answer, can explain."""
    grown = outcome.peak_rss_bytes - outcome.idle_rss_bytes
    cells = outcome.table.num_rows * max(1, len(outcome.table.columns)) if outcome.table else 0
    return grown > AMPLIFIED_BASE_BYTES + AMPLIFIED_FACTOR * (file_bytes + cells)


def _by_values(expectation: Expectation, outcome: Outcome, claimed: Iterable[str]) -> Judgement:
    if expectation.table is None:
        if expectation.kind == "accept":
            raise ValueError("a file without a recorded meaning is judged after a vote")
        return Judgement(Verdict.AGREE)
    if outcome.table is None:
        raise ValueError("an outcome of kind table without one: the answer to a write is not judged")
    comparison: Comparison = compare(expectation.table, outcome.table, claimed)
    if comparison.difference:
        return Judgement(Verdict.DIFFERENT, (), comparison.difference)
    verdict = Verdict.EQUIVALENT if comparison.equivalences else Verdict.AGREE
    return Judgement(verdict, comparison.equivalences)
