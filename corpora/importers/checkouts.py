"""Checkouts of known repositories: finding the checkout of a file, and tables about its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpora.cases import Case


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
