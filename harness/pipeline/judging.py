"""Judging one sheet: what its files mean, by record or by vote, and what each engine's answer is worth.

One case is in memory at a time, with every engine's answer to it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.features import features_of
from harness.compare import column_names
from harness.equivalences import of_format
from harness.judge import Judgement, Verdict, is_amplified, judge_again
from harness.judge import judge as judge_outcome
from harness.outcomes import Detail, Kind, Outcome
from harness.pipeline import parts, pushdown
from harness.pipeline.judged import (
    PROBLEMS,
    difference_to_json,
    known_digest,
    known_entries,
    make_row,
    stored_from_json,
    stored_to_json,
    with_known,
)
from harness.pipeline.plan import Place
from harness.pipeline.probing import Found, Probing, Wrong, read_place
from harness.pipeline.store import Stored, signature
from harness.probes import Traits
from harness.probes import about as about_query
from harness.vote import REFERENCE, Ballot, vote
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.orc.summary import summarize as summarize_orc
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from corpora.cases import Case, Expectation
    from corpora.known_failures import Entry
    from corpora.queries import Query
    from corpora.tagged import Table
    from harness.compare import Difference
    from harness.pipeline.context import Context
    from harness.pipeline.plan import Config, Process, Sheet
    from harness.results import Row

__all__ = ["PROBLEMS", "basis", "judge", "settle"]

# Answers that are asked for again before they become findings. Memory is not among them: what passed the
# limit once has shown that it can, and the second time costs as much as the first.
_SEEN_TWICE = PROBLEMS - {Verdict.OUT_OF_MEMORY, Verdict.AMPLIFIED}
_ABSENT = Outcome(Kind.UNSUPPORTED, detail=Detail(message="the reference did not start"))


class _Answer(NamedTuple):
    """What one engine read of the case that is being judged, under which configuration, and where from."""

    process: Process
    number: int
    config: Config
    outcome: Outcome
    part: parts.Answers


def basis(context: Context, identity: str) -> list[str]:
    """Return what a sheet's rows hang on beside the sheet: which engines answered, and the known failures."""
    answered = [one.key for one in context.processes if context.has(context.part("execute", identity, one))]
    return [*answered, known_digest(context.known)]


def judge(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the lines of a judged sheet: what it is based on and what is to be seen a second time, then rows.

    `recheck` of the first line has, for each problem that nobody knows of, what `alike` problems share, the
    size of its file, and engine process, configuration, case and probe. A row's line has what the store
    needs (`Stored`), and `recheck`: null, or the last of these.
    """
    rows = list(_judged(context, sheet))
    rechecks = []
    for stored, recheck in rows:
        if recheck:
            rechecks.append([[signature(stored), stored.row.version], stored.size, recheck])
    yield {"basis": basis(context, sheet.id), "recheck": rechecks}
    for stored, recheck in rows:
        yield {"stored": stored_to_json(stored), "recheck": recheck}


def _judged(context: Context, sheet: Sheet) -> Iterator[tuple[Stored, list[Any] | None]]:
    answers = answers_of(context, "execute", sheet)
    traits = {process.key: described(context, process, sheet) for process, _ in answers}
    entries = known_entries(context.known)
    sheet_bytes = sum(size_of(case.file) for case in sheet.cases)
    for index, case in enumerate(sheet.cases):
        given = list(given_of(answers, index))
        expectation = expectation_of(case, given, traits)
        features = tuple(sorted({*case.features, *features_in(case)}))
        held = _held(case, given)
        probing = None if expectation.table is None else Probing(case, expectation.table, PROBLEMS)
        for one in given:
            if not one.process.reported:
                continue
            read = max(held, sheet_bytes if one.process.heavy else 0)
            about = traits[one.process.key].under(one.config.switches)
            judgement = judge_outcome(expectation, one.outcome, about.claimed, file_bytes=read)
            found = Found()
            if probing and one.outcome.table is not None:
                own = one.outcome.table if judgement.verdict is Verdict.EQUIVALENT else None
                fine = judgement.verdict not in PROBLEMS
                place, configs = Place(one.number, index), one.process.configs
                found = probing.judge(one.part, configs, place, about, own, read, read_is_fine=fine)
            made = _Made(case, one, expectation, features, found)
            at, stored = _worst(made, judgement, index, entries)
            yield stored, [one.process.key, *at] if _to_be_seen_again(stored.row) else None


class _Made(NamedTuple):
    """What a row of a case under a configuration is made of, whatever it will be about."""

    case: Case
    one: _Answer
    expectation: Expectation
    features: tuple[str, ...]
    found: Found


def _worst(made: _Made, judgement: Judgement, index: int, entries: tuple[Entry, ...]) -> tuple[Place, Stored]:
    """Return the row, and where the outcome stands that it is about.

    That is the first wrong answer that nobody knows of, or else the first; if there is none, the whole file.
    """
    first: tuple[Place, Stored] | None = None
    for wrong in made.found.wrongs:
        place = Place(made.one.number, index, wrong.number)
        stored = with_known(_of_answer(made, wrong), entries)
        first = first or (place, stored)
        if stored.row.detail["finding"]:
            return place, stored
    if first:
        return first
    cell = _cell(made.expectation.table, judgement.difference)
    row = _row(made, made.one.outcome, judgement, None)
    place = read_place(made.one.process.configs, made.one.number, index)
    return place, with_known(_stored(made, row, cell, pushdown.apart(made.one.config)), entries)


def _of_answer(made: _Made, wrong: Wrong) -> Stored:
    query, probed = made.case.probes[wrong.number].query, wrong.probed
    file = made.expectation.table if probed.judgement.difference else None
    row = _row(made, wrong.outcome, probed.judgement, query)
    scope = None if probed.pushed else pushdown.apart(made.one.config)
    return _stored(made, row, about_query(query, file) if file else query.kind, scope)


def _row(made: _Made, outcome: Outcome, judgement: Judgement, query: Query | None) -> Row:
    one, found = made.one, made.found
    outcome = replace(
        outcome,
        seconds=one.outcome.seconds + found.seconds,
        peak_rss_bytes=max(one.outcome.peak_rss_bytes, found.peak_rss_bytes),
    )
    row = make_row(made.case, one.process, one.config, outcome, judgement, made.expectation, made.features)
    row.detail["probe"] = None if query is None else str(query)
    row.detail["probes"] = {
        "asked": found.asked,
        "unsupported": found.unsupported,
        "misled": found.misled,
    }
    return row


def _stored(made: _Made, row: Row, cell: str, scope: str | None) -> Stored:
    return Stored(row, made.one.config.switches, size_of(made.case.file), cell, scope)


def settle(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the lines of a judged sheet again, those that were asked a second time with what came of it."""
    first = {process.key: answers for process, answers in answers_of(context, "execute", sheet)}
    second = {process.key: answers for process, answers in answers_of(context, "again", sheet)}
    entries = known_entries(context.known)
    lines = context.lines(context.part("judge", sheet.id))
    yield next(lines)
    for line in lines:
        if line["recheck"]:
            engine, *which = line["recheck"]
            place = Place(*which)
            before = first[engine].get(place)
            after = second[engine].get(place) if engine in second else None
            unstable = judge_again(before, after) if before and after else None
            if unstable:
                line["stored"] = _unstable(line["stored"], unstable, entries)
        yield {"stored": line["stored"], "recheck": None}


def _to_be_seen_again(row: Row) -> bool:
    return bool(row.detail["finding"]) and row.verdict in _SEEN_TWICE


def _unstable(data: dict[str, Any], judgement: Judgement, entries: tuple[Entry, ...]) -> dict[str, Any]:
    stored = stored_from_json(data)
    detail = {**stored.row.detail, "difference": difference_to_json(judgement.difference), "equivalences": []}
    row = replace(stored.row, verdict=judgement.verdict.value, detail=detail)
    return stored_to_json(with_known(replace(stored, row=row, cell=""), entries))


def described(context: Context, process: Process, sheet: Sheet) -> Traits:
    """Return what an engine says of itself: equivalences for files such as the sheet's, and float orders."""
    said = context.head(context.part("about", process.key)).get("description")
    traits = Traits.of(said) if said else Traits()
    return replace(traits, claimed=of_format(traits.claimed, sheet.cases[0].format))


def answers_of(context: Context, stage: str, sheet: Sheet) -> list[tuple[Process, parts.Answers]]:
    """Return the parts of a sheet, in the order of the engine processes; one that did not start has none."""
    found = []
    for process in context.processes:
        part = context.part(stage, sheet.id, process)
        if context.has(part):
            found.append((process, context.answers(part)))
    return found


def given_of(answers: list[tuple[Process, parts.Answers]], index: int) -> Iterator[_Answer]:
    """Yield what each configuration read of one case."""
    for process, part in answers:
        for number, config in enumerate(process.configs):
            outcome = part.get(read_place(process.configs, number, index))
            if outcome is not None:
                yield _Answer(process, number, config, outcome, part)


def expectation_of(case: Case, given: list[_Answer], traits: dict[str, Traits]) -> Expectation:
    """Return what a case must mean: as recorded, or by vote."""
    if case.expectation.kind != "accept" or case.expectation.table is not None:
        return case.expectation
    ballots = {
        f"{one.process.key}:{one.config.text}": Ballot(
            one.outcome, traits[one.process.key].under(one.config.switches).claimed, one.process.name
        )
        for one in given
    }
    reference = next((one.outcome for one in given if one.process.name == REFERENCE), _ABSENT)
    return vote(ballots, reference)


def features_in(case: Case) -> tuple[str, ...]:
    """Return the features that the file uses, as far as the reference can tell; none if it cannot."""
    try:
        if case.format == "orc":
            return features_of(summarize_orc(OrcFile.open(case.file)), "orc")
        return features_of(summarize(ParquetFile.open(case.file)))
    except (ReferenceError_, OSError):
        return ()


def _held(case: Case, given: Sequence[_Answer]) -> int:
    """Return how many bytes a file holds: its size, or that of its pages uncompressed.

    What the footer says of that counts only if the reference read the file, which checks it: a footer that
    promises more than there is must not excuse the memory that a reader takes. ORC's footer does not say it;
    there, what the reference read counts, if anybody took so much memory that it matters.
    """
    size = size_of(case.file)
    read = [one.outcome.table for one in given if one.process.name == REFERENCE and one.outcome.table]
    if not read:
        return size
    if case.format == "orc":
        large = any(is_amplified(one.outcome, size) for one in given)
        return max(size, sum(len(json.dumps(block)) for block in read[0].blocks())) if large else size
    try:
        groups = ParquetFile.open(case.file).metadata.row_groups
    except (ReferenceError_, OSError):  # the file has changed since it was read
        return size
    chunks = (chunk.meta_data for group in groups for chunk in group.columns)
    return max(size, sum(meta.total_uncompressed_size for meta in chunks if meta))


def size_of(file: Path) -> int:
    """Return the bytes of a file, 0 if it is gone."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _cell(expected: Table | None, difference: Difference | None) -> str:
    """Return what the first differing cell is: what types differ, or the type of the column that it is in."""
    if difference is None or expected is None or difference.kind not in {"type", "value"}:
        return ""
    if difference.kind == "type":
        return f"{difference.expected} as {difference.actual}"
    prefixes = zip(column_names(expected), (column.type for column in expected.columns), strict=True)
    fitting = [(len(prefix), str(type_)) for prefix, type_ in prefixes if difference.path.startswith(prefix)]
    return max(fitting)[1] if fitting else ""
