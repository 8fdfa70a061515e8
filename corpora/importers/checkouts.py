"""Checkouts of known repositories: finding the checkout of a file, and tables about its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from corpora.cases import Case, Expectation
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


class Described(Protocol):
    """A checkout: its root, the namespace of its cases, and the knowledge about its files."""

    root: Path
    namespace: str

    def described(self, case: Case) -> Case:
        """Return the case with the knowledge about its file."""

    def skip_reason(self, file: Path, reason: str) -> str:
        """Return why a file is skipped."""


C = TypeVar("C", bound=Described)


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
