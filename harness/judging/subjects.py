"""Shared facts of the rows of a case under a configuration, and the rows that are made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from corpora.cases import Case, Expectation
from corpora.queries import Query
from corpora.tagged import Table
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.answers import Answered
from harness.judging.case_files import size_of
from harness.judging.column_features import ColumnFeatures
from harness.judging.compare import Difference
from harness.judging.details import ProbeCounts
from harness.judging.places import Config
from harness.judging.probing import Tested
from harness.judging.records import PROBLEMS, make_row
from harness.judging.results import Row
from harness.judging.signature import Stored
from harness.judging.traits import Traits
from harness.judging.verdicts import Judgement

# Zeros of floats of 16, 32 and 64 bits as tagged text, of both signs.
_ZEROS = [{f'"{sign}{"0" * (bits // 4 - 1)}"' for sign in "08"} for bits in (16, 32, 64)]


class Given(NamedTuple):
    """The outcome of reading the case that is being judged, under one configuration of one process."""

    answered: Answered
    number: int
    outcome: Outcome

    @property
    def config(self) -> Config:
        """Return the configuration."""
        return self.answered.process.configs[self.number]

    def claimed(self, features: Sequence[str]) -> tuple[str, ...]:
        """Return the equivalences that are claimed for a file with these features."""
        return self.answered.traits.under(self.config.switches).about(features).claimed


class Subject(NamedTuple):
    """The parts that all rows of a case under a configuration have in common.

    `tested` is what its probes show, `usual` what they show in the default way of the engine: None where the
    file is not read well. `traits` are those that answers are judged by, `columns` finds the features of the
    columns that a failure is about.
    """

    case: Case
    given: Given
    expectation: Expectation
    features: tuple[str, ...]
    tested: Tested
    usual: Tested | None
    traits: Traits
    columns: ColumnFeatures


def row_of(
    subject: Subject,
    outcome: Outcome,
    judgement: Judgement,
    query: Query | None,
    config: Config | None = None,
) -> Row:
    """Return the row of an outcome, of another way than that of the subject where `config` has it."""
    given, tested = subject.given, subject.tested
    outcome = replace(
        outcome,
        seconds=given.outcome.seconds + tested.seconds,
        peak_rss_bytes=max(given.outcome.peak_rss_bytes, tested.peak_rss_bytes),
    )
    row = make_row(
        subject.case,
        given.answered.process,
        config or given.config,
        outcome,
        judgement,
        subject.expectation,
        subject.features,
        None if query is None else str(query),
        ProbeCounts(tested.queries, tested.unsupported, tested.misled, tested.not_asked, tested.by_choice),
    )
    if judgement.verdict in PROBLEMS:
        row = row.with_detail(column_features=subject.columns.of(query, judgement.difference))
    is_read = query is None or given.outcome.kind is OutcomeKind.TABLE
    return row if is_read else row.with_detail(read=given.outcome.kind.value)


def stored_of(subject: Subject, row: Row, cell: str, scope: str | None) -> Stored:
    """Return a row of the subject's own configuration with what its signature needs."""
    return Stored(row, subject.given.config.switches, size_of(subject.case.file), cell, scope)


def cell_of(expected: Table | None, difference: Difference | None) -> str:
    """Return the types that differ, or the type of the column with the first difference.

    A zero of the other sign is told apart, since it has causes of its own: both compare as equal.
    """
    if difference is None or expected is None or difference.kind not in {"type", "value"}:
        return ""
    if difference.kind == "type":
        return f"{difference.expected} as {difference.actual}"
    if {difference.expected, difference.actual} in _ZEROS:
        return "the sign of zero"
    number = difference.path.column
    return "" if number is None else str(expected.columns[number].type)
