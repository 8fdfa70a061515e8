"""Proposed changes of `corpora/known` after a run: stale entries are closed, unlisted findings are added.

* An entry whose cases no longer fail gets the observed version as the end of its range (`<4.3.1`). It is
  removed if no earlier version is left in its range.
* An entry that has expired and still fails gets another date.
* A finding becomes an entry with the reason `to be looked at` and an expiry date. The entry lists its cases
  if their names are stable and few, with the subject of wrong values and lost rows; else it matches by
  signature. Flaky findings get no entry.

Of an entry with a list of cases, each case is closed, dated or removed separately.
"""

from __future__ import annotations

import datetime as dt
import os.path
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corpora.known_failures import (
    GENERATED,
    VERDICTS,
    Entry,
    Judged,
    Stale,
    examine,
    match,
    read,
)
from corpora.known_text import Edits
from corpora.versions import version_key
from harness.judging.results import Finding, load_run, read_findings, read_rows
from harness.judging.signature import Signature
from harness.runs.history.changes import Change, changes_of, judged_row
from harness.runs.history.records import FLAKY, INTERMITTENT
from harness.runs.history.subjects import OF_VALUES, subject_of

REASON = "to be looked at"
_LISTED = 32  # cases; entries about more have a glob
_LOWER = re.compile(r"\s*(>=|>|!=)\s*(.*)")


def proposed(out: Path, known: Path, *, days: int, today: dt.date) -> list[Change]:
    """Return the changes that the results in `out` call for; raises ResultsError, CaseError and OSError."""
    run = load_run(out)
    named, queried = [*map(Stale.of_text, run.stale or ())], bool(run.settings.get("queries_of_cases"))
    files = {path.stem: path for path in sorted(known.glob("*.toml"))}
    entries = {engine: read(path) for engine, path in files.items()}
    edits = {engine: Edits() for engine in entries}
    expires = today + dt.timedelta(days=days)
    every = [entry for engine_entries in entries.values() for entry in engine_entries]
    spoken = [entry for entry in every if any(stale.is_about(entry) for stale in named)]
    examined = examine(spoken, _judged(out), today=dt.date.min, queried=queried)
    stale = {id(entry.entry): entry for entry in examined}
    for known_entry in spoken:
        place = next(at for at, entry in enumerate(entries[known_entry.engine]) if entry is known_entry)
        if id(known_entry) in stale:
            versions = closed(known_entry.versions, stale[id(known_entry)].versions[0])
            edits[known_entry.engine].entries[place] = {"versions": versions} if versions else None
        elif known_entry.expired(today):
            edits[known_entry.engine].entries[place] = {"expires": expires}
    renewed = [entry for entry in spoken if entry.expired(today) and id(entry) not in stale]
    for finding, cases in _unlisted(out, renewed):
        entry = _entry(finding, cases, expires) | ({"derived": True} if queried else {})
        edits.setdefault(finding.engine, Edits()).new.append(entry)
    return list(changes_of(known, edits))


def closed(versions: str, seen: str) -> str:
    """Return a range of versions that ends before `seen`, "" for an empty range."""
    lower = [matched for part in versions.split(",") if (matched := _LOWER.fullmatch(part))]
    begins = [matched[2].strip() for matched in lower if matched[1] != "!="]
    if "==" in versions or any(version_key(lower_version) >= version_key(seen) for lower_version in begins):
        return ""
    return ",".join([*(matched[0].strip() for matched in lower), f"<{seen}"])


def _judged(out: Path) -> Iterator[Judged]:
    for row in read_rows(out):
        yield judged_row(row)


def _unlisted(out: Path, renewed: Sequence[Entry]) -> Iterator[tuple[Finding, list[str]]]:
    """Yield each finding to list, in the lowest of its versions, with its cases."""
    findings = [
        finding
        for finding in read_findings(out)
        if finding.verdict in VERDICTS and finding.state not in {FLAKY, INTERMITTENT}
    ]
    cases: dict[str, dict[str, None]] = {finding.signature: {} for finding in findings}
    for row in read_rows(out):
        signature = row.detail.signature
        if signature in cases and not match(renewed, judged_row(row), today=dt.date.min):
            cases[signature][row.case] = None
    findings.sort(key=lambda finding: version_key(finding.version))
    lowest = {finding.signature: finding for finding in reversed(findings)}
    for signature, finding in lowest.items():
        if cases[signature]:
            yield finding, list(cases[signature])


def _entry(finding: Finding, cases: Sequence[str], expires: dt.date) -> dict[str, Any]:
    """Return a finding as the fields of an entry."""
    config = Signature.of_text(finding.signature).config
    switches = dict(part.split("=", 1) for part in config.split(",") if "=" in part)
    is_listed = len(cases) <= _LISTED and not any(case.startswith(GENERATED) for case in cases)
    named = (cases[0] if len(cases) == 1 else list(cases)) if is_listed else _glob(cases)
    entry: dict[str, Any] = {"case": named, "versions": f">={finding.version}"}
    if switches:
        entry["config"] = switches
    entry |= {"verdict": finding.verdict, "reason": REASON}
    if not is_listed:
        entry["signature"] = finding.signature
    elif finding.verdict in OF_VALUES:  # their files may fail in another way, too
        entry["subject"] = subject_of(finding.signature)
    return {**entry, "expires": expires}


def _glob(cases: Sequence[str]) -> str:
    """Return the narrowest glob that begins as all cases do; of generated cases the glob of all."""
    if any(case.startswith(GENERATED) for case in cases):
        return f"{GENERATED}*" if all(case.startswith(GENERATED) for case in cases) else "*"
    return f"{os.path.commonprefix(cases)}*"  # noqa: RUF071 - ids, no paths
