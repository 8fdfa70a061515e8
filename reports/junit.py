"""The report as JUnit XML for CI systems: a test suite per engine, a test case per case.

Findings are failures (errors where the engine's process was lost). Unsupported cases, known failures, and
findings that the history calls known or flaky are skipped. XML 1.0 cannot represent every character; in the
model's text escapes already stand for such characters.

A document is of both schemas that are published, that of Apache Ant's tasks and that of Jenkins: the counts
are those of the suites alone (the root of Ant's has no attributes), and a suite has Ant's required parts.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from corpora.cases import MUST
from harness.judging.wording import sides
from harness.listings.text import display_name
from harness.runs.history.records import EXPECTED
from reports.case_result import CaseResult
from reports.model import Engine, Report
from reports.verdicts import describe

_NOT_JUDGED = {"unsupported", "skipped", "not_asked", "refused_otherwise", "contested"}
_TAGS = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
_FILE = re.compile(r"[^A-Za-z0-9._@=]+")
_COUNTED = ("tests", *(name for name, _ in _TAGS))


def render(report: Report) -> str:
    """Return the report as an XML document; each case becomes text at once, because there are many."""
    return _document(report, _suites(report))


def by_engine(report: Report) -> dict[str, str]:
    """Return a document for each engine, by the name of its file."""
    names: dict[str, str] = {}
    for suite in _suites(report):
        name = _FILE.sub("-", suite.label).strip("-") or "engine"
        while f"junit-{name}.xml" in names:  # labels may differ in characters that names of files lack
            name += "_"
        names[f"junit-{name}.xml"] = _document(report, [suite])
    return names


def _suites(report: Report) -> list[_Suite]:
    suites = [_Suite(engine, report.run["level"]) for engine in report.engines]
    for result in report.results:
        suites[result.engine].add(result)
    return suites


def _document(report: Report, suites: list[_Suite]) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for number, suite in enumerate(suites):
        lines += suite.lines(report.run, number)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


class _Suite:
    """The cases of an engine, as lines."""

    def __init__(self, engine: Engine, level: str) -> None:
        self.counts = dict.fromkeys(_COUNTED, 0)
        self.seconds = 0.0
        self.label = engine.label
        self._engine = engine
        self._level = level
        self._cases: list[str] = []

    def add(self, result: CaseResult) -> None:
        case = _case(self._engine, result, self._level)
        self.counts["tests"] += 1
        for name, tag in _TAGS:
            self.counts[name] += case.find(tag) is not None
        self.seconds += result.seconds
        ET.indent(case, level=2)
        self._cases.append(f"    {_text(case)}")

    def lines(self, run: dict[str, str], number: int) -> Iterator[str]:
        suite = ET.Element("testsuite", name=self._engine.label, package="colconf", id=str(number))
        suite.set("hostname", "localhost")  # Ant's word where it is not told: reports name no machine
        suite.set("timestamp", _timestamp(run["started"]))
        for name in _COUNTED:
            suite.set(name, str(self.counts[name]))
        suite.set("time", f"{self.seconds:.3f}")
        properties = ET.Element("properties")
        values = {"run": run["id"], "colconf": run["colconf"], "runtime": self._engine.runtime}
        for name, value in values.items():
            ET.SubElement(properties, "property", name=name, value=value)
        ET.indent(properties, level=2)
        yield f"  {_opened(suite)}"
        yield f"    {_text(properties)}"
        yield from self._cases
        yield from ("    <system-out />", "    <system-err />")
        yield "  </testsuite>"


def _timestamp(started: str) -> str:
    """Return a time without its zone, which Ant's schema forbids: in UTC; the epoch for what is no time."""
    try:
        time = dt.datetime.fromisoformat(started)
    except ValueError:
        time = dt.datetime.fromtimestamp(0, tz=dt.UTC)
    return f"{time.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S}"


def _text(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode")


def _opened(element: ET.Element) -> str:
    """Return the tag that begins an element without content."""
    return _text(element).removesuffix(" />") + ">"


def _case(engine: Engine, result: CaseResult, level: str) -> ET.Element:
    name = display_name(result.case, result.file)
    case = ET.Element("testcase", name=name, classname=engine.label, time=f"{result.seconds:.3f}")
    known = describe(result.verdict)
    label = f"{known.label} in {result.share}" if result.share else known.label
    if result.level != MUST:
        label += f" ({result.level})"
    if result.state in EXPECTED or (result.finding and level == "must" and result.level != MUST):
        message = f"{label} ({result.state}): {result.gist}" if result.state else f"{label}: {result.gist}"
        ET.SubElement(case, "skipped", message=message)
    elif result.finding:
        tag = "error" if known.tone == "fatal" else "failure"
        message = f"{label}: {result.gist}" if result.gist else label
        problem = ET.SubElement(case, tag, type=result.verdict, message=message)
        problem.text = _description(result, known.meaning)
    elif result.known is not None:
        message = " ".join(
            part for part in (known.label, "(known):", result.known.reason, result.known.url) if part
        )
        ET.SubElement(case, "skipped", message=message)
    elif result.verdict in _NOT_JUDGED:
        message = f"{known.label}: {result.gist}" if result.gist else known.label
        ET.SubElement(case, "skipped", message=message)
    return case


def _description(result: CaseResult, meaning: str) -> str:
    lines = [meaning, f"file: {result.file}", f"sha256: {result.sha256}", f"outcome: {result.outcome}"]
    lines += [f"expectation {name}: {value}" for name, value in result.expectation.items()]
    if result.share:
        lines.append(f"intermittent: it showed in {result.share}")
    if result.probe:
        lines.append(f"query: {result.probe}")
    if result.difference is not None:
        at = result.difference
        before, behind = sides(result.verdict, at.kind)
        lines += [
            f"difference: {at.kind} at {at.path}",
            f"  {before:8} {at.expected}",
            f"  {behind:8} {at.actual}",
        ]
    lines += [f"{name}: {value}" for name, value in result.error.items()]
    return "\n".join(lines)
