"""Choose the outcome that the row of a case and configuration reports, if several outcomes are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from corpora.constants import QueryError
from corpora.known_failures import Entry
from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.judging import pushdown
from harness.judging.blame import blaming, blaming_types, blaming_values
from harness.judging.places import Place
from harness.judging.probing import Wrong, read_place
from harness.judging.query_subjects import about as about_query
from harness.judging.records import PROBLEMS, first_finding, with_known
from harness.judging.signature import Stored, signature
from harness.judging.subjects import Subject, cell_of, row_of, stored_of
from harness.judging.verdicts import Judgement
from harness.listings.text import line

_NAMED = 5  # of the other queries that fail
_NAME = 120


def worst(subject: Subject, judgement: Judgement, index: int, known: Sequence[Entry]) -> tuple[Place, Stored]:
    """Return the place of the outcome to report, and its row.

    This is the first outcome that is not a known failure: of a query, or else of the read of the whole file,
    of which each column that differs counts. If all are known, it is the first wrong result of a query, or
    else the read of the whole file; a refusal of the whole file, if it is a problem, comes before queries.
    """
    number, configs = subject.given.number, subject.given.answered.process.configs
    first: tuple[Place, Stored] | None = None
    wrongs = iter(subject.tested.wrongs)
    for wrong in wrongs:
        stored = with_known(_of_answer(subject, wrong), known)
        of_query = Place(number, index, wrong.number), stored
        if stored.row.detail.finding:
            return of_query[0], _with_others(stored, (_of_answer(subject, each) for each in wrongs), known)
        first = first or of_query
    place = read_place(configs, number, index)
    read = first_finding(_of_read(subject, judgement), known)
    if read.row.detail.finding:
        return place, read
    if first and (subject.given.outcome.table is not None or judgement.verdict not in PROBLEMS):
        return first
    return place, read


def _with_others(first: Stored, others: Iterable[Stored], known: Sequence[Entry]) -> Stored:
    """Return the row of a query with the other ones that fail, those that fail in another way first."""
    findings = [other for other in (with_known(each, known) for each in others) if other.row.detail.finding]
    own = signature(first)
    findings.sort(key=lambda other: signature(other) == own)
    named = tuple(line(other.row.detail.probe or "", _NAME) for other in findings[:_NAMED])
    return replace(first, row=first.row.with_detail(others=len(findings), other_queries=named))


def _of_read(subject: Subject, judgement: Judgement) -> Iterator[Stored]:
    """Yield the rows about the whole file: one, or one for each column that differs."""
    scope = pushdown.apart(subject.given.config)
    for difference in (judgement.difference, *judgement.others):
        meaning = subject.expectation
        if difference is not None and difference.kind == "value":
            meaning = blaming_values(meaning, difference)
        elif difference is not None and difference.kind == "type":
            meaning = blaming_types(meaning, difference)
        about = subject._replace(expectation=meaning)
        cell = cell_of(meaning.table, difference)
        row = row_of(about, subject.given.outcome, replace(judgement, difference=difference, others=()), None)
        yield stored_of(about, row, cell, scope)


def _of_answer(subject: Subject, wrong: Wrong) -> Stored:
    query, probed = subject.case.probes[wrong.number].query, wrong.probed
    file = subject.expectation.table if probed.judgement.difference else None
    read = file
    if subject.expectation.table is None and probed.pushed and probed.judgement.difference:
        read = subject.given.outcome.table  # the engine contradicts itself about the columns that it reads
    meaning, difference = subject.expectation, probed.judgement.difference
    if difference is not None and difference.kind == "type":
        meaning = blaming_types(meaning, difference)
    else:
        meaning = blaming(meaning, query, pushed=probed.pushed, difference=difference)
    subject = subject._replace(expectation=meaning)
    row = row_of(subject, wrong.outcome, probed.judgement, query)
    scope = None if probed.pushed else pushdown.apart(subject.given.config)
    # A wrong type is that of a column, whatever the query is.
    cell = cell_of(file, probed.judgement.difference)
    cell = cell or _about(query, read, subject.case.read)
    return stored_of(subject, row, cell, scope)


def _about(query: Query, table: Table | None, read: TableRead | None) -> str:
    """Return the subject of a query of a table, its kind alone if there is none, or it lacks the columns."""
    try:
        return query.kind if table is None else about_query(query, table, read)
    except QueryError:
        return query.kind
