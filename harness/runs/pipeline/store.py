"""The last stage: judged rows, sheet by sheet, to `results.ndjson`, `findings.ndjson` and the dataset.

Rows are processed one at a time; only a finding per signature, and the state of known failures, stay in
memory. Each file gets its name once it is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from corpora.cases import CONTESTED, USER_FILES
from corpora.known_failures import WRITTEN, Entry, Judged, Stale, examine
from harness.children.outcomes import OutcomeKind
from harness.files import Digest, write_lines, written_lines
from harness.judging.details import RowDetail
from harness.judging.records import PROBLEMS, Findings, is_contested
from harness.judging.results import FINDINGS, RESULTS, SKIPPED, STALE, Finding, Row
from harness.judging.signature import Signature, Stored, judged_of, label, normalised, signed
from harness.judging.verdicts import Verdict
from harness.listings.text import display_name
from harness.runs.pipeline import broken_files
from harness.runs.pipeline.broken_files import BrokenFile
from harness.runs.pipeline.dataset import Dataset
from harness.runs.pipeline.disputes import Dispute, note

_STALE_LENGTH = 400
_COMPARED = (Verdict.AGREE, Verdict.EQUIVALENT)
_UNASKED = (SKIPPED, Verdict.NOT_ASKED)


@dataclass
class Tally:
    """The counts of a run; `verdicts` counts by (engine label, verdict), `known` by label.

    `by_choice` counts, by label, refusals of files and queries that may be read or refused, `blameless` the
    problems of contested cases, for which no engine is blamed. `contested` and `broken` count cases:
    contested ones (some answer of which blames nobody), of which `disputes` has the first, and files that
    break a rule, of which `broken_files` has the first of a user. `written` are the counted cases of writers,
    `unwritten` the errors with which an engine refused to write tables, by label, with their counts. `names`
    has the path of each user's file that is the case of a finding, by case; `unread` names the first files of
    a user that no engine was asked to read, with the reason. `digests` are the digests of the files of
    results.
    """

    rows: int = 0
    cases: int = 0
    contested: int = 0
    broken: int = 0
    last_contested: str = ""
    written: set[str] = field(default_factory=set)
    unwritten: dict[str, Counter[str]] = field(default_factory=dict)
    disputes: list[Dispute] = field(default_factory=list)
    broken_files: list[BrokenFile] = field(default_factory=list)
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    by_choice: Counter[str] = field(default_factory=Counter)
    blameless: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    has_dataset: bool = False
    digests: dict[str, Digest] = field(default_factory=dict)

    def add_name(self, row: Row) -> None:
        """Note how output names the case of a row, if not by its id."""
        if (name := display_name(row.case, row.detail.file)) != row.case:
            self.names[row.case] = name


def store(
    out: Path,
    run_id: str,
    judged: Iterable[Stored],
    entries: Sequence[Entry],
    *,
    partial: bool = False,
    queried: bool = False,
) -> Tally:
    """Write the results of a run into its folder (`examine` has `partial` and `queried`). Raises OSError."""
    tally = Tally()
    findings = Findings()
    with ExitStack() as stack:
        lines = stack.enter_context(written_lines(out / RESULTS))
        dataset = stack.enter_context(Dataset.opened(out / "dataset", run_id))
        tally.has_dataset = dataset.is_there

        def passed() -> Iterator[Judged]:
            last = ""
            for stored in map(signed, judged):
                row = stored.row
                lines.put(row.to_json())
                dataset.add(row)
                count(tally, row)
                last = count_case(tally, row, last)
                if row.detail.finding:
                    findings.add(stored)
                    tally.add_name(row)
                if row.verdict not in _UNASKED:
                    yield judged_of(stored)._replace(undecided=_is_open(row))

        tally.stale = examine(entries, passed(), partial=partial, queried=queried)
        tally.findings = findings.all()
        tally.findings += [stale_finding(problem) for problem in tally.stale]
        dataset.add_findings(tally.findings)
        tally.digests[RESULTS] = lines.digest
    tally.digests[FINDINGS] = write_findings(out, tally.findings)
    return tally


def write_findings(out: Path, findings: Iterable[Finding]) -> Digest:
    """Write `findings.ndjson` atomically, and return its digest; raises OSError."""
    return write_lines(out / FINDINGS, (finding.to_json() for finding in findings))


def count(tally: Tally, row: Row) -> None:
    """Count a row, but not its case, in the tally."""
    if row.was_asked:
        tally.rows += 1
        tally.verdicts[label(row), row.verdict] += 1
    tally.known[label(row)] += row.detail.known is not None
    tally.by_choice[label(row)] += row.is_by_choice
    if (row.outcome, row.detail.phase) == (OutcomeKind.REFUSED, "write"):
        errors = tally.unwritten.setdefault(label(row), Counter())
        errors[f"{row.detail.error_class}: {normalised(row.detail.message)}"] += 1
    is_problem = row.verdict in PROBLEMS and row.detail.known is None
    tally.blameless[label(row)] += is_problem and is_contested(row.detail.expectation, row.verdict)


def count_case(tally: Tally, row: Row, last: str) -> str:
    """Count the case of a row unless it is `last`, the case of the row before; return the row's case.

    Rows about the writer are apart from the other rows of the file's case, which counts once.
    """
    expectation = row.detail.expectation
    is_unread = (row.outcome, row.verdict) == (SKIPPED, SKIPPED) and row.case.startswith(USER_FILES)
    if is_unread and row.case != last and len(tally.unread) < broken_files.MOST:
        tally.unread.append(f"{display_name(row.case, row.detail.file)}: {row.detail.message}")
    if row.case != last and row.was_asked and row.case not in tally.written:
        tally.cases += 1
        if row.case.startswith(WRITTEN):
            tally.written.add(row.case)
        tally.broken += expectation.rule is not None or expectation.kind == "refuse"
        broken_files.note(tally.broken_files, row)
    if expectation.certainty == CONTESTED and row.was_asked:
        tally.contested += row.case != tally.last_contested
        tally.last_contested = row.case
        note(tally.disputes, row)
    return row.case


def _is_open(row: Row) -> bool:
    """Return whether a vote let the answer pass whatever it is: it does not show that a failure is gone.

    Values are compared where there is a table; whether a file may be refused depends on who voted.
    """
    expectation = row.detail.expectation
    is_voted = (expectation.source, expectation.kind) == ("vote", "either")
    is_compared = expectation.has_table and row.verdict in _COMPARED
    return is_voted and row.verdict not in PROBLEMS and not is_compared


def stale_finding(problem: Stale) -> Finding:
    """Return the finding about an entry that no longer holds."""
    entry = problem.entry
    signature = Signature(entry.engine, "", STALE, f"{entry.case} ({entry.verdict}): {problem.why}")
    text = str(signature)[:_STALE_LENGTH]
    return Finding(text, entry.engine, "", "", STALE, entry.case, 1, [], None, str(problem))


def skipped_row(case: str, file: str, reason: str, engine: tuple[str, str, str]) -> Row:
    """Return the row of a file that no engine was asked to read."""
    detail = RowDetail(file=file, message=reason, phase="plan")
    return Row(case, "", "", *engine, SKIPPED, SKIPPED, detail, 0.0, 0)
