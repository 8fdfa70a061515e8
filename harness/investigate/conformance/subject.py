"""The reader that is checked, and the files that it is asked about."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from corpora.build.control import controls
from corpora.cases import Case
from harness.children.launch import Launch
from harness.children.limits import Limits
from harness.investigate.conformance.talk import Failure, Talk

_MOST_FILES = 4  # that are read again and again


@dataclass
class Subject:
    """A reader that is checked: how it is started, and files of a format that it says it reads."""

    launch: Launch
    limits: Limits
    format: str
    config: dict[str, str]
    folder: Path
    description: dict[str, Any] = field(default_factory=dict)

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the control set."""
        return controls.cases(self.format, self.folder / "control")

    @cached_property
    def readable(self) -> tuple[Path, ...]:
        """Return the first control files that it reads as tables; raises Failure if it reads none."""
        with self.talk() as talk:
            files = (case.file for case in self.cases)
            tables = tuple(islice((file for file in files if self._is_table(talk, file)), _MOST_FILES))
        if not tables:
            message = f"none of {len(self.cases)} files of the control set is answered with a table"
            raise Failure(message, f"read {self.cases[0].file.name} at least: two columns of INT32")
        return tables

    def _is_table(self, talk: Talk, file: Path) -> bool:
        return not talk.read(file, self.format, self.config).error

    @property
    def plain(self) -> Path:
        """Return the plainest file that it reads as a table; raises Failure if it reads none."""
        return self.readable[0]

    def talk(self) -> Talk:
        """Return a new process that has described itself; raises Failure."""
        talk = Talk(self.launch, self.limits)
        try:
            talk.describe()
        except Failure:
            talk.__exit__()
            raise
        return talk

    def written(self, name: str, data: bytes) -> Path:
        """Write a file, and return its path."""
        path = self.folder / f"{name}.{self.format}"
        path.write_bytes(data)
        return path
