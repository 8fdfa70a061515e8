"""JUnit XML as CI systems read it."""

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from harness.judging.results import load
from reports import junit
from reports.build import build
from reports.tests import sample

# What the published schemas allow, as far as we use it: attributes, and children in order. The schemas
# themselves: test_published_schemas.py.
ALLOWED = {
    "testsuites": (set(), ["testsuite"]),
    "testsuite": (
        {
            *("name", "package", "id", "hostname", "timestamp"),
            *("tests", "failures", "errors", "skipped", "time"),
        },
        ["properties", "testcase", "system-out", "system-err"],
    ),
    "system-out": (set(), []),
    "system-err": (set(), []),
    "properties": (set(), ["property"]),
    "property": ({"name", "value"}, []),
    "testcase": ({"name", "classname", "time"}, ["skipped", "error", "failure"]),
    "skipped": ({"message"}, []),
    "failure": ({"type", "message"}, []),
    "error": ({"type", "message"}, []),
}


def _document(tmp_path):
    made = junit.render(build(load(sample.write(tmp_path, sample.every_verdict()))))
    return ET.fromstring(made.encode("utf-8"))


def test_elements_are_those_of_the_schema(tmp_path):
    """Every element has only the attributes and children that readers of JUnit XML know, in their order."""
    for element in _document(tmp_path).iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.keys()) <= attributes
        places = [children.index(child.tag) for child in element]
        assert places == sorted(places)


def test_counts_are_those_of_the_cases(tmp_path):
    """The counts of each suite are those of its cases; suites are numbered."""
    root = _document(tmp_path)
    assert [suite.get("id") for suite in root] == [str(number) for number in range(len(root))]
    for suite in root:
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name)) == len(list(suite.iter(tag)))
    assert sum(int(suite.get("failures")) for suite in root) > 0


def test_known_and_unsupported_are_skipped(tmp_path):
    """A known failure is skipped with its reason and address, as is what an engine does not support."""
    messages = [skipped.get("message") for skipped in _document(tmp_path).iter("skipped")]
    assert "refused valid (known): released in 27 https://example.org/issues/1" in messages
    assert "unsupported: NotImplementedError: encoding DELTA_BINARY_PACKED" in messages


def test_an_intermittent_finding_says_how_often_it_showed(tmp_path):
    """The failure of a finding that only some reads showed has the share, in its message and its text."""
    out = sample.write(tmp_path, [sample.row("files/geo", sample.PYARROW, "unstable", signature="s")])
    finding = json.loads((out / "findings.ndjson").read_text())
    (out / "findings.ndjson").write_text(json.dumps({**finding, "signature": "s", "failed": 1, "reads": 3}))
    failure = next(ET.fromstring(junit.render(build(load(out))).encode()).iter("failure"))
    assert failure.get("message") == "unstable in 1 of 3 reads"
    assert "intermittent: it showed in 1 of 3 reads" in failure.text.splitlines()


def test_a_limit_of_the_reference_is_skipped(tmp_path):
    """What our own reference did not read to its end is a skipped case with its reason."""
    row = sample.row(
        "a", sample.REFERENCE, "skipped", outcome="limited", finding=False, message="too many values"
    )
    skipped = next(ET.fromstring(junit.render(build(load(sample.write(tmp_path, [row]))))).iter("skipped"))
    assert skipped.get("message") == "skipped: too many values"


@pytest.mark.parametrize("must", [False, True])
def test_what_only_breaks_a_should(tmp_path, must):
    """It is named as such; with `--level must` it is skipped, like what a history knows."""
    row = sample.row("a", sample.PYARROW, "refused_valid", outcome="refused", level="SHOULD", message="no")
    wrong = sample.row("b", sample.PYARROW, "different", level="SHOULD")
    out = sample.write(tmp_path, [row, wrong])
    run = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps({**run, "asked": {"level": "must"} if must else {}}))
    root = ET.fromstring(junit.render(build(load(out))))
    messages = [element.get("message") for element in root.iter("skipped" if must else "failure")]
    assert messages[0] == "refused valid (SHOULD): no"
    suites = [suite for suite in root if suite.get("tests") != "0"]
    assert [(suite.get("failures"), suite.get("skipped")) for suite in suites] == [
        ("1", "1") if must else ("2", "0")
    ]


@pytest.mark.parametrize(
    ("verdict", "kind", "words"),
    [("different", "value", ("expected", "got")), ("unstable", "value", ("first", "then"))],
)
def test_two_answers_to_one_request_are_no_expectation(tmp_path, verdict, kind, words):
    """What an engine answered first is not called expected, in the failure's text and in its message."""
    difference = {"path": "column 'a', row 0", "kind": kind, "expected": "1", "actual": "2"}
    row = sample.row("files/a", 0, verdict, difference=difference)
    report = build(load(sample.write(tmp_path, [row])))
    (result,) = report.results
    assert result.gist == f"column 'a', row 0: value: {words[0]} 1, {words[1]} 2"
    text = junit.render(report)
    assert f"  {words[0]:8} 1\n  {words[1]:8} 2\n" in text


def test_a_test_of_a_users_file_has_its_path(tmp_path):
    """A file of a user is named by its path, as in the summary of a run; another case by its id."""
    results = load(sample.write(tmp_path, sample.every_verdict()))
    row = results.rows[0].with_detail(file="/data/a.parquet")
    rows = [replace(row, case="files/1234/a.parquet"), replace(row, case="parquet/a")]
    root = ET.fromstring(junit.render(build(replace(results, rows=rows))))
    assert [case.get("name") for case in root.iter("testcase")] == ["/data/a.parquet", "parquet/a"]


def test_whether_there_is_a_table_is_not_shown(tmp_path):
    """A report shows the texts of an expectation; that it has a table is for colconf alone."""
    results = load(sample.write(tmp_path, sample.every_verdict()))
    expectation = results.rows[0].detail.expectation._replace(has_table=True)
    report = build(replace(results, rows=[results.rows[0].with_detail(expectation=expectation)]))
    (result,) = report.results
    assert result.expectation
    assert "has_table" not in result.expectation
