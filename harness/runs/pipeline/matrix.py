"""The writers' matrix: the tables and layouts that engines write, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from corpora.build.formats import ORC, PARQUET
from corpora.orc_tables import ORC_LAYOUTS, ORC_TABLES, OrcLayout
from corpora.tables import LAYOUTS, WRITER_TABLES, AsItComes, Layout, WriterTable
from harness.children.connection import Connection
from harness.judging.ask import unless_killed
from harness.judging.places import Process
from harness.runs.pipeline import drawn
from harness.runs.pipeline.context import Context

# The tables and layouts that engines write, by format.
MATRICES: dict[str, tuple[tuple[WriterTable, ...], tuple[Layout, ...] | tuple[OrcLayout, ...]]] = {
    PARQUET.name: (WRITER_TABLES, LAYOUTS),
    ORC.name: (ORC_TABLES, ORC_LAYOUTS),
}


def tables(context: Context) -> dict[str, WriterTable]:
    """Return the tables to write, by name: one in `context.tables`, in their order."""
    return {table.name: table for table in MATRICES[context.format][0][:: context.tables]}


def layouts(context: Context) -> tuple[Layout | OrcLayout | AsItComes, ...]:
    """Return the layouts of each table; versions that are compared also write in their default layout."""
    _, every = MATRICES[context.format]
    untold = (AsItComes(),) if context.comparison else ()
    return (*untold, *every[: context.layouts])


def of_name(context: Context, name: str) -> tuple[Context, str]:
    """Return the run's context for the format of a task's table, and the table's own name."""
    format_, _, table = name.partition("/")
    return replace(context, format=format_), table


def file_of(context: Context, process: Process, table: str, layout: str) -> Path:
    """Return where an engine writes a table in a layout: a file, or the folder of a partitioned table."""
    suffix = "" if context.is_partitioned else f".{context.format}"
    return context.written / process.label / table / f"{layout}{suffix}"


def writes_here(context: Context, process: Process) -> bool:
    """Return whether an engine is to write files."""
    if context.write:
        return drawn.writes(context, process)
    return process.writes and process.reported and context.format in process.formats


def files_of_each(context: Context) -> int:
    """Return how many files each engine is to write."""
    return context.write.tables if context.write else len(tables(context)) * len(layouts(context))


def lines(
    context: Context, process: Process, connection: Connection, name: str, file: Callable[[str], Path]
) -> Iterator[dict[str, Any]]:
    """Have an engine write a table in all layouts; yield a line for each, without the broken rules."""
    table, switches = tables(context)[name].table, process.configs[0].switches
    for layout in layouts(context):
        path = file(layout.name)
        write = partial(connection.write, path, context.format, switches, table, layout.options())
        yield {"layout": layout.name, "outcome": unless_killed(write)}
