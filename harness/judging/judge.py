"""The judge: cases and answers in, rows out. The meaning of a case is recorded, or decided by vote.

One case is in memory at a time, with every engine's answer to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from corpora.build.formats import ORC
from corpora.build.silences import is_auxiliary
from corpora.build.value_features import features_of_values
from corpora.cases import Case, Expectation
from corpora.known_failures import Entry
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.registry import ENGINES
from harness.judging import too_large, ways, writers
from harness.judging.answers import Answered
from harness.judging.ballots import REFERENCE, Ballot
from harness.judging.case_files import features_in, size_of
from harness.judging.column_features import ColumnFeatures
from harness.judging.compare import compare
from harness.judging.evidence import evidence_of
from harness.judging.in_part import as_documented, is_unread
from harness.judging.oracle import Oracle
from harness.judging.places import Place
from harness.judging.probing import Probing, Tested, WholeRead, read_place
from harness.judging.read_wrong import wrong_columns
from harness.judging.records import PROBLEMS, first_finding
from harness.judging.rows import in_rows_of
from harness.judging.signature import Stored
from harness.judging.subjects import Given, Subject
from harness.judging.verdicts import Judgement, Verdict, cells_of, is_amplified
from harness.judging.verdicts import judge as judge_outcome
from harness.judging.vote import by_reference, vote
from harness.judging.way_rows import of_ways, without_order
from harness.judging.worst import worst
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile

# Problems that get a second look before they become findings. A limit of memory is not among them: a reader
# that exceeded it once can do so again, and the second look costs as much memory as the first.
_SEEN_TWICE = PROBLEMS - {Verdict.OUT_OF_MEMORY}
_ABSENT = Outcome(OutcomeKind.UNSUPPORTED, detail=Detail(message="the reference did not start"))


class Judged(NamedTuple):
    """A row, with the key of the process and the place of the outcome that the row is about.

    `doubtful`: an unknown problem, which gets a second look before it becomes a finding.
    """

    stored: Stored
    engine: str
    place: Place
    doubtful: bool


Decide = Callable[[Case, "Sequence[Given]", Sequence[str]], Expectation]


def judge(
    cases: Sequence[Case],
    answered: Sequence[Answered],
    known: Sequence[Entry],
    decide: Decide | None = None,
    scratch: Path | None = None,
) -> Iterator[Judged]:
    """Yield a row for each case and configuration that is reported; places are those of `cases`.

    `decide` returns the expectation of a case: `expectation_of`, or `expectation_by_reference`. `scratch`:
    the folder for temporary files, None for the system's.
    """
    decide = decide or expectation_of
    sheet_bytes = sum(size_of(case.file) for case in cases)
    oracle = Oracle(scratch)
    for index, case in enumerate(cases):
        features = tuple(sorted({*case.features, *features_in(case)}))
        given = in_one_order(case, list(given_of(answered, index)), features)
        expectation = writers.expected(case, given, decide(case, given, features))
        if blamed := writers.blame(case, given, features, index):
            expectation = blamed.expectation
            stored = first_finding(blamed.rows, known)
            yield Judged(stored, blamed.process, blamed.place, doubtful=False)
        if expectation.table is not None:
            table = oracle.held(expectation.table)
            expectation = replace(expectation, table=table)
        if (values := expectation.table or _of_reference(given).table) is not None:
            features = (*features, *features_of_values(values, case.format))
        columns = ColumnFeatures(case, values)
        held = _held(case, given)
        is_refused = expectation.kind == "refuse"
        is_probed = case.probes and not is_refused
        probing = Probing(case, expectation, PROBLEMS, oracle) if is_probed else None
        reads: dict[Any, Judgement] = {}  # configurations that differ in pushdown alone share their read
        examined: Expectation | None = None  # of a case with wrong answers
        for reading in given:
            process, traits, answers = reading.answered
            if not process.reported:
                continue
            read = max(held, sheet_bytes if process.heavy else 0)
            about = traits.under(reading.config.switches).about(features)
            shared = process.key, read_place(process.configs, reading.number, index), about.claimed
            if shared not in reads:
                judged = judge_outcome(expectation, reading.outcome, about.claimed, file_bytes=read)
                judged = too_large.unless_so(case, _of_reference(given), judged)
                reads[shared] = _beside(_of_reference(given), reading.outcome, about.claimed, judged)
            judgement = reads[shared]
            tested, usual = Tested(), None
            in_part = is_unread(reading.outcome, case)
            if probing and (in_part or reading.outcome.table is not None):
                is_fine = not in_part and judgement.verdict not in PROBLEMS
                wrong = frozenset() if is_fine else wrong_columns(judgement, expectation.table)
                is_equivalent = Verdict.EQUIVALENT in {
                    judgement.verdict,
                    judgement.cost and judgement.cost.verdict,
                }
                own = reading.outcome.table if is_equivalent or wrong else None
                if in_part:
                    own = as_documented(expectation.table, about.claimed)
                place = Place(reading.number, index)
                # Whoever skips no rows reads the whole file for an answer of few.
                whole = read + cells_of(reading.outcome.table or expectation.table)
                among = place, WholeRead(process.configs, about, own, whole, wrong)
                tested = probing.judge(answers, *among, in_part=in_part)
                usual = tested if is_fine else None
                if is_fine and ways.is_unusual(process, reading.config):
                    usual = probing.judge(ways.Default(process, answers), *among)
            if ways.is_unordered(process, reading.config):
                judgement, tested = without_order(judgement, tested)
            is_wrong = bool(tested.wrongs) or judgement.verdict is Verdict.DIFFERENT
            if is_wrong:
                examined = examined or _examined(case, expectation, _of_reference(given))
            meaning = writers.expected_of_writer(
                case, reading, examined if is_wrong and examined else expectation
            )
            if judgement == too_large.SKIPPED and reading.outcome.kind is not OutcomeKind.LIMITED:
                meaning = replace(meaning, why=too_large.WHY)
            subject = Subject(case, reading, meaning, features, tested, usual, about, columns)
            for place, stored in _rows_of(subject, judgement, index, known):
                doubtful = stored.row.detail.finding and stored.row.verdict in _SEEN_TWICE
                yield Judged(stored, process.key, place, doubtful)


def _beside(reference: Outcome, outcome: Outcome, claimed: Sequence[str], judgement: Judgement) -> Judgement:
    """Return a judgement that shows where an answer to a contested file differs from the reference's."""
    if judgement.verdict is not Verdict.CONTESTED or reference.table is None or outcome.table is None:
        return judgement
    return replace(judgement, difference=compare(reference.table, outcome.table, claimed).difference)


def _rows_of(
    subject: Subject, judgement: Judgement, index: int, known: Sequence[Entry]
) -> Iterator[tuple[Place, Stored]]:
    """Yield the row of a configuration, and rows of the other ways whose results differ.

    A configuration that names such a way has one row.
    """
    place, stored = worst(subject, judgement, index, known)
    rows = [] if subject.expectation.kind == "refuse" else list(of_ways(subject, index, known))
    own = next((other for other in rows if other[1].row.config == subject.given.config.text), None)
    yield own or (place, stored)
    yield from (row for row in rows if row is not own)


def given_of(answered: Iterable[Answered], index: int) -> Iterator[Given]:
    """Yield the outcome of each configuration for the case with an index."""
    for each in answered:
        configs = each.process.configs
        for number in range(len(configs)):
            outcome = each.answers.get(read_place(configs, number, index))
            if outcome is not None:
                yield Given(each, number, outcome)


def in_one_order(case: Case, given: Sequence[Given], features: Sequence[str]) -> Sequence[Given]:
    """Return the outcomes of a case, those without an order of rows with equal rows at equal places.

    The rows of a table of several files have no order, nor have those of an engine that promises none; a
    worker sorts them by their values, before it is known which values an engine documents to differ.
    """
    if all(_has_order(case, each) for each in given):
        return given
    tables = case.expectation.table, _of_reference(given).table, *(each.outcome.table for each in given)
    first = next((table for table in tables if table is not None), None)
    return [
        each
        if _has_order(case, each)
        else each._replace(outcome=in_rows_of(first, each.outcome, each.claimed(features)))
        for each in given
    ]


def _has_order(case: Case, given: Given) -> bool:
    return case.read is None and given.answered.traits.row_order


def expectation_of(case: Case, given: Sequence[Given], features: Sequence[str]) -> Expectation:
    """Return the expectation of a case: as recorded, or by vote."""
    if _is_recorded(case):
        return case.expectation
    ballots = {
        f"{each.answered.process.key}:{each.config.text}": Ballot(
            each.outcome,
            each.claimed(features),
            _lineage(each.answered.process.name, case.format),
            each.answered.process.name,
        )
        for each in given
    }
    reference = _of_reference(given)
    return vote(ballots, reference, evidence_of(case, reference))


def expectation_by_reference(case: Case, given: Sequence[Given], features: Sequence[str]) -> Expectation:
    """Return the expectation of a case: as recorded, or as the reference reads it, or else by vote.

    For comparing one engine with the reference, or two versions of it, where there are no lineages to vote.
    """
    decided = None if _is_recorded(case) else by_reference(_of_reference(given))
    return decided or expectation_of(case, given, features)


def allowing_refusal(case: Case, expectation: Expectation, given: Sequence[Given]) -> Expectation:
    """Return an expectation that lets an engine refuse a file though its table is known.

    The file breaks a MUST, other than one about metadata that a reader of all rows need not look at, or the
    specification says too little of it.
    """
    if _is_recorded(case) or expectation.kind != "accept":
        return expectation
    evidence = evidence_of(case, _of_reference(given))
    rule = next((rule for rule in evidence.broken if not is_auxiliary(rule)), None)
    if rule is None:
        return (
            replace(expectation, kind="either", reason=evidence.silence) if evidence.silence else expectation
        )
    reason = f"the file breaks {rule}"
    return replace(expectation, kind="either", rule=rule, breach=" ".join(evidence.breach), reason=reason)


def _is_recorded(case: Case) -> bool:
    return case.expectation.kind != "accept" or case.expectation.table is not None


def _examined(case: Case, expectation: Expectation, reference: Outcome) -> Expectation:
    """Return the expectation of a case with the rules that its file breaks; a vote knows them already.

    The table of a real file may be recorded, and false statistics are still there for readers to skip by.
    """
    if expectation.source == "vote" or expectation.breach:
        return expectation
    evidence = evidence_of(case, reference)
    return replace(
        expectation,
        breach=" ".join(evidence.breach) or None,
        writer=evidence.writer or None,
        misleading=evidence.misleading,
        misannotated=evidence.misannotated,
    )


def _of_reference(given: Sequence[Given]) -> Outcome:
    return next((each.outcome for each in given if each.answered.process.name == REFERENCE), _ABSENT)


def _lineage(engine: str, format_: str) -> str:
    return ENGINES[engine].lineage_of(format_) if engine in ENGINES else engine


def _held(case: Case, given: Sequence[Given]) -> int:
    """Return the number of bytes in a file: its size, or the uncompressed size of its pages.

    The size in the footer counts only if the reference read the file and so checked it: a footer that
    declares a larger size than the actual one must not excuse the memory that a reader takes. ORC's footer
    has no such size; there, the table of the reference counts, if any engine took so much memory that it
    matters.
    """
    size = size_of(case.file)
    tables = (each.outcome.table for each in given if each.answered.process.name == REFERENCE)
    table = next(filter(None, tables), None)
    if table is None:
        return size
    if case.format == ORC.name:
        large = any(is_amplified(each.outcome, size) for each in given)
        return max(size, sum(len(json.dumps(block)) for block in table.blocks())) if large else size
    try:
        groups = ParquetFile.open(case.file).metadata.row_groups
    except (ReferenceError_, OSError):  # the file has changed since it was read
        return size
    chunks = (chunk.meta_data for group in groups for chunk in group.columns)
    return max(size, sum(meta.total_uncompressed_size for meta in chunks if meta))
