"""The stages of a run, as functions over iterators that know neither Spark nor threads.

`perform` does one task: a runner (`spark.py`, `local.py`) calls it, any number of times, in any process that
sees the run's folder. It yields the units done and commits parts, each atomically; an existing part is not
written again.

| stage    | for each                       | part                                                           |
|----------|--------------------------------|----------------------------------------------------------------|
| generate | number of a generated sheet    | `generate/<number>`: its cases                                 |
| draw     | number of a group of tables    | `draw/<number>`: its tables                                    |
| write    | writing engine × table (group) | `write/<engine>/<table>`: outcome by layout, and broken rules  |
| derive   | sheet                          | `derive/<sheet>`: its cases in new sheets, with queries        |
| execute  | engine process × sheet         | `execute/<engine>/<sheet>`: outcome by configuration and case, |
|          |                                | of the whole file and of its probes                            |
| judge    | sheet                          | `judge/<sheet>`: rows with verdicts, some to be rechecked      |
| fresh    | engine process × sheet, single | `fresh/<engine>/<sheet>`: answers that depend on the order     |
| again    | engine process × sheet, single | `again/<engine>/<sheet>`: the second outcome                   |
| settle   | sheet with rows to recheck     | `settle/<sheet>`: its rows as they will be stored              |
| pair     | sheet                          | `pair/<sheet>`: where two versions of an engine differ         |
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from corpora.cases import Case
from harness.children.connection import Connection, StartError
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.registry import add
from harness.judging.ask import ask_place
from harness.judging.ask_sheet import outcomes_of
from harness.judging.places import Place, Process, Sheet
from harness.judging.records import known_to_hang
from harness.judging.verdicts import has_grown
from harness.judging.ways import FEW
from harness.runs.pipeline import derived, drawn, fresh, generated, judging, matrix, parts, written
from harness.runs.pipeline.context import Context, resolved
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.pool import POOL
from harness.runs.pipeline.sheets import read_sheet
from harness.runs.pipeline.spilled import store_once

_KNOWN_HANG_SECONDS = 10.0  # for a small file of which a known failure says that the engine never answers


def perform(context: Context, task: Task) -> Iterator[int]:
    """Do a task, yielding the number of units (files × configurations, tables) that each step finished."""
    for process in context.processes:
        if process.foreign is not None:
            add(process.foreign)  # this may be another process than the one that read the manifest
    return _STAGES[task.kind](context, task)


def _execute(context: Context, task: Task) -> Iterator[int]:
    process = context.processes[task.process]
    todo = []
    for place in task.sheets:
        if context.has(context.part("execute", place.id, process)):
            yield place.files * len(process.configs)
        else:
            todo.append(place)
    if not todo and context.has(context.part("about", process.key)):
        return
    with _opened(context, process) as connection:
        if connection is None:
            return
        for place in fresh.ordered(context, todo):
            sheet = _fetched(context, read_sheet(context, place))
            lines = _answers(context, connection, process, sheet)
            context.commit(context.part("execute", place.id, process), _published(context, lines))
            yield place.files * len(process.configs)


def _derive(context: Context, task: Task) -> Iterator[int]:
    process = context.processes[task.process]
    todo = [place for place in task.sheets if not context.has(derived.part(context, place))]
    yield sum(place.files for place in task.sheets) - sum(place.files for place in todo)
    if not todo:
        return
    with _opened(context, process) as connection:
        if connection is None:
            return
        for place in todo:
            sheet = _fetched(context, read_sheet(context, place))
            derived.derive(context, connection, place, sheet)
            yield place.files


def _answers(
    context: Context, connection: Connection, process: Process, sheet: Sheet
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a sheet; lines of cases due in a fresh process have the earlier requests."""
    due = frozenset() if process.heavy else fresh.due(context, sheet)
    ways = None if context.every_value else FEW
    hangs = any(_is_known_to_hang(context, process, case) for case in sheet.cases)
    answers = outcomes_of(connection, process, sheet, everything=context.every_value, ways=ways)
    with connection.expecting_hang(_KNOWN_HANG_SECONDS) if hangs else nullcontext():
        for place, outcome in answers:
            more = {} if place.case not in due else {"before": list(connection.recent)[:-1]}
            yield parts.answer(place, outcome, **more)


def _is_known_to_hang(context: Context, process: Process, case: Case) -> bool:
    return known_to_hang(context.known, process.name, process.version, case.id)


def _fresh(context: Context, task: Task) -> Iterator[int]:
    process = context.processes[task.process]
    rechecks = dict(task.rechecks)
    for place in task.sheets:
        part = context.part("fresh", place.id, process)
        if not context.has(part):
            sheet = _fetched(context, read_sheet(context, place))
            context.commit(part, fresh.lines(context, process, sheet, rechecks[place.id]))
        yield len(rechecks[place.id])


def _again(context: Context, task: Task) -> Iterator[int]:
    process = context.processes[task.process]
    rechecks = dict(task.rechecks)
    todo = [place for place in task.sheets if not context.has(context.part("again", place.id, process))]
    if not todo:
        return
    with _opened(context, process) as connection:
        if connection is None:
            return
        for place in todo:
            cases = _fetched(context, read_sheet(context, place)).cases
            first = context.answers(context.part("execute", place.id, process))
            lines = (
                parts.answer(
                    recheck, _second(context, connection, process, cases[recheck.case], recheck, first)
                )
                for recheck in rechecks[place.id]
            )
            context.commit(context.part("again", place.id, process), _published(context, lines))
            yield len(rechecks[place.id])


def _second(  # noqa: PLR0917 - what is asked again, and of whom
    context: Context, connection: Connection, process: Process, case: Case, place: Place, first: parts.Answers
) -> Outcome:
    """Return the outcome of a second look; that at a hang has less time, so that it does not cost twice.

    The memory that an answer took is compared with that of a process that has none yet.
    """
    before = first.get(place)
    hung = before is not None and before.kind is OutcomeKind.HUNG
    if before is not None and has_grown(before):
        connection.renew()
    seconds = _KNOWN_HANG_SECONDS if _is_known_to_hang(context, process, case) else None
    with connection.expecting_hang(seconds) if hung else nullcontext():
        return ask_place(connection, process, case, place)


def _write(context: Context, task: Task) -> Iterator[int]:
    process = context.processes[task.process]
    wanted = [matrix.of_name(context, name) for name in task.tables]
    todo = [(of, name) for of, name in wanted if not of.has(drawn.part_of(of, process, name))]
    if not todo:
        return
    with _opened(context, process) as connection:
        if connection is None:
            return
        for of, name in todo:
            of.commit(drawn.part_of(of, process, name), written.lines(of, process, connection, name))
            yield 1


@contextmanager
def _opened(context: Context, process: Process) -> Iterator[Connection | None]:
    """Open an engine and record its description; yield None if it never started, which is recorded too.

    An engine that has started before in this run is yielded even if it does not start now: its requests then
    have the outcome that it did not start, so that no file is without an outcome. An engine that did not
    start is not tried again by each task; a continued run removes the record.
    """
    note = context.part("about", process.key)
    noted = context.head(note) if context.has(note) else {}
    if "failed" in noted:
        yield None
        return
    with POOL.lent(context, process) as connection:
        try:
            described = _described(connection)
        except StartError as error:
            if not noted:
                context.commit(note, [{"failed": asdict(error.outcome.detail)}])
                yield None
                return
        else:
            if not noted:
                context.commit(note, [{"description": described}])
        yield connection


def _described(connection: Connection) -> dict[str, Any]:
    """Return an engine's description; try again if it was killed while it started. Raises StartError."""
    try:
        return connection.describe()
    except StartError as error:
        if error.outcome.detail.signal != signal.SIGKILL:
            raise
        return connection.describe()


def _judge(context: Context, task: Task) -> Iterator[int]:
    todo = []
    for place in task.sheets:
        part = context.part("judge", place.id)
        if context.has(part) and context.head(part)["basis"] == judging.basis(context, place.id):
            yield 1
        else:
            todo.append(place)
    yield from _by_sheet(context, replace(task, sheets=tuple(todo)), judging.judge)


def _settle(context: Context, task: Task) -> Iterator[int]:
    return _by_sheet(context, task, judging.settle)


def _pair(context: Context, task: Task) -> Iterator[int]:
    assert context.comparison is not None
    return _by_sheet(context, task, resolved(context.comparison.of_sheets))


def _by_sheet(
    context: Context, task: Task, make: Callable[[Context, Any], Iterable[dict[str, Any]]]
) -> Iterator[int]:
    for place in task.sheets:
        sheet = _fetched(context, read_sheet(context, place))
        context.commit(context.part(task.kind, place.id), make(context, sheet))
        yield 1


def _fetched(context: Context, sheet: Sheet) -> Sheet:
    """Return the sheet after fetching its files."""
    for case in sheet.cases:
        context.storage.fetch(case.file)
    return sheet


def _published(context: Context, lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield lines of outcomes, each after its table is on the disk once, and published to other machines."""
    for line in lines:
        table = line["outcome"]["table"]
        if table is not None and "spill" in table:
            spill = Path(table["spill"])
            store_once(spill, context.spill)
            context.storage.publish(spill)
        yield line


_STAGES: dict[str, Callable[[Context, Task], Iterator[int]]] = {
    "generate": generated.make,
    "draw": drawn.draw,
    "write": _write,
    "derive": _derive,
    "execute": _execute,
    "judge": _judge,
    "fresh": _fresh,
    "again": _again,
    "settle": _settle,
    "pair": _pair,
}
