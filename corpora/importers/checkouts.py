"""Checkouts of known repositories, tables about their files, and cases stored next to their files.

Cases next to files: `x.json` has the expectation about `x.parquet`. A JSON file counts only if it is a case
(`corpora/cases.py`) of the file next to it; any other JSON file is treated like other files. A case applies
only to a file with its digest.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from corpora.cases import Case, CaseError, Expectation, load
from corpora.formats import BY_SUFFIX
from corpora.keys import PUBLISHED


class ValuesProblem(ValueError):  # noqa: N818 - reported as a note on the case, not raised to a user
    """A checkout's file of expected values is missing, or does not have the declared values."""


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """A table's entry of one file; `keys` is a name of `corpora.keys.PUBLISHED`."""

    path: str
    sha256: str
    expectation: str
    features: tuple[str, ...] = ()
    clause: str = ""
    level: str = "MUST"
    rule: str | None = None
    reason: str | None = None
    notes: str = ""
    keys: str = ""

    def accepted(self, root: Path) -> Expectation:
        """Return the expectation of a file with known values; raises CaseError and ValuesProblem."""
        raise NotImplementedError

    def expected(self, root: Path) -> Expectation:
        """Return the expectation with values from the checkout; raises CaseError and ValuesProblem."""
        if self.expectation == "refuse":
            return Expectation.refuse(clause=self.clause, rule=self.rule, reason=self.reason)
        if self.expectation == "either":
            return Expectation.either(self.reason or "", clause=self.clause or None)
        return Expectation.by_vote() if self.expectation == "vote" else self.accepted(root)

    def described(self, case: Case, root: Path, table: Path) -> Case:
        """Return the case with the entry's expectation, if the file has the entry's digest."""
        if self.sha256 != case.sha256:
            return replace(case, notes=f"not the bytes that corpora/importers/{table.name} describes")
        notes = self.notes
        try:
            expectation = self.expected(root)
        except ValuesProblem as problem:
            expectation = Expectation.by_vote()
            notes = f"{notes} The expected values cannot be used: {problem}".strip()
        return replace(
            case,
            expectation=expectation,
            features=self.features,
            spec=self.clause,
            level=self.level,
            source=expectation.source,
            notes=notes,
            keys=PUBLISHED.get(self.keys),
        )


E = TypeVar("E", bound=FileEntry)


@dataclass(frozen=True)
class Entries(Generic[E]):
    """A whole table: entries by path, and reasons for skipping files by globs."""

    entries: Mapping[str, E]
    others: tuple[tuple[str, str], ...]

    @staticmethod
    def read(path: Path, entry: Callable[[Mapping[str, Any]], E]) -> Entries[E]:
        """Read a table of `file` and `other`; raises CaseError, which names the file or the entry."""
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CaseError(f"{path.name}: {error}") from error
        if set(data) != {"file", "other"}:
            raise CaseError(f"{path.name}: tables {sorted(data)}, not file and other")
        entries: dict[str, E] = {}
        for item in map(entry, data["file"]):
            if item.path in entries:
                raise CaseError(f"{path.name}: {item.path} appears twice")
            entries[item.path] = item
        if any(set(raw) != {"glob", "reason"} for raw in data["other"]):
            raise CaseError(f"{path.name}: an entry of other is not glob and reason")
        return Entries(entries, tuple((raw["glob"], raw["reason"]) for raw in data["other"]))


class Checkout:
    """A checkout of a repository; `root` is its absolute path, `namespace` that of its cases."""

    namespace: ClassVar[str]
    table: ClassVar[Path]

    def __init__(self, root: Path) -> None:
        self.root = root

    def entries(self) -> Entries[Any]:
        """Return the table about the repository's files."""
        raise NotImplementedError

    def described(self, case: Case) -> Case:
        """Return the case with its table entry, if the file has the entry's digest."""
        entry = self.entries().entries.get(case.file.relative_to(self.root).as_posix())
        return case if entry is None else entry.described(case, self.root, self.table)

    def skip_reason(self, file: Path, reason: str) -> str:
        """Return why the file is skipped: the table's reason, else `reason`."""
        path = file.absolute().relative_to(self.root).as_posix()
        return next((text for glob, text in self.entries().others if fnmatchcase(path, glob)), reason)


C = TypeVar("C", bound=Checkout)


class Finder(Generic[C]):
    """Finds the checkout of a file, with a memory of folders.

    A checkout's root is the folder that contains the file `mark`; its files are at most `depth` folders
    below.
    """

    def __init__(self, mark: Path, depth: int, make: Callable[[Path], C]) -> None:
        self._mark = mark
        self._depth = depth
        self._make = make
        self._known: dict[Path, C | None] = {}
        self._by_root: dict[Path, C] = {}

    def of(self, file: Path) -> C | None:
        """Return the checkout that contains `file`, or None."""
        folder = file.absolute().parent
        if folder not in self._known:
            parents = (folder, *folder.parents[: self._depth])
            roots = [parent for parent in parents if (parent / self._mark).is_file()]
            self._known[folder] = self._by_root.setdefault(roots[0], self._make(roots[0])) if roots else None
        return self._known[folder]


SUFFIX = ".json"
MAX_BYTES = 1 << 24
_FIRST = ("id", "format", "file", "sha256")  # members of a case: `dump` writes these first


class Record(NamedTuple):
    """What a JSON file records about the file next to it: a case, or `wrong`, why the case cannot be used."""

    case: Case | None
    wrong: str = ""


def recorded_case(case: Case, *, is_digest: bool = True) -> tuple[Case, str]:
    """Return the case that is recorded next to a file, and why the record cannot be used, "" if it can.

    `case` itself is returned if there is no record, or if the record cannot be used. Unless `is_digest`, the
    identity of `case` is no SHA-256, so that no record belongs to it.
    """
    path = case.file.with_suffix(SUFFIX)
    record = record_of(path)
    if record is None or record.case is None or record.case.file != case.file:
        return case, "" if record is None else record.wrong
    if record.case.sha256 == case.sha256:
        return record.case, ""
    wrong = f"{case.file.name} is not the file that the case was recorded with (its sha256 differs)"
    return replace(case, notes=f"not the bytes that {path.name} describes"), wrong if is_digest else ""


def is_record(path: Path) -> bool:
    """Return whether a JSON file is the case of the file next to it."""
    record = record_of(path) if path.suffix == SUFFIX else None
    return record is not None and record.case is not None


def record_of(path: Path) -> Record | None:
    """Return the record in a JSON file, None if it is no case of one file: a table case, or other JSON."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        case = load(path)
    except OSError:
        return None
    except CaseError as error:
        return Record(None, str(error).removeprefix(f"{path}: ")) if _is_damaged(path) else None
    if case.read is not None or case.file.parent != path.parent:
        return None
    if not case.file.is_file():
        return Record(None, f"its file {case.file.name} is not there")
    if not case.file.resolve().is_relative_to(path.parent.resolve()):
        return Record(None, f"its file {case.file.name} is a link out of the folder")
    return Record(case)


def _is_damaged(path: Path) -> bool:
    """Return whether a JSON file that cannot be loaded as a case was one, or cannot be read beside a file."""
    is_beside = any(path.with_suffix(suffix).exists() for suffix in BY_SUFFIX)
    try:
        return may_be_case(path.read_bytes(), is_beside=is_beside)
    except OSError:
        return is_beside


def may_be_case(data: bytes, *, is_beside: bool = False) -> bool:
    """Return whether the content of a JSON file is that of a case, perhaps a damaged one.

    `is_beside`: the file lies where cases are stored; then two members of a case are enough, or its
    beginning.
    """
    enough = 2 if is_beside else len(_FIRST)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        begin = b"".join(data.partition(b":")[0].split())
        begins_so = not begin or (begin.startswith(b'{"i') and b'{"id"'.startswith(begin))
        return (is_beside and begins_so) or sum(f'"{name}"'.encode() in data for name in _FIRST) >= enough
    return isinstance(content, dict) and sum(name in content for name in _FIRST) >= enough
