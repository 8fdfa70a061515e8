"""The report as GitHub-flavoured Markdown, short enough for the summary of a pull request or a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from corpora.cases import MUST
from harness.listings.text import escaped
from reports.model import Cell, Report
from reports.verdicts import describe, worst_first

SKIPPED = 50
FINDINGS = 50  # a step summary is limited to 1 MiB; the HTML report lists all findings
_SIGNS = {"good": "✅", "fine": "☑️", "quiet": "⚪", "warn": "⚠️", "bad": "❌", "fatal": "💥"}


def render(report: Report) -> str:
    """Return the report as Markdown text."""
    parts = [
        _heading(report),
        "## Engines",
        *_engines(report),
        *_unavailable(report),
        *_not_asked(report),
        *_skipped(report),
        *_findings(report),
        *_choices(report),
        *_contested(report),
        *_breaches(report),
        *_fixed(report),
        *_matrix(report),
        _foot(report),
    ]
    return "\n\n".join(parts) + "\n"


def _heading(report: Report) -> str:
    findings, unexpected = len(report.findings), report.unexpected
    summary = f"**{findings:,} finding{'s' * (findings != 1)}**" if findings else "**Nothing unexpected**"
    if report.history:
        summary = f"{'' if unexpected else '**Nothing unexpected**: '}**{report.history.summary}**"
    known = report.total.known
    known_failures = f", {known:,} known failure{'s' * (known != 1)}" if known else ""
    return (
        f"# {_SIGNS['bad'] if unexpected else _SIGNS['good']} colconf\n\n"
        f"{summary}{known_failures}{report.disputes.summary} "
        f"in {report.cases:,} cases × {len(report.engines)} engines "
        f"({report.total.cases:,} results)."
    )


def _engines(report: Report) -> Iterator[str]:
    verdicts = worst_first(report.total.counts)
    rows = [
        [
            code(engine.label),
            *(
                f"{engine.total.counts[verdict]:,}" if engine.total.counts[verdict] else ""
                for verdict in verdicts
            ),
            f"{engine.total.cases:,}",
        ]
        for engine in report.engines
    ]
    yield table(["engine", *(_sign(verdict) for verdict in verdicts), "cases"], rows)


def _unavailable(report: Report) -> Iterator[str]:
    if report.unavailable:
        yield "Not available:"
        yield "\n".join(
            f"* {code(engine['engine'])}: {code(engine['reason'])}"
            + (f" → {code(engine['mend'])}" if engine["mend"] else "")
            for engine in report.unavailable
        )


def _not_asked(report: Report) -> Iterator[str]:
    if not report.not_asked:
        return
    rows = [[code(each["engine"]), code(each["question"]), code(each["reason"])] for each in report.not_asked]
    more = len(rows) - FINDINGS
    rest = f"\n\n… and {more:,} more: see `run.json`." if more > 0 else ""
    head = f"Not asked, because colconf cannot run these reads and queries with this version: {len(rows):,}"
    listed = table(["engine", "question", "reason"], rows[:FINDINGS])
    yield f"<details><summary>{head}</summary>\n\n{listed}{rest}\n\n</details>"


def _skipped(report: Report) -> Iterator[str]:
    if not report.skipped:
        return
    files = "\n".join(f"* {code(file.name)}: {code(file.reason)}" for file in report.skipped[:SKIPPED])
    more = len(report.skipped) - SKIPPED
    rest = f"\n* and {more:,} more" if more > 0 else ""
    head = f"Files not read: {len(report.skipped):,}"
    yield f"<details><summary>{head}</summary>\n\n{files}{rest}\n\n</details>"


def _findings(report: Report) -> Iterator[str]:
    if not report.findings:
        return
    yield "## Findings"
    if report.run["of_the_day"]:
        yield code(report.run["of_the_day"])
    rows = [
        [
            *([code(finding.state)] if report.history else []),
            _sign(finding.verdict),
            code(finding.engine),
            f"{finding.cases:,}",
            code(finding.name),
            " ".join(
                filter(
                    None,
                    (
                        finding.level if finding.level != MUST else "",
                        finding.share and f"in {finding.share}:",
                        code(finding.gist),
                        code(finding.basis),
                    ),
                )
            ),
        ]
        for finding in report.findings[:FINDINGS]
    ]
    heads = ["verdict", "engine", "cases", "smallest case", "what happened"]
    yield table(["state", *heads] if report.history else heads, rows)
    if len(report.findings) > FINDINGS:
        yield f"… and {len(report.findings) - FINDINGS:,} more: see the HTML report or `findings.ndjson`."


def _choices(report: Report) -> Iterator[str]:
    if not report.choices:
        return
    rows = [
        [code(choice.engine), f"{choice.cases:,}", code(choice.reason)]
        for choice in report.choices[:FINDINGS]
    ]
    more = len(report.choices) - FINDINGS
    rest = f"\n\n… and {more:,} more: see the HTML report." if more > 0 else ""
    head = f"Allowed refusals, of files and queries that may be read or refused: {report.total.by_choice:,}"
    body = table(["engine", "cases", "why both are right"], rows)
    yield f"<details><summary>{head}</summary>\n\n{body}{rest}\n\n</details>"


def _contested(report: Report) -> Iterator[str]:
    if not report.disputes.contested:
        return
    rows = [
        [code(case.name), code(case.sides), code(case.why), code(case.seen)]
        for case in report.disputes.first[:FINDINGS]
    ]
    more = report.disputes.contested - FINDINGS
    rest = f"\n\n… and {more:,} more." if more > 0 else ""
    why = "engines disagree, nothing decides who is right, and no engine is blamed"
    head = f"Contested ({why}): {report.disputes.contested:,}"
    body = table(["case", "votes", "why", "first difference"], rows)
    yield f"<details><summary>{head}</summary>\n\n{body}{rest}\n\n</details>"


def _breaches(report: Report) -> Iterator[str]:
    if not report.disputes.read:
        return
    rows = [
        [code(breach.name), code(breach.writer), code(", ".join(breach.rules))]
        for breach in report.disputes.breaches[:FINDINGS]
    ]
    more = report.disputes.read - FINDINGS
    rest = f"\n\n… and {more:,} more." if more > 0 else ""
    head = f"Files that break a rule, and were still read: {report.disputes.read:,}"
    body = table(["case", "writer", "rules"], rows)
    yield f"<details><summary>{head}</summary>\n\n{body}{rest}\n\n</details>"


def _fixed(report: Report) -> Iterator[str]:
    if not report.history or not report.history.fixed:
        return
    yield "## Fixed"
    fixed = report.history.fixed
    rows = [
        [
            code(finding.signature),
            code(finding.version),
            code(finding.case),
            code(finding.since),
            code(finding.became),
        ]
        for finding in fixed[:FINDINGS]
    ]
    yield table(["finding", "fixed in", "case", "first seen", "now fails with"], rows)
    if len(fixed) > FINDINGS:
        yield f"… and {len(fixed) - FINDINGS:,} more, in `run.json`."


def _matrix(report: Report) -> Iterator[str]:
    if not report.features:
        return
    rows = [
        [
            code(feature),
            *(_cell(report.cells.get((feature, place))) for place in range(len(report.engines))),
        ]
        for feature in report.features
    ]
    heads = ["feature", *(code(engine.label) for engine in report.engines)]
    yield (
        "<details><summary>Features × engines: worst verdict and cases that pass</summary>\n\n"
        f"{table(heads, rows)}\n\n</details>"
    )


def _cell(cell: Cell | None) -> str:
    return f"{_sign(cell.headline)} {cell.passed}/{cell.cases}" if cell else ""


def _foot(report: Report) -> str:
    facts = [f"run {code(report.run['id'])}", f"started {code(report.run['started'])}"]
    if report.run["colconf"]:
        facts.append(f"colconf {code(report.run['colconf'])}")
    return f"<sub>{', '.join(facts)}</sub>"


def _sign(verdict: str) -> str:
    known = describe(verdict)
    return f"{_SIGNS[known.tone]} {known.label}"


def code(text: str) -> str:
    """Return text that Markdown shows literally, on one line: no syntax, mention or link is left in it."""
    return f"<code>{escaped(' '.join(text.split()))}</code>" if text.strip() else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the caller has escaped the cells."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
