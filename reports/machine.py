"""The report as one JSON document: the matrix, totals and findings, for machines.

The cases themselves are in `results.ndjson`, with the engines' text unchanged; here text is cut and made
visible, as in the other reports. `schema_version` changes when a key changes its meaning or disappears.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from reports.model import SCHEMA_VERSION, Cell, Report


def render(report: Report) -> str:
    """Return the report as JSON text."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "run": report.run,
        "cases": report.cases,
        "total": _cell(report.total),
        "engines": [
            {
                "engine": engine.label,
                "name": engine.name,
                "version": engine.version,
                "config": engine.config,
                "runtime": engine.runtime,
                "total": _cell(engine.total),
            }
            for engine in report.engines
        ],
        "unavailable": report.unavailable,
        "not_asked": report.not_asked,
        "skipped": [asdict(skipped) for skipped in report.skipped],
        "matrix": [
            {"feature": feature, "engine": report.engines[place].label, **_cell(cell)}
            for (feature, place), cell in sorted(report.cells.items())
        ],
        "findings": [asdict(finding) for finding in report.findings],
        "refused_by_choice": [choice._asdict() for choice in report.choices],
        "contested": report.disputes.contested,
        "files_with_broken_rules": report.disputes.broken,
        "history": asdict(report.history) if report.history else None,
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "cases": cell.cases,
        "passed": cell.passed,
        "worst": cell.worst if cell.cases else None,
        "findings": cell.findings,
        "known": cell.known,
        "refused_by_choice": cell.by_choice,
        "verdicts": dict(sorted(cell.counts.items())),
    }
