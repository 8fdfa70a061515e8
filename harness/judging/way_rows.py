"""Rows of ways whose result differs from that of the engine's default way: verdict `inconsistent`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from corpora.build.silences import REPEATED
from corpora.cases import CONTESTED, Probe
from corpora.known_failures import Entry
from corpora.queries import Slice
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging import pushdown, ways
from harness.judging.case_files import size_of
from harness.judging.claims import of_values
from harness.judging.places import READ, Config, Place
from harness.judging.probes import judge_any_rows
from harness.judging.probing import Tested
from harness.judging.query_subjects import about as about_query
from harness.judging.read_wrong import wrong_columns
from harness.judging.records import is_blame, with_known
from harness.judging.rows import in_rows_of
from harness.judging.signature import Stored
from harness.judging.slices import has_any_rows
from harness.judging.subjects import Subject, cell_of, row_of
from harness.judging.verdicts import Judgement, Verdict, judge


def without_order(judgement: Judgement, tested: Tested) -> tuple[Judgement, Tested]:
    """Return the judgements of a way in which rows may have any order, without judgements on values.

    Its rows are compared only with those of the default way, as a bag.
    """
    if judgement.verdict is Verdict.DIFFERENT:
        judgement = Judgement(Verdict.AGREE)
    wrongs = tuple(
        wrong for wrong in tested.wrongs if wrong.probed.judgement.verdict is not Verdict.DIFFERENT
    )
    return judgement, tested._replace(wrongs=wrongs)


class _Pair(NamedTuple):
    """Two outcomes of one question; `place` and `config` are those of the unusual one."""

    place: Place
    config: Config
    usual: Outcome
    unusual: Outcome


def of_ways(subject: Subject, index: int, known: Sequence[Entry]) -> Iterator[tuple[Place, Stored]]:
    """Yield a row for each way whose result differs, with the place of the way.

    The row reports the first column of the whole file whose values differ or, if all are equal, the first
    query whose result differs, a finding before a known failure.
    """
    number, configs = subject.given.number, subject.given.answered.process.configs
    if pushdown.reader(configs, number) != number:
        return
    rows: dict[str, tuple[Place, Stored]] = {}
    for place, stored in (*_reads(subject, index, known), *_answers(subject, index, known)):
        before = rows.setdefault(stored.row.config, (place, stored))
        if stored.row.detail.finding and not before[1].row.detail.finding:
            rows[stored.row.config] = place, stored
    yield from rows.values()


def _reads(subject: Subject, index: int, known: Sequence[Entry]) -> Iterator[tuple[Place, Stored]]:
    expectation = subject.expectation
    excuses = set((expectation.breach or "").split()) - REPEATED
    is_broken = bool(expectation.rule or excuses or _may_be_refused(subject))
    claimed = subject.traits.claimed
    place = Place(subject.given.number, index, READ)
    process = subject.given.answered.process
    for each_way in _pairs(subject, place):
        pair = _aligned(subject, each_way, has_order=not ways.is_unordered(process, each_way.config))
        both_claimed = (*claimed, *_claimed_by_way(subject, pair))
        judgement = ways.judge_ways(pair.usual, pair.unusual, both_claimed, is_broken=is_broken)
        if ways.is_unordered(process, pair.config):
            judgement = ways.unless_order(judgement, pair.usual, pair.unusual)
        if judgement is not None and (ways.is_unordered(process, pair.config) or not _has_order(subject)):
            judgement = _of_types(judgement)
        for each in () if judgement is None else _unknown(subject, pair, judgement):
            cell = cell_of(pair.usual.table, each.difference)
            row = row_of(subject, pair.unusual, each, None, pair.config)
            stored = Stored(row, pair.config.switches, size_of(subject.case.file), cell, None)
            yield pair.place, with_known(stored, known)


def _aligned(subject: Subject, pair: _Pair, *, has_order: bool = True) -> _Pair:
    """Return a pair whose equal rows stand at equal places, if rows have no order, of the file or of the way.

    The equivalences of both ways decide which rows are equal.
    """
    if has_order and _has_order(subject):
        return pair
    claimed = (*subject.traits.claimed, *_claimed_by_way(subject, pair))
    return pair._replace(unusual=in_rows_of(pair.usual.table, pair.unusual, of_values(claimed)))


def _claimed_by_way(subject: Subject, pair: _Pair) -> list[str]:
    """Return the equivalences that hold in the other way, and not in the default one."""
    traits, switches = subject.given.answered.traits.about(subject.features), pair.config.switches
    usual = traits.under({name: value for name, value in switches.items() if name != ways.WAY})
    return [name for name in traits.under(switches).claimed if name not in usual.claimed]


def _has_order(subject: Subject) -> bool:
    """Return whether rows have an order: those of a table of several files have none."""
    return subject.traits.reading(subject.case.read).row_order


def _may_be_refused(subject: Subject) -> bool:
    """Return whether reading or refusing the file is left to a reader: by a clause, or as the vote says."""
    recorded, decided = subject.case.expectation, subject.expectation
    if recorded.source == "vote":
        return decided.kind == "either" and decided.table is not None and decided.certainty != CONTESTED
    return recorded.kind == "either" and recorded.clause is not None


def _of_types(judgement: Judgement) -> Judgement:
    """Return a judgement on rows without order: of no values, if a column has another type.

    The rows of two ways cannot be put beside each other then.
    """
    if judgement.difference is None or judgement.difference.kind != "type":
        return judgement
    return replace(judgement, others=tuple(each for each in judgement.others if each.kind == "type"))


def _unknown(subject: Subject, pair: _Pair, judgement: Judgement) -> Iterator[Judgement]:
    """Yield a judgement for each column that differs, except for columns that the default way read wrong.

    That way has a row of its own, and so has another one that is lost.
    """
    differences = judgement.difference, *judgement.others
    columns = [replace(judgement, difference=each, others=()) for each in differences]
    usual = judge(subject.expectation, pair.usual, subject.traits.claimed)
    if judgement.verdict is not Verdict.INCONSISTENT or not is_blame(subject.expectation, usual.verdict):
        yield from columns
        return
    file = subject.expectation.table
    wrong = wrong_columns(usual, file)
    for column in columns:
        number = column.difference.path.column if column.difference else None
        if wrong is None or file is None or number is None:
            continue
        if file.columns[number].name not in wrong:
            yield column


def _answers(subject: Subject, index: int, known: Sequence[Entry]) -> Iterator[tuple[Place, Stored]]:
    """Yield rows of queries whose result in the default way is not known to be wrong.

    Queries with a misled result (`Probe.misled`) are left out: only one way may trust the false statistics.
    """
    if subject.usual is None:
        return
    process, file = subject.given.answered.process, subject.expectation.table
    wrong = {each.number for each in subject.usual.wrongs}
    for number, probe in enumerate(subject.case.probes):
        if number in wrong or probe.misled is not None:
            continue
        place = Place(subject.given.number, index, number)
        for pair in map(partial(_aligned, subject), _pairs(subject, place)):
            if OutcomeKind.REFUSED in (pair.usual.kind, pair.unusual.kind) and _may_be_refused(subject):
                continue
            order = subject.traits.order(probe.query)
            is_ordered = not ways.is_unordered(process, pair.config)
            if isinstance(probe.query, Slice):
                is_ordered = is_ordered and subject.traits.reading(subject.case.read).file_order
            both = pair.usual, pair.unusual
            claimed = () if _has_order(subject) else subject.traits.claimed
            claimed = (*claimed, *_claimed_by_way(subject, pair))
            judgement = ways.judge_answers(probe.query, *both, order, is_ordered=is_ordered, claimed=claimed)
            is_any = has_any_rows(probe.query, file_order=is_ordered)
            if judgement is None and is_any and file is not None:
                judgement = _of_any_rows(subject, probe, pair)
            if judgement is not None:
                row = row_of(subject, pair.unusual, judgement, probe.query, pair.config)
                cell = probe.query.kind
                if file and judgement.difference:
                    cell = about_query(probe.query, file, subject.case.read)
                stored = Stored(row, pair.config.switches, size_of(subject.case.file), cell, None)
                yield pair.place, with_known(stored, known)


def _of_any_rows(subject: Subject, probe: Probe, pair: _Pair) -> Judgement | None:
    """Judge a slice in a way in which rows have no order by the file's rows; None if they are right.

    None, too, where the default way has other rows: then the values that are read differ.
    """
    file = subject.expectation.table
    if file is None or pair.usual.table is None or pair.unusual.table is None:
        return None
    claimed = (*subject.traits.claimed, *_claimed_by_way(subject, pair))
    judgement = judge_any_rows(probe, pair.unusual, replace(subject.traits, claimed=claimed), file)
    if judgement is None or judge_any_rows(probe, pair.usual, subject.traits, file) is not None:
        return None
    return replace(judgement, verdict=Verdict.INCONSISTENT)


def _pairs(subject: Subject, place: Place) -> Iterator[_Pair]:
    """Yield the outcomes at a place with those in each other way that it was asked in."""
    config, (process, _, answers) = subject.given.config, subject.given.answered
    own = subject.given.outcome if place.probe == READ else answers.get(place)
    if own is None:
        return
    for other, outcome in ways.others(process, place, answers):
        if ways.is_unusual(process, config):
            yield _Pair(place, config, outcome, own)
        else:
            yield _Pair(other, ways.config_at(process, other), own, outcome)
