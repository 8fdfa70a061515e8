"""The summary of a run on standard output."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, Self

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.judging.results import STALE, Finding
from harness.judging.run_record import RunRecord
from harness.judging.signature import engine_label, label
from harness.judging.wording import in_words
from harness.listings.text import line, quoted
from harness.runs.exit import failing, of_the_day
from harness.runs.history.records import STATES
from harness.runs.pipeline import broken_files
from harness.runs.pipeline.disputes import MOST, counted, rendered
from harness.runs.pipeline.store import Tally

_SHOWN_FINDINGS = 20
_SHOWN_NOT_ASKED, _SHOWN_CONTESTED = 12, 5
_WIDTH = 140  # where there is no terminal to ask
_SHOWN_TEXT = 200


class Amount(NamedTuple):
    """How much a summary prints: the table, and at most so many findings, contested cases, and not asked."""

    table: bool = True
    findings: int | None = _SHOWN_FINDINGS
    not_asked: int | None = _SHOWN_NOT_ASKED
    contested: int = _SHOWN_CONTESTED

    @classmethod
    def of(cls, *, quiet: bool, verbose: bool) -> Self:
        """Return the amount of output: `--quiet` (only findings and counts) or `--verbose` (everything)."""
        if quiet:
            return cls(table=False, not_asked=0, contested=0)
        return cls(findings=None, not_asked=None, contested=MOST) if verbose else cls()


DEFAULT = Amount()


def as_json(out: Path, record: RunRecord, tally: Tally, reports: list[str], status: int) -> str:
    """Return the summary for machines."""
    summary = {
        "out": str(out),
        "exit_status": status,
        "run": record.to_json(),
        "engines": [
            {"engine": engine, "verdicts": dict(sorted(counts.items()))}
            for engine, counts in _by_engine(record, tally).items()
        ],
        "findings": [finding.to_json() for finding in tally.findings],
        "reports": reports,
    }
    return json.dumps(summary, indent=2)


def show(out: Path, record: RunRecord, tally: Tally, reports: list[str], amount: Amount = DEFAULT) -> None:
    """Print the summary for people."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    if amount.table:
        console.print(_matrix(record, tally))
    for engine in record.unavailable:
        console.print(
            Text(line(f"{engine['engine']} was not run: {engine['reason']} ({engine['mend']})", None))
        )
    not_asked = record.not_asked or []
    for barred in not_asked[: amount.not_asked]:
        console.print(
            Text(line(f"{barred['engine']} was not asked {barred['question']}: {barred['reason']}", None))
        )
    if amount.not_asked and (more := len(not_asked) - amount.not_asked) > 0:
        console.print(Text(f"and {more:,} more that were not asked"))
    for writer, errors in tally.unwritten.items():
        console.print(Text(_unwritten(writer, errors)))
    if not record.dataset:
        console.print(Text("no Parquet dataset was written: pyarrow is not installed"))
    findings = tally.findings
    history = record.history
    if history:
        console.print(Text(by_history(history), style="bold"))
        for fixed in history["fixed_findings"][:_SHOWN_FINDINGS]:
            became = (
                f", and now fails with another signature: {_plain(fixed['became'])}"
                if fixed["became"]
                else ""
            )
            console.print(Text(f"  fixed in {fixed['version']}  {_plain(fixed['signature'])}{became}"))
    if findings:
        console.print(Text(f"{len(findings):,} finding{'s' * (len(findings) != 1)}:", style="bold"))
    for finding in findings[: amount.findings]:
        console.print(_finding(finding, tally.names.get(finding.case, finding.case)))
    if amount.findings is not None and len(findings) > amount.findings:
        rest = len(findings) - amount.findings
        console.print(Text(line(f"  and {rest:,} more, in {out / 'findings.ndjson'}", None)))
    for text in (
        *broken_files.rendered(tally.broken_files, amount.contested, _plain),
        *rendered(tally.disputes, tally.contested, amount.contested, _plain),
    ):
        console.print(Text(text))
    for text in tally.unread[: amount.contested]:
        console.print(Text(f"  not read  {_plain(text)}"))
    if amount.contested and (more := len(tally.unread) - amount.contested) > 0:
        least = "at least " * (len(tally.unread) == MOST)
        console.print(Text(f"  and {least}{more:,} more that were not read"))
    if note := of_the_day(record, [finding.case for finding in findings]):
        console.print(Text(line(note, None)))
    counts = record.counts
    reads = counts.get("skipped_reads", 0)
    files = counts["skipped_files"] - reads
    skipped = f", {files:,} other file{'s' * (files != 1)} skipped" * bool(files)
    skipped += (
        f", {reads:,} read{'s' * (reads != 1)} of tables not run, as no specification defines the result"
        * bool(reads)
    )
    if unread := counts.get("unread"):
        skipped += f", {unread:,} files not read after the first finding"
    if left_out := counts.get("queries_left_out"):
        skipped += f", your queries not run {_count(left_out, 'time')}, where they do not fit the columns"
    known = f", {_count(counts['known'], 'known failure')}" if counts["known"] else ""
    by_choice = counts.get("refused_by_choice", 0)
    known += f", {_count(by_choice, 'allowed refusal')}" * bool(by_choice) + counted(counts)
    if groups := len(record.not_generated or ()):
        skipped += f", {_count(groups, 'group')} of files not generated"
    is_incomplete = groups or counts.get("unusable_files")
    unexpected = "" if failing(record) or is_incomplete else ": nothing unexpected"
    judged = f"{_count(counts['cases'], 'case')}, {_count(counts['results'], 'result')}"
    console.print(Text(f"{judged}{known}{skipped}{unexpected}"))
    for where in (str(out / "results.ndjson"), *reports):
        console.print(Text(line(where, None)), soft_wrap=True)
    if amount.table and any(finding.verdict != STALE for finding in findings):
        command = f"colconf findings export {quoted(str(out))} --out findings"
        console.print(Text(f"to export each finding with its file and a script: {command}"), soft_wrap=True)


def _unwritten(engine: str, errors: Counter[str]) -> str:
    """Return how many times an engine refused to write, and its most frequent error."""
    ((error, count),) = errors.most_common(1)
    which = "" if len(errors) == 1 else f"{count:,} of them "
    return f"{engine} refused to write {_count(errors.total(), 'time')}: {which}{_plain(error)}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _by_engine(record: RunRecord, tally: Tally) -> dict[str, dict[str, int]]:
    """Return the counts of each engine by verdict, in the order in which the run names engines."""
    by_engine: dict[str, dict[str, int]] = {engine_label(**engine): {} for engine in record.engines}
    for (engine, verdict), count in tally.verdicts.items():
        by_engine.setdefault(engine, {})[verdict] = count
    return by_engine


def _matrix(record: RunRecord, tally: Tally) -> Table:
    by_engine = _by_engine(record, tally)
    verdicts = sorted({verdict for counts in by_engine.values() for verdict in counts})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("engine", no_wrap=True)
    for verdict in verdicts:
        table.add_column(verdict.replace("_", " "), justify="right")
    more = {"allowed refusals": tally.by_choice, "known": tally.known}
    if tally.blameless.total():
        more["blames nobody"] = tally.blameless
    for heading in more:
        table.add_column(heading, justify="right")
    for engine, counts in by_engine.items():
        numbers = [f"{counts[verdict]:,}" if verdict in counts else "·" for verdict in verdicts]
        others = (by_label[engine] for by_label in more.values())
        table.add_row(Text(engine), *numbers, *(f"{count:,}" if count else "·" for count in others))
    return table


def _finding(finding: Finding, case: str) -> Text:
    row = Text("  ").append(f"{finding.state}  " * bool(finding.state), style="italic")
    row.append(f"{finding.share}  " * bool(finding.reads), style="italic")
    row.append(f"{finding.level}  " * (not finding.is_must), style="italic")
    row.append(finding.verdict.replace("_", " "), style="bold")
    row.append(f"  {label(finding)}  {_plain(case)}")
    row.append(f"  and {finding.more:,} more" if finding.more > 0 else "")
    if (at := finding.difference) is not None:
        text = f"{at['path']}: {in_words(finding.verdict, at['kind'], at['expected'], at['actual'])}"
        text += f": {finding.error}" * bool(at["kind"] == "outcome" and finding.error)
    else:
        text = finding.error
    if finding.probe is not None:
        text = f"{finding.probe}: {text}"
    for detail in filter(None, (text, finding.basis)):
        row.append(f"\n      {_plain(detail)}", style="dim")
    return row


def by_history(history: dict[str, Any]) -> str:
    """Return the counts of `history` in `run.json` as one line."""
    counts = [f"{history.get(state, 0):,} {state}" for state in STATES]
    stale = [f"{history['stale']:,} stale known failures"] * bool(history["stale"])
    return ", ".join([*counts, *stale, f"{history['open']:,} open in {history['folder']}"])


def _plain(text: str) -> str:
    """Return text of files and engines as one line that is safe to print, cut if it is long."""
    joined = " ".join(text.split())
    return line(joined[:_SHOWN_TEXT], None) + "…" * (len(joined) > _SHOWN_TEXT)
