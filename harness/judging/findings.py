"""Findings: failing rows with the same signature, counted, with the smallest file that fails."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.judging.results import Finding
from harness.judging.signature import Stored, signature


@dataclass
class Findings:
    """The findings of rows so far, by signature and version, each with the bytes of its smallest file.

    Each version of an engine has its own findings; equal failures of two versions share a signature.
    """

    _by_key: dict[tuple[str, str], tuple[Finding, int]] = field(default_factory=dict)

    def add(self, stored: Stored) -> None:
        """Count a row under its signature; the finding has the first case with the smallest file."""
        row = stored.row
        key = signature(stored), row.version
        detail = row.detail
        error = detail.error_class + ": " * bool(detail.error_class) + detail.message
        finding = Finding(
            key[0],
            row.engine,
            row.version,
            row.config,
            row.verdict,
            row.case,
            1,
            list(detail.features),
            detail.difference,
            error,
            detail.probe,
        )
        before, size = self._by_key.get(key, (finding, stored.size + 1))
        count = before.count + (key in self._by_key)
        smallest, size = (finding, stored.size) if stored.size < size else (before, size)
        self._by_key[key] = (replace(smallest, count=count), size)

    def all(self) -> list[Finding]:
        """Return the findings, in the order of their first rows."""
        return [finding for finding, _ in self._by_key.values()]
