"""A finding as something that a release can be asked about: its case, its configuration, and what is bad.

A finding is named by its id in `corpora/known`, or as `RUN:SIGNATURE`, a run's folder and the signature of
one of its findings (enough of its beginning to be the only one).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora import known_failures
from corpora.cases import Case, load
from corpora.importers import import_paths
from corpora.known_failures import Entry, Judged
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.bisect import State
from harness.investigate.findings.rejudge import CannotAsk, rejudge
from harness.judging.results import load as load_results
from harness.judging.verdicts import Verdict
from harness.runs.pipeline import generated
from harness.runs.pipeline.context import Context

if TYPE_CHECKING:
    from harness.investigate.findings.rejudge import Rejudged
    from harness.judging.results import Finding, Row

# Neither what the finding says nor an answer: of a release that does so, nothing is known.
_NO_ANSWER = {Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY, Verdict.UNSTABLE}

CORPORA = Path(__file__).resolve().parents[2] / "corpora"


class SuspectError(ValueError):
    """No finding of this name can be asked about; the message is one line."""


@dataclass(frozen=True)
class Suspect:
    """`entry` says which row is bad, whatever its version; `case` is the file to ask about."""

    case: Case
    entry: Entry


def named(text: str, engine: str, scratch: Path) -> Suspect:
    """Return the finding of a name; raises SuspectError, CaseError and ResultsError."""
    folder, colon, signature = text.partition(":")
    if colon and Path(folder).is_dir():
        return _of_run(Path(folder), signature.strip(), engine, scratch)
    entries = [one for one in known_failures.load() if one.finding == text]
    if not entries:
        known = sorted({one.finding for one in known_failures.load() if one.finding and one.engine == engine})
        raise SuspectError(f"no finding is called {text!r:.80}; of {engine}: {', '.join(known) or 'none'}")
    own = [one for one in entries if one.engine == engine]
    if not own:
        raise SuspectError(f"{text} is a finding of {entries[0].engine}, not of {engine}")
    return Suspect(_recorded(own[0]), replace(own[0], versions="", expires=None))


def _recorded(entry: Entry) -> Case:
    """Return the smallest checked-in case of an entry."""
    glob = f"{entry.case}.json"
    found = [load(path) for path in sorted(CORPORA.glob(glob))]
    if not found:
        raise SuspectError(f"{entry}: its case is not in the corpora that come with colconf")
    return min(found, key=lambda case: (case.file.stat().st_size, case.id))


def _of_run(folder: Path, signature: str, engine: str, scratch: Path) -> Suspect:
    results = load_results(folder)
    found = [one for one in results.findings if one.signature.startswith(signature) and one.engine == engine]
    signatures = sorted({one.signature for one in found})
    if len(signatures) != 1 or not signature:
        names = "; ".join(signatures[:5]) or "none"
        raise SuspectError(f"{folder}: {len(signatures)} findings of {engine} begin so: {names}")
    finding = found[0]
    rows = (one for one in results.rows if one.case == finding.case and one.detail["finding"])
    row = next((one for one in rows if (one.engine, one.config) == (engine, finding.config)), None)
    if row is None:
        raise SuspectError(f"{folder}: no row is about {finding.signature!r:.200}")
    config = _config(finding.config)
    entry = Entry(engine, "*", finding.verdict, "bisected", signature=finding.signature, config=config)
    return Suspect(_again(finding, row, scratch), entry)


def _config(text: str) -> dict[str, str]:
    parts = (part.partition("=") for part in filter(None, text.split(",")))
    return {switch: value for switch, _, value in parts}


def _again(finding: Finding, row: Row, scratch: Path) -> Case:
    """Return the case of a finding as it was: imported, or generated from its seed and numbers."""
    if not finding.case.startswith("generated/"):
        (case,) = import_paths([row.detail["file"]]).cases
        return case
    _, seed, sheet, number = finding.case.split("/")
    context = Context(scratch, (), Limits(), scratch, format=row.format)
    cases = generated.remade(context, int(seed), int(sheet), row.format)
    return cases[int(number)]


def ask(suspect: Suspect, engine: str, version: str, limits: Limits) -> tuple[State, str]:
    """Return whether a release fails as the finding says, and in a word what it does."""
    config = {name: value for name, value in suspect.entry.config.items() if name != "pushdown"}
    name = str(EngineName(engine, version, config))
    try:
        results = rejudge(suspect.case, [name], limits)
    except CannotAsk as error:
        return State.SKIPPED, str(error)
    verdicts = {row.verdict for row in results.rows if row.engine == engine}
    said = ", ".join(sorted(verdicts)) or "no answer"
    if _is_bad(replace(suspect.entry, config=config), results):
        return State.BAD, said
    return (State.SKIPPED if not verdicts or verdicts & _NO_ANSWER else State.GOOD), said


def _is_bad(entry: Entry, results: Rejudged) -> bool:
    """Return whether a run shows the failure: one told by its signature as a finding, else as a row."""
    if entry.signature:
        found = (one for one in results.findings if entry.expects(one.verdict))
        return any(entry.covers(_judged(one, one.signature)) for one in found)
    return any(entry.expects(row.verdict) and entry.covers(_judged(row, "")) for row in results.rows)


def _judged(one: Row | Finding, signature: str) -> Judged:
    return Judged(one.case, one.engine, one.version, _config(one.config), one.verdict, signature)
