"""Rows of an outcome and its judgement, matched with the known failures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from corpora import known_failures
from corpora.cases import CERTAIN, CONTESTED, LEVELS, MUST, Case, Expectation
from corpora.known_failures import Entry, like, match
from corpora.versions import version_in
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.compare import Difference
from harness.judging.details import NO_PROBES, KnownReason, ProbeCounts, RecordedExpectation, RowDetail
from harness.judging.odds import ALWAYS, Share
from harness.judging.places import Config, Process
from harness.judging.results import Finding, Row
from harness.judging.signature import Stored, judged_of, signature
from harness.judging.verdicts import Judgement, Verdict

PROBLEMS = frozenset(Verdict) - {
    Verdict.AGREE,
    Verdict.EQUIVALENT,
    Verdict.REFUSED_AS_EXPECTED,
    Verdict.REFUSED_OTHERWISE,
    Verdict.CONTESTED,
    Verdict.UNSUPPORTED,
    Verdict.SKIPPED,
    Verdict.NOT_ASKED,
}
# The verdicts for which the level of a case's clause counts: SHOULD says what to read and what to refuse. Who
# answers is held to the values whatever the level, and a lost process is never only a SHOULD.
_BY_LEVEL = {Verdict.REFUSED_VALID, Verdict.ACCEPTED_INVALID}
# The verdicts that follow from an expectation; a lost process is a problem whatever the file means.
_BY_EXPECTATION = {Verdict.DIFFERENT, Verdict.REFUSED_VALID, Verdict.ACCEPTED_INVALID}


def make_row(  # noqa: PLR0917 - one line of results has that many sources
    case: Case,
    process: Process,
    config: Config,
    outcome: Outcome,
    judgement: Judgement,
    expectation: Expectation,
    features: Iterable[str],
    probe: str | None = None,
    probes: ProbeCounts = NO_PROBES,
) -> Row:
    """Return the row of one outcome, before the known failures are looked up."""
    detail = RowDetail(
        file=str(case.file),
        expectation=_recorded(expectation),
        features=tuple(features),
        **vars(outcome.detail),
        difference=difference_to_json(judgement.difference),
        equivalences=judgement.equivalences,
        probe=probe,
        probes=probes,
        level=case.level,
        options=case.options,
        cost=judgement.cost,
        finding=is_blame(expectation, judgement.verdict),
    )
    return Row(
        case.id,
        case.sha256,
        case.format,
        process.name,
        process.version,
        config.text,
        outcome.kind.value,
        judgement.verdict.value,
        detail,
        outcome.seconds,
        outcome.peak_rss_bytes,
    )


def _recorded(expectation: Expectation) -> RecordedExpectation:
    recorded = RecordedExpectation(*(getattr(expectation, name) for name in RecordedExpectation._fields))
    is_default = expectation.certainty == CERTAIN and expectation.why is None
    return recorded._replace(certainty=None) if is_default else recorded


def is_by_expectation(verdict: str) -> bool:
    """Return whether a verdict depends on the file's values; the loss of the process does not."""
    return verdict in _BY_EXPECTATION


def is_contested(expectation: Expectation | RecordedExpectation, verdict: str) -> bool:
    """Return whether a verdict depends on a contested expectation, which blames no engine."""
    return expectation.certainty == CONTESTED and is_by_expectation(verdict)


def is_blame(expectation: Expectation | RecordedExpectation, verdict: Verdict) -> bool:
    """Return whether a verdict is a problem of the engine, by an expectation that is not contested."""
    return verdict in PROBLEMS and not is_contested(expectation, verdict)


def level_of(row: Row) -> str:
    """Return the level, such as MUST, of the rule that a row's verdict reports as broken."""
    return row.detail.level if row.verdict in _BY_LEVEL else MUST


def first_finding(rows: Iterable[Stored], known: Sequence[Entry]) -> Stored:
    """Return the first row that is no known failure, or else the first, marked as `with_known` does."""
    marked = [with_known(row, known) for row in rows]
    return next((row for row in marked if row.row.detail.finding), marked[0])


def with_known(stored: Stored, entries: Sequence[Entry]) -> Stored:
    """Mark a row as a known failure or, if its verdict is a problem, as a finding."""
    row = stored.row
    entry = match(entries, judged_of(stored))
    known = KnownReason(entry.reason, entry.url) if entry else None
    is_new = known is None and row.verdict in PROBLEMS
    finding = is_new and not is_contested(row.detail.expectation, row.verdict)
    bug = like(entries, judged_of(_as_refused(stored))) if is_new or _is_side(row) else ""
    return replace(stored, row=row.with_detail(known=known, finding=finding, known_bug=bug))


def _is_side(row: Row) -> bool:
    """Return whether a row is a refusal of a contested file."""
    return row.verdict == Verdict.CONTESTED and row.outcome == OutcomeKind.REFUSED


def _as_refused(stored: Stored) -> Stored:
    """Return a refusal of a contested file as that of a valid one, which known bugs are described by."""
    if not _is_side(stored.row):
        return stored
    return replace(stored, row=replace(stored.row, verdict=Verdict.REFUSED_VALID.value))


@cache
def known_entries(folder: Path | None) -> tuple[Entry, ...]:
    """Return the known failures; raises CaseError."""
    return known_failures.load(folder or known_failures.FOLDER)


@cache
def known_to_hang(folder: Path | None, engine: str, version: str, case: str) -> bool:
    """Return whether a known failure lists a case, alone or among others, on which an engine hangs.

    Entries about generated files are left out: the signature of the failure alone tells theirs. Raises
    CaseError.
    """
    named = (
        entry for entry in known_entries(folder) if entry.engine == engine and entry.expects(Verdict.HUNG)
    )
    return any(entry.is_named(case) and version_in(version, entry.versions) for entry in named)


@cache
def known_digest(folder: Path | None) -> str:
    """Return a digest of the known failures; raises CaseError."""
    return hashlib.sha256(repr(known_entries(folder)).encode("utf-8", "surrogatepass")).hexdigest()


def difference_to_json(difference: Difference | None) -> dict[str, str] | None:
    """Return the JSON form of a difference."""
    return None if difference is None else {**difference._asdict(), "path": str(difference.path)}


def stored_to_json(stored: Stored) -> dict[str, Any]:
    """Return the JSON form of a row for the store."""
    return {**vars(stored), "row": stored.row.to_json()}


def stored_from_json(data: dict[str, Any]) -> Stored:
    """Return the row that a line of a judged sheet holds."""
    return Stored(**{**data, "row": Row.from_json(data["row"])})


# Of the two reads of an unstable case, one showed the problem.
_SECOND_LOOK = {Verdict.UNSTABLE.value: Share(1, 2)}
_LINEAGES = "lineages: "  # begins the reason of a vote
_NO_EXCUSE = "no file may have that effect"
_LOST = {Verdict.PANICKED, Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY}
_BY_WAYS = "the same engine returns another result in its default way"
_BY_TURNS = "the same engine answers the same request in two ways"


def _why(row: Row) -> str:
    """Return why an engine is blamed, "" where the verdict says it."""
    if row.verdict == Verdict.INCONSISTENT:
        return _BY_WAYS
    if row.verdict == Verdict.UNSTABLE:
        return _BY_TURNS
    if row.verdict in _LOST:
        return _NO_EXCUSE
    why = (row.detail.expectation.why or "") if is_by_expectation(row.verdict) else ""
    # The blamed engine may have read the file well, and stand among its lineages.
    return f"values of the file by {why}" if row.detail.probe and why.startswith(_LINEAGES) else why


def _clause(row: Row) -> str:
    """Return the clause that a finding rests on, "" for none.

    After a vote, the clause of a broken rule says why engines may refuse the file, and nothing of its values.
    """
    expectation = row.detail.expectation
    is_excuse = expectation.source == "vote" and expectation.rule and row.verdict != Verdict.ACCEPTED_INVALID
    is_of_itself = row.verdict in {Verdict.INCONSISTENT, Verdict.UNSTABLE, *_LOST}
    return "" if is_of_itself or is_excuse else expectation.clause or ""


def _has(options: dict[str, Any], name: str, value: Any) -> bool:
    """Return whether options have one with this value; of options by column, with any."""
    return name in options and (options[name] == value or isinstance(value, (dict, list)))


@dataclass
class Findings:
    """The findings of rows so far, by signature and version, each with the bytes of its smallest file.

    Each version of an engine has its own findings; equal failures of two versions share a signature.
    """

    _by_key: dict[tuple[str, str], tuple[Finding, int]] = field(default_factory=dict)
    _cases: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def add(self, stored: Stored) -> None:
        """Count a row under its signature; the finding has the first case with the smallest file."""
        row = stored.row
        key = signature(stored), row.version
        detail = row.detail
        error = detail.error_class + ": " * bool(detail.error_class) + detail.message
        share = _SECOND_LOOK.get(row.verdict, ALWAYS)
        finding = Finding(
            key[0],
            row.engine,
            row.version,
            row.config,
            row.verdict,
            row.case,
            1,
            list(detail.features),
            detail.difference,
            error,
            detail.probe,
            failed=share.failed,
            reads=share.reads,
            certainty=CERTAIN
            if not is_by_expectation(row.verdict)
            else detail.expectation.certainty or CERTAIN,
            why=_why(row),
            clause=_clause(row),
            known_bug=detail.known_bug,
            level=level_of(row),
            options=detail.options or {},
            others=detail.others,
            other_queries=list(detail.other_queries),
            column_features=list(detail.column_features),
        )
        before, size = self._by_key.get(key, (finding, stored.size + 1))
        count = before.count + (key in self._by_key)
        level = min(before.level, finding.level, key=LEVELS.index)
        options = {
            name: value for name, value in before.options.items() if _has(finding.options, name, value)
        }
        smallest, size = (finding, stored.size) if stored.size < size else (before, size)
        cases = self._cases.setdefault(key, set())
        cases.add(row.case)
        finding = replace(smallest, count=count, level=level, options=options, cases=len(cases))
        self._by_key[key] = (finding, size)

    def all(self) -> list[Finding]:
        """Return the findings, in the order of their first rows."""
        return [finding for finding, _ in self._by_key.values()]
