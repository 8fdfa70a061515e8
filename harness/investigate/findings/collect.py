"""Findings with the evidence for their folders: from a run, the known failures, or `colconf minimize`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora import known_failures, rules
from corpora.cases import Case, CaseError, Probe
from corpora.cases import load as load_case
from corpora.importers import ImportProblem, import_paths
from corpora.known_failures import WRITTEN, Entry
from corpora.problem import UserError
from harness.children.connection import Limits
from harness.engines.naming import EngineName, parse
from harness.engines.registry import ENGINES, recall
from harness.engines.scripts.request import switches
from harness.investigate import suspects
from harness.investigate.findings import broken_files
from harness.investigate.findings.broken_files import BrokenFile
from harness.investigate.findings.rejudge import rejudge
from harness.investigate.minimize import minimizer
from harness.judging.details import RecordedExpectation
from harness.judging.judge import expectation_by_reference
from harness.judging.order import Order
from harness.judging.results import STALE, Finding, Results, Row, load
from harness.judging.signature import Signature
from harness.runs.pipeline import finding_cases


class NotThere(UserError, ValueError):  # noqa: N818 - it says what is so
    """No finding has this name; the message is one line."""


@dataclass(frozen=True)
class Evidence:
    """A finding, its case with no other query, and the rows of all engines about that case.

    `name` is the name of its folder, `probe` the query whose answer is wrong (None: the whole file is read),
    `broken_file` the table behind a file that the engine wrote.
    """

    name: str
    finding: Finding
    case: Case
    probe: Probe | None
    rows: list[Row] = field(default_factory=list)
    entry: Entry | None = None
    broken_file: BrokenFile | None = None

    @property
    def row(self) -> Row | None:
        """Return the row that the finding is about."""
        finding = self.finding
        wanted = (finding.engine, finding.version, finding.config, finding.verdict)
        rows = (row for row in self.rows if (row.engine, row.version, row.config, row.verdict) == wanted)
        return next(rows, None)

    @property
    def order(self) -> Order | None:
        """Return the sequence after which the answer differs, None if it depends on none that is known."""
        order = self.row.detail.order if self.row else None
        return order if order and order.repeated and order.sequence else None

    @property
    def broken(self) -> list[rules.Rule]:
        """Return the rules of level MUST that the file breaks, if the finding is not about such a rule."""
        if self.finding.verdict in (*broken_files.VERDICTS, "accepted_invalid"):
            return []
        breach = self.row.detail.expectation.breach if self.row else None
        known = rules.load()
        named = (known[rule] for rule in (breach or "").split() if rule in known)
        return [rule for rule in named if rule.level == "MUST"]

    @property
    def clause(self) -> str:
        """Return the clause that is broken, empty if it is not known."""
        if self.entry and self.entry.clause:
            return self.entry.clause
        expectation = self.case.expectation
        recorded = self.row.detail.expectation if self.row else RecordedExpectation()
        if recorded.source == "vote":  # a rule that the file breaks says nothing of its values
            return self.finding.clause
        rule = expectation.rule or recorded.rule
        known = rules.load().get(rule) if rule else None
        clause = expectation.clause or recorded.clause or self.case.spec
        return f"{known.clause} ({known.id}: {known.text})" if known else clause


def of_run(folder: Path, signature: str = "") -> Iterator[Evidence | str]:
    """Yield the findings of a run whose signatures begin with `signature`; a line for those without a file.

    Raises ResultsError, CaseError, and NotThere if there are none.
    """
    results = load(folder)
    recall(results.run.settings.get("manifests", {}))
    cases = {(stored.signature, stored.version): stored.case for stored in finding_cases.read(folder)}
    chosen = [
        finding
        for finding in results.findings
        if finding.signature.startswith(signature) and finding.verdict != STALE
    ]
    if not chosen:
        there = ", ".join(sorted({ascii(finding.signature)[1:-1] for finding in results.findings}))
        if not signature or not there:
            raise NotThere(f"{folder}: no findings are in this run")
        raise NotThere(f"{folder}: no signature begins with {signature!r:.120}; there are: {there:.400}")
    by_case: dict[str, list[Row]] = {}
    for row in results.rows:
        by_case.setdefault(row.case, []).append(row)
    for finding in chosen:
        rows = by_case.get(finding.case, [])
        case = cases.get((finding.signature, finding.version)) or _imported(rows)
        if _is_lost_writer(finding, rows):
            yield f"{finding.signature}: the engine was lost while it wrote; results.ndjson has the options"
        elif case is None or not case.file.exists():
            yield f"{finding.signature}: its file is gone"
        else:
            yield _evidence(finding, case, rows)


def _is_lost_writer(finding: Finding, rows: list[Row]) -> bool:
    """Return whether an engine left no whole file: a reader of the rest shows another problem, or none."""
    if finding.verdict in broken_files.VERDICTS:
        return False
    wanted = (finding.engine, finding.version, finding.verdict, "write")
    return any((row.engine, row.version, row.verdict, row.detail.phase) == wanted for row in rows)


def _imported(rows: list[Row]) -> Case | None:
    """Return the case of a run that did not store its cases."""
    files = [row.detail.file for row in rows if Path(row.detail.file).is_file()]
    try:
        imported = import_paths(files[:1]).cases
    except (ImportProblem, CaseError):
        return None
    return imported[0] if imported else None


def _evidence(finding: Finding, case: Case, rows: list[Row], entry: Entry | None = None) -> Evidence:
    probe = next((probe for probe in case.probes if str(probe.query) == finding.probe), None)
    narrowed = replace(case, probes=() if probe is None else (probe,))
    return Evidence(_name(finding, entry), finding, narrowed, probe, rows, entry)


def _name(finding: Finding, entry: Entry | None) -> str:
    """Return the name of a finding's folder, which is stable and unique."""
    digest = hashlib.sha256(
        f"{finding.signature}\n{finding.version}".encode("utf-8", "surrogatepass")
    ).hexdigest()
    if entry and entry.finding:
        return f"{entry.finding}-{finding.version}"
    return f"{finding.engine}-{finding.version}-{finding.verdict}-{digest[:10]}".replace("/", "_")


def of_known(name: str, version: str | None, limits: Limits) -> Evidence:
    """Return a finding of `corpora/known` after its engine has read its smallest case again.

    Raises NotThere, CannotAsk, and what `suspects.named` raises.
    """
    entries = [entry for entry in known_failures.load() if entry.finding == name]
    if not entries:
        raise NotThere(f"{name!r:.120} is neither the id of a known finding nor the folder of a run")
    engine = entries[0].engine
    suspect = suspects.named(name, engine, Path())
    config = {switch: value for switch, value in suspect.entry.config.items() if switch != "pushdown"}
    results = rejudge(suspect.case, [str(EngineName(engine, version, config))], limits)
    for finding in results.findings:
        if finding.engine == engine and _is_of(suspect.entry, finding):
            rows = [row for row in results.rows if row.case == finding.case]
            return _evidence(finding, suspect.case, rows, entries[0])
    verdicts = ", ".join(sorted({row.verdict for row in results.rows}))
    raise NotThere(
        f"{name} does not show with {results.rows[0].engine}@{results.rows[0].version}: {verdicts}"
    )


def is_written(name: str) -> bool:
    """Return whether a known finding is about files that an engine writes."""
    return any(
        entry.finding == name and entry.expects(broken_files.VERDICT) for entry in known_failures.load()
    )


def of_written(name: str, version: str | None, limits: Limits, scratch: Path) -> Evidence:
    """Have the engine of a known finding write a small file into `scratch`, and return the finding.

    Raises NotThere and CannotAsk.
    """
    entries = [
        entry
        for entry in known_failures.load()
        if entry.finding == name and entry.expects(broken_files.VERDICT)
    ]
    engine = entries[0].engine
    known = [replace(entry, versions="") for entry in entries]
    form = ENGINES[engine].formats[0]
    with broken_files.Writer(EngineName(engine, version), form, limits, scratch) as writer:
        example = broken_files.first(writer, known, writer.version)
        small = example and writer.smallest(example.table, example.options, example.cause)
        if small is None:
            raise NotThere(
                f"{name} does not show with {engine}@{writer.version}: the files that it writes keep the rule"
            )
        case = broken_files.case_of(f"written/{name}", writer, small, scratch)
        finding = broken_files.finding_of(engine, writer.version, small, case)
        return replace(_evidence(finding, case, [], entries[0]), broken_file=small)


def written_again(evidence: Evidence, limits: Limits, scratch: Path) -> Evidence:
    """Return a finding about a file that an engine wrote, with a small file written into `scratch`.

    Raises NotThere and CannotAsk.
    """
    finding = evidence.finding
    options, form = (evidence.row.detail.options if evidence.row else None), evidence.case.format
    table = broken_files.drawn_table(finding.case, form, finding.engine, options)
    table = table or broken_files.table_of(finding.case, form)
    is_other = finding.verdict != broken_files.VERDICT
    cause = broken_files.OTHER if is_other else Signature.of_text(finding.signature).cause
    if table is None or not finding.case.startswith(WRITTEN):
        raise NotThere(f"{finding.case}: the table of this case is not known")
    engine = EngineName(finding.engine, finding.version)
    with broken_files.Writer(engine, evidence.case.format, limits, scratch) as writer:
        small = writer.smallest(*table, cause)
        if small is None:
            raise NotThere(f"{finding.signature}: {engine} now writes another file")
        case = broken_files.case_of(finding.case, writer, small, scratch)
        return replace(evidence, case=case, broken_file=small)


def is_minimized(folder: Path) -> bool:
    """Return whether `colconf minimize` wrote a folder."""
    return (folder / minimizer.FILE).is_file()


def of_minimized(folder: Path, limits: Limits) -> Evidence:
    """Return the finding of a folder of `colconf minimize` after its engine has read the smallest file again.

    Raises NotThere, CaseError and CannotAsk.
    """
    try:
        record = json.loads((folder / minimizer.FILE).read_bytes())
        engine, signature = parse(str(record["engine"])), str(record["signature"])
        config, name = switches(str(record["config"])), record.get("finding")
        if given := record.get("limits"):
            limits = replace(limits, seconds=float(given["seconds"]), memory_bytes=int(given["memory_bytes"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotThere(f"{folder}: not a folder of `colconf minimize`: {error}") from error
    case = load_case(folder / "minimal.json")
    switched = {switch: value for switch, value in config.items() if switch != "pushdown" or not case.probes}
    chosen = [str(replace(engine, config=switched))]
    results = rejudge(case, chosen, limits, decide=expectation_by_reference)
    for finding in results.findings:
        if finding.signature == signature and finding.engine == engine.name:
            rows = [row for row in results.rows if row.case == finding.case]
            entries = (entry for entry in known_failures.load() if name and entry.finding == name)
            return _evidence(finding, case, rows, next(entries, None))
    verdicts = ", ".join(sorted({row.verdict for row in results.rows}))
    raise NotThere(f"{folder}: the finding no longer shows: {verdicts}")


def _is_of(entry: Entry, finding: Finding) -> bool:
    config = switches(finding.config)
    wanted = entry.config.items()
    return entry.expects(finding.verdict) and all(
        config.get(switch, value) == value for switch, value in wanted
    )


def summary(results: Results) -> list[dict[str, Any]]:
    """Return findings as JSON."""
    return [asdict(finding) for finding in results.findings]
