"""Merges the results of a night's rounds into the results of one run."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from corpora.files import move
from corpora.known_failures import NOT_ANY_MORE, Entry, Judged, Stale
from harness.engines.naming import switches_of
from harness.files import Digest, written_lines
from harness.judging.results import (
    FINDINGS,
    RESULTS,
    STALE,
    Finding,
    Row,
    load_run,
    read_findings,
    read_rows,
    verified_lines,
)
from harness.judging.run_record import RunRecord
from harness.runs.pipeline.finding_cases import FILE as CASES
from harness.runs.pipeline.request import with_tally
from harness.runs.pipeline.store import Tally, count, count_case, stale_finding, write_findings

_DATASET = "dataset"


def gather(
    out: Path, record: RunRecord, rounds: Sequence[Path], entries: Sequence[Entry], *, every_case: bool
) -> tuple[RunRecord, Tally]:
    """Write results, findings and cases of all rounds into `out`; return the night's record, and its tally.

    `entries` are the known failures. Without `every_case`, no entry is reported as stale for want of
    failures: the night had no time for all cases of the corpora, and the failing cases may be among those not
    read. Raises ResultsError and OSError.
    """
    runs = [load_run(folder) for folder in rounds]
    doubted = _Doubted(entries, runs) if every_case else _Doubted((), ())
    tally = _rows(out, rounds, doubted)
    stale = [Stale.of_text(text) for run in runs for text in run.stale or ()]
    expired = [problem for problem in stale if problem.why != NOT_ANY_MORE]
    tally.stale = list({str(problem): problem for problem in [*expired, *doubted.left()]}.values())
    tally.findings = [*_findings(rounds), *map(stale_finding, tally.stale)]
    tally.digests[FINDINGS] = write_findings(out, tally.findings)
    tally.digests[CASES] = _append(out / CASES, rounds)
    tally.has_dataset = any(_moved(folder / _DATASET, out / _DATASET) for folder in rounds)
    return _account(record, runs, tally), tally


class _Doubted:
    """Entries that a round reported as stale and that no row of another round matches."""

    def __init__(self, entries: Sequence[Entry], runs: Iterable[RunRecord]) -> None:
        named = [Stale.of_text(text) for run in runs for text in run.stale or ()]
        named = [problem for problem in named if problem.why == NOT_ANY_MORE]
        self._entries = [
            entry for entry in entries if not entry.signature and any(each.is_about(entry) for each in named)
        ]

    def see(self, row: Row) -> None:
        """Remove the entries that match the row."""
        if not self._entries:
            return
        detail, switches = row.detail, switches_of(row.engine, row.config)
        of_row = row.case, row.engine, row.version, switches, row.verdict
        judged = Judged(*of_row, "", detail.features, column_features=detail.column_features)
        self._entries = [
            entry for entry in self._entries if not (entry.expects(row.verdict) and entry.covers(judged))
        ]

    def left(self) -> list[Stale]:
        """Return the entries that no row contradicted."""
        return [Stale(entry, NOT_ANY_MORE) for entry in self._entries]


def _rows(out: Path, rounds: Iterable[Path], doubted: _Doubted) -> Tally:
    tally = Tally()
    with written_lines(out / RESULTS) as lines:
        for folder in rounds:
            last = tally.last_contested = ""
            for row in read_rows(folder):
                lines.put(row.to_json())
                count(tally, row)
                last = count_case(tally, row, last)
                doubted.see(row)
    tally.digests[RESULTS] = lines.digest
    return tally


def _findings(rounds: Iterable[Path]) -> list[Finding]:
    """Return each finding of all rounds once, with its case in the first round that has the finding."""
    merged: dict[tuple[str, str], Finding] = {}
    for folder in rounds:
        for finding in read_findings(folder):
            if finding.verdict != STALE:
                key = finding.signature, finding.version
                known = merged.get(key)
                merged[key] = _both(known, finding) if known else finding
    return list(merged.values())


def _both(known: Finding, other: Finding) -> Finding:
    """Return a finding of two rounds, which read other cases."""
    cases = known.cases + other.cases if known.cases and other.cases else 0  # 0: not counted
    return replace(known, count=known.count + other.count, cases=cases)


def _append(file: Path, rounds: Iterable[Path]) -> Digest:
    with written_lines(file) as out:
        for folder in rounds:
            for line in verified_lines(folder, file.name, optional=True):
                out.put_raw(line)
    return out.digest


def _moved(dataset: Path, into: Path) -> bool:
    """Move the partitions of a round into the dataset `into`; return whether that dataset exists."""
    for part in sorted(dataset.glob("*/run=*")):
        there = into / part.relative_to(dataset)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(there, ignore_errors=True)
        move(part, there)
    shutil.rmtree(dataset, ignore_errors=True)
    return into.exists()


def _account(record: RunRecord, runs: Sequence[RunRecord], tally: Tally) -> RunRecord:
    engines = {
        (engine["name"], engine["version"], engine["config"]): engine
        for run in runs
        for engine in run.engines
    }
    absent = {engine["engine"]: engine for run in runs for engine in run.unavailable}
    return replace(
        with_tally(record, tally),
        engines=list(engines.values()),
        unavailable=list(absent.values()),
        seeds=[seed for run in runs for seed in run.seeds],
        rules_broken_by_writers=[],
        not_generated=[text for run in runs for text in run.not_generated or ()] or None,
    )
