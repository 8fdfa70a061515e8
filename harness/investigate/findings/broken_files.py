"""Findings about files that engines write: the smallest table whose file breaks the rule.

The engine writes in its child process, and the validator reads the file. Options, then columns, then rows
are left out as long as the file still breaks the rule. Under drawn options the reference reads the file, too:
one that holds other values breaks the rule OTHER.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from corpora import rules
from corpora.answers import take
from corpora.cases import Case, Expectation
from corpora.folders import copy, digest_of, remove
from corpora.keys import Keys
from corpora.known_failures import Entry, Judged
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.connection import Connection, Limits, StartError
from harness.children.outcomes import OutcomeKind
from harness.engines.errors import Unsupported
from harness.engines.naming import EngineName
from harness.engines.partitioned import as_read, partitions_of, read_of
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.writer_options import CHOSEN, WriterOptions, fitting
from harness.environments.availability import status_of
from harness.investigate.findings import fewer_options
from harness.investigate.findings.rejudge import CannotAsk
from harness.judging.compare import compare
from harness.judging.results import Finding
from harness.runs.pipeline import drawn
from harness.runs.pipeline.context import PARTITIONED, WriteDrawn, resolved
from harness.runs.pipeline.matrix import MATRICES
from harness.runs.pipeline.written_files import broken_rules
from reference_impl.errors import ReferenceError_

VERDICT = "wrote_invalid"
OTHER = "other values"  # stands for a rule
_OTHER = "wrote_other"
VERDICTS = (VERDICT, _OTHER)
_SECONDS = 20.0  # to look for a smaller table


@dataclass(frozen=True)
class BrokenFile:
    """A table and the options it was written with, and how its file breaks the rule of this id.

    `about` is the type of the column that breaks it, "" for what is about no column.
    """

    table: Table
    options: dict[str, Any]
    rule: str
    broken: str
    about: str = ""

    @property
    def cause(self) -> str:
        """Return the cause, as the signature of a finding has it."""
        return f"{self.rule} in {self.about}" if self.about else self.rule


class Writer:
    """An engine that writes into an existing folder; raises CannotAsk if it is not installed.

    `version` is the engine's, `file` the file or the folder of a partitioned table that was written last.
    """

    def __init__(self, engine: EngineName, format_: str, limits: Limits, folder: Path) -> None:
        self.engine, self.format = engine.name, format_
        status = status_of(engine)
        if not status.available:
            raise CannotAsk(f"{engine}: {status.reason}")
        self._folder = folder
        self._connection = Connection(status.launch.command, limits, env=status.launch.environment())
        self.file = folder
        try:
            self.version = str(self._connection.describe()["version"])
        except StartError as error:
            self._connection.close()
            raise CannotAsk(f"{engine} does not start") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def broken(self, table: Table, options: dict[str, Any]) -> dict[str, BrokenFile]:
        """Return how the written file breaks rules, by cause; nothing if the engine refuses."""
        names = partitions_of(options.get(CHOSEN, {}))
        self.file = self._folder / ("written" if names else f"written.{self.format}")
        remove(self.file)
        outcome = self._connection.write(self.file, self.format, {}, table, options)
        if outcome.kind is not OutcomeKind.TABLE:
            return {}
        if names:
            self.file.mkdir(exist_ok=True)
        breaks = [
            BrokenFile(table, options, each["rule"], each["message"].partition("] ")[2], each["about"])
            for each in broken_rules(self.file, self.format, self.keys(options))
        ]
        if CHOSEN in options and (difference := self._difference(table, options[CHOSEN])):
            breaks.append(BrokenFile(table, options, OTHER, difference))
        return {each.cause: each for each in breaks}

    def keys(self, options: Mapping[str, Any]) -> Keys | None:
        """Return the keys of a file that is written with options, None if it is not encrypted."""
        return self._drawn().keys(options[CHOSEN]) if CHOSEN in options else None

    def _drawn(self) -> WriterOptions:
        return drawn.writer_of(ENGINES[self.engine].write_options, self.format)

    def _difference(self, table: Table, chosen: dict[str, Any]) -> str:
        """Return how the file differs from what its writer documents; "" if the reference refuses it."""
        wanted, names = self._drawn().stored(table, chosen), partitions_of(chosen)
        if names:
            wanted = as_read(wanted, names)
        try:
            held = self._held(read_of(wanted, names) if names else None, self._drawn().keys(chosen))
        except (ReferenceError_, Unsupported):
            return ""
        difference = compare(wanted, held, ()).difference
        if difference is None:
            return ""
        return f"{difference.path}: {difference.expected} written, {difference.actual} in the file"

    def _held(self, read: TableRead | None, keys: Keys | None) -> Table:
        """Return what the file or folder holds; raises ReferenceError_ and Unsupported."""
        reference = Reference()
        reference.enter(keys)
        if read is None:
            return reference.read(str(self.file), self.format, {})
        return reference.read_table(str(self.file), self.format, {}, read)

    def smallest(self, table: Table, options: dict[str, Any], cause: str) -> BrokenFile | None:
        """Return the smallest table found whose file has a cause, None if the given table's file has not.

        `file` is then that of this table.
        """
        end = time.monotonic() + _SECONDS
        best = self._breaking(table, options, cause)
        if best is None:
            return None
        for simpler in fewer_options.simpler(options):
            best = self._breaking(table, simpler, cause) or best
        best = self._fewer_options(best)
        names = [field.name for field in table.columns]
        for name in names if len(names) > 1 else ():
            fewer = self._breaking(take(table, range(table.num_rows), [name]), best.options, cause)
            if fewer:
                best = fewer
                break
        best = self._fewer_options(self._fewer_rows(best, end))
        return self._breaking(best.table, best.options, cause)

    def _fewer_options(self, best: BrokenFile) -> BrokenFile:
        """Leave out drawn options, one by one, and columns of those that are by column."""
        for fewer in fewer_options.fewer(best.options.get(CHOSEN, {})):
            current = best.options[CHOSEN]
            left = {name: fewer[name] for name in current if name in fewer}
            simpler = {name: fewer_options.common(current[name], value) for name, value in left.items()}
            best = self._breaking(best.table, {CHOSEN: simpler}, best.cause) or best
        return best

    def _fewer_rows(self, best: BrokenFile, end: float) -> BrokenFile:
        size = best.table.num_rows // 2
        while size:
            at = 0
            while at < best.table.num_rows:
                if time.monotonic() > end:
                    return best
                count = best.table.num_rows
                remaining = [*range(at), *range(min(at + size, count), count)]
                fewer = self._breaking(take(best.table, remaining), best.options, best.cause)
                best, at = (fewer, at) if fewer else (best, at + size)
            size //= 2
        return best

    def _breaking(self, table: Table, options: dict[str, Any], cause: str) -> BrokenFile | None:
        if CHOSEN in options:
            options = {CHOSEN: fitting(options[CHOSEN], table)}
        return self.broken(table, options).get(cause)


def drawn_table(
    case: str, format_: str, engine: str, options: Mapping[str, Any] | None
) -> tuple[Table, dict[str, Any]] | None:
    """Return the table and options of a case `writers/ENGINE/drawn-SEED-NUMBER/PLACE`, None for another case.

    The table is drawn again from its seed; `options` are the drawn ones of the case.
    """
    parts = case.split("/")
    group = parts[-2].split("-") if len(parts) > 1 else []
    if options is None or len(group) != 3 or group[0] != drawn.GROUP:
        return None
    generator = resolved(PARTITIONED if partitions_of(options) else WriteDrawn(0, 0).generator)
    (tables,) = generator(int(group[1]), [int(group[2])], format_)
    writer = drawn.writer_of(ENGINES[engine].write_options, format_)
    return drawn.given(writer, tables[int(parts[-1])]), {CHOSEN: dict(options)}


def table_of(case: str, format_: str) -> tuple[Table, dict[str, Any]] | None:
    """Return the table and options of a case `writers/ENGINE/TABLE/LAYOUT`, None for another case."""
    tables, layouts = MATRICES[format_]
    parts = case.split("/")
    table = next((named.table for named in tables if named.name == parts[-2:][0]), None)
    options = {"as-it-comes": {}, **{layout.name: layout.options() for layout in layouts}}.get(parts[-1])
    return None if table is None or options is None else (table, options)


def first(writer: Writer, entries: Sequence[Entry], version: str) -> BrokenFile | None:
    """Return the first table of the writers' matrix that shows a known failure, None if none does."""
    tables, layouts = MATRICES[writer.format]
    for table in sorted(tables, key=lambda named: named.table.num_rows):
        for layout in layouts:
            for cause, example in writer.broken(table.table, layout.options()).items():
                name, engine = f"writers/{entries[0].engine}/{table.name}/{layout.name}", entries[0].engine
                row = Judged(name, engine, version, {}, VERDICT, f"{engine} | {VERDICT} | {cause}")
                if any(entry.expects(VERDICT) and entry.covers(row) for entry in entries):
                    return example
    return None


def case_of(name: str, writer: Writer, broken_file: BrokenFile, folder: Path) -> Case:
    """Store what was written last in a folder, and return a case about it."""
    format_, names = writer.format, partitions_of(broken_file.options.get(CHOSEN, {}))
    digest = digest_of(writer.file)
    file = folder / (digest[:16] if names else f"{digest[:16]}.{format_}")
    remove(file)
    copy(writer.file, file)
    clause = "" if broken_file.rule == OTHER else rules.load()[broken_file.rule].clause
    source = f"writer:{writer.engine}@{writer.version}"
    meaning = replace(
        Expectation.accept(broken_file.table, source),
        rule=broken_file.rule if clause else None,
        clause=clause or None,
    )
    keys = writer.keys(broken_file.options)
    read = read_of(broken_file.table, names) if names else None
    return Case(name, format_, file, digest, meaning, source=source, keys=keys, read=read)


def finding_of(engine: str, version: str, broken_file: BrokenFile, case: Case) -> Finding:
    """Return the finding that a run would report."""
    verdict = _OTHER if broken_file.rule == OTHER else VERDICT
    signature = f"{engine} | {verdict} | {broken_file.cause}"
    error = f"[{broken_file.rule}] {broken_file.broken}"
    return Finding(signature, engine, version, "", verdict, case.id, 1, [], None, error)
