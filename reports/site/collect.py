"""From the folders of runs to the model of the site; results pass through one at a time."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corpora import known_failures
from harness.judging.results import Results, ResultsError, Row, load, load_run
from harness.judging.run_record import RunRecord
from harness.judging.verdicts import PASSED
from harness.listings.text import line
from reports.build import result_of
from reports.case_result import CaseResult
from reports.known import FindingIds
from reports.model import Cell
from reports.site.model import (
    UNSUPPORTED,
    Answer,
    CaseRecord,
    Site,
)
from reports.site.places import Place, Version, by_age
from reports.site.runs import Cases, Change, Failure, Run, Sighting
from reports.site.shares import share

_DEEPEST = 3


def folders_of(outs: Iterable[Path]) -> list[Path]:
    """Return the folders of finished runs in folders, the oldest run first; each run id once.

    The rounds of a night, in folders below its own, are not separate runs. Raises ResultsError if there is
    none, or if a run cannot be read.
    """
    runs: dict[str, tuple[str, Path]] = {}
    for out in outs:
        for folder in _runs_in(out, _DEEPEST):
            record = load_run(folder)
            if record.finished:
                runs.setdefault(record.id, (record.started, folder))
    if not runs:
        places = ", ".join(map(str, outs))
        hint = "`make nightly`, or `colconf run --out` and a folder in it, makes one"
        raise ResultsError(f"{places}: no finished run in this folder; {hint}")
    return [folder for _, (_, folder) in sorted(runs.items(), key=lambda run: (run[1][0], run[0]))]


def _runs_in(folder: Path, deep: int) -> Iterator[Path]:
    if (folder / "run.json").exists():
        yield folder
    elif deep and folder.is_dir():
        for below in sorted(folder.iterdir()):
            if below.is_dir() and not below.is_symlink():
                yield from _runs_in(below, deep - 1)


def collect(folders: Sequence[Path], entries: Sequence[known_failures.Entry]) -> Site:
    """Return the model of the site from runs, the oldest first; raises ResultsError."""
    ids, site = FindingIds(entries), Site([], {})
    for folder in folders:
        site.runs.append(_collected(load(folder, streamed=True), site, ids))
        site.runs[-1].standing = _standing(site)
    _leave_out_formats(site)
    return site


def _leave_out_formats(site: Site) -> None:
    """Leave out what engines answer in a format that they do not read: all of it is `unsupported`."""
    read: set[tuple[str, str]] = set()
    for record in site.cases.values():
        read |= {
            (place.version.engine, record.format)
            for place, answer in record.answers.items()
            if answer.counts and answer.verdict != UNSUPPORTED
        }
    for record in site.cases.values():
        record.answers = {
            place: answer
            for place, answer in record.answers.items()
            if (place.version.engine, record.format) in read
        }
    for run in site.runs:
        run.cells = {key: cell for key, cell in run.cells.items() if (key[0].engine, key[1]) in read}
        run.standing = {key: share_ for key, share_ in run.standing.items() if key in read}


def _standing(site: Site) -> dict[tuple[str, str], tuple[int, int]]:
    """Return by engine and format the share of right answers that the newest version gave so far."""
    newest: dict[str, Version] = {}
    for run in site.runs:
        for version in run.versions:
            newest[version.engine] = max(newest.get(version.engine, version), version, key=by_age)
    answers: defaultdict[tuple[str, str], list[Answer]] = defaultdict(list)
    for record in site.cases.values():
        for place, answer in record.answers.items():
            if newest.get(place.version.engine) == place.version:
                answers[place.version.engine, record.format].append(answer)
    return {key: share(rows) for key, rows in answers.items()}


def _collected(results: Results, site: Site, ids: FindingIds) -> Run:
    """Add the results of one run to the cases, and return the run."""
    run = _run(results.run)
    seconds: defaultdict[str, float] = defaultdict(float)
    known: Counter[tuple[str, Version]] = Counter()
    cases: set[str] = set()
    for row in results.rows:
        result = result_of(row, 0, {})
        place = Place(Version(line(row.engine), line(row.version)), line(row.config))
        cases.add(result.case)
        run.cells.setdefault((place.version, result.format), Cell()).add(result)
        seconds[place.version.engine] += result.seconds
        answer = _answer(row, result, len(site.runs), ids)
        if result.known:
            known[answer.finding, place.version] += 1
            if ids.is_listed(answer.finding):
                site.listed[answer.finding] = place.version.engine, result.known
        _note(site, run, result.case, place, answer)
        _put(site, run, result, place, answer)
    run.cases = len(cases)
    if not run.parts:
        run.parts |= {name: round(seconds[name], 3) for name in sorted(seconds)}
    run.sightings += [Sighting(name, version, count, "listed") for (name, version), count in known.items()]
    run.sightings += [
        Sighting(
            line(finding.signature, None),
            Version(line(finding.engine), line(finding.version)),
            finding.count,
            line(finding.state),
        )
        for finding in results.findings
    ]
    run.sightings.sort()
    return run


def _run(record: RunRecord) -> Run:
    rounds: defaultdict[str, float] = defaultdict(float)
    for round_ in record.rounds or []:
        rounds[line(round_.get("kind", "round"))] += float(round_.get("seconds") or 0.0)
    history = record.history or {}
    return Run(
        id=line(record.id),
        started=line(record.started),
        finished=line(record.finished),
        arguments=line(" ".join(map(str, record.arguments)), 2_000),
        colconf=line(record.colconf),
        seconds=_between(record.started, record.finished),
        cases=0,
        cells={},
        parts=dict(sorted(rounds.items())) if any(rounds.values()) else {},
        sightings=[],
        fixed=[line(finding["signature"], None) for finding in history.get("fixed_findings", [])],
    )


def _between(started: str, finished: str | None) -> float:
    try:
        span = dt.datetime.fromisoformat(finished or "") - dt.datetime.fromisoformat(started)
    except (ValueError, TypeError):  # a run of others, or of before these were written so
        return 0.0
    return max(0.0, span.total_seconds())


def _answer(row: Row, result: CaseResult, run: int, ids: FindingIds) -> Answer:
    finding = line(row.detail.signature, None) if result.finding else ""
    if result.known:
        finding = ids.of_any(line(row.engine), result.known.reason)
    if result.verdict in PASSED:  # most answers: one object for those that say the same
        return Answer(result.verdict, result.outcome, run, result.is_by_choice)
    return Answer(
        verdict=result.verdict,
        outcome=result.outcome,
        run=run,
        is_by_choice=result.is_by_choice,
        finding=finding,
        gist=result.gist,
        probe=result.probe,
        error=tuple(result.error.items()),
        difference=result.difference,
        known=result.known,
        equivalences=result.equivalences,
        seconds=result.seconds,
    )


def _note(site: Site, run: Run, case: str, place: Place, answer: Answer) -> None:
    """Note that a run asked a case, and whether it is wrong."""
    if answer.counts:
        number = site.numbers.setdefault(case, len(site.numbers))
        run.tested.setdefault(place, Cases()).add(number)
    if answer.is_wrong or answer.finding:
        run.failures.append(Failure(case, place, answer.verdict, answer.finding))


def _put(site: Site, run: Run, result: CaseResult, place: Place, answer: Answer) -> None:
    """Set the newest answer of a place to a case, and note a verdict that changed."""
    record = site.cases.get(result.case)
    if record is None or record.sha256 != result.sha256:
        record = site.cases[result.case] = CaseRecord(
            result.case, result.sha256, result.format, result.file, result.features, {}, ""
        )
    record.file, record.features = result.file, result.features
    record.expectation, record.level = result.expectation, result.level
    before = record.answers.get(place)
    if before is not None and before.verdict != answer.verdict and before.run != answer.run:
        run.changes.append(Change(result.case, place, before.verdict, answer.verdict))
    worse = before is not None and before.run == answer.run and not before.is_right
    if not worse:  # a written file has a row for each rule that it breaks
        record.answers[place] = answer
