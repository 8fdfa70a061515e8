"""Build the model of a report: a pure function of `harness.judging.results.Results`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpora.known_failures import WRITTEN
from harness.judging.records import level_of
from harness.judging.results import Finding, Results, Row
from harness.judging.run_record import RunRecord
from harness.judging.streamed import Streamed
from harness.listings import text
from harness.runs.exit import of_the_day
from harness.runs.history.records import STATES
from reports.case_result import CaseResult, Difference, Known
from reports.model import (
    NO_FEATURE,
    Cell,
    Choice,
    Disputes,
    Engine,
    FindingSummary,
    Fixed,
    History,
    Report,
    Skipped,
)
from reports.verdicts import severity


def build(results: Results) -> Report:
    """Return the model of a run."""
    columns = _Columns(results.run)
    findings = {(finding.signature, finding.version): finding for finding in results.findings}
    results_of = Streamed(lambda: (result_of(row, columns.place(row), findings) for row in results.rows))
    smallest = {(label(finding), text.line(finding.case)) for finding in results.findings}
    firsts: dict[tuple[str, str], CaseResult] = {}
    total = Cell()
    cells: dict[tuple[str, int], Cell] = {}
    choices: Counter[tuple[str, str]] = Counter()
    known: Counter[tuple[str, Known]] = Counter()
    written: dict[tuple[str, int], Cell] = {}
    cases, last, disputes = 0, None, Disputes()
    of_writers: set[str] = set()
    for result in results_of:
        engine = columns.engines[result.engine]
        columns.note(result)
        for cell in (total, engine.total):
            cell.add(result)
        if result.known:
            known[engine.name, result.known] += 1
        if writer := result.expectation.get("source", "").partition("writer:")[2]:
            written.setdefault((writer, result.engine), Cell()).add(result)
        for feature in result.features or (NO_FEATURE,):
            cells.setdefault((feature, result.engine), Cell()).add(result)
        if result.is_by_choice:
            choices[engine.label, _reason(result)] += 1
        # Rows of one case stand together, except those about what its writer wrote.
        if result.case != last and result.case not in of_writers:
            cases += 1
            disputes.add(result)
            if result.case.startswith(WRITTEN):
                of_writers.add(result.case)
        disputes.see(result, engine.label)
        last = result.case
        if result.finding and (engine.label, result.case) in smallest:
            firsts[engine.label, result.case] = result
    return Report(
        run=_run(results.run, [finding.case for finding in results.findings]),
        engines=columns.engines,
        unavailable=[_texts(engine, ("engine", "reason", "mend")) for engine in results.run.unavailable],
        features=sorted({feature for feature, _ in cells}, key=lambda name: (name == NO_FEATURE, name)),
        cells=cells,
        total=total,
        cases=cases,
        results=results_of,
        findings=_findings(results.findings, firsts),
        skipped=list(dict.fromkeys(map(_skipped, results.skipped))),
        history=_history(results.run.history),
        disputes=disputes,
        not_asked=[_texts(each, ("engine", "question", "reason")) for each in results.run.not_asked or []],
        choices=[Choice(*which, count) for which, count in choices.items()],
        known=known,
        written=written,
        alike=columns.alike(),
    )


def _reason(result: CaseResult) -> str:
    """Return why a case may be read or refused."""
    fields = (result.expectation.get(name, "") for name in ("reason", "why", "clause"))
    return next(filter(None, fields), "")


def label(row: Row | Finding) -> str:
    """Return the engine of a row as `name@version:config`."""
    return _label(row.engine, row.version, row.config)


def _label(name: object, version: object, config: object) -> str:
    full = f"{name}@{version}" if version else f"{name}"
    return text.line(f"{full}:{config}" if config else full)


class _Columns:
    """The engines that the run names, in its order, then those that only rows name."""

    def __init__(self, run: RunRecord) -> None:
        self.engines: list[Engine] = []
        self._places: dict[str, int] = {}
        self._answers: Counter[int] = Counter()
        for engine in run.engines:
            texts = _texts(engine, ("name", "version", "config", "runtime"))
            self._add(_label(texts["name"], texts["version"], texts["config"]), texts)

    def place(self, row: Row) -> int:
        """Return the index of a row's engine."""
        name = label(row)
        if name in self._places:
            return self._places[name]
        texts = {"name": row.engine, "version": row.version, "config": row.config, "runtime": ""}
        return self._add(name, {key: text.line(value) for key, value in texts.items()})

    def note(self, result: CaseResult) -> None:
        """Note an answer, for `alike`; the order of answers does not count."""
        answer = (result.case, result.verdict, result.outcome, result.gist, result.finding, result.known)
        self._answers[result.engine] += hash(answer)

    def alike(self) -> dict[int, tuple[int, ...]]:
        """Return for an engine the other configurations of it that answered each case alike."""
        groups: defaultdict[tuple[str, str, int, int], list[int]] = defaultdict(list)
        for place, engine in enumerate(self.engines):
            if engine.total.cases:
                groups[engine.name, engine.version, engine.total.cases, self._answers[place]].append(place)
        return {first: tuple(others) for first, *others in groups.values() if others}

    def _add(self, name: str, texts: Mapping[str, str]) -> int:
        place = self._places.setdefault(name, len(self.engines))
        if place == len(self.engines):
            self.engines.append(Engine(name, **texts, total=Cell()))
        return place


def result_of(row: Row, engine: int, findings: Mapping[tuple[str, str], Finding]) -> CaseResult:
    """Return a row as reports show it; `engine` is the index of its column."""
    detail = row.detail
    finding = findings.get((detail.signature, row.version)) if detail.finding else None
    known = detail.known
    error = {
        "class": text.line(detail.error_class),
        "message": text.block(detail.message),
        "phase": text.line(detail.phase),
        "step": text.line(detail.step),
        "signal": text.line(detail.signal),
        "exit status": text.line(detail.exit_status),
        "stderr": text.block(detail.stderr),
    }
    return CaseResult(
        case=text.line(row.case),
        sha256=text.line(row.sha256),
        format=text.line(row.format),
        file=text.line(detail.file),
        features=tuple(text.line(feature) for feature in detail.features),
        engine=engine,
        verdict=text.line(row.verdict),
        outcome=text.line(row.outcome),
        finding=bool(detail.finding),
        expectation={
            name: value
            for name, value in _texts(detail.expectation._replace(has_table=None)._asdict()).items()
            if value
        },
        error={name: value for name, value in error.items() if value},
        difference=Difference(**_texts(detail.difference, ("path", "expected", "actual", "kind")))
        if detail.difference
        else None,
        equivalences=tuple(text.line(name) for name in detail.equivalences),
        probe=text.line(detail.probe),
        known=Known(text.line(known.reason), text.line(known.url)) if known else None,
        state=text.line(finding and finding.state),
        seconds=float(row.seconds or 0.0),
        peak_rss_bytes=int(row.peak_rss_bytes or 0),
        share=str(finding.share) if finding else "",
        level=text.line(level_of(row)),
        is_by_choice=row.is_by_choice,
        column_features=tuple(text.line(feature) for feature in detail.column_features),
    )


def _skipped(row: Row) -> Skipped:
    return Skipped(text.line(row.case), text.line(row.detail.message), text.line(row.detail.file))


def _run(run: RunRecord, cases: Sequence[str]) -> dict[str, str]:
    """Return texts about the run; `cases` are those of its findings."""
    arguments = text.line(" ".join(map(str, run.arguments)))
    texts = _texts(vars(run), ("id", "started", "finished", "arguments", "colconf"))
    level, of_day = text.line(run.settings.get("level", "should")), text.line(of_the_day(run, cases))
    return {**texts, "arguments": arguments, "level": level, "of_the_day": of_day}


def _findings(
    findings: Iterable[Finding], firsts: Mapping[tuple[str, str], CaseResult]
) -> list[FindingSummary]:
    summaries = [_finding(finding, firsts) for finding in findings]
    order = {state: place for place, state in enumerate(("", *STATES))}

    def worst(finding: FindingSummary) -> tuple[int, int, int, str, str]:
        return (
            order.get(finding.state, 0),
            severity(finding.verdict),
            -finding.count,
            finding.engine,
            finding.signature,
        )

    return sorted(summaries, key=worst)


def _finding(finding: Finding, firsts: Mapping[tuple[str, str], CaseResult]) -> FindingSummary:
    engine, case = label(finding), text.line(finding.case)
    first = firsts.get((engine, case))
    return FindingSummary(
        signature=text.line(finding.signature),
        engine=engine,
        verdict=text.line(finding.verdict),
        count=finding.count,
        cases=finding.more + 1,
        case=case,
        features=tuple(text.line(feature) for feature in finding.features),
        gist=(first.gist if first else "") or text.first_line(text.block(finding.error)),
        state=text.line(finding.state),
        since=text.line(finding.since),
        basis=text.line(finding.basis),
        share=str(finding.share),
        level=text.line(finding.level),
        file=first.file if first else "",
        sha256=first.sha256 if first else "",
    )


def _history(history: Mapping[str, Any] | None) -> History | None:
    if not history:
        return None
    names = ("signature", "version", "case", "since", "became")
    fixed = [Fixed(**_texts(fixed_finding, names)) for fixed_finding in history["fixed_findings"]]
    counts = {state: int(history.get(state, 0)) for state in STATES} | {"stale": int(history["stale"])}
    return History(counts, int(history["open"]), fixed)


def _texts(data: Mapping[str, Any], names: Iterable[str] | None = None) -> dict[str, str]:
    return {name: text.line(data.get(name)) for name in (data if names is None else names)}
