"""Changes of the files of known failures, and the rows of a run as these match them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpora.known_failures import Judged
from corpora.known_text import Edits, edited
from harness.engines.naming import switches_of
from harness.judging.results import Row


@dataclass(frozen=True)
class Change:
    """The text of a file of known failures before ("" for a new file) and after the change."""

    file: Path
    before: str
    after: str

    @property
    def diff(self) -> str:
        """Return the change as a unified diff."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        name = f"{self.file.parent.name}/{self.file.name}"
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def judged_row(row: Row) -> Judged:
    """Return a stored row in the form in which known failures match it."""
    switches = switches_of(row.engine, row.config)
    detail = row.detail
    of_row = row.case, row.engine, row.version, switches, row.verdict
    is_query = detail.probe is not None
    of_columns = detail.column_features
    judged = Judged(*of_row, detail.signature, detail.features, queried=is_query, column_features=of_columns)
    return judged._replace(options=detail.options or {})


def changes_of(known: Path, edits: dict[str, Edits]) -> Iterator[Change]:
    """Yield the change of each file that some edits, by engine, change; raises CaseError and OSError."""
    for engine, edit in sorted(edits.items()):
        if edit.entries or edit.new:
            file = known / f"{engine}.toml"
            before = file.read_text("utf-8") if file.exists() else ""
            yield Change(file, before, edited(before, edit))
