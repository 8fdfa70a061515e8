"""Findings about files that engines write: the smallest table, written again, whose file breaks the rule.

The engine is asked in its child, the file is validated. Options are left out if they can be, then columns,
then rows, for a while.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from corpora import rules
from corpora.answers import take
from corpora.cases import Case, Expectation
from corpora.known_failures import Judged
from corpora.orc_tables import ORC_LAYOUTS, ORC_TABLES
from corpora.tables import LAYOUTS, WRITER_TABLES
from harness.children.connection import Connection, StartError
from harness.children.outcomes import OutcomeKind
from harness.environments.availability import status_of
from harness.investigate.findings.rejudge import CannotAsk
from harness.judging.results import Finding
from reference_impl.orc.validate import validate as validate_orc
from reference_impl.parquet.validate import validate as validate_parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from corpora.known_failures import Entry
    from corpora.tagged import Table
    from harness.children.connection import Limits
    from harness.children.launch import Launch
    from harness.engines.naming import EngineName

VERDICT = "wrote_invalid"
_SECONDS = 10.0  # to look for a smaller table


@dataclass(frozen=True)
class Made:
    """A table that was written with options, and how its file breaks the rule of this id."""

    table: Table
    options: dict[str, Any]
    rule: str
    broken: str


class Writer:
    """An engine that writes into a folder, which must exist; raises CannotAsk where it is not here.

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

    def broken(self, table: Table, options: dict[str, Any]) -> dict[str, str]:
        """Return the rules that a file breaks, with how; of a table that is not written, none."""
        self._file.unlink(missing_ok=True)
        outcome = self._connection.write(self._file, self.format, {}, table, options)
        if outcome.kind is not OutcomeKind.TABLE:
            return {}
        self.data = self._file.read_bytes()
        found: dict[str, str] = {}
        for one in (validate_orc if self.format == "orc" else validate_parquet)(self.data):
            where = ".".join(one.path) + (f", byte {one.offset}" if one.offset is not None else "")
            found.setdefault(one.rule, f"{where}: {one.message}")
        return found

    def smallest(self, table: Table, options: dict[str, Any], rule: str) -> Made | None:
        """Return the smallest table that was found whose file breaks a rule, None if this one's keeps it.

        Its file is `data` then.
        """
        end = time.monotonic() + _SECONDS
        best = self._shown(table, options, rule)
        if best is None:
            return None
        for one in _simpler(options):
            best = self._shown(table, one, rule) or best
        names = [field.name for field in table.columns]
        for name in names if len(names) > 1 else ():
            fewer = self._shown(take(table, range(table.num_rows), [name]), best.options, rule)
            if fewer:
                best = fewer
                break
        best = self._fewer_rows(best, end)
        return self._shown(best.table, best.options, rule)

    def _fewer_rows(self, best: Made, end: float) -> Made:
        size = best.table.num_rows // 2
        while size:
            at = 0
            while at < best.table.num_rows:
                if time.monotonic() > end:
                    return best
                count = best.table.num_rows
                kept = [*range(at), *range(min(at + size, count), count)]
                fewer = self._shown(take(best.table, kept), best.options, best.rule)
                best, at = (fewer, at) if fewer else (best, at + size)
            size //= 2
        return best

    def _shown(self, table: Table, options: dict[str, Any], rule: str) -> Made | None:
        broken = self.broken(table, options).get(rule)
        return None if broken is None else Made(table, options, rule, broken)


def _connected(launch: Launch, limits: Limits) -> Connection:
    return Connection(launch.command, limits, env=launch.environment())


def _simpler(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield fewer options, the simplest last: without those that size row groups, and none."""
    yield {name: value for name, value in options.items() if name in {"codec", "page_version", "dictionary"}}
    yield {**options, "codec": "UNCOMPRESSED"}
    yield {}


def asked(case: str, format_: str) -> tuple[Table, dict[str, Any]] | None:
    """Return the table and the options of a writer's case, `writers/ENGINE/TABLE/LAYOUT`, None of another."""
    tables, layouts = (ORC_TABLES, ORC_LAYOUTS) if format_ == "orc" else (WRITER_TABLES, LAYOUTS)
    parts = case.split("/")
    table = next((one.table for one in tables if one.name == parts[-2:][0]), None)
    options = {"as-it-comes": {}, **{layout.name: layout.options() for layout in layouts}}.get(parts[-1])
    return None if table is None or options is None else (table, options)


def first(writer: Writer, entries: Sequence[Entry], version: str) -> Made | None:
    """Return what of the writers' matrix shows a known failure, None if nothing does."""
    tables, layouts = (ORC_TABLES, ORC_LAYOUTS) if writer.format == "orc" else (WRITER_TABLES, LAYOUTS)
    for table in sorted(tables, key=lambda one: one.table.num_rows):
        for layout in layouts:
            for rule, how in writer.broken(table.table, layout.options()).items():
                name, engine = f"writers/{entries[0].engine}/{table.name}/{layout.name}", entries[0].engine
                row = Judged(name, engine, version, {}, VERDICT, f"{engine} | {VERDICT} | {rule}")
                if any(one.expects(VERDICT) and one.covers(row) for one in entries):
                    return Made(table.table, layout.options(), rule, how)
    return None


def case_of(name: str, writer: Writer, made: Made, folder: Path) -> Case:
    """Return a case about the file that was written last, of a small table, stored in a folder."""
    format_, data = writer.format, writer.data
    digest = hashlib.sha256(data).hexdigest()
    file = folder / f"{digest[:16]}.{format_}"
    file.write_bytes(data)
    clause = rules.load()[made.rule].clause
    source = f"writer:{writer.engine}@{writer.version}"
    meaning = replace(Expectation.accept(made.table, source), rule=made.rule, clause=clause)
    return Case(name, format_, file, digest, meaning, source=source)


def finding_of(engine: str, version: str, made: Made, case: Case) -> Finding:
    """Return the finding that a run would have of it."""
    signature = f"{engine} | {VERDICT} | {made.rule}"
    error = f"[{made.rule}] {made.broken}"
    return Finding(signature, engine, version, "", VERDICT, case.id, 1, [], None, error)
