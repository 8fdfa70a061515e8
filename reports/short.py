"""Short forms of a report: annotations of GitHub, a badge, and a message of ten lines for a chat."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import escape

from corpora.cases import MUST
from harness.listings.text import code, plain
from harness.runs.history.records import EXPECTED
from reports.model import FindingSummary, Report
from reports.verdicts import describe

# GitHub shows ten annotations of each kind for a step:
# https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
_ANNOTATIONS = 10
_FINDINGS = 5  # of a message, which has ten lines at most
_CHARACTER = 6.6  # pixels, on average, of Verdana at 11 pixels
_NAMES_PEOPLE = re.compile(r"@(?=[^\W\d])|<(?=[!@#])")  # @everyone, <!channel>, <@U024BE7LH>
_UNREAD = {"@": "\uff20", "<": "\u2039"}  # look alike, and call nobody
_GREEN, _RED = "#4c1", "#e05d44"


def github(report: Report) -> str:
    """Return workflow commands of GitHub Actions, which annotate a commit when a step prints them."""
    lines = [_annotation(finding) for finding in report.findings[:_ANNOTATIONS]]
    if (more := len(report.findings) - _ANNOTATIONS) > 0:
        lines.append(f"::notice title=colconf::and {more:,} more findings")
    lines.append(f"::notice title=colconf::{_data(f'{headline(report)}: {_counts(report)}')}")
    return "\n".join(lines) + "\n"


def _annotation(finding: FindingSummary) -> str:
    kind = "warning"
    if finding.state in EXPECTED:
        kind = "notice"
    elif finding.level == MUST:
        kind = "error"
    title = _property(f"{finding.engine}: {describe(finding.verdict).label}")
    file = f"file={_property(finding.file)}," if finding.file else ""
    text = f"{finding.name}: {finding.gist}" if finding.gist else finding.name
    return f"::{kind} {file}title={title}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def shields(report: Report) -> str:
    """Return the JSON of an endpoint badge: https://shields.io/badges/endpoint-badge."""
    badge_fields = {
        "schemaVersion": 1,
        "label": "colconf",
        "message": headline(report),
        "color": "red" if report.unexpected else "brightgreen",
        "isError": bool(report.unexpected),
    }
    return json.dumps(badge_fields, indent=2) + "\n"


def badge(report: Report) -> str:
    """Return a badge as SVG, whose text a screen reader has as its title."""
    label, message = "colconf", headline(report)
    left, right = (round(len(text) * _CHARACTER) + 12 for text in (label, message))
    color = _RED if report.unexpected else _GREEN
    title = escape(f"{label}: {message}")
    texts = "".join(
        f'<text x="{middle}" y="14">{escape(text)}</text>'
        for middle, text in ((left / 2, label), (left + right / 2, message))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{left}" height="20" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{color}"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{texts}</g></svg>\n"
    )


def chat(report: Report) -> str:
    """Return a message of at most ten lines, as text."""
    return "\n".join(_message(report, _uncalled, _uncalled, "•")) + "\n"


def _uncalled(text: str) -> str:
    """Return a text in which a chat that reads mentions out of any text finds none."""
    return _NAMES_PEOPLE.sub(lambda mark: _UNREAD[mark[0]], text)


def chat_markdown(report: Report) -> str:
    """Return a message of at most ten lines, as Markdown."""
    return "\n".join(_message(report, code, plain, "-")) + "\n"


def _message(
    report: Report, name: Callable[[str], str], text: Callable[[str], str], bullet: str
) -> Iterator[str]:
    strong = "" if name is _uncalled else "**"
    yield f"{strong}colconf: {headline(report)}{strong} ({text(report.run['started'])})"
    yield text(_counts(report))
    if report.history:
        yield text(f"history: {report.history.summary}")
    for finding in report.findings[:_FINDINGS]:
        gist = f": {text(finding.gist)}" if finding.gist else ""
        verdict = describe(finding.verdict).label
        yield f"{bullet} {name(finding.engine)} {verdict} {name(finding.name)}{gist}"
    if (more := len(report.findings) - _FINDINGS) > 0:
        yield f"{bullet} and {more:,} more"
    if report.unavailable:
        absent = ", ".join(engine["engine"] for engine in report.unavailable)
        yield text(f"not run: {absent}")


def headline(report: Report) -> str:
    """Return the meaning of the exit status in words."""
    count = report.unexpected
    return f"{count:,} finding{'s' * (count != 1)}" if count else "nothing unexpected"


def _counts(report: Report) -> str:
    known = report.total.known
    failures = f", {known:,} known failure{'s' * (known != 1)}" * bool(known)
    engines = f"{len(report.engines)} engine{'s' * (len(report.engines) != 1)}"
    results = f"{report.cases:,} cases, {report.total.cases:,} results of {engines}"
    return f"{results}{failures}{report.disputes.summary}"
