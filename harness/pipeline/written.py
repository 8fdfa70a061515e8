"""The writers' matrix: what each engine wrote, as cases for every engine to read.

A table that an engine refuses to write says nothing about readers: its verdict is `unsupported`, as if the
engine had said so. A writer that crashes, hangs or runs out of memory is a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora.cases import Case, Expectation, case_id
from corpora.tables import LAYOUTS, WRITER_TABLES
from harness.judge import Judgement, Verdict
from harness.outcomes import Kind
from harness.pipeline import judging, parts
from harness.pipeline.plan import Task
from harness.pipeline.store import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpora.tables import Layout, WriterTable
    from corpora.tagged import Table
    from harness.outcomes import Outcome
    from harness.pipeline.context import Context
    from harness.pipeline.plan import Process

FORMAT = "parquet"
_ROWS_IN_CASE = 1_000  # more lie in a file of their own, which the cases of all writers share
_FAILED = {
    Kind.UNSUPPORTED: Verdict.UNSUPPORTED,
    Kind.REFUSED: Verdict.UNSUPPORTED,
    Kind.CRASHED: Verdict.CRASHED,
    Kind.MISSPOKE: Verdict.CRASHED,
    Kind.HUNG: Verdict.HUNG,
    Kind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}


def tasks(context: Context, cores: int) -> Iterator[Task]:
    """Yield `write` tasks, those of heavy engines first."""
    names = [table.name for table in WRITER_TABLES]
    for number, process in sorted(enumerate(context.processes), key=lambda one: not one[1].heavy):
        if process.writes and process.reported:
            count = max(1, cores // 2) if process.heavy else 1
            for start in range(count):
                yield Task("write", number, tables=tuple(names[start::count]))


def file_of(context: Context, process: Process, table: str, layout: str) -> Path:
    """Answer where an engine writes a table in a layout."""
    return context.written / process.name / table / f"{layout}.{FORMAT}"


def cases(context: Context) -> Iterator[Case]:
    """Yield a case for each file that was written."""
    expected = {table.name: _shared(context, table) for table in WRITER_TABLES}
    for process, table, layout, outcome, sha256 in _writes(context):
        if outcome.kind is Kind.TABLE:
            yield _case(context, process, table, layout, expected[table.name], sha256)


def failures(context: Context) -> Iterator[Stored]:
    """Yield a row for each table and layout that was not written."""
    entries = judging.known_entries(context.known)
    for process, table, layout, outcome, _ in _writes(context):
        if outcome.kind is Kind.TABLE:
            continue
        config = process.configs[0]
        case = _case(context, process, table, layout, table.table, "0" * 64)
        judgement = Judgement(_FAILED[outcome.kind])
        features = sorted({*table.features, *layout.features})
        row = judging.make_row(case, process, config, outcome, judgement, case.expectation, features)
        yield judging.with_known(Stored(row, config.switches, 0), entries)


def _writes(context: Context) -> Iterator[tuple[Process, WriterTable, Layout, Outcome, str]]:
    layouts = {layout.name: layout for layout in LAYOUTS}
    for process in context.processes:
        for table in WRITER_TABLES:
            part = context.part("write", table.name, process)
            for line in parts.read(part) if part.exists() else ():
                outcome = parts.outcome_from_json(line["outcome"])
                yield process, table, layouts[line["layout"]], outcome, line["sha256"]


def _case(  # noqa: PLR0917 - what makes a case
    context: Context, process: Process, table: WriterTable, layout: Layout, expected: Table, sha256: str
) -> Case:
    source = f"writer:{process.key}"
    return Case(
        case_id("writers", process.name, table.name, layout.name),
        FORMAT,
        file_of(context, process, table.name, layout.name),
        sha256,
        Expectation.accept(expected, source),
        features=table.features,
        source=source,
    )


def _shared(context: Context, table: WriterTable) -> Table:
    if table.table.num_rows <= _ROWS_IN_CASE:
        return table.table
    context.spill.mkdir(exist_ok=True)
    return table.table.spilled(context.spill / f"expected-{table.name}.jsonl")
