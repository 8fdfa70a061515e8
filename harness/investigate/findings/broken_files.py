"""Findings about files that engines write: the smallest table whose file breaks the rule.

The engine writes in its child process, and the validator reads the file. Options, then columns, then rows
are left out as long as the file still breaks the rule. Under drawn options the reference reads the file, too:
one that holds other values breaks the rule OTHER.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from corpora import rules
from corpora.answers import take
from corpora.cases import Case, Expectation
from corpora.keys import Keys
from corpora.known_failures import Entry, Judged
from corpora.tagged import Table
from harness.children.connection import Connection, Limits, StartError
from harness.children.launch import Launch
from harness.children.outcomes import OutcomeKind
from harness.engines.naming import EngineName
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.writer_options import BY_COLUMN, CHOSEN, COLUMNS, WriterOptions, fitting
from harness.environments.availability import status_of
from harness.investigate.findings.rejudge import CannotAsk
from harness.judging.compare import compare
from harness.judging.results import Finding
from harness.runs.pipeline import drawn
from harness.runs.pipeline.context import WriteDrawn, resolved
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
        return _cause(self.rule, self.about)


class Writer:
    """An engine that writes into an existing folder; raises CannotAsk if it is not installed.

    `version` is the engine's, `data` the file that was written last.
    """

    def __init__(self, engine: EngineName, format_: str, limits: Limits, folder: Path) -> None:
        self.engine, self.format = engine.name, format_
        status = status_of(engine)
        if not status.available:
            raise CannotAsk(f"{engine}: {status.reason}")
        self._file = folder / f"written.{format_}"
        self._connection = _connected(status.launch, limits)
        self.data = b""
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
        self._file.unlink(missing_ok=True)
        outcome = self._connection.write(self._file, self.format, {}, table, options)
        if outcome.kind is not OutcomeKind.TABLE:
            return {}
        self.data = self._file.read_bytes()
        breaks = [
            BrokenFile(table, options, each["rule"], each["message"].partition("] ")[2], each["about"])
            for each in broken_rules(self._file, self.format, self.keys(options))
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
        writer, reference = self._drawn(), Reference()
        reference.enter(writer.keys(chosen))
        try:
            held = reference.read(str(self._file), self.format, {})
        except ReferenceError_:
            return ""
        difference = compare(writer.stored(table, chosen), held, ()).difference
        if difference is None:
            return ""
        return f"{difference.path}: {difference.expected} written, {difference.actual} in the file"

    def smallest(self, table: Table, options: dict[str, Any], cause: str) -> BrokenFile | None:
        """Return the smallest table found whose file has a cause, None if the given table's file has not.

        `data` is then the file of that table.
        """
        end = time.monotonic() + _SECONDS
        best = self._breaking(table, options, cause)
        if best is None:
            return None
        for simpler in _simpler(options):
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
        for fewer in _fewer(best.options.get(CHOSEN, {})):
            current = best.options[CHOSEN]
            left = {name: fewer[name] for name in current if name in fewer}
            simpler = {name: _common(current[name], value) for name, value in left.items()}
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


def _cause(rule: str, about: str) -> str:
    return f"{rule} in {about}" if about else rule


def _connected(launch: Launch, limits: Limits) -> Connection:
    return Connection(launch.command, limits, env=launch.environment())


def _simpler(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield fewer options, the simplest last: without those that size row groups, then none.

    Drawn ones are left out one by one (`_fewer`).
    """
    if CHOSEN in options:
        return
    yield {name: value for name, value in options.items() if name in {"codec", "page_version", "dictionary"}}
    yield {**options, "codec": "UNCOMPRESSED"}
    yield {}


def _fewer(chosen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield drawn options without one of them, then with one column less of those that are by column."""
    for name in chosen:
        yield {other: value for other, value in chosen.items() if other != name}
    for name, value in chosen.items():
        for mark in (COLUMNS, BY_COLUMN):
            for path in value.get(mark, ()) if isinstance(value, dict) else ():
                yield {**chosen, name: {mark: _without(value[mark], path)}}


def _without(held: Any, path: str) -> Any:
    if isinstance(held, dict):
        return {other: value for other, value in held.items() if other != path}
    return [other for other in held if other != path]


def _common(current: Any, wanted: Any) -> Any:
    """Return what both values of an option by column have; another option has its current value."""
    for mark in (COLUMNS, BY_COLUMN):
        if isinstance(current, dict) and mark in current:
            gone = [path for path in current[mark] if path not in wanted[mark]]
            held = current[mark]
            for path in gone:
                held = _without(held, path)
            return {mark: held}
    return current


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
    generator = resolved(WriteDrawn(0, 0).generator)
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
    """Store the file that was written last in a folder, and return a case about it."""
    format_, data = writer.format, writer.data
    digest = hashlib.sha256(data).hexdigest()
    file = folder / f"{digest[:16]}.{format_}"
    file.write_bytes(data)
    clause = "" if broken_file.rule == OTHER else rules.load()[broken_file.rule].clause
    source = f"writer:{writer.engine}@{writer.version}"
    meaning = replace(
        Expectation.accept(broken_file.table, source),
        rule=broken_file.rule if clause else None,
        clause=clause or None,
    )
    keys = writer.keys(broken_file.options)
    return Case(name, format_, file, digest, meaning, source=source, keys=keys)


def finding_of(engine: str, version: str, broken_file: BrokenFile, case: Case) -> Finding:
    """Return the finding that a run would report."""
    verdict = _OTHER if broken_file.rule == OTHER else VERDICT
    signature = f"{engine} | {verdict} | {broken_file.cause}"
    error = f"[{broken_file.rule}] {broken_file.broken}"
    return Finding(signature, engine, version, "", verdict, case.id, 1, [], None, error)
