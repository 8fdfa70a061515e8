"""The verdict on an outcome: one table, expectation × outcome → verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from corpora import known_failures
from corpora.build.silences import is_auxiliary
from corpora.cases import CONTESTED, Expectation
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import Comparison, Difference, TablePath, compare
from harness.judging.refusals import is_expected, may_be

# The memory that reading may take beyond that of the idle process. A JVM grows by hundreds of MiB when it
# reads its first file; the limit is what no reader needs: 1 GiB, and a thousand times the bytes in the file
# and the cells of the table.
AMPLIFIED_BASE_BYTES = 1 << 30
AMPLIFIED_FACTOR = 1024
# The CPU time that reading may take, whatever the load of the machine: ten seconds, in which any library is
# loaded and set up, and 20 µs for each byte and cell, ten times what a reader in plain Python takes.
AMPLIFIED_BASE_SECONDS = 10.0
AMPLIFIED_SECONDS = 20e-6


MEMORY, TIME = "memory", "time"  # what may be out of proportion


class Verdict(StrEnum):
    """The closed set of verdicts."""

    AGREE = "agree"  # it returned the expected table
    EQUIVALENT = "equivalent"  # it returned other values, as it documents
    DIFFERENT = "different"  # it returned other values
    REFUSED_VALID = "refused_valid"  # it refused what the specification allows
    ACCEPTED_INVALID = "accepted_invalid"  # it returned values of a file that breaks a rule
    REFUSED_AS_EXPECTED = "refused_as_expected"  # it refused, and was right to
    REFUSED_OTHERWISE = "refused_otherwise"  # it refused for another reason than the broken rule
    PANICKED = "panicked"  # its own code failed: no clean refusal, whatever the file
    CONTESTED = "contested"  # it read or refused a file of which nothing decides which is right
    UNSUPPORTED = "unsupported"  # it reported that it lacks the feature
    NOT_ASKED = "not_asked"  # colconf cannot put the question to this version: nothing is said of the engine
    CRASHED = "crashed"  # its process died, or could not be trusted any more
    HUNG = "hung"
    OUT_OF_MEMORY = "out_of_memory"
    AMPLIFIED = "amplified"  # right, but at a cost out of proportion to the file
    UNSTABLE = "unstable"  # its second answer differs from the first
    INCONSISTENT = "inconsistent"  # read in another documented way, the file has other values
    SKIPPED = "skipped"  # a limit of our own reference was reached: nothing was judged
    WROTE_INVALID = "wrote_invalid"  # it wrote a file that breaks a rule of the validator
    WROTE_OTHER = "wrote_other"  # it wrote a file that holds another table than it was given


class Cost(NamedTuple):
    """A cost out of proportion: bytes of `memory` or seconds of CPU `time`, used, allowed, and for what.

    `verdict` is that on the answer alone; runs of older versions of colconf do not have it.
    """

    of: str
    used: float
    most: float
    bytes: int
    cells: int
    verdict: str = ""

    def __str__(self) -> str:
        unit, scale = ("MiB of memory", 1 << 20) if self.of == MEMORY else ("s of CPU time", 1)
        for_ = f"{self.bytes:,} bytes and {self.cells:,} cells"
        return f"{self.used / scale:,.1f} {unit}, more than {self.most / scale:,.1f} for {for_}"


@dataclass(frozen=True)
class Judgement:
    """A verdict, the equivalences it took, the first difference, and the cost out of proportion, if any.

    `others` are the first differences of the other columns that differ.
    """

    verdict: Verdict
    equivalences: tuple[str, ...] = ()
    difference: Difference | None = None
    cost: Cost | None = None
    others: tuple[Difference, ...] = ()


# None: the values decide. A reader that reports a missing feature has given no wrong answer, whatever the
# file. The process of a reader that broke the protocol cannot be trusted; the outcome has the details.
TABLE: dict[str, dict[OutcomeKind, Verdict | None]] = {
    "accept": {OutcomeKind.TABLE: None, OutcomeKind.REFUSED: Verdict.REFUSED_VALID},
    "refuse": {OutcomeKind.TABLE: Verdict.ACCEPTED_INVALID, OutcomeKind.REFUSED: Verdict.REFUSED_AS_EXPECTED},
    "either": {OutcomeKind.TABLE: None, OutcomeKind.REFUSED: Verdict.REFUSED_AS_EXPECTED},
}
_WHATEVER_IS_EXPECTED: dict[OutcomeKind, Verdict | None] = {
    OutcomeKind.UNSUPPORTED: Verdict.UNSUPPORTED,
    OutcomeKind.PANICKED: Verdict.PANICKED,
    OutcomeKind.LIMITED: Verdict.SKIPPED,
    OutcomeKind.CRASHED: Verdict.CRASHED,
    OutcomeKind.HUNG: Verdict.HUNG,
    OutcomeKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
    OutcomeKind.MISSPOKE: Verdict.CRASHED,
}
for _row in TABLE.values():
    _row.update(_WHATEVER_IS_EXPECTED)
# The verdicts about what an engine wrote, which nobody can find again by reading its file.
OF_WRITERS = frozenset({Verdict.WROTE_INVALID, Verdict.WROTE_OTHER})
PASSED = frozenset(map(Verdict, known_failures.PASSED))
# The verdicts on who is on another side of a contested case than the reference.
SIDES = frozenset({Verdict.CONTESTED, Verdict.DIFFERENT})
_ENDED = {OutcomeKind.CRASHED, OutcomeKind.MISSPOKE}
_MAY_BE_AMPLIFIED = {*PASSED, Verdict.REFUSED_OTHERWISE, Verdict.CONTESTED, Verdict.UNSUPPORTED}


def judge(
    expectation: Expectation,
    outcome: Outcome,
    claimed: Iterable[str] = (),
    *,
    file_bytes: int | None = None,
) -> Judgement:
    """Judge one outcome; `claimed` names the engine's equivalences.

    With `file_bytes`, the number of bytes read (for a sheet of the whole sheet), memory and CPU time are
    judged too. An expectation of `accept` without a table must have been through `vote`: raises ValueError.
    """
    if outcome.is_ours:
        return Judgement(Verdict.NOT_ASKED)
    is_side = is_open(expectation, outcome)
    verdict = Verdict.CONTESTED if is_side else TABLE[expectation.kind][outcome.kind]
    if verdict is Verdict.REFUSED_AS_EXPECTED and not is_expected(expectation, outcome):
        verdict = Verdict.REFUSED_OTHERWISE
    if verdict is Verdict.REFUSED_AS_EXPECTED and expectation.kind == "either":
        verdict = verdict if may_be(expectation, outcome) else Verdict.REFUSED_VALID
    judgement = _by_values(expectation, outcome, claimed) if verdict is None else Judgement(verdict)
    if file_bytes is not None and judgement.verdict in _MAY_BE_AMPLIFIED:
        cost = cost_of(outcome, file_bytes)
        if cost:
            cost = cost._replace(verdict=judgement.verdict.value)
            return replace(judgement, verdict=Verdict.AMPLIFIED, cost=cost)
    return judgement


def is_open(expectation: Expectation, outcome: Outcome) -> bool:
    """Return whether nothing decides between an outcome and others: it is a side of a contested file.

    An engine may refuse a file that breaks a rule, unless all rows can be read without the metadata that the
    rule is about.
    """
    if expectation.kind != "either" or expectation.certainty != CONTESTED:
        return False
    if outcome.kind is OutcomeKind.REFUSED:
        return expectation.rule is None or is_auxiliary(expectation.rule)
    return outcome.kind is OutcomeKind.TABLE and expectation.table is None


def judge_again(first: Outcome, second: Outcome) -> Judgement | None:
    """Compare two outcomes of the same request: `unstable` if they differ, else None.

    Values and kinds of outcomes count, texts of errors do not. A process that ends while it answers
    crashed or broke the protocol: which of both is seen depends on the load of the machine, and is alike.
    """
    ended = {first.kind, second.kind} <= _ENDED and not (first.is_ours or second.is_ours)
    if first.kind is not second.kind and not ended:
        path = TablePath("outcome")
        return Judgement(Verdict.UNSTABLE, (), Difference(path, first.kind, second.kind, "outcome"))
    if first.table is None or second.table is None:
        return None
    difference = compare(first.table, second.table, ()).difference
    return Judgement(Verdict.UNSTABLE, (), difference) if difference else None


def has_grown(outcome: Outcome) -> bool:
    """Return whether an answer took more memory than an idle process may; it may keep it for the next one."""
    return outcome.peak_rss_bytes - outcome.idle_rss_bytes > AMPLIFIED_BASE_BYTES


def is_amplified(outcome: Outcome, file_bytes: int) -> bool:
    """Return whether reading took more memory or CPU time than the file and the table explain."""
    return cost_of(outcome, file_bytes) is not None


def cells_of(table: Table | None) -> int:
    """Return the number of cells of a table, at least one for each row; 0 for no table."""
    return 0 if table is None else table.num_rows * max(1, len(table.columns))


def cost_of(outcome: Outcome, file_bytes: int) -> Cost | None:
    """Return the cost that the sizes of the file and of the table do not explain, None for none."""
    grown = outcome.peak_rss_bytes - outcome.idle_rss_bytes
    cells = cells_of(outcome.table)
    most = AMPLIFIED_BASE_BYTES + AMPLIFIED_FACTOR * (file_bytes + cells)
    if grown > most:
        return Cost(MEMORY, grown, most, file_bytes, cells)
    seconds = AMPLIFIED_BASE_SECONDS + AMPLIFIED_SECONDS * (file_bytes + cells)
    if outcome.cpu_seconds > seconds:
        return Cost(TIME, outcome.cpu_seconds, seconds, file_bytes, cells)
    return None


def _by_values(expectation: Expectation, outcome: Outcome, claimed: Iterable[str]) -> Judgement:
    if expectation.table is None:
        if expectation.kind == "accept":
            raise ValueError("a file without a recorded meaning is judged after a vote")
        return Judgement(Verdict.AGREE)
    if outcome.table is None:
        raise ValueError("an outcome of kind table without one: the answer to a write is not judged")
    comparison: Comparison = compare(expectation.table, outcome.table, claimed)
    if comparison.differences:
        first, *others = comparison.differences
        return Judgement(Verdict.DIFFERENT, (), first, others=tuple(others))
    verdict = Verdict.EQUIVALENT if comparison.equivalences else Verdict.AGREE
    return Judgement(verdict, comparison.equivalences)
