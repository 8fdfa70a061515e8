"""How much of the disk the tables of a request may take: a small file may hold a table of any size."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from harness.children.sizes import size_of

_LEFT = 1 << 30  # bytes of the disk that tables leave to everything else, so that a run goes on


class Spills(NamedTuple):
    """The files of the tables of one request: `<number>-<n>.jsonl` in `folder`, of `most` bytes together."""

    folder: Path
    number: int
    most: int

    def excess(self) -> str:
        """Return why the tables of a request are too large so far, "" if they are not.

        The values of a file as text, and a full disk, say nothing of the engine: these are limits of the run.
        """
        written = sum(map(size_of, self.folder.glob(f"{self.number}-*.jsonl")))
        if written > self.most:
            return f"tables of more than {self.most >> 20} MiB as text"
        if written and shutil.disk_usage(self.folder).free < _LEFT:
            return f"less than {_LEFT >> 20} MiB are left on the disk of {self.folder}"
        return ""


NOWHERE = Spills(Path("/nowhere"), 0, 0)  # of a request that has no tables
