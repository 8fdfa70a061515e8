"""The report as JUnit XML, as CI systems read it: a test suite per engine, a test case per case.

Findings are failures (errors where the engine's process was lost); unsupported, known failures, and what a
history knows or calls flaky, are skipped. XML 1.0 cannot hold every character; the model's text is visible
already: escapes stand for what XML cannot hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from harness.history.records import FLAKY, KNOWN
from reports.verdicts import shown

if TYPE_CHECKING:
    from reports.model import CaseResult, Engine, Report

_EXPECTED = {KNOWN, FLAKY}


def render(report: Report) -> str:
    """Answer the report as an XML document."""
    root = ET.Element("testsuites", name="colconf")
    by_engine: list[list[CaseResult]] = [[] for _ in report.engines]
    for result in report.results:
        by_engine[result.engine].append(result)
    for engine, results in zip(report.engines, by_engine, strict=True):
        root.append(_suite(engine, results, report.run))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", f"{sum(result.seconds for result in report.results):.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(engine: Engine, results: list[CaseResult], run: dict[str, str]) -> ET.Element:
    suite = ET.Element("testsuite", name=engine.label)
    if run["started"]:
        suite.set("timestamp", run["started"])
    properties = ET.SubElement(suite, "properties")
    for name, value in (("run", run["id"]), ("colconf", run["colconf"]), ("runtime", engine.runtime)):
        ET.SubElement(properties, "property", name=name, value=value)
    cases = [_case(engine, result) for result in results]
    suite.extend(cases)
    suite.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{sum(result.seconds for result in results):.3f}")
    return suite


def _case(engine: Engine, result: CaseResult) -> ET.Element:
    case = ET.Element("testcase", name=result.case, classname=engine.label, time=f"{result.seconds:.3f}")
    known = shown(result.verdict)
    if result.state in _EXPECTED:
        message = f"{known.label} ({result.state}): {result.gist}"
        ET.SubElement(case, "skipped", message=message)
    elif result.finding:
        tag = "error" if known.tone == "fatal" else "failure"
        message = f"{known.label}: {result.gist}" if result.gist else known.label
        problem = ET.SubElement(case, tag, type=result.verdict, message=message)
        problem.text = _told(result, known.meaning)
    elif result.known is not None:
        message = " ".join(
            part for part in (known.label, "(known):", result.known.reason, result.known.url) if part
        )
        ET.SubElement(case, "skipped", message=message)
    elif result.verdict == "unsupported":
        message = f"{known.label}: {result.gist}" if result.gist else known.label
        ET.SubElement(case, "skipped", message=message)
    return case


def _told(result: CaseResult, meaning: str) -> str:
    lines = [meaning, f"file: {result.file}", f"sha256: {result.sha256}", f"outcome: {result.outcome}"]
    lines += [f"expectation {name}: {told}" for name, told in result.expectation.items()]
    if result.probe:
        lines.append(f"query: {result.probe}")
    if result.difference is not None:
        at = result.difference
        lines += [
            f"difference: {at.kind} at {at.path}",
            f"  expected {at.expected}",
            f"  got      {at.actual}",
        ]
    lines += [f"{name}: {told}" for name, told in result.error.items()]
    return "\n".join(lines)
