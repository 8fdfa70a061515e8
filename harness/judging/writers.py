"""Files that engines wrote: who is blamed if they do not hold the table that the engine was given.

The reference decides what such a file holds; of a folder whose names readers decode in different ways, the
engine that wrote it. The writer is blamed, and readers are held to the file, if the
reference reads another table than was written and no engine of another lineage reads the one that was. Else
the written table stays the expectation, and the reference differs like any reader. If the reference refuses
the file for a rule that its writer broke, nothing is expected of its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from corpora.cases import CONTESTED, Case, Expectation
from corpora.tagged import Table
from harness.children.outcomes import OutcomeKind
from harness.engines.registry import ENGINES
from harness.judging.ballots import REFERENCE
from harness.judging.compare import compare
from harness.judging.places import Place
from harness.judging.probing import Tested
from harness.judging.signature import Stored
from harness.judging.subjects import Given, Subject, cell_of, row_of, stored_of
from harness.judging.verdicts import Judgement, Verdict

WRITER = "writer:"  # begins the source of cases whose values a writer, also one outside of colconf, stated


class Blame(NamedTuple):
    """The contents of a file, and its writer: the process, the place, and a row for each wrong column."""

    expectation: Expectation
    process: str
    place: Place
    rows: tuple[Stored, ...]


def blame(case: Case, given: Sequence[Given], features: Sequence[str], index: int) -> Blame | None:
    """Return the blame of the engine that wrote the file of a case; None if it holds what was written."""
    wanted = case.expectation.table
    if not case.source.startswith(WRITER) or wanted is None:
        return None
    key = case.source.removeprefix(WRITER)
    writer = next((each for each in given if each.answered.process.key == key), None)
    if writer is None:
        return None
    held = _held(case, given, writer)
    claimed = _claimed(writer, features) if held is writer.outcome.table else ()
    differences = compare(wanted, held, claimed).differences if held is not None else ()
    if held is None or not differences or _others_agree(case, wanted, given, writer, features):
        return None
    first = writer._replace(number=0)
    subject = Subject(case, first, case.expectation, tuple(features), Tested(), None, writer.answered.traits)
    outcome = replace(first.outcome, table=None)
    rows = []
    for difference in differences:
        row = row_of(subject, outcome, Judgement(Verdict.WROTE_OTHER, (), difference), None)
        rows.append(stored_of(subject, row, cell_of(wanted, difference), ""))
    return Blame(replace(case.expectation, table=held), key, Place(0, index), tuple(rows))


def _held(case: Case, given: Sequence[Given], writer: Given) -> Table | None:
    """Return what a file holds: what the reference reads, of a doubtful folder what its writer can read."""
    is_doubtful = case.read is not None and case.expectation.certainty == CONTESTED
    if is_doubtful and writer.outcome.table is not None:
        return writer.outcome.table
    return next((each.outcome.table for each in given if _name(each) == REFERENCE), None)


def expected(case: Case, given: Sequence[Given], expectation: Expectation) -> Expectation:
    """Return what a file must hold: no values where its writer broke a rule and the reference refuses it.

    No specification says what such a file holds, so that a reader of it that returns other values than were
    written is not to blame.
    """
    refuses = any(_name(each) == REFERENCE and each.outcome.kind is OutcomeKind.REFUSED for each in given)
    is_broken = case.source.startswith(WRITER) and expectation.kind == "either"
    return replace(expectation, table=None) if is_broken and refuses else expectation


def _others_agree(
    case: Case, wanted: Table, given: Sequence[Given], writer: Given, features: Sequence[str]
) -> bool:
    """Return whether an engine of another lineage than the writer's reads the table that was written."""
    own = _lineage(writer, case)
    return any(
        compare(wanted, each.outcome.table, _claimed(each, features)).difference is None
        for each in given
        if each.outcome.table is not None and _name(each) != REFERENCE and _lineage(each, case) != own
    )


def _claimed(given: Given, features: Sequence[str]) -> tuple[str, ...]:
    return given.answered.traits.under(given.config.switches).about(features).claimed


def _name(given: Given) -> str:
    return given.answered.process.name


def _lineage(given: Given, case: Case) -> str:
    name = _name(given)
    return ENGINES[name].lineage_of(case.format) if name in ENGINES else name
