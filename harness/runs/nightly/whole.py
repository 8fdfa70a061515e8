"""The results of a night's rounds as those of one run: one summary, one set of findings, one report."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpora.files import move
from corpora.known_failures import NOT_ANY_MORE, Judged, Stale
from harness.engines.naming import switches_of
from harness.files import written_lines
from harness.judging.results import (
    FINDINGS,
    RESULTS,
    SKIPPED,
    STALE,
    load_run,
    read_findings,
    read_rows,
    verified_lines,
)
from harness.runs.pipeline.finding_cases import FILE as CASES
from harness.runs.pipeline.request import now
from harness.runs.pipeline.store import Tally, count, stale_finding, write_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from corpora.known_failures import Entry
    from harness.files import Digest
    from harness.judging.results import Finding, Row

_DATASET = "dataset"


def gather(
    out: Path, told: dict[str, Any], rounds: Sequence[Path], entries: Sequence[Entry], *, every_case: bool
) -> Tally:
    """Write results, findings and cases of all rounds into `out`, and what `run.json` says into `told`.

    Known failures: `entries`. Of a night that had no time for every case of the corpora, an entry of which
    nothing failed is not called stale: the cases that fail may be those that were left out. Raises
    ResultsError and OSError.
    """
    runs = [load_run(one) for one in rounds]
    doubted = _Doubted(entries, runs) if every_case else _Doubted((), ())
    tally = _rows(out, rounds, doubted)
    stale = [Stale.of_text(text) for run in runs for text in run["stale"]]
    expired = [problem for problem in stale if problem.why != NOT_ANY_MORE]
    tally.stale = list({str(problem): problem for problem in [*expired, *doubted.left()]}.values())
    tally.findings = [*_findings(rounds), *map(stale_finding, tally.stale)]
    tally.digests[FINDINGS] = write_findings(out, tally.findings)
    tally.digests[CASES] = _append(out / CASES, rounds)
    tally.has_dataset = any(_moved(one / _DATASET, out / _DATASET) for one in rounds)
    told.update(_account(runs, tally))
    return tally


class _Doubted:
    """Entries that a round called stale, until a row of another round shows that they are not."""

    def __init__(self, entries: Sequence[Entry], runs: Iterable[dict[str, Any]]) -> None:
        texts = {text for run in runs for text in run["stale"]}
        self._entries = [
            entry for entry in entries if str(Stale(entry, NOT_ANY_MORE)) in texts and not entry.signature
        ]

    def see(self, row: Row) -> None:
        """Take out what the row speaks for."""
        if not self._entries:
            return
        features = row.detail["features"]
        judged = Judged(
            row.case, row.engine, row.version, switches_of(row.engine, row.config), row.verdict, "", features
        )
        self._entries = [
            one for one in self._entries if not (one.expects(row.verdict) and one.covers(judged))
        ]

    def left(self) -> list[Stale]:
        """Return the entries that no row contradicted."""
        return [Stale(entry, NOT_ANY_MORE) for entry in self._entries]


def _rows(out: Path, rounds: Iterable[Path], doubted: _Doubted) -> Tally:
    tally = Tally()
    with written_lines(out / RESULTS) as lines:
        for folder in rounds:
            last = ""
            for row in read_rows(folder):
                lines.put(row.to_json())
                count(tally, row)
                tally.cases += row.case != last and row.verdict != SKIPPED
                last = row.case
                doubted.see(row)
    tally.digests[RESULTS] = lines.digest
    return tally


def _findings(rounds: Iterable[Path]) -> list[Finding]:
    """Return the findings of all rounds, each once, with the case of the first round that has it."""
    found: dict[tuple[str, str], Finding] = {}
    for folder in rounds:
        for one in read_findings(folder):
            if one.verdict != STALE:
                key = one.signature, one.version
                known = found.get(key)
                found[key] = replace(known, count=known.count + one.count) if known else one
    return list(found.values())


def _append(file: Path, rounds: Iterable[Path]) -> Digest:
    with written_lines(file) as out:
        for folder in rounds:
            for line in verified_lines(folder, file.name, optional=True):
                out.put_raw(line)
    return out.digest


def _moved(dataset: Path, into: Path) -> bool:
    """Move the partition of a round's run to those of the others; say whether there is one."""
    for part in sorted(dataset.glob("*/run=*")):
        there = into / part.relative_to(dataset)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(there, ignore_errors=True)
        move(part, there)
    shutil.rmtree(dataset, ignore_errors=True)
    return into.exists()


def _account(runs: Sequence[dict[str, Any]], tally: Tally) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for (_, verdict), number in sorted(tally.verdicts.items()):
        verdicts[verdict] += number
    engines = {(one["name"], one["version"], one["config"]): one for run in runs for one in run["engines"]}
    absent = {one["engine"]: one for run in runs for one in run["unavailable"]}
    return {
        "finished": now(),
        "engines": list(engines.values()),
        "unavailable": list(absent.values()),
        "counts": {
            "cases": tally.cases,
            "results": tally.rows,
            "skipped_files": 0,
            "verdicts": {name: number for name, number in verdicts.items() if name != SKIPPED},
            "findings": len(tally.findings),
            "known": sum(tally.known.values()),
        },
        "seeds": [seed for run in runs for seed in run["seeds"]],
        "stale": [str(problem) for problem in tally.stale],
        "rules_broken_by_writers": [],
        "dataset": tally.has_dataset,
    }
