"""Files that engines wrote: which engine is blamed if a file differs from the given table.

The reference decides what such a file holds. The writer is blamed, and readers are held to the file, if the
reference reads another table than was written and no engine of another lineage reads the one that was.
Otherwise the written table remains the expectation, and the reference is judged like any reader. If the
reference refuses the file for a rule that its writer broke, no values are expected. Of a folder whose names
readers decode in different ways, the writer is blamed if it does not find the partitions again that it was
given (or, if it reads no folders, if the reference does not), and nobody is held to what it finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from corpora.cases import CERTAIN, CONTESTED, Case, Expectation
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.outcomes import OutcomeKind
from harness.engines.registry import ENGINES
from harness.judging.ballots import REFERENCE
from harness.judging.column_features import ColumnFeatures
from harness.judging.compare import Difference, compare
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
    is_doubtful = case.read is not None and case.expectation.certainty == CONTESTED
    differences = _of_doubtful(case, given, writer, features) if is_doubtful else _of_file(case, given)
    if not differences or (not is_doubtful and _others_agree(case, given, writer, features)):
        return None
    held = case.expectation if is_doubtful else replace(case.expectation, table=_held(given))
    return Blame(held, key, Place(0, index), _rows(case, writer, differences, features))


def _held(given: Sequence[Given]) -> Table | None:
    """Return what the reference reads, None if it refuses the file."""
    return next((each.outcome.table for each in given if _name(each) == REFERENCE), None)


def _of_file(case: Case, given: Sequence[Given]) -> Sequence[Difference]:
    """Return how a file differs from the table that was written, as the reference reads it."""
    wanted, held = case.expectation.table, _held(given)
    return () if wanted is None or held is None else compare(wanted, held, ()).differences


def _of_doubtful(
    case: Case, given: Sequence[Given], writer: Given, features: Sequence[str]
) -> Sequence[Difference]:
    """Return how a folder of doubtful names differs from the table that was written.

    Its partitions, and the number of rows, are what its writer reads; of a writer that reads no folders,
    what the reference does. The other columns are always what the reference reads.
    """
    wanted, own = case.expectation.table, writer.outcome
    by_reference = _of_file(case, given)
    if wanted is None or own.kind is OutcomeKind.UNSUPPORTED:
        return () if _others_agree(case, given, writer, features) else by_reference
    of_writer = compare(wanted, own.table, writer.claimed(features)).differences if own.table else ()
    partitions = [each for each in of_writer if _is_of_partitions(each, case.read)]
    others = [each for each in by_reference if not _is_of_partitions(each, case.read)]
    return partitions or ([] if _others_agree(case, given, writer, features, but_partitions=True) else others)


def expected_of_writer(case: Case, given: Given, expectation: Expectation) -> Expectation:
    """Return the expectation for the writer of a folder: to read it, however others decode its names."""
    is_own = case.source == f"{WRITER}{given.answered.process.key}"
    if case.read is None or not is_own or given.outcome.kind is not OutcomeKind.REFUSED:
        return expectation
    return replace(expectation, certainty=CERTAIN, why=None)


def _is_of_partitions(difference: Difference, read: TableRead | None) -> bool:
    """Return whether a difference is one of rows or partition columns, which names of folders decide."""
    column = difference.path.column
    return column is None or (read is not None and column >= len(read.columns))


def _rows(
    case: Case, writer: Given, differences: Sequence[Difference], features: Sequence[str]
) -> tuple[Stored, ...]:
    """Return a row for each difference of a file from the table that its writer was given."""
    wanted = case.expectation.table
    assert wanted is not None
    first = writer._replace(number=0)
    traits, columns = writer.answered.traits, ColumnFeatures(case, case.expectation.table)
    subject = Subject(case, first, case.expectation, tuple(features), Tested(), None, traits, columns)
    outcome = replace(first.outcome, table=None)
    rows = []
    for difference in differences:
        row = row_of(subject, outcome, Judgement(Verdict.WROTE_OTHER, (), difference), None)
        rows.append(stored_of(subject, row, cell_of(wanted, difference), ""))
    return tuple(rows)


def expected(case: Case, given: Sequence[Given], expectation: Expectation) -> Expectation:
    """Return what a file must hold: no values where its writer broke a rule and the reference refuses it.

    No specification defines the values of such a file, so that a reader that returns other values than the
    written ones is not blamed.
    """
    refuses = any(_name(each) == REFERENCE and each.outcome.kind is OutcomeKind.REFUSED for each in given)
    is_broken = case.source.startswith(WRITER) and expectation.kind == "either"
    return replace(expectation, table=None) if is_broken and refuses else expectation


def _others_agree(
    case: Case,
    given: Sequence[Given],
    writer: Given,
    features: Sequence[str],
    *,
    but_partitions: bool = False,
) -> bool:
    """Return whether an engine of another lineage than the writer's reads the table that was written.

    `but_partitions`: whatever its partition columns and rows.
    """
    wanted, own = case.expectation.table, _lineage(writer, case)
    assert wanted is not None

    def is_as_written(each: Given) -> bool:
        assert each.outcome.table is not None
        differences = compare(wanted, each.outcome.table, each.claimed(features)).differences
        return all(but_partitions and _is_of_partitions(difference, case.read) for difference in differences)

    others = (each for each in given if each.outcome.table is not None and _name(each) != REFERENCE)
    return any(is_as_written(each) for each in others if _lineage(each, case) != own)


def _name(given: Given) -> str:
    return given.answered.process.name


def _lineage(given: Given, case: Case) -> str:
    name = _name(given)
    return ENGINES[name].lineage_of(case.format) if name in ENGINES else name
