"""Findings as what their folders are made of: of a run, one that is known, or one that was minimized."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora import known_failures, rules
from corpora.cases import Case, CaseError
from corpora.cases import load as load_case
from corpora.importers import ImportProblem, import_paths
from harness.engines.naming import EngineName, parse
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import switches
from harness.investigate import suspects
from harness.investigate.findings import made
from harness.investigate.findings.rejudge import rejudge
from harness.investigate.minimize import minimizer
from harness.judging.results import STALE, load
from harness.judging.signature import Signature
from harness.runs.pipeline import finding_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.cases import Probe
    from corpora.known_failures import Entry
    from harness.children.connection import Limits
    from harness.investigate.findings.made import Made
    from harness.judging.results import Finding, Results, Row


class NotThere(ValueError):  # noqa: N818 - it says what is so
    """No finding has this name; the message is one line."""


@dataclass(frozen=True)
class Found:
    """A finding: its case, asked nothing but what it is about, and the rows of all engines about that case.

    `name` is that of its folder, `probe` the query whose answer is wrong, None for the whole file, `made` how
    its file is written again, if it is about a file that the engine wrote.
    """

    name: str
    finding: Finding
    case: Case
    probe: Probe | None
    rows: list[Row] = field(default_factory=list)
    entry: Entry | None = None
    made: Made | None = None

    @property
    def row(self) -> Row | None:
        """Return the row that the finding is about."""
        one = self.finding
        wanted = (one.engine, one.version, one.config, one.verdict)
        rows = (row for row in self.rows if (row.engine, row.version, row.config, row.verdict) == wanted)
        return next(rows, None)

    @property
    def clause(self) -> str:
        """Return the clause that is broken, as far as anything says it."""
        if self.entry and self.entry.clause:
            return self.entry.clause
        expectation = self.case.expectation
        said = self.row.detail["expectation"] if self.row else {}
        rule = expectation.rule or said.get("rule")
        known = rules.load().get(rule) if rule else None
        told = expectation.clause or said.get("clause") or self.case.spec
        return f"{known.clause} ({known.id}: {known.text})" if known else told


def of_run(folder: Path, signature: str = "") -> Iterator[Found | str]:
    """Yield the findings of a run whose signatures begin so, and in a line those that have no folder.

    Raises ResultsError, CaseError, and NotThere if there are none.
    """
    results = load(folder)
    cases = {(one.signature, one.version): one.case for one in finding_cases.read(folder)}
    chosen = [one for one in results.findings if one.signature.startswith(signature) and one.verdict != STALE]
    if not chosen:
        what = f"begin with {signature!r:.120}" if signature else "are in this run"
        raise NotThere(f"{folder}: no findings {what}")
    by_case: dict[str, list[Row]] = {}
    for row in results.rows:
        by_case.setdefault(row.case, []).append(row)
    for one in chosen:
        rows = by_case.get(one.case, [])
        case = cases.get((one.signature, one.version)) or _imported(rows)
        if case is None or not case.file.is_file():
            yield f"{one.signature}: its file is not there any more"
        else:
            yield _found(one, case, rows)


def _imported(rows: list[Row]) -> Case | None:
    """Return the case of a run whose cases were not kept."""
    files = [row.detail["file"] for row in rows if Path(row.detail["file"]).is_file()]
    try:
        found = import_paths(files[:1]).cases
    except (ImportProblem, CaseError):
        return None
    return found[0] if found else None


def _found(one: Finding, case: Case, rows: list[Row], entry: Entry | None = None) -> Found:
    probe = next((probe for probe in case.probes if str(probe.query) == one.probe), None)
    asked = replace(case, probes=() if probe is None else (probe,))
    return Found(_name(one, entry), one, asked, probe, rows, entry)


def _name(one: Finding, entry: Entry | None) -> str:
    """Return the name of a folder: stable, and another for each finding."""
    digest = hashlib.sha256(f"{one.signature}\n{one.version}".encode("utf-8", "surrogatepass")).hexdigest()
    if entry and entry.finding:
        return f"{entry.finding}-{one.version}"
    return f"{one.engine}-{one.version}-{one.verdict}-{digest[:10]}".replace("/", "_")


def of_known(name: str, version: str | None, limits: Limits) -> Found:
    """Return a finding of `corpora/known`, its smallest case judged again by its engine.

    Raises NotThere, CannotAsk, and what `suspects.named` raises.
    """
    entries = [one for one in known_failures.load() if one.finding == name]
    if not entries:
        raise NotThere(f"no finding is called {name!r:.120}, and no run is there")
    engine = entries[0].engine
    suspect = suspects.named(name, engine, Path())
    config = {switch: value for switch, value in suspect.entry.config.items() if switch != "pushdown"}
    results = rejudge(suspect.case, [str(EngineName(engine, version, config))], limits)
    for one in results.findings:
        if one.engine == engine and _is_of(suspect.entry, one):
            rows = [row for row in results.rows if row.case == one.case]
            return _found(one, suspect.case, rows, entries[0])
    said = ", ".join(sorted({row.verdict for row in results.rows}))
    raise NotThere(f"{name} does not show with {results.rows[0].engine}@{results.rows[0].version}: {said}")


def is_written(name: str) -> bool:
    """Return whether this is a known finding about files that an engine writes."""
    return any(one.finding == name and one.expects(made.VERDICT) for one in known_failures.load())


def of_written(name: str, version: str | None, limits: Limits, scratch: Path) -> Found:
    """Return a known finding about files that an engine writes; it writes a small one into `scratch`.

    Raises NotThere and CannotAsk.
    """
    entries = [one for one in known_failures.load() if one.finding == name and one.expects(made.VERDICT)]
    engine = entries[0].engine
    known = [replace(one, versions="") for one in entries]
    form = "parquet" if "parquet" in ENGINES[engine].formats else "orc"
    with made.Writer(EngineName(engine, version), form, limits, scratch) as writer:
        shown = made.first(writer, known, writer.version)
        small = shown and writer.smallest(shown.table, shown.options, shown.rule)
        if small is None:
            raise NotThere(
                f"{name} does not show with {engine}@{writer.version}: what it writes keeps the rule"
            )
        case = made.case_of(f"written/{name}", writer, small, scratch)
        finding = made.finding_of(engine, writer.version, small, case)
        return replace(_found(finding, case, [], entries[0]), made=small)


def written_again(found: Found, limits: Limits, scratch: Path) -> Found:
    """Return a finding of a run about a file that an engine wrote, with a small one, written into `scratch`.

    Raises NotThere and CannotAsk.
    """
    one = found.finding
    table = made.asked(one.case, found.case.format)
    rule = Signature.of_text(one.signature).cause
    if table is None or not one.case.startswith("writers/"):
        raise NotThere(f"{one.case}: what was written there is not known")
    engine = EngineName(one.engine, one.version)
    with made.Writer(engine, found.case.format, limits, scratch) as writer:
        small = writer.smallest(*table, rule)
        if small is None:
            raise NotThere(f"{one.signature}: {engine} writes it otherwise now")
        case = made.case_of(one.case, writer, small, scratch)
        return replace(found, case=case, made=small)


def is_minimized(folder: Path) -> bool:
    """Return whether a folder is one that `colconf minimize` wrote."""
    return (folder / minimizer.FILE).is_file()


def of_minimized(folder: Path, limits: Limits) -> Found:
    """Return the finding of a folder of `colconf minimize`: its smallest file judged again by its engine.

    Raises NotThere, CaseError and CannotAsk.
    """
    try:
        told = json.loads((folder / minimizer.FILE).read_bytes())
        engine, signature = parse(str(told["engine"])), str(told["signature"])
        config, finding = switches(str(told["config"])), told.get("finding")
        if given := told.get("limits"):
            limits = replace(limits, seconds=float(given["seconds"]), memory_bytes=int(given["memory_bytes"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotThere(f"{folder}: not the folder of a finding that was minimized: {error}") from error
    case = load_case(folder / "minimal.json")
    asked = {switch: value for switch, value in config.items() if switch != "pushdown" or not case.probes}
    results = rejudge(case, [str(replace(engine, config=asked))], limits)
    for one in results.findings:
        if one.signature == signature and one.engine == engine.name:
            rows = [row for row in results.rows if row.case == one.case]
            entries = (entry for entry in known_failures.load() if finding and entry.finding == finding)
            return _found(one, case, rows, next(entries, None))
    said = ", ".join(sorted({row.verdict for row in results.rows}))
    raise NotThere(f"{folder}: the finding does not show any more: {said}")


def _is_of(entry: Entry, one: Finding) -> bool:
    config = switches(one.config)
    wanted = entry.config.items()
    return entry.expects(one.verdict) and all(config.get(switch, value) == value for switch, value in wanted)


def summary(results: Results) -> list[dict[str, Any]]:
    """Return findings as JSON."""
    return [asdict(one) for one in results.findings]
