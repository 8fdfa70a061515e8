"""The report for a terminal: engines and their verdicts, features with problems, findings."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from reports.verdicts import PASSED, shown, worst_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from reports.model import Cell, Report

SUFFIX = ".txt"
WIDTH = 120  # when the text goes to a file
FINDINGS = 15
FEATURES = 30
_STYLES = {
    "good": "green",
    "fine": "cyan",
    "quiet": "dim",
    "warn": "yellow",
    "bad": "bold red",
    "fatal": "bold magenta",
}


def render(report: Report) -> str:
    """Answer the report as plain text without colours."""
    out = StringIO()
    Console(file=out, width=WIDTH, color_system=None, legacy_windows=False).print(view(report))
    return "\n".join(row.rstrip() for row in out.getvalue().splitlines()) + "\n"


def view(report: Report) -> Group:
    """Answer the report for a rich console."""
    return Group(*_parts(report))


def _parts(report: Report) -> Iterator[RenderableType]:
    yield _engines(report)
    for one in report.unavailable:
        mend = f"  ({one['mend']})" if one["mend"] else ""
        yield Text(f"not there: {one['engine']}: {one['reason']}{mend}", style="yellow")
    problems = [feature for feature in report.features if _has_problem(report, feature)]
    if problems:
        yield Text()
        yield _features(report, problems)
    if report.findings:
        yield Text()
        yield from _findings(report)
    yield Text()
    yield _last_line(report)


def _engines(report: Report) -> Table:
    verdicts = worst_first(report.total.counts)
    table = Table(title="Engines and verdicts", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("engine", overflow="fold")
    for verdict in verdicts:
        known = shown(verdict)
        table.add_column(Text(known.label, style=_STYLES[known.tone]), justify="right")
    table.add_column("cases", justify="right")
    for engine in report.engines:
        counts = engine.total.counts
        cells = [
            Text(f"{counts[verdict]:,}" if counts[verdict] else "·", style=_STYLES[shown(verdict).tone])
            for verdict in verdicts
        ]
        table.add_row(Text(engine.label), *cells, Text(f"{engine.total.cases:,}"))
    return table


def _has_problem(report: Report, feature: str) -> bool:
    cells = (report.cells.get((feature, place)) for place in range(len(report.engines)))
    return any(cell is not None and cell.findings for cell in cells)


def _features(report: Report, problems: list[str]) -> Table:
    more = len(problems) - FEATURES
    title = "Features with findings: passed/cases, and the worst verdict"
    caption = f"and {more} more features" if more > 0 else None
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("feature", overflow="fold")
    for engine in report.engines:
        table.add_column(Text(engine.label), overflow="fold")
    for feature in problems[:FEATURES]:
        cells = (_cell(report.cells.get((feature, place))) for place in range(len(report.engines)))
        table.add_row(Text(feature), *cells)
    return table


def _cell(cell: Cell | None) -> Text:
    if cell is None:
        return Text("")
    known = shown(cell.worst)
    told = f"{cell.passed}/{cell.cases}"
    return Text(told if cell.worst in PASSED else f"{told} {known.label}", style=_STYLES[known.tone])


def _findings(report: Report) -> Iterator[RenderableType]:
    yield Text("Findings", style="italic")
    for finding in report.findings[:FINDINGS]:
        known = shown(finding.verdict)
        line = Text("  ")
        line.append(known.label, style=_STYLES[known.tone])
        line.append(f"  {finding.engine}  {finding.case}")
        if finding.count > 1:
            line.append(f"  and {finding.count - 1:,} more")
        yield line
        if finding.gist:
            yield Text(f"      {finding.gist}", style="dim")
    if len(report.findings) > FINDINGS:
        yield Text(f"  and {len(report.findings) - FINDINGS:,} more findings: see report.html or findings.ndjson")


def _last_line(report: Report) -> Text:
    findings = len(report.findings)
    known = f", {report.total.known:,} known failures" if report.total.known else ""
    plural = "" if findings == 1 else "s"
    told = f"{findings:,} finding{plural}" if findings else "nothing unexpected"
    where = f"{report.cases:,} cases, {len(report.engines)} engines, {report.total.cases:,} results"
    return Text(f"{where}: {told}{known}", style=_STYLES["bad" if findings else "good"])
