"""The folder of a history: `history.ndjson`, and the smallest cases of findings, with their files.

    history.ndjson      a head (`schema_version`, `next_seed`, …), then a line per round and per finding
    cases/<digest>.json the smallest case of a finding (`corpora.cases`), named by the finding's signature
    cases/<sha256>.parquet, .orc   its file or folder, once for all findings that it shows

`history.ndjson` is written whole and then gets its name: a run that is killed leaves it as it was. The
`digest` of the head has the number of lines and their SHA-256, that of the head without `digest`: a history
that was emptied, cut or changed is refused. Another schema version is refused, too.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora import folders
from corpora.cases import Case, CaseError, dump
from corpora.cases import load as load_case
from corpora.files import lines_of, open_regular, sweep
from corpora.problem import UserError
from harness.files import Counting, digest_of_lines, write_lines
from harness.judging.results import Finding
from harness.runs.history.records import Record, Smallest

SCHEMA_VERSION = 1
FILE = "history.ndjson"
CASES = "cases"
LARGEST = 1 << 20  # bytes of a file that is kept
_DIGEST = "digest"
_ROUNDS = 500  # of the rounds of all nights, so many are remembered: costs and yields come from the last ones


class HistoryError(UserError):
    """A folder holds no history that can be used; the message is one line."""


@dataclass
class History:
    """The findings of earlier runs; `rounds` are those of nights (`harness/runs/nightly`), as they went.

    `features` are those that any file of a format had so far. `next_seed` is one that was never used;
    `corpora_next`: the case of each corpus, by format, that comes next where a night had no time for all.
    """

    folder: Path
    records: dict[str, Record] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    features: dict[str, list[str]] = field(default_factory=dict)
    next_seed: int = 1
    corpora_next: dict[str, str] = field(default_factory=dict)

    def save(self) -> None:
        """Write it, whole; raises OSError."""
        head = {
            "schema_version": SCHEMA_VERSION,
            "next_seed": self.next_seed,
            "corpora_next": self.corpora_next,
            "features": self.features,
        }
        lines: list[dict[str, Any]] = [head, *({"round": round_} for round_ in self.rounds[-_ROUNDS:])]
        lines += [{"finding": self.records[signature].to_json()} for signature in sorted(self.records)]
        whole = {**head, _DIGEST: digest_of_lines(lines).to_json()}
        write_lines(self.folder / FILE, [whole, *lines[1:]])

    def keep(self, record: Record, finding: Finding, case: Case) -> None:
        """Keep the case of a finding if it is smaller than the one that is kept; a large file is not."""
        try:
            size = folders.size_of(case.file)
            if size > LARGEST or (record.smallest and record.smallest.size <= size and self.case(record)):
                return
            # What the run read: the file may be another one by now.
            if folders.digest_of(case.file) != case.sha256:
                return
            file = self.folder / CASES / f"{case.sha256}.{case.format}"
            file.parent.mkdir(exist_ok=True)
            if not (file.exists() and folders.digest_of(file) == case.sha256):
                folders.remove(file)  # of a folder, what is left of a damaged one
                folders.copy(case.file, file)
        except FileNotFoundError:
            return
        dump(replace(case, file=file), self._case_file(record))
        record.smallest = Smallest(case.id, case.sha256, case.format, finding.config, finding.probe, size)

    def case(self, record: Record) -> Case | None:
        """Return the case that is kept of a finding, None if there is none, or it is not as it was."""
        return None if self._damage(record) else load_case(self._case_file(record))

    def damaged(self) -> Iterator[str]:
        """Yield a line about each case that should be kept, and is not there as it was written."""
        for record in self.records.values():
            damage = self._damage(record) if record.smallest else ""
            if damage:
                yield f"not replayed, until it is seen again: {record.signature}: {damage}"

    def _damage(self, record: Record) -> str:
        """Return why the case of a finding cannot be used, "" if it can."""
        try:
            case = load_case(self._case_file(record))
            is_same = folders.digest_of(case.file) == case.sha256
        except CaseError as error:
            return str(error)
        except OSError as error:
            return f"{error.filename}: {error.strerror}"
        return "" if is_same else f"{case.file}: not as it was written"

    def sweep(self) -> None:
        """Remove files and cases that no finding needs; raises OSError."""
        held = {FILE}
        for record in self.records.values():
            if record.smallest:
                held |= {self._case_file(record).name, f"{record.smallest.sha256}.{record.smallest.format}"}
        sweep(self.folder)
        for path in (self.folder / CASES).glob("*"):
            if path.name not in held:
                folders.remove(path)

    def _case_file(self, record: Record) -> Path:
        name = hashlib.sha256(record.signature.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self.folder / CASES / f"{name}.json"


@contextmanager
def opened(folder: Path) -> Iterator[History]:
    """Hold the history, new if there is none, against others; raises HistoryError. Nothing is saved."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise HistoryError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield load(folder)
    finally:
        os.close(held)


def check(folder: Path) -> None:
    """Raise HistoryError if a folder cannot hold a history, or holds a damaged one; nothing is written."""
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise HistoryError(f"{folder}: cannot be written: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK):
        raise HistoryError(f"{folder}: cannot be written: {nearest} is read-only")
    load(folder)


def load(folder: Path) -> History:
    """Read the history of a folder, an empty one if there is none; raises HistoryError."""
    history = History(folder)
    path = folder / FILE
    with suppress(FileNotFoundError):
        try:
            with open_regular(path) as lines:
                _read(history, map(json.loads, lines_of(lines, path)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise HistoryError(
                f"{path}: is not a history of colconf, or is damaged: {error}; {_MEND}"
            ) from error
    return history


_MEND = "restore it from a copy, or move it away: the next run begins a new history"


def _read(history: History, lines: Iterator[dict[str, Any]]) -> None:
    head = next(lines, None)
    if head is None:
        raise ValueError("it is empty")
    version = head.get("schema_version")
    if version != SCHEMA_VERSION:
        raise ValueError(f"schema version {version!r:.40}; this is {SCHEMA_VERSION}")
    history.next_seed = int(head["next_seed"])
    history.corpora_next = dict(head["corpora_next"])
    history.features = {name: list(names) for name, names in head["features"].items()}
    wanted = head.pop(_DIGEST, None)
    counting = Counting()
    counting.put(head)
    for line in lines:
        counting.put(line)
        if "round" in line:
            history.rounds.append(line["round"])
        else:
            record = Record.from_json(line["finding"])
            history.records[record.signature] = record
    if wanted and counting.digest.to_json() != wanted:
        raise ValueError(f"{counting.digest.lines:,} lines of {wanted['lines']:,}, or others")
