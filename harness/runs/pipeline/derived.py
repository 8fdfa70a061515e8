"""The stage `derive`: files of which nothing is recorded get queries, which the reference derives from them.

A part has the cases of one sheet in new sheets: those with queries of their own are a sheet each, the others
stay together. What the reference cannot read within the limits of its process has no queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from corpora.cases import Case
from harness.children.connection import Connection
from harness.judging.places import Sheet
from harness.judging.vote import REFERENCE
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import TASKS_PER_CORE, SheetAt, Task, shares
from harness.runs.pipeline.sheets import places_in, sheets


def tasks(context: Context, places: Sequence[SheetAt], cores: int) -> Iterator[Task]:
    """Yield the tasks of the stage."""
    number = next((at for at, process in enumerate(context.processes) if process.name == REFERENCE), None)
    if number is not None:
        for share in shares(places, TASKS_PER_CORE * cores):
            yield Task("derive", number, sheets=share)


def part(context: Context, place: SheetAt) -> Path:
    """Return the part of a sheet."""
    return context.part("derive", place.id)


def places(context: Context, before: Sequence[SheetAt]) -> list[SheetAt]:
    """Return the places of the new sheets; a sheet without a part (no reference started) stays as it is."""
    after: list[SheetAt] = []
    for place in before:
        own = part(context, place)
        after += places_in(context, own) if context.has(own) else [place]
    return after


def queried(context: Context, connection: Connection, sheet: Sheet) -> list[Sheet]:
    """Return the cases of a sheet in new sheets, with the queries that the reference derives."""
    wanted = [case for case in sheet.cases if is_queried(case)]
    others = [case for case in sheet.cases if not is_queried(case)]
    with_probes = [_with_probes(context, connection, case) for case in wanted]
    return [*sheets(others), *sheets(with_probes, derived=True)]


def is_queried(case: Case) -> bool:
    """Return whether queries are derived for a case: nothing is recorded of it."""
    expectation = case.expectation
    return not case.probes and expectation.kind == "accept" and expectation.table is None


def _with_probes(context: Context, connection: Connection, case: Case) -> Case:
    probes, _ = connection.probes(case.file, case.format, context.queries, case.keys)
    return replace(case, probes=tuple(probes))
