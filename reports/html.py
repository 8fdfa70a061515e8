"""The report as one self-contained HTML file, without external resources; only colconf's script runs in it.

File names, messages and values are hostile: the template escapes everything (autoescape), the page embeds the
cases as JSON that cannot end its element, the script writes text nodes only, and the content security
policy allows exactly this style and this script, by digest.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from corpora import known_failures
from corpora.features import registry
from corpora.findings import findings
from harness.judging.results import STALE
from harness.judging.verdicts import PASSED
from harness.listings.text import block, line
from harness.runs.history.records import EXPECTED, FIXED, STATES, UNEXPECTED
from reports import repeat
from reports.case_result import CaseResult
from reports.known import FindingIds
from reports.model import NO_FEATURE, Cell, Report
from reports.verdicts import VERDICTS, describe, worst_first

TEMPLATES = Path(__file__).with_name("templates")
MANY = 5_000  # with this many failing results messages are cut shorter, so that a browser can open the file
MESSAGE, MESSAGE_OF_MANY = 2_000, 400
LISTED = 50_000  # of more results, only the first that did not pass are listed


def render(report: Report) -> str:
    """Return the report as an HTML document."""
    script = asset("tables.js") + asset("report.js")
    listings = _listings(report)
    return page(
        "report.html",
        "report.css",
        report=report,
        script=Markup(script),  # noqa: S704 - our own file
        script_digest=digest(script),
        data=embedded(_data(report, listings)),
        verdicts=worst_first(report.total.counts),
        meanings=list(VERDICTS.values()),
        groups=_groups(report.features),
        describe=describe,
        bar=_bar,
        writers=sorted({writer for writer, _ in report.written}),
        percent=_percent,
        listings=listings,
        firsts=_firsts(listings),
        changes=_changes(report),
        states=STATES,
        expected=EXPECTED,
        counts=_counts,
        stale=STALE,
        listed=LISTED,
        unexpected=UNEXPECTED,
    )


def page(template: str, css: str, **values: Any) -> str:
    """Return a page of one of colconf's templates with one of its styles."""
    style = asset(css)
    values |= {"style": Markup(style), "style_digest": digest(style)}  # noqa: S704 - our own file
    return environment().get_template(template).render(values)


@cache
def environment() -> Environment:
    """Return the templates, which escape everything that is not marked as safe."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """Return the text of one of colconf's styles or scripts."""
    return (TEMPLATES / name).read_text("utf-8")


def digest(content: str) -> str:
    """Return the digest by which the content security policy allows a style or a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def embedded(data: Any) -> Markup:
    """Return `data` as JSON that cannot end or confuse a `<script type="application/json">` element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character of HTML's syntax is left


def _groups(features: list[str]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Return the rows of the matrix by the folder of their id: (id, last part, meaning)."""
    known = registry()
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for feature in features:
        folder, _, name = feature.rpartition("/")
        meaning = known[feature].text if feature in known else ""
        if feature == NO_FEATURE:
            meaning = "cases whose features are not known"
        groups.setdefault(folder, []).append((feature, name, meaning))
    return list(groups.items())


def _bar(cell: Cell) -> list[tuple[str, float]]:
    """Return the share of each tone in a cell in percent, the best first."""
    shares: dict[str, float] = {}
    for verdict in reversed(worst_first(cell.counts)):
        tone = describe(verdict).tone
        shares[tone] = shares.get(tone, 0.0) + 100 * cell.counts[verdict] / cell.cases
    return [(tone, round(share, 1)) for tone, share in shares.items()]


def _percent(cell: Cell) -> str:
    """Return the share of cases that passed in percent, rounded down: only all of them are 100."""
    return f"{int(1_000 * cell.passed / cell.cases) / 10:g} %"


class Listing(NamedTuple):
    """Known failures with the same reason, of one engine: the confirmed finding, "" if it is none.

    A confirmed finding has what FINDINGS.md says of it: symptom, versions, clause, script.
    """

    engine: str
    finding: str
    reason: str
    url: str
    cases: int
    symptom: str = ""
    versions: str = ""
    clause: str = ""
    script: str = ""


def _listings(report: Report) -> list[Listing]:
    """Return the known failures by finding, those with the most results first."""
    entries = known_failures.load()
    ids, confirmed = FindingIds(entries), {name: group[0] for name, group in findings(entries)}
    listings = []
    for (engine, known), count in report.known.items():
        name = ids.of(engine, known.reason)
        listing = Listing(engine, name, known.reason, known.url, count)
        if entry := confirmed.get(name):
            listing = listing._replace(
                symptom=line(entry.symptom),
                versions=entry.versions or "all",
                clause=line(entry.clause),
                script=block(entry.repro.strip(), None),
            )
        listings.append(listing)
    return sorted(listings, key=lambda listing: (-listing.cases, listing.engine, listing.reason))


def _firsts(listings: Sequence[Listing]) -> set[int]:
    """Return the places of the first listing of each finding, to which cases link."""
    places: dict[str, int] = {}
    for place, listing in enumerate(listings):
        places.setdefault(listing.finding, place)
    return set(places.values())


def _changes(report: Report) -> list[tuple[str, dict[str, int]]]:
    """Return for each engine its findings by state in the history, those that are fixed among them."""
    if report.history is None:
        return []
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for finding in report.findings:
        counts[finding.engine][finding.state] += bool(finding.state)
    for fixed in report.history.fixed:
        name = fixed.signature.partition(" | ")[0].partition(":")[0]
        counts[f"{name}@{fixed.version}" if fixed.version else name][FIXED] += 1
    return [(engine, dict(states)) for engine, states in sorted(counts.items()) if any(states.values())]


def _counts(cell: Cell) -> str:
    counts = (f"{cell.counts[verdict]:,} {describe(verdict).label}" for verdict in worst_first(cell.counts))
    return "; ".join(counts)


class _Strings:
    """A table that stores each text once: results repeat cases, messages and values by the thousand."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return place


def _listed(report: Report) -> Iterable[CaseResult]:
    """Return the results to list: all, or as many as a browser can open."""
    if report.total.cases <= LISTED:
        return report.results
    return islice((result for result in report.results if result.verdict not in PASSED), LISTED)


def _data(report: Report, listings: Iterable[Listing]) -> dict[str, Any]:
    """Return the data from which the script shows cases; texts are indexes into `strings`."""
    strings = _Strings()
    ids = {(each.engine, each.reason): each.finding for each in listings}
    failing = report.total.cases - report.total.passed
    limit = MESSAGE if failing < MANY else MESSAGE_OF_MANY
    cases: dict[tuple[int, ...], int] = {}
    expectations: dict[tuple[tuple[str, int], ...], int] = {}
    feature_sets: dict[tuple[int, ...], int] = {}
    results = []
    for result in _listed(report):
        expectation = tuple((name, strings(value)) for name, value in result.expectation.items())
        key = (
            strings(result.case),
            strings(result.sha256),
            strings(result.file),
            feature_sets.setdefault(tuple(map(strings, result.features)), len(feature_sets)),
            expectations.setdefault(expectation, len(expectations)),
            strings(repeat.command(result.case, result.file, result.format)),
            strings(repeat.check(result.file)),
        )
        at = result.difference
        more: dict[str, Any] = {
            "error": {name: strings(_cut(value, limit)) for name, value in result.error.items()},
            "difference": [strings(part) for part in (at.path, at.kind, at.expected, at.actual)]
            if at
            else None,
            "equivalences": [strings(name) for name in result.equivalences],
            "columns": [strings(feature) for feature in result.column_features],
            "probe": strings(result.probe) if result.probe else None,
            "known": [
                strings(result.known.reason),
                strings(result.known.url),
                strings(ids.get((report.engines[result.engine].name, result.known.reason), "")),
            ]
            if result.known
            else None,
            "gist": strings(result.gist) if result.gist else None,
        }
        results.append(
            [
                cases.setdefault(key, len(cases)),
                result.engine,
                strings(result.verdict),
                strings(result.outcome),
                int(result.finding),
                round(result.seconds, 4),
                result.peak_rss_bytes,
                {name: value for name, value in more.items() if value},
            ]
        )
    names = {verdict: describe(verdict) for verdict in worst_first(report.total.counts)}
    return {
        "verdicts": {name: [known.label, known.tone, known.meaning] for name, known in names.items()},
        "engines": [engine.label for engine in report.engines],
        "cases": list(cases),
        "features": list(feature_sets),
        "expectations": [dict(expectation) for expectation in expectations],
        "results": results,
        "strings": strings.texts,
    }


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"
