"""The findings of a campaign, in the form of a run: in its folder as soon as they are seen.

files/<digest>.<format>     the smallest file of each signature, and its case as <digest>.json
closed/                     the files of findings that no longer reproduced when a campaign was continued
findings.ndjson             a line per signature and version of an engine
results.ndjson              the rows of every engine for the stored files
cases.ndjson                the cases of findings
kept.json                   what these three files may be: lines and SHA-256, as `digests` of `run.json`
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corpora.cases import Case, Expectation, dump
from corpora.files import digest, move, write_whole
from harness.files import Digest, digest_of, digest_of_lines, write_lines
from harness.investigate.fuzz.state import MEND
from harness.judging.results import (
    FINDINGS,
    RESULTS,
    Finding,
    ResultsError,
    Row,
    read_findings,
    read_rows,
)
from harness.judging.signature import Stored, signature, signed
from harness.runs.pipeline import finding_cases as cases

_FILES = "files"
CLOSED = "closed"
STATE = "kept.json"
_OF_ROW = ("case", "engine", "version", "config")
_Digests = dict[str, list[dict[str, Any] | None]]  # by file what it may be, None for not there


@dataclass
class _Entry:
    finding: Finding
    size: int
    case: Case
    rows: list[Row]


class FindingFiles:
    """The findings of a folder; `load`: those that are there. Raises ResultsError and CaseError."""

    def __init__(self, out: Path, *, load: bool = True) -> None:
        self.out = out
        self._entries: dict[tuple[str, str], _Entry] = {}
        self._digests: _Digests = {}
        if load:
            self._digests = self._checked()
            if (out / FINDINGS).exists():
                self._load()

    @property
    def findings(self) -> list[Finding]:
        """Return the findings."""
        return [entry.finding for entry in self._entries.values()]

    @property
    def sizes(self) -> list[int]:
        """Return the sizes of their files."""
        return [entry.size for entry in self._entries.values()]

    def of(self, format_: str) -> list[tuple[Finding, Case]]:
        """Return the findings of a format, with their cases."""
        return [
            (entry.finding, entry.case) for entry in self._entries.values() if entry.case.format == format_
        ]

    def close(self, finding: Finding) -> None:
        """Remove a finding; its file, if no other finding has the same file, moves to `closed`."""
        entry = self._entries.pop((finding.signature, finding.version))
        if all(other.case.id != entry.case.id for other in self._entries.values()):
            closed = self.out / CLOSED
            closed.mkdir(exist_ok=True)
            for file in (entry.case.file, entry.case.file.with_suffix(".json")):
                if file.exists():
                    move(file, closed / file.name)
        self.save()

    def smallest(self, stored: Stored) -> int | None:
        """Return the size of the smallest file with the same signature, None for a new signature."""
        entry = self._entries.get((signature(stored), stored.row.version))
        return None if entry is None else entry.size

    def add(self, stored: Stored, case: Case, data: bytes, rows: Iterable[Stored]) -> bool:
        """Count a finding; return whether its file is the smallest, and stored. `rows`: all of that case."""
        key = signature(stored), stored.row.version
        known = self._entries.get(key)
        size = len(data)
        count = known.finding.count + 1 if known else 1
        if known and known.size <= size:
            known.finding = replace(known.finding, count=count)
            return False
        stored_case = self._file(case, data)
        all_rows = [signed(other).row.with_detail(file=str(stored_case.file)) for other in rows]
        self._entries[key] = _Entry(_finding(stored, key[0], count), size, stored_case, all_rows)
        self.save()
        if known and all(other.case.id != known.case.id for other in self._entries.values()):
            known.case.file.with_suffix(".json").unlink(missing_ok=True)
            known.case.file.unlink(missing_ok=True)
        return True

    def save(self) -> dict[str, Digest]:
        """Write the findings, each file whole or not at all, and return the digests of the files.

        While they are written, `kept.json` allows each to be the old one or the new one.
        """
        rows: dict[tuple[str, ...], Row] = {}
        for entry in self._entries.values():
            for row in entry.rows:
                rows[tuple(getattr(row, name) for name in _OF_ROW)] = row
        lines = {
            RESULTS: [row.to_json() for row in rows.values()],
            cases.FILE: [_entry_to_json(entry) for entry in self._entries.values()],
            FINDINGS: [finding.to_json() for finding in self.findings],
        }
        digests = {name: digest_of_lines(some) for name, some in lines.items()}
        new: _Digests = {name: [entry.to_json()] for name, entry in digests.items()}
        if new != self._digests:
            self._allow({name: [*self._digests[name], *entry] for name, entry in new.items()})
            for name, some in lines.items():
                write_lines(self.out / name, some)
            self._allow(new)
            self._digests = new
        return digests

    def _allow(self, digests: _Digests) -> None:
        write_whole(self.out / STATE, json.dumps(digests, indent=1) + "\n")

    def _checked(self) -> _Digests:
        """Return the digests that the files may have; raises ResultsError if one has another."""
        paths = {name: self.out / name for name in (RESULTS, cases.FILE, FINDINGS)}
        present = {name: digest_of(path).to_json() if path.exists() else None for name, path in paths.items()}
        path = self.out / STATE
        if not path.exists():  # a new campaign, or one of before there was such a file
            return {name: [entry] for name, entry in present.items()}
        try:
            allowed = {name: list(json.loads(path.read_bytes())[name]) for name in paths}
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ResultsError(f"{path}: damaged ({error}); {MEND}") from error
        for name, entry in present.items():
            if entry not in allowed[name]:
                raise ResultsError(f"{paths[name]}: damaged (not as it was written); {MEND}")
        return allowed

    def _file(self, case: Case, data: bytes) -> Case:
        folder = self.out / _FILES
        folder.mkdir(exist_ok=True)
        stored = replace(case, file=(folder / f"{case.sha256[:16]}.{case.format}").absolute())
        if not stored.file.exists():
            write_whole(stored.file, data)
        table = stored.expectation.table
        try:
            if table is not None and table.spill:
                stored = _without_table(stored)
            dump(stored, stored.file.with_suffix(".json"))
        except RecursionError:  # types as deep as the file has them cannot be written as JSON
            stored = _without_table(stored)
            dump(stored, stored.file.with_suffix(".json"))
        return stored

    def _load(self) -> None:
        by_case: dict[str, list[Row]] = {}
        for row in read_rows(self.out):
            by_case.setdefault(row.case, []).append(row)
        known = {(entry.signature, entry.version): entry.case for entry in cases.read(self.out)}
        for finding in read_findings(self.out):
            key = finding.signature, finding.version
            case = known.get(key)
            if case is not None and self._is_there(case):
                size = case.file.stat().st_size
                self._entries[key] = _Entry(finding, size, case, by_case.get(finding.case, []))

    def _is_there(self, case: Case) -> bool:
        """Return whether the file of a case is kept; raises ResultsError if it is lost or changed."""
        if case.file.is_file():
            if digest(case.file) == case.sha256:
                return True
        elif (self.out / CLOSED / case.file.name).is_file():  # killed before the finding was taken out
            return False
        raise ResultsError(f"{case.file}: damaged (not as it was written); {MEND}")


def _without_table(case: Case) -> Case:
    """Return a case without its table, which cannot be stored: the reference reads the file again."""
    return replace(case, expectation=Expectation.by_vote())


def _entry_to_json(entry: _Entry) -> dict[str, Any]:
    finding = entry.finding
    return {"signature": finding.signature, "version": finding.version, "case": entry.case.to_json()}


def _finding(stored: Stored, name: str, count: int) -> Finding:
    row, detail = stored.row, stored.row.detail
    error = ": ".join(filter(None, (detail.error_class, detail.message)))
    values = (row.verdict, row.case, count, list(detail.features), detail.difference, error, detail.probe)
    return Finding(name, row.engine, row.version, row.config, *values)
