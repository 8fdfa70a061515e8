"""Which confirmed finding a known failure belongs to, and the id of one that belongs to none."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from corpora import known_failures
from harness.listings.text import line

_LISTED = "known/"


class FindingIds:
    """Which confirmed finding a known failure belongs to: rows name the reason of an entry."""

    def __init__(self, entries: Sequence[known_failures.Entry]) -> None:
        ids = {entry.finding for entry in entries if entry.finding}
        self._ids: dict[tuple[str, str], str] = {}
        for entry in entries:
            finding = entry.finding or (entry.reason if entry.reason in ids else "")
            if finding:
                self._ids.setdefault((entry.engine, line(entry.reason)), finding)

    def of(self, engine: str, reason: str) -> str:
        """Return the id of the finding, "" for a known failure that is none."""
        return self._ids.get((engine, reason), "")

    def of_any(self, engine: str, reason: str) -> str:
        """Return the id of the finding, or one that follows from engine and reason of the known failure."""
        if finding := self.of(engine, line(reason)):
            return finding
        digest = hashlib.sha256(line(reason).encode("utf-8", "surrogatepass")).hexdigest()
        return f"{_LISTED}{engine}/{digest[:12]}"

    @staticmethod
    def is_listed(finding: str) -> bool:
        """Return whether the id is that of a known failure that is no confirmed finding."""
        return finding.startswith(_LISTED)
