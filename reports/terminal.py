"""The report for a terminal: the engines, the features with findings, the findings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from corpora.cases import MUST
from harness.judging.verdicts import PASSED
from reports.model import Cell, Disputes, Engine, FindingSummary, History, Report
from reports.verdicts import describe, worst_first

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 120  # columns where there is no terminal
FINDINGS = 15
FEATURES = 12
SKIPPED = 3
CONTESTED = 5
NOT_ASKED = 12
_STYLES = {
    "good": "green",
    "fine": "cyan",
    "quiet": "dim",
    "warn": "yellow",
    "bad": "bold red",
    "fatal": "bold magenta",
}


def render(report: Report) -> str:
    """Return the report as plain text without colours."""
    out = StringIO()
    Console(file=out, width=WIDTH, color_system=None, legacy_windows=False).print(view(report))
    return "\n".join(row.rstrip() for row in out.getvalue().splitlines()) + "\n"


def show(report: Report) -> None:
    """Print the report on standard output, in colours where that is a terminal."""
    Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False).print(view(report))


def view(report: Report) -> Group:
    """Return the report for a rich console."""
    return Group(*_parts(report))


def _parts(report: Report) -> Iterator[RenderableType]:
    yield _engines(report)
    for missing in report.unavailable:
        mend = f" ({missing['mend']})" if missing["mend"] else ""
        yield Text(f"  {missing['engine']} was not available: {missing['reason']}{mend}", style="yellow")
    for barred in report.not_asked[:NOT_ASKED]:
        yield Text(
            f"  {barred['engine']} was not asked {barred['question']}: {barred['reason']}", style="yellow"
        )
    if len(report.not_asked) > NOT_ASKED:
        yield Text(f"  and {len(report.not_asked) - NOT_ASKED:,} more that were not asked", style="yellow")
    if report.skipped:
        yield Text(f"  files not read: {len(report.skipped):,}, {_some(report)}", style="yellow")
    if any(cell.findings for cell in report.cells.values()):
        yield Text()
        yield _features(report)
    if report.findings:
        yield Text()
        yield from _findings(report)
    if report.disputes.contested:
        yield Text()
        yield from _contested(report.disputes)
    if report.disputes.read:
        yield Text()
        yield from _breaches(report.disputes)
    if report.history:
        yield Text()
        yield from _fixed(report.history)
    yield Text()
    yield _last_line(report)


def _some(report: Report) -> str:
    files = [f"{file.name} ({file.reason})" for file in report.skipped[:SKIPPED]]
    return ", ".join([*files, "…"] if len(report.skipped) > SKIPPED else files)


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))


def _engines(report: Report) -> Table:
    table = _table("Engines")
    table.add_column("engine", overflow="fold", min_width=20)
    for name in ("cases", "pass", "unsupported", "allowed\nrefusals", "known", "findings"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("problems", overflow="fold")
    for engine in report.engines:
        table.add_row(*_engine(engine))
    return table


def _engine(engine: Engine) -> Iterator[Text]:
    cell = engine.total
    yield Text(engine.label)
    yield Text(f"{cell.cases:,}")
    yield Text(_count(cell.passed), style=_STYLES["good"])
    yield Text(_count(cell.counts["unsupported"]), style=_STYLES["quiet"])
    yield Text(_count(cell.by_choice), style=_STYLES["quiet"])
    yield Text(_count(cell.known), style=_STYLES["quiet"])
    yield Text(_count(cell.findings), style=_STYLES["bad"] if cell.findings else "")
    yield Text(", ").join(_problems(cell))


def _problems(cell: Cell) -> Iterator[Text]:
    for verdict in worst_first(cell.counts):
        if verdict not in PASSED and verdict != "unsupported":
            known = describe(verdict)
            yield Text(f"{cell.counts[verdict]:,} {known.label}", style=_STYLES[known.tone])


def _count(count: int) -> str:
    return f"{count:,}" if count else "·"


def _features(report: Report) -> Table:
    table = _table("Features by share of failing cases (a case counts for every feature of its file)")
    table.add_column("feature", overflow="fold")
    table.add_column("engine", overflow="fold")
    table.add_column("pass", justify="right", no_wrap=True)
    table.add_column("worst", no_wrap=True)
    rows = [(key, cell) for key, cell in report.cells.items() if cell.findings]
    rows.sort(key=lambda row: (-row[1].failing, -row[1].findings, row[0]))
    for (feature, place), cell in rows[:FEATURES]:
        known = describe(cell.worst)
        worst = Text(known.label, style=_STYLES[known.tone])
        table.add_row(
            Text(feature), Text(report.engines[place].label), f"{cell.passed:,}/{cell.cases:,}", worst
        )
    if len(rows) > FEATURES:
        table.caption = f"and {len(rows) - FEATURES:,} more: see the HTML report"
        table.caption_justify = "left"
    return table


def _findings(report: Report) -> Iterator[RenderableType]:
    yield Text("Findings", style="italic")
    for finding in report.findings[:FINDINGS]:
        yield _finding(finding)
        if finding.gist:
            yield Text(f"      {finding.gist}", style="dim")
        if finding.basis:
            yield Text(f"      {finding.basis}", style="dim")
    if len(report.findings) > FINDINGS:
        yield Text(f"  and {len(report.findings) - FINDINGS:,} more: see the HTML report or findings.ndjson")


def _finding(finding: FindingSummary) -> Text:
    known = describe(finding.verdict)
    line = Text("  ").append(f"{finding.state}  " * bool(finding.state), style="italic")
    line.append(f"{finding.share}  " * bool(finding.share), style="italic")
    line.append(f"{finding.level}  " * (finding.level != MUST), style="italic")
    line.append(known.label, style=_STYLES[known.tone])
    line.append(f"  {finding.engine}  {finding.name}")
    return line.append(f"  and {finding.cases - 1:,} more") if finding.cases > 1 else line


def _contested(disputes: Disputes) -> Iterator[RenderableType]:
    yield Text(
        "Contested: engines disagree, nothing decides who is right, and no engine is blamed", style="italic"
    )
    for case in disputes.first[:CONTESTED]:
        yield Text(f"  {case.name}  {case.sides}")
        yield Text(f"      {case.why}", style="dim")
        if case.seen:
            yield Text(f"      {case.seen}", style="dim")
    if disputes.contested > CONTESTED:
        yield Text(f"  and {disputes.contested - CONTESTED:,} more: see the HTML report")


def _breaches(disputes: Disputes) -> Iterator[RenderableType]:
    yield Text("Files that break a rule, and were still read", style="italic")
    for breach in disputes.breaches[:CONTESTED]:
        writer = f"  {breach.writer}" if breach.writer else ""
        yield Text(f"  {breach.name}{writer}  breaks {', '.join(breach.rules)}")
    if disputes.read > CONTESTED:
        yield Text(f"  and {disputes.read - CONTESTED:,} more: see the HTML report")


def _fixed(history: History) -> Iterator[RenderableType]:
    yield Text(f"{history.summary}, {history.open:,} open", style="italic")
    for finding in history.fixed[:FINDINGS]:
        became = f", now fails with another signature: {finding.became}" if finding.became else ""
        yield Text(f"  fixed in {finding.version}  {finding.signature}{became}", style=_STYLES["good"])
    if len(history.fixed) > FINDINGS:
        yield Text(f"  and {len(history.fixed) - FINDINGS:,} more, in run.json")


def _last_line(report: Report) -> Text:
    findings, known = len(report.findings), report.total.known
    problems = f"{findings:,} finding{'s' * (findings != 1)}" if findings else "nothing unexpected"
    known_failures = f", {known:,} known failure{'s' * (known != 1)}" if known else ""
    scope = f"{report.cases:,} cases × {len(report.engines)} engines, {report.total.cases:,} results"
    known_failures += report.disputes.summary
    return Text(f"{scope}: {problems}{known_failures}", style=_STYLES["bad" if report.unexpected else "good"])
