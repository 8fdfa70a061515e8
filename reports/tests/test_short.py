"""SARIF, annotations, badges and messages: what the places that read them ask for."""

import json
import re
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from click.testing import CliRunner

from harness.judging.results import load
from reports.build import build
from reports.command import report
from reports.formats import FORMATS
from reports.tests import sample

TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
URI = {"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+$"}
# The objects of SARIF 2.1.0 that we use, with the members that the standard requires, and no others.
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": URI,
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {"type": "object", "required": ["driver"]},
                    "automationDetails": {"type": "object", "properties": {"id": {"type": "string"}}},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "artifacts": {
                        "type": "array",
                        "uniqueItems": True,
                        "items": {
                            "type": "object",
                            "properties": {
                                "location": {"type": "object", "properties": {"uri": URI}},
                                "hashes": {"additionalProperties": {"type": "string", "minLength": 1}},
                            },
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "locations": {"type": "array"},
                                "occurrenceCount": {"type": "integer", "minimum": 1},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                                "properties": {"type": "object"},
                            },
                        },
                    },
                },
            },
        },
    },
}


# The table of https://shields.io/badges/endpoint-badge; the named colors alone, of which we take two.
SHIELDS = {
    "type": "object",
    "required": ["schemaVersion", "label", "message"],
    "additionalProperties": False,
    "properties": {
        "schemaVersion": {"const": 1},
        "label": {"type": "string"},
        "message": {"type": "string", "minLength": 1},
        "color": {
            "enum": ["brightgreen", "green", "yellowgreen", "yellow", "orange", "red", "blue", "lightgrey"]
        },
        "labelColor": {"type": "string"},
        "isError": {"type": "boolean"},
        "namedLogo": {"type": "string"},
        "logoSvg": {"type": "string"},
        "logoColor": {"type": "string"},
        "logoSize": {"type": "string"},
        "style": {"enum": ["flat", "flat-square", "plastic", "for-the-badge", "social"]},
    },
}


@pytest.fixture
def model(tmp_path):
    """Return the model of a run with every verdict."""
    return build(load(sample.write(tmp_path, sample.every_verdict(), [sample.STALE])))


def test_sarif(model):
    """The log has a result per finding, with its file as artifact; its objects are those of the standard."""
    log = json.loads(FORMATS["sarif"].render(model))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    assert len(run["results"]) == len(model.findings)
    fingerprints = {result["partialFingerprints"]["signature/v1"] for result in run["results"]}
    assert len(fingerprints) == len({finding.signature for finding in model.findings})
    for result, finding in zip(run["results"], model.findings, strict=True):
        assert (
            run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == finding.verdict
        )
        (location,) = result["locations"]
        if finding.file:
            at = location["physicalLocation"]["artifactLocation"]
            assert run["artifacts"][at["index"]]["location"]["uri"] == at["uri"]
            assert at["uri"].endswith(finding.case.rpartition("/")[2] + ".parquet")
    assert any("physicalLocation" in result["locations"][0] for result in run["results"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**log, "version": "2.2"}, SARIF)


def test_hostile_text_stays_in_its_place(tmp_path):
    """No path leaves its URI, no line its annotation, and no text its element or its line of a message."""
    model = build(load(sample.write(tmp_path, sample.hostile())))
    jsonschema.validate(json.loads(FORMATS["sarif"].render(model)), SARIF)
    for line in FORMATS["github"].render(model).splitlines():
        assert re.fullmatch(r"::(error|warning|notice) (file=[^,:]*,)?title=[^,:]*::.*", line)
    badge = ET.fromstring(FORMATS["badge"].render(model))
    tags = {element.tag.rpartition("}")[2] for element in badge.iter()}
    assert tags == {"svg", "title", "rect", "g", "text"}
    assert not re.search(r"@[a-z]|<[!@#]", FORMATS["chat"].render(model))
    message = re.sub(r"(?s)(`+) .*? \1|(`+).*?\2", "", FORMATS["chat-markdown"].render(model))
    assert "<img" not in message
    assert "@everyone" not in message


def test_badges_say_what_the_exit_status_says(model, tmp_path):
    """Findings are red and counted; a run without is green."""
    shields = json.loads(FORMATS["shields"].render(model))
    jsonschema.validate(shields, SHIELDS)
    assert (shields["schemaVersion"], shields["message"], shields["color"]) == (
        1,
        f"{model.unexpected} findings",
        "red",
    )
    assert f"colconf: {model.unexpected} findings" in FORMATS["badge"].render(model)
    good = build(load(sample.write(tmp_path / "good", sample.every_verdict()[:3])))
    assert json.loads(FORMATS["shields"].render(good))["message"] == "nothing unexpected"
    assert FORMATS["chat"].render(good).startswith("colconf: nothing unexpected")


@pytest.mark.parametrize("name", ["chat", "chat-markdown"])
def test_a_message_has_ten_lines_at_most(name, model):
    """Five findings, and how many more there are."""
    lines = FORMATS[name].render(model).splitlines()
    assert len(lines) <= 10
    assert any(line.endswith(f"and {len(model.findings) - 5} more") for line in lines)


def test_annotations_are_bounded(model):
    """GitHub shows ten; the last line counts."""
    *_, last = FORMATS["github"].render(model).splitlines()
    assert last.startswith(f"::notice title=colconf::{model.unexpected} findings: ")


def test_junit_by_engine(model, tmp_path):
    """Each engine has a file of its own, with its cases alone; together they are the whole document."""
    out = sample.write(tmp_path / "run", sample.every_verdict())
    result = CliRunner().invoke(
        report, [str(out), "--format", "junit", "--by-engine", "--output", str(tmp_path / "junit")]
    )
    assert result.exit_code == 0, result.output
    suites = {file.name: ET.parse(file).getroot() for file in sorted((tmp_path / "junit").iterdir())}
    assert "junit-spark@4.3.0-vectorized=off.xml" in suites
    assert {suite[0].get("name") for suite in suites.values()} == {engine.label for engine in model.engines}
    whole = ET.fromstring(FORMATS["junit"].render(build(load(out))))
    assert sum(len(list(each.iter("testcase"))) for each in suites.values()) == len(
        list(whole.iter("testcase"))
    )
    assert CliRunner().invoke(report, [str(out), "--by-engine"]).exit_code == 2
