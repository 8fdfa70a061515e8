"""Generated tables that each writing engine writes under options that are drawn for it.

A group has up to TABLES tables of one schema, which depend only on the seed, the group's number and the
format: the stage `draw` stores them in the part `draw/<number>`. The stage `write` gives an engine the
columns whose types it takes, and draws its options (`harness/engines/writer_options.py`) from the same seed
and number; options, with what the engine's version does by itself (`defaults`), stand in the line of the
table in the part `write/<engine>/<group>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from corpora.keys import Keys
from corpora.tables import WriterTable
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.partitioned import as_read, partition_by, partitions_of
from harness.engines.writer_options import CHOSEN, WriterOptions, choose
from harness.judging.ask import unless_killed
from harness.judging.places import Process
from harness.runs.pipeline.context import Context, WriteDrawn, resolved
from harness.runs.pipeline.plan import TASKS_PER_CORE, Task

TABLES = 4  # of a group; the last group of a run may have fewer
GROUP = "drawn"
_GROUPS_PER_TASK = 16
_NO_PARTITIONS = Outcome(
    OutcomeKind.UNSUPPORTED,
    detail=Detail(message="it takes no partition column of this table: no such type", phase="write"),
)


class Drawn(NamedTuple):
    """Drawn options of a table; `name` is its place in the group."""

    name: str
    chosen: dict[str, Any]
    features: tuple[str, ...] = ()


def groups(request: WriteDrawn) -> int:
    """Return the number of groups."""
    return -(-request.tables // TABLES)


def name_of(request: WriteDrawn, number: int) -> str:
    """Return the name of a group, which is a part of the names of its cases."""
    return f"{GROUP}-{request.seed}-{number:06}"


def tasks(request: WriteDrawn) -> list[Task]:
    """Return the `draw` tasks."""
    count = groups(request)
    return [
        Task("draw", numbers=(first, min(first + _GROUPS_PER_TASK, count)))
        for first in range(0, count, _GROUPS_PER_TASK)
    ]


def write_tasks(context: Context, request: WriteDrawn, cores: int) -> Iterator[Task]:
    """Yield `write` tasks, those of heavy engines first."""
    names = [f"{context.format}/{name}" for name in names_of(request)]
    for number, process in sorted(enumerate(context.processes), key=lambda numbered: not numbered[1].heavy):
        if writes(context, process):
            most = max(1, cores // 2) if process.heavy else TASKS_PER_CORE * cores
            count = min(most, -(-len(names) // _GROUPS_PER_TASK))
            for start in range(count):
                yield Task("write", number, tables=tuple(names[start::count]))


def writes(context: Context, process: Process) -> bool:
    """Return whether tables are drawn for an engine."""
    is_there = is_writer(process, context.format)
    return is_there and (not context.is_partitioned or writer(context, process).partitions)


def is_writer(process: Process, format_: str) -> bool:
    """Return whether an engine writes a format under options that can be drawn."""
    is_there = process.writes and process.reported and format_ in process.formats
    return is_there and bool(process.write_options) and has_options(process.write_options, format_)


def has_options(module: str, format_: str) -> bool:
    """Return whether the module of a writer's options has those of a format."""
    return format_ in _options(module)


def draw(context: Context, task: Task) -> Iterator[int]:
    """Draw the tables of groups, yielding 1 for each group (the stage `draw`)."""
    request = context.write
    assert request is not None
    todo = [number for number in range(*task.numbers) if not context.has(_part(context, number))]
    yield task.numbers[1] - task.numbers[0] - len(todo)
    drawn = resolved(request.generator)(request.seed, todo, context.format) if todo else []
    for number, group in zip(todo, drawn, strict=True):
        wanted = group[: request.tables - number * TABLES]
        context.commit(_part(context, number), ({"table": table.to_json()} for table in wanted))
        yield 1


def _part(context: Context, number: int) -> Path:
    return context.part("draw", f"{number:06}")


def tables(context: Context, name: str) -> list[Table]:
    """Return the tables of a group."""
    part = _part(context, int(name.rpartition("-")[2]))
    return [Table.from_json(line["table"]) for line in context.lines(part)]


def given(writer: WriterOptions, table: Table) -> Table:
    """Return the columns that an engine takes, the first of each name."""
    taken: dict[str, int] = {}
    for at, field in enumerate(table.columns):
        if writer.takes(field.type) and writer.holds(field.type, table.column(at)):
            taken.setdefault(field.name, at)
    fields = [(name, table.columns[at].type) for name, at in taken.items()]
    return Table.of(fields, [table.column(at) for at in taken.values()], table.num_rows)


def writer_of(module: str, format_: str) -> WriterOptions:
    """Return the options of a writer from its module."""
    return _options(module)[format_]


def _options(module: str) -> dict[str, WriterOptions]:
    options: dict[str, WriterOptions] = import_module(module).OPTIONS
    return options


def lines(
    context: Context, process: Process, connection: Connection, name: str, file_of: Any
) -> Iterator[dict[str, Any]]:
    """Write the tables of a group with an engine; yield a line for each, without the broken rules."""
    options = writer(context, process)
    writes = connection.describe().get("writes", {})
    available, defaults = writes.get("options"), writes.get("defaults", {})
    for at, table in enumerate(tables(context, name)):
        own = given(options, table)
        if context.is_partitioned:
            chosen = {**defaults, **partition_by(own)}
            if not partitions_of(chosen):
                yield {"layout": str(at), "options": chosen, "outcome": _NO_PARTITIONS}
                continue
        else:
            chosen = {**defaults, **choose(options, f"{name}/{at}/{process.name}", own, available)}
        file = file_of(str(at))
        write = partial(
            connection.write, file, context.format, process.configs[0].switches, own, {CHOSEN: chosen}
        )
        yield {"layout": str(at), "options": chosen, "outcome": unless_killed(write)}


def stored(context: Context, process: Process, name: str) -> Iterator[WriterTable]:
    """Yield the tables that the files of a group hold, by the options in its part."""
    options = writer(context, process)
    for table, line in zip(
        tables(context, name), context.lines(part_of(context, process, name)), strict=True
    ):
        held = options.stored(given(options, table), line["options"])
        names = partitions_of(line["options"])
        yield WriterTable(name, (), as_read(held, names) if names else held)


def writer(context: Context, process: Process) -> WriterOptions:
    """Return the options of an engine's writer of the context's format."""
    return writer_of(process.write_options, context.format)


def keys_of(context: Context, process: Process, chosen: Mapping[str, Any]) -> Keys | None:
    """Return the keys of a file that an engine wrote under drawn options, None if it is not encrypted."""
    return writer(context, process).keys(chosen)


def part_of(context: Context, process: Process, name: str) -> Path:
    """Return the part of a table or group that an engine writes in the format of the context."""
    return context.part("write", f"{context.format}-{name}", process)


def names_of(request: WriteDrawn) -> Sequence[str]:
    """Return the names of all groups."""
    return [name_of(request, number) for number in range(groups(request))]
