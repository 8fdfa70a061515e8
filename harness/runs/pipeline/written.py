"""The writers' matrix: the files that each engine wrote, as cases for every engine to read.

A table that an engine refuses to write is no statement about readers: its verdict is `unsupported`, as if the
engine had reported that. A writer that crashes, hangs or runs out of memory is a finding. So is a writer
whose file breaks a MUST of the specification (`wrote_invalid`), whatever readers make of the file; other
broken rules are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from corpora import rules
from corpora.build.silences import MET, REPEATED, far_moments
from corpora.build.value_features import features_of_values
from corpora.cases import Case, Expectation, case_id
from corpora.files import naming
from corpora.folders import digest_of, size_of
from corpora.keys import Keys
from corpora.known_failures import WRITTEN
from corpora.orc_tables import OrcLayout
from corpora.tables import AsItComes, Layout, WriterTable
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.partitioned import features_of, partitions_of, read_of
from harness.judging.evidence import level_of
from harness.judging.places import Process, Sheet
from harness.judging.records import known_entries, make_row, with_known
from harness.judging.signature import Stored
from harness.judging.verdicts import Judgement, Verdict
from harness.judging.writers import WRITER
from harness.runs.pipeline import drawn, matrix, parts
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.drawn import Drawn
from harness.runs.pipeline.matrix import file_of, layouts, tables, writes_here
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.sheets import sheets
from harness.runs.pipeline.written_files import (
    broken_rules,
    expectation_of_folder,
    not_encrypted,
    remove_hidden_files,
    unsealed,
)

MUST = "MUST"
_ROWS_IN_CASE = 1_000  # more lie in a file of their own, which the cases of all writers share
_FAILED = {
    OutcomeKind.UNSUPPORTED: Verdict.UNSUPPORTED,
    OutcomeKind.REFUSED: Verdict.UNSUPPORTED,
    OutcomeKind.PANICKED: Verdict.PANICKED,
    OutcomeKind.CRASHED: Verdict.CRASHED,
    OutcomeKind.MISSPOKE: Verdict.CRASHED,
    OutcomeKind.HUNG: Verdict.HUNG,
    OutcomeKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}


def tasks(context: Context, cores: int) -> Iterator[Task]:
    """Yield `write` tasks, those of heavy engines first; names of tables follow their format and a slash."""
    if context.write:
        for each in context.by_format():
            yield from drawn.write_tasks(each, context.write, cores)
        return
    for number, process in sorted(enumerate(context.processes), key=lambda numbered: not numbered[1].heavy):
        here = [each for each in context.by_format() if writes_here(each, process)]
        names = [f"{each.format}/{name}" for each in here for name in tables(each)]
        if names:
            count = max(1, cores // 2) if process.heavy else 1
            for start in range(count):
                yield Task("write", number, tables=tuple(names[start::count]))


def lines(context: Context, process: Process, connection: Connection, name: str) -> Iterator[dict[str, Any]]:
    """Have an engine write a table in all layouts, or the tables of a group; yield a line for each file."""

    def file(layout: str) -> Path:
        path = file_of(context, process, name, layout)
        path.parent.mkdir(parents=True, exist_ok=True)
        context.storage.remove(path)  # of a run that was killed
        return path

    some = drawn.lines if context.write else matrix.lines
    for line in some(context, process, connection, name, file):
        outcome, path = line["outcome"], file_of(context, process, name, line["layout"])
        is_there = outcome.kind is OutcomeKind.TABLE
        if is_there and context.is_partitioned:
            path.mkdir(exist_ok=True)  # an engine may have written nothing
            remove_hidden_files(path)
        if is_there:
            context.storage.publish(path)
        yield {
            **line,
            "outcome": parts.outcome_to_json(outcome),
            "sha256": digest_of(path) if is_there else "",
            "broken": broken_rules(path, context.format, _keys_of(context, process, line))
            if is_there
            else [],
            "unsealed": unsealed(drawn.writer(context, process), line["options"], path)
            if is_there and context.write
            else [],
        }


def _keys_of(context: Context, process: Process, line: Mapping[str, Any]) -> Keys | None:
    return drawn.keys_of(context, process, line["options"]) if context.write else None


def sheets_of(context: Context) -> Iterator[Sheet]:
    """Yield the sheets of the files that were written in each format; of drawn tables a group at a time."""
    for each in context.by_format():
        yield from _sheets_of_format(each)


def cases_of(context: Context, process: Process, connection: Connection, name: str) -> Iterator[Case]:
    """Have an engine write a fixed table in all layouts, and yield a case for each file."""
    table = tables(context)[name]
    done = lines(context, process, connection, name)
    every = [_write_of(context, process, table, line) for line in done]
    expected = {name: _shared(context, table, f"{context.format}-{name}")}
    yield from _cases(context, every, expected, lambda write: write.table.name)


def _sheets_of_format(context: Context) -> Iterator[Sheet]:
    if not context.write:
        expected = {
            name: _shared(context, table, f"{context.format}-{name}")
            for name, table in tables(context).items()
        }
        yield from sheets(_cases(context, _writes(context), expected, lambda write: write.table.name))
        return
    for process in context.processes:
        for name in drawn.names_of(context.write) if writes_here(context, process) else ():
            of_group = list(_of_part(context, process, name))
            held = list(drawn.stored(context, process, name)) if of_group else []
            tables_of = {
                str(at): _shared(context, table, f"{process.key}-{name}-{at}")
                for at, table in enumerate(held)
            }
            yield from sheets(_cases(context, of_group, tables_of, lambda write: write.layout.name))


def _cases(
    context: Context, every: Iterable[Write], expected: Mapping[str, Table], key: Callable[[Write], str]
) -> Iterator[Case]:
    """Yield a case for each file that was written."""
    for write in every:
        if write.outcome.kind is OutcomeKind.TABLE:
            context.storage.fetch(file_of(context, write.process, write.table.name, write.layout.name))
            yield _case(context, write, expected[key(write)])


def failures(run: Context) -> Iterator[Stored]:
    """Yield a row for each table and layout that was not written, and for each MUST that a file breaks.

    Also for each file with columns that the writer should have encrypted, and did not.
    """
    entries = known_entries(run.known)
    for context, write in writes(run):
        if write.outcome.kind is OutcomeKind.TABLE:
            for broken in write.broken:
                if level_of(broken["rule"]) == MUST:
                    yield with_known(_invalid(context, write, broken), entries)
            if write.unsealed:
                case = _case(context, write, write.table.table)
                judgement = not_encrypted(write.unsealed)
                yield with_known(_row(write, case, write.outcome, judgement, case.expectation), entries)
        else:
            case = _case(context, write, write.table.table)
            verdict = Verdict.NOT_ASKED if write.outcome.is_ours else _FAILED[write.outcome.kind]
            judgement = Judgement(verdict)
            yield with_known(_row(write, case, write.outcome, judgement, case.expectation), entries)


def rules_broken(context: Context) -> list[dict[str, Any]]:
    """Return how many files of each writer break each rule of any level."""
    every = ((write.process.key, {each["rule"] for each in write.broken}) for _, write in writes(context))
    counts = Counter((engine, rule) for engine, rules_of_file in every for rule in rules_of_file)
    return [
        {"engine": engine, "rule": rule, "level": level_of(rule), "files": count}
        for (engine, rule), count in sorted(counts.items())
    ]


AnyLayout = Layout | OrcLayout | AsItComes | Drawn


class Write(NamedTuple):
    """The outcome of a table in a layout; `broken` is the result of `broken_rules` for the file.

    `unsealed` are columns that the writer should have encrypted, and did not.
    """

    process: Process
    table: WriterTable
    layout: AnyLayout
    outcome: Outcome
    sha256: str
    broken: list[dict[str, str]]
    unsealed: list[str]


def writes(context: Context) -> Iterator[tuple[Context, Write]]:
    """Yield the outcome of every table and layout, format by format and engine by engine.

    The contexts are those of `Context.by_format`.
    """
    for each in context.by_format():
        for write in _writes(each):
            yield each, write


def _writes(context: Context) -> Iterator[Write]:
    names = drawn.names_of(context.write) if context.write else list(tables(context))
    for process in context.processes:
        for name in names:
            yield from _of_part(context, process, name)


def _of_part(context: Context, process: Process, name: str) -> Iterator[Write]:
    """Yield the outcomes of a table or group; the tables of groups are left out (`drawn.stored`)."""
    part = drawn.part_of(context, process, name)
    if not context.has(part):
        return
    table = WriterTable(name, (), Table.of([], [])) if context.write else tables(context)[name]
    for line in context.lines(part):
        yield _write_of(context, process, table, line)


def _write_of(context: Context, process: Process, table: WriterTable, line: Mapping[str, Any]) -> Write:
    """Return a table in a layout by its line of a part."""
    if context.write:
        layout: AnyLayout = Drawn(line["layout"], line["options"])
    else:
        layout = next(each for each in layouts(context) if each.name == line["layout"])
    outcome = parts.outcome_from_json(line["outcome"])
    return Write(process, table, layout, outcome, line["sha256"], line["broken"], line["unsealed"])


def _invalid(context: Context, write: Write, broken: dict[str, str]) -> Stored:
    rule, case = rules.load().get(broken["rule"]), _case(context, write, write.table.table)
    expectation = replace(case.expectation, rule=broken["rule"], clause=rule.clause if rule else None)
    outcome = replace(write.outcome, detail=Detail(message=broken["message"], phase="write"))
    row = _row(write, case, outcome, Judgement(Verdict.WROTE_INVALID), expectation)
    return replace(row, cell=broken["about"])


def _row(
    write: Write, case: Case, outcome: Outcome, judgement: Judgement, expectation: Expectation
) -> Stored:
    config, of_values = write.process.configs[0], features_of_values(write.table.table, case.format)
    features = {*write.table.features, *write.layout.features, *of_values}
    row = make_row(case, write.process, config, outcome, judgement, expectation, sorted(features))
    return Stored(row, config.switches, size_of(case.file) if case.file.exists() else 0)


def _case(context: Context, write: Write, expected: Table) -> Case:
    source = f"{WRITER}{write.process.key}"
    expectation = Expectation.accept(expected, source)
    broken = sorted({broken["rule"] for broken in write.broken})
    musts = [rule for rule in broken if level_of(rule) == MUST or rule in MET]
    excusing = [rule for rule in musts if rule not in REPEATED]
    if excusing and isinstance(write.layout, Drawn):  # the writer is blamed, and who refuses is right
        expectation = Expectation.either(f"its writer breaks {excusing[0]}", table=expected, source=source)
    elif silence := far_moments(expected):
        expectation = Expectation.either(silence, table=expected, source=source)
    if musts and isinstance(write.layout, Drawn):
        expectation = replace(expectation, breach=" ".join(musts), writer=write.process.label)
    name = case_id(WRITTEN.rstrip("/"), write.process.label, write.table.name, write.layout.name)
    chosen = write.layout.chosen if isinstance(write.layout, Drawn) else None
    file = file_of(context, write.process, write.table.name, write.layout.name)
    names = partitions_of(chosen or {})
    if names and file.is_dir():
        expectation = expectation_of_folder(file, context.format, expectation)
    of_partitions = features_of(expected, names, context.format) if names else ()
    return Case(
        name,
        context.format,
        file,
        write.sha256 or "0" * 64,
        expectation,
        features=(*write.table.features, *of_partitions),
        source=source,
        read=read_of(expected, names) if names else None,
        options=chosen,
        keys=None if chosen is None else drawn.keys_of(context, write.process, chosen),
    )


def _shared(context: Context, table: WriterTable, name: str) -> Table:
    if table.table.num_rows <= _ROWS_IN_CASE:
        return table.table
    context.spill.mkdir(exist_ok=True)
    with naming(path := context.spill / f"expected-{name}.jsonl"):
        return context.publish(table.table.spilled(path))
