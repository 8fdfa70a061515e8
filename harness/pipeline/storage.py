"""Where the folder of a run lies: one that all machines see, or one that each has a copy of, file by file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class Storage(Protocol):
    """Has files of a run's folder be here that another machine made; they are whole, and never change."""

    def fetch(self, path: Path) -> bool:
        """Have a file be here, and say whether it is."""

    def publish(self, path: Path) -> None:
        """Let the other machines have a file of ours."""


class Shared:
    """A folder that all machines see under one path: there is nothing to do."""

    def fetch(self, path: Path) -> bool:
        """Say whether it is there."""
        return path.exists()

    def publish(self, path: Path) -> None:
        """Do nothing: it is there."""


SHARED = Shared()
