"""The report as SARIF 2.1.0: a result per finding, whose artifact is the file of its smallest case.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/: a result's `ruleId` is the finding's verdict (3.27.5), its
`partialFingerprints` (3.27.17) hold a digest of the signature, by which a viewer knows a finding again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from corpora.cases import MUST
from harness.runs.history.records import EXPECTED
from reports.model import FindingSummary, Report
from reports.verdicts import describe

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """Return the report as a SARIF log of one run."""
    verdicts = sorted({finding.verdict for finding in report.findings})
    files = list(dict.fromkeys((each.file, each.sha256) for each in report.findings if each.file))
    driver = {
        "name": "colconf",
        "version": report.run["colconf"] or "0",
        "rules": [
            {
                "id": verdict,
                "shortDescription": {"text": describe(verdict).label},
                "fullDescription": {"text": describe(verdict).meaning},
            }
            for verdict in verdicts
        ],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"colconf/{report.run['id']}"},
        "artifacts": [_artifact(file, sha256) for file, sha256 in files],
        "results": [_result(finding, verdicts, files) for finding in report.findings],
        "columnKind": "unicodeCodePoints",
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True) + "\n"


def _artifact(file: str, sha256: str) -> dict[str, Any]:
    return {"location": {"uri": _uri(file)}, **({"hashes": {"sha-256": sha256}} if sha256 else {})}


def _uri(file: str) -> str:
    """Return a path as a URI, relative if the path is (SARIF 3.4.3, RFC 3986)."""
    return f"file://{quote(file)}" if PurePosixPath(file).is_absolute() else quote(file)


def _result(finding: FindingSummary, verdicts: list[str], files: list[tuple[str, str]]) -> dict[str, Any]:
    place = (finding.file, finding.sha256)
    location = {
        **(
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.file), "index": files.index(place)}
                }
            }
            if finding.file
            else {}
        ),
        "logicalLocations": [{"fullyQualifiedName": finding.case, "kind": "case"}],
    }
    gist = f": {finding.gist}" if finding.gist else ""
    more = f", and {finding.cases - 1:,} more cases" if finding.cases > 1 else ""
    return {
        "ruleId": finding.verdict,
        "ruleIndex": verdicts.index(finding.verdict),
        "level": _level(finding),
        "message": {"text": f"{finding.engine}: {describe(finding.verdict).label}{gist}{more}"},
        "locations": [location],
        "occurrenceCount": max(1, finding.count),
        "partialFingerprints": {"signature/v1": hashlib.sha256(finding.signature.encode()).hexdigest()},
        "properties": {
            name: value
            for name, value in {
                "engine": finding.engine,
                "case": finding.case,
                "signature": finding.signature,
                "state": finding.state,
                "basis": finding.basis,
                "share": finding.share,
            }.items()
            if value
        },
    }


def _level(finding: FindingSummary) -> str:
    """Return the SARIF level: error, for a SHOULD warning, and for findings that the history knows note."""
    if finding.state in EXPECTED:
        return "note"
    return "error" if finding.level == MUST else "warning"
