"""How much of the disk the tables of a request may take: a small file may hold a table of any size."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from harness.children.outcomes import OutcomeKind
from harness.children.sizes import size_of

_LEFT = 1 << 30  # bytes of the disk that tables leave to everything else, so that a run goes on


class Spills(NamedTuple):
    """The files of the tables of one request: `<number>-<n>.jsonl` in `folder`, of `most` bytes together."""

    folder: Path
    number: int
    most: int

    def excess(self) -> tuple[OutcomeKind, str] | None:
        """Return the outcome of a request whose tables are too large so far, and why; None if they are not.

        A full disk says nothing of the engine, and is a limit of the run.
        """
        written = sum(map(size_of, self.folder.glob(f"{self.number}-*.jsonl")))
        if written > self.most:
            return OutcomeKind.OUT_OF_MEMORY, f"tables of more than {self.most >> 20} MiB as text"
        if written and shutil.disk_usage(self.folder).free < _LEFT:
            return OutcomeKind.LIMITED, f"less than {_LEFT >> 20} MiB are left on the disk of {self.folder}"
        return None


NOWHERE = Spills(Path("/nowhere"), 0, 0)  # of a request that has no tables
