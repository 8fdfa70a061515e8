"""Adding the findings of a session to a history, and the states that the history gives to them.

`observe` is called for each run of a session once its results are written, any number of times; a session is
a run, or a night of runs (`harness/runs/nightly`). `account` and `annotate` report the state of each finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from harness.children.outcomes import OutcomeKind
from harness.files import digest_of_lines
from harness.judging.odds import Share
from harness.judging.results import (
    FINDINGS,
    STALE,
    Finding,
    Row,
    entries_of,
    load_run,
    read_findings,
    read_rows,
)
from harness.judging.run_record import RunRecord
from harness.judging.verdicts import OF_WRITERS, Verdict
from harness.runs.history.records import FIXED, STATES, UNEXPECTED, Record, Seen
from harness.runs.history.store import History
from harness.runs.pipeline import folder
from harness.runs.pipeline.finding_cases import read as cases_of
from harness.runs.pipeline.store import write_findings
from properties.focus import SEEDS

_UNSTABLE = "unstable"
_ERRORS = frozenset({OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED})
_UNJUDGED = frozenset({Verdict.NOT_ASKED, Verdict.CONTESTED})


class Session(NamedTuple):
    """A run or a night: its id, and when it began (ISO 8601)."""

    id: str
    at: str

    @staticmethod
    def of(record: RunRecord) -> Session:
        """Return the session of a single run."""
        return Session(record.id, record.started)


def observe(history: History, session: Session, out: Path) -> None:
    """Add the results in `out` to the history; raises ResultsError, CaseError and OSError."""
    cases = {
        (finding_case.signature, finding_case.version): finding_case.case for finding_case in cases_of(out)
    }
    open_before = list(_replayable(history))
    for finding in read_findings(out):
        if finding.verdict != STALE:
            seen = Seen(session.id, session.at, finding.version)
            record = history.records.get(finding.signature)
            if record is None:
                record = history.records[finding.signature] = Record.of(finding, seen)
            record.saw(seen)
            if finding.verdict == _UNSTABLE and _differs_in_text(finding):
                record.changed_text(finding.version, session.id)
            elif finding.verdict == _UNSTABLE:
                record.wavered(finding.version, session.id, finding.share)
            case = cases.get((finding.signature, finding.version))
            if case:
                history.keep(record, finding, case)
    _look(history, session, out, open_before)
    for seed in load_run(out).seeds:
        history.next_seed = max(history.next_seed, seed % SEEDS + 1)  # without its focus


def _differs_in_text(finding: Finding) -> bool:
    """Return whether both answers of an unstable engine are errors, so that no rows differ."""
    difference = finding.difference or {}
    return difference.get("kind") == "outcome" and {difference["expected"], difference["actual"]} <= _ERRORS


_Key = tuple[str, str, str]  # of a file, and an engine's name and configuration


def _replayable(history: History) -> Iterator[tuple[_Key, Record]]:
    for record in history.records.values():
        if record.smallest and record.is_open:
            yield (record.smallest.sha256, record.engine, record.smallest.config), record


def _look(history: History, session: Session, out: Path, records: Iterable[tuple[_Key, Record]]) -> None:
    """Update earlier findings whose cases were read again, and the features of each format, from all rows."""
    by_case: dict[_Key, list[Record]] = {}
    for key, record in records:
        by_case.setdefault(key, []).append(record)
    features: dict[str, set[str]] = {}
    for row in read_rows(out):
        features.setdefault(row.format, set()).update(row.detail.features)
        for record in by_case.get((row.sha256, row.engine, row.config), ()):
            if _is_about(record, row):
                record.replayed, record.replayed_by = session.at, session.id
                _hold(record, row, session)
    for name, seen_features in features.items():
        if name:
            history.features[name] = sorted(seen_features.union(history.features.get(name, ())))


def _is_about(record: Record, row: Row) -> bool:
    """Return whether the row covers the subject of the finding: the whole file, or the same query."""
    assert record.smallest is not None
    if record.verdict in OF_WRITERS and row.verdict not in OF_WRITERS:
        return False  # a read of the file does not say whether its writer is mended
    probe = record.smallest.probe
    if row.verdict in _UNJUDGED or (probe is not None and row.detail.probes.not_asked):
        return False
    is_about = probe is None or (row.detail.probes.queries > 0 and row.case.startswith(record.smallest.case))
    return is_about and (row.detail.probe == probe or not _is_problem(row))


def _is_problem(row: Row) -> bool:
    return bool(row.detail.finding or row.detail.known)


def _hold(record: Record, row: Row, session: Session) -> None:
    if row.detail.known:
        record.was_listed(row.version, session.id)
    elif not row.detail.finding:
        record.was_fine(row.version, session.id)
    elif row.detail.signature != record.signature and (
        # In a version that was seen to fail so, the same verdict is the same problem in other words.
        row.version not in record.versions or row.verdict != record.verdict
    ):
        record.was_fine(row.version, session.id, row.detail.signature)


def account(history: History, session: Session, out: Path) -> dict[str, Any]:
    """Return the session's part of `run.json`: counts by state, and the findings that are fixed."""
    counts: Counter[str] = Counter()
    fixed = []
    for record in history.records.values():
        for version in record.versions:
            state = record.state_in(version, session.id)
            counts[state] += state in STATES
            if state == FIXED:
                fixed.append(
                    {
                        "signature": record.signature,
                        "engine": record.engine,
                        "version": version,
                        "case": record.smallest.case if record.smallest else "",
                        "since": record.first.at,
                        "became": record.became,
                    }
                )
    should = [finding for finding in read_findings(out) if not finding.is_must]
    recommended = sum(_state(history, session, finding) in UNEXPECTED for finding in should)
    return {
        "folder": str(history.folder),
        **{state: counts[state] for state in STATES},
        "open": sum(record.is_open for record in history.records.values()),
        "fixed_findings": fixed,
        "stale": sum(finding.verdict == STALE for finding in read_findings(out)),
        "recommended": recommended,
    }


def _state(history: History, session: Session, finding: Finding) -> str:
    record = history.records.get(finding.signature)
    return record.state_in(finding.version, session.id) if record else ""


def annotated(history: History, session: Session, findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with their states, unexpected findings first."""
    with_states = []
    for finding in findings:
        record = history.records.get(finding.signature)
        state = _state(history, session, finding)
        since = record.first.at if record else ""
        counted = record.share_in(finding.version) if record else Share()
        failed, reads = counted if counted.reads else finding.share
        with_states.append(replace(finding, state=state, since=since, failed=failed, reads=reads))
    order = {state: place for place, state in enumerate(("", *STATES))}
    return sorted(with_states, key=lambda finding: order.get(finding.state, 0))


def annotate(history: History, session: Session, out: Path) -> list[Finding]:
    """Write the states into the results in `out`; return the findings. Raises ResultsError and OSError."""
    findings = annotated(history, session, read_findings(out))
    record = replace(load_run(out), history=account(history, session, out))
    digests = record.digests
    if digests:  # killed between the two files, the findings are the old ones or the new ones
        new = digest_of_lines(finding.to_json() for finding in findings).to_json()
        either = [*entries_of(digests[FINDINGS]), new]
        folder.save(out, replace(record, digests={**digests, FINDINGS: either}))
        record = replace(record, digests={**digests, FINDINGS: new})
    write_findings(out, findings)
    folder.save(out, record)
    return findings
