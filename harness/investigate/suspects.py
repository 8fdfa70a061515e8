"""A finding with which a release can be tested: the case, the configuration, and the failure.

The name of a finding is its id in `corpora/known`, `RUN:SIGNATURE` (a run's folder, and the signature of a
finding of that run or a unique beginning of the signature), or a folder of `colconf minimize`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora import known_failures, own_cases
from corpora.cases import Case, CaseError, load
from corpora.folders import digest, digest_of, size_of
from corpora.given_cases import load_given
from corpora.importers import import_paths
from corpora.known_failures import GENERATED, Entry, Judged
from corpora.problem import UserError
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.engines.scripts.request import switches
from harness.investigate.bisect import State
from harness.investigate.findings.rejudge import CannotAsk, Rejudged, rejudge
from harness.investigate.minimize import minimizer
from harness.judging.judge import expectation_by_reference
from harness.judging.odds import ALWAYS, Share
from harness.judging.pushdown import PUSHDOWN
from harness.judging.records import PROBLEMS
from harness.judging.results import Finding, Row
from harness.judging.results import load as load_results
from harness.judging.verdicts import Verdict
from harness.listings.text import case_name
from harness.runs.history.changes import judged_row
from harness.runs.pipeline import finding_cases, generated
from harness.runs.pipeline.context import Context

_NAMED = 5  # signatures in a message
# Neither the failure nor an answer: the state of a release with such a verdict is unknown.
_NO_ANSWER = {Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY, Verdict.UNSTABLE}


class SuspectError(UserError, ValueError):
    """No finding of this name can be tested; the message is one line."""


@dataclass(frozen=True)
class Suspect:
    """The case to test, and the entry that covers a failing row of any version.

    `share`: how often it showed, if that is known to be less than always. `configs`: the finding's
    configuration with each value of `pushdown` that its run asked, on which its signature depends; empty if
    that is not known.
    """

    case: Case
    entry: Entry
    share: Share = ALWAYS
    configs: tuple[str, ...] = ()


def named(text: str, engine: str, scratch: Path) -> Suspect:
    """Return the finding of a name; raises SuspectError, CaseError and ResultsError."""
    if (Path(text) / minimizer.FILE).is_file():
        return _of_minimized(Path(text), engine)
    folder, colon, signature = text.partition(":")
    if colon and Path(folder).is_dir():
        return _of_run(Path(folder), signature.strip(), engine, scratch)
    if colon and ("/" in folder or " | " in signature):
        raise SuspectError(f"{folder!r:.80}: no folder of a run, which RUN:SIGNATURE begins with")
    every = known_failures.load()
    entries = [entry for entry in every if entry.finding == text]
    if not entries and Path(text).exists():
        mend = "name RUN:SIGNATURE, a folder of `minimize`, or the JSON file of a case"
        raise SuspectError(f"{text!r:.80} is a file that names no finding; {mend}")
    if not entries:
        known = sorted({entry.finding for entry in every if entry.finding and entry.engine == engine})
        raise SuspectError(f"no finding is called {text!r:.80}; of {engine}: {', '.join(known) or 'none'}")
    own = [entry for entry in entries if entry.engine == engine]
    if not own:
        raise SuspectError(f"{text} is a finding of {entries[0].engine}, not of {engine}")
    return Suspect(_recorded(own[0]), replace(own[0], versions="", expires=None))


def _of_minimized(folder: Path, engine: str) -> Suspect:
    name, suspect = of_minimized(folder)
    if name.name != engine:
        raise SuspectError(f"{folder} is about a finding of {name.name}, not of {engine}")
    return suspect


def of_minimized(folder: Path) -> tuple[EngineName, Suspect]:
    """Return the engine and the finding of a folder of `minimize`; raises SuspectError and CaseError."""
    try:
        record = json.loads((folder / minimizer.FILE).read_bytes())
        name, _, version = str(record["engine"]).partition(":")[0].partition("@")
        signature, verdict, config = (str(record[key]) for key in ("signature", "verdict", "config"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SuspectError(f"{folder}: not a folder of `colconf minimize`: {error}") from error
    entry = Entry(name, "*", verdict, "minimized", signature=signature, config=switches(config))
    return EngineName(name, version or None), Suspect(load_given(folder / "minimal.json"), entry)


def of_case(case: Case, engine: str, versions: Sequence[str], limits: Limits) -> Suspect:
    """Return the first finding that a case shows with any of these releases; raises SuspectError."""
    replies = []
    for version in versions:
        try:
            results = rejudge(
                case, [str(EngineName(engine, version))], limits, decide=expectation_by_reference
            )
        except CannotAsk as error:
            replies.append(str(error))
            continue
        for finding in results.findings:
            if finding.engine == engine:
                config = switches(finding.config)
                signature = finding.signature
                entry = Entry(engine, "*", finding.verdict, "bisected", signature=signature, config=config)
                return Suspect(case, entry)
        verdicts = sorted({row.verdict for row in results.rows if row.engine == engine})
        replies.append(f"{engine}@{version} shows {', '.join(verdicts) or 'no answer'}")
    raise SuspectError(f"{case_name(case)}: no finding: {'; '.join(replies)}")


def _recorded(entry: Entry) -> Case:
    """Return the smallest checked-in case of an entry."""
    glob = f"{entry.case}.json"
    cases = [load(path) for path in sorted(own_cases.folder().glob(glob))]
    if not cases:
        raise SuspectError(f"{entry}: its case is not in the corpora that come with colconf")
    return min(cases, key=lambda case: (size_of(case.file), case.id))


def _of_run(folder: Path, signature: str, engine: str, scratch: Path) -> Suspect:
    results = load_results(folder)
    findings = [
        finding
        for finding in results.findings
        if finding.signature.startswith(signature) and finding.engine == engine
    ]
    signatures = sorted({finding.signature for finding in findings})
    if len(signatures) != 1 or not signature:
        own = sorted({finding.signature for finding in results.findings if finding.engine == engine})
        names = "; ".join((signatures or own)[:_NAMED]) or "none"
        there = ": " if signatures else f"; its findings of {engine}: "
        raise SuspectError(
            f"{folder}: {len(signatures)} findings of {engine} begin with that signature{there}{names}"
        )
    finding = findings[0]
    if finding.verdict in (Verdict.WROTE_INVALID, Verdict.WROTE_OTHER):
        raise SuspectError(
            f"{finding.signature!r:.200} is about what {engine} writes: `colconf findings export` makes the"
            " smallest table that shows it, and a script that writes it"
        )
    rows = (row for row in results.rows if row.case == finding.case and row.detail.finding)
    row = next((row for row in rows if (row.engine, row.config) == (engine, finding.config)), None)
    if row is None:
        raise SuspectError(f"{folder}: no result belongs to {finding.signature!r:.200}")
    if row.detail.order is not None:
        raise SuspectError(
            f"{finding.signature!r:.200} depends on what was read before, which one file does not show:"
            " `colconf findings export` writes the shortest sequence, and `colconf replay` asks it"
        )
    config = switches(finding.config)
    entry = Entry(engine, "*", finding.verdict, "bisected", signature=finding.signature, config=config)
    configs = _alike(results.rows, row)
    return Suspect(_again(folder, finding, row, scratch), entry, finding.share, configs)


def _alike(rows: Iterable[Row], of: Row) -> tuple[str, ...]:
    """Return the configurations of rows of the same file that are like that of a row but for pushdown."""

    def rest(row: Row) -> dict[str, str]:
        return {name: value for name, value in switches(row.config).items() if name != PUSHDOWN}

    rows_alike = (
        row
        for row in rows
        if (row.detail.file, row.engine, row.version) == (of.detail.file, of.engine, of.version)
        and rest(row) == rest(of)
    )
    return tuple(dict.fromkeys(row.config for row in rows_alike))


def _again(folder: Path, finding: Finding, row: Row, scratch: Path) -> Case:
    """Return the case of a finding as it was: imported, or generated from its seed and numbers.

    A query that was derived from the file, and the read of a folder, stand in the cases of the run.
    """
    key = finding.signature, finding.version
    stored = (each.case for each in finding_cases.read(folder) if (each.signature, each.version) == key)
    if finding.case.startswith(GENERATED):
        return _generated_again(finding.case, next(stored, None), row.format, scratch)
    if Path(row.detail.file).is_dir():
        case = next(stored, None)
        if case is None or not _is_as_it_was(case):
            raise SuspectError(f"{finding.case}: the folder is not as it was in the run {folder}")
        return case
    (case,) = import_paths([row.detail.file]).cases
    if case.probes or not finding.probe:
        return case
    return replace(case, probes=next((with_probe.probes for with_probe in stored), ()))


def _generated_again(identity: str, stored: Case | None, format_: str, scratch: Path) -> Case:
    """Return a generated case, made again, or the stored one where this version makes another file of it.

    Raises SuspectError if the file of the stored case is not as it was, either.
    """
    try:
        built = generated.case_of(Context(scratch, (), Limits(), scratch, format=format_), identity, format_)
    except CaseError:
        if stored is None:
            raise
    else:
        if stored is None:
            return built
        if built.sha256 == stored.sha256:
            more = tuple(probe for probe in stored.probes if probe not in built.probes)
            return replace(built, probes=built.probes + more)
    try:
        is_whole = digest_of(stored.file) == stored.sha256
    except OSError:
        is_whole = False
    if not is_whole:
        raise SuspectError(
            f"{identity}: this version of colconf makes no such file from the seed, and {stored.file} is not"
            " as it was in the run: use the version that made the run"
        )
    return stored


def _is_as_it_was(table: Case) -> bool:
    return table.read is not None and digest(table.file) == table.sha256


def ask(suspect: Suspect, engine: str, version: str, limits: Limits) -> tuple[State, str]:
    """Return whether a release has the failure, and its verdicts as text."""
    config = {name: value for name, value in suspect.entry.config.items() if name != "pushdown"}
    name = str(EngineName(engine, version, config))
    try:
        results = rejudge(suspect.case, [name], limits, decide=expectation_by_reference)
    except CannotAsk as error:
        return State.SKIPPED, str(error)
    rows = [row for row in results.rows if row.engine == engine]
    description = ", ".join(sorted({row.verdict for row in rows})) or "no answer"
    if _is_bad(replace(suspect.entry, config=config), results):
        return State.BAD, description
    unknown = not rows or any(not _is_answer(row, suspect.case) for row in rows)
    return (State.SKIPPED if unknown else State.GOOD), description


def _is_answer(row: Row, case: Case) -> bool:
    """Return whether a row says how a release reads a case.

    A table that a release cannot be asked for, and a mistake of an adapter or a binding, say nothing.
    """
    no_answer = _NO_ANSWER if case.read is None else {*_NO_ANSWER, Verdict.UNSUPPORTED}
    return row.verdict not in no_answer and not (row.verdict in PROBLEMS and row.detail.origin)


def _is_bad(entry: Entry, results: Rejudged) -> bool:
    """Return whether a run has the failure, as a row shows it or as the finding of several rows is called."""
    rows = (judged_row(row) for row in results.rows)
    findings = (_judged(finding) for finding in results.findings) if entry.signature else ()
    return any(entry.expects(each.verdict) and entry.covers(each) for each in (*rows, *findings))


def _judged(finding: Finding) -> Judged:
    of_finding = finding.case, finding.engine, finding.version, switches(finding.config)
    return Judged(*of_finding, finding.verdict, finding.signature)
