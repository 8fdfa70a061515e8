"""What a history says shows in every format: new and back are failures, known and flaky are not."""

import json
from xml.etree import ElementTree as ET

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.tests import sample

FIXED = {"signature": "x | <b>", "version": "2", "case": "files/a", "since": "2026", "became": "y"}


def written(tmp_path, state):
    """Write results whose findings all have this state; return the model."""
    out = sample.write(tmp_path, sample.every_verdict())
    lines = [json.loads(line) for line in (out / "findings.ndjson").read_text().splitlines()]
    (out / "findings.ndjson").write_text(
        "".join(json.dumps({**line, "state": state, "since": "2026-01-01"}) + "\n" for line in lines)
    )
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text().splitlines()]
    for row in rows:
        for line in lines:
            if row["detail"]["finding"] and (row["case"], row["engine"]) == (line["case"], line["engine"]):
                row["detail"]["signature"] = line["signature"]
    (out / "results.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = json.loads((out / "run.json").read_text())
    counts = dict.fromkeys(("new", "regressed", "flaky", "known", "fixed", "stale"), 0) | {state: len(lines)}
    history = {"folder": "h", **counts, "open": 7, "fixed_findings": [FIXED]}
    (out / "run.json").write_text(json.dumps({**run, "history": history}))
    return build(load(out))


@pytest.mark.parametrize(("state", "unexpected"), [("new", True), ("regressed", True), ("known", False)])
def test_states_are_shown(tmp_path, state, unexpected):
    """Each format names state, counts and what is fixed, with its own syntax escaped."""
    report = written(tmp_path, state)
    assert (report.unexpected > 0) == unexpected
    for name in ("terminal", "markdown", "html"):
        made = FORMATS[name].render(report)
        assert f"{len(report.findings)} {state}" in made
        assert "files/a" in made or "files&#47;a" in made or name == "terminal"
        assert "x | <b>" not in made or name == "terminal"
        assert ("Nothing unexpected" in made) == (not unexpected) or name == "terminal"
    assert json.loads(FORMATS["json"].render(report))["history"]["counts"][state] == len(report.findings)


@pytest.mark.parametrize(("state", "fails"), [("new", True), ("flaky", False), ("known", False)])
def test_junit_fails_for_what_is_unexpected(tmp_path, state, fails):
    """A CI system that shows tests sees known and flaky findings as skipped."""
    root = ET.fromstring(FORMATS["junit"].render(written(tmp_path, state)))
    assert any(int(suite.get("failures")) + int(suite.get("errors")) for suite in root) == fails
