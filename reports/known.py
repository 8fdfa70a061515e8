"""Which confirmed finding a known failure belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from corpora import known_failures
from harness.listings.text import line


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
