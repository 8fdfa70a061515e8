"""The stages `judge` and `settle`: answers come from parts, and rows go into parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.judging import judge as judge_cases
from harness.judging.answers import Answered
from harness.judging.claims import of_format
from harness.judging.column_features import of_repeated
from harness.judging.judge import Judged
from harness.judging.places import Place, Process, Sheet
from harness.judging.records import known_digest, known_entries, stored_from_json, stored_to_json
from harness.judging.settle import settle as settle_stored
from harness.judging.signature import signature
from harness.judging.traits import Traits
from harness.runs.pipeline import fresh
from harness.runs.pipeline.context import Context


def basis(context: Context, identity: str) -> list[str]:
    """Return the inputs of a sheet's rows besides the sheet: the engines that started, and known failures."""
    processes = context.processes
    answered = [each.key for each in processes if context.has(context.part("execute", identity, each))]
    return [*answered, known_digest(context.known)]


def judge(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the lines of a judged sheet: first its basis and the problems to check again, then its rows.

    `recheck` of the first line has, for each unknown problem, the signature and version that similar problems
    share, the size of its file, and engine process, configuration, case and probe. `due` has the rank and the
    index of each case that may be asked in a fresh process. A row's line has the row
    for the store (`Stored`), and `recheck`: null, or the last of these.
    """
    entries = known_entries(context.known)
    answers = answered(context, "execute", sheet)
    rows = list(judge_cases.judge(sheet.cases, answers, entries, scratch=context.scratch))
    rechecks = [
        [[signature(row.stored), row.stored.row.version], row.stored.size, _recheck(row)]
        for row in rows
        if row.doubtful
    ]
    yield {"basis": basis(context, sheet.id), "recheck": rechecks, "due": fresh.ranked(context, sheet)}
    for row in rows:
        yield {"stored": stored_to_json(row.stored), "recheck": _recheck(row) if row.doubtful else None}


def _recheck(row: Judged) -> list[Any]:
    return [row.engine, *row.place]


def settle(context: Context, sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Yield the lines of a judged sheet, updated where a second look was taken, or one in a fresh process."""
    differing = fresh.Differing(context, sheet)
    first = {each.process.key: each.answers for each in answered(context, "execute", sheet)}
    second = {each.process.key: each.answers for each in answered(context, "again", sheet)}
    entries = known_entries(context.known)
    lines = context.lines(context.part("judge", sheet.id))
    yield next(lines)
    for line in lines:
        stored = line["stored"]
        if line["recheck"]:
            engine, *which = line["recheck"]
            place = Place(*which)
            before = first[engine].get(place)
            after = second[engine].get(place) if engine in second else None
            columns = of_repeated(sheet.cases[place.case], place)
            stored = stored_to_json(settle_stored(stored_from_json(stored), before, after, entries, columns))
        yield {"stored": differing.applied(stored), "recheck": None}


def rows(context: Context, stage: str, identity: str) -> Iterator[dict[str, Any]]:
    """Return the lines of the rows of a judged or settled sheet; its first line is no row."""
    lines = context.lines(context.part(stage, identity))
    next(lines)
    return lines


def answered(context: Context, stage: str, sheet: Sheet) -> list[Answered]:
    """Return the answers of each engine process to a sheet, without processes that did not start."""
    stored = []
    for process in context.processes:
        part = context.part(stage, sheet.id, process)
        if context.has(part):
            traits = described(context, process, sheet)
            stored.append(Answered(process, traits, context.answers(part)))
    return stored


def described(context: Context, process: Process, sheet: Sheet) -> Traits:
    """Return the traits of an engine: its equivalences for the sheet's format, and its float orders."""
    description = context.head(context.part("about", process.key)).get("description")
    traits = Traits.of(description) if description else Traits()
    return replace(traits, claimed=of_format(traits.claimed, sheet.cases[0].format))
