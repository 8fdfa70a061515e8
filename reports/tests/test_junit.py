"""JUnit XML as CI systems read it."""

from xml.etree import ElementTree as ET

from harness.judging.results import load
from reports import junit
from reports.build import build
from reports.tests import sample

# What the schema that Jenkins publishes allows, as far as we use it: attributes, and children in order.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, ["testsuite"]),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        ["properties", "testcase"],
    ),
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
    """The counts of each suite, and of the whole, are what is in it."""
    root = _document(tmp_path)
    for suite in (root, *root):
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name)) == len(list(suite.iter(tag)))
    assert root.get("failures") != "0"


def test_known_and_unsupported_are_skipped(tmp_path):
    """A known failure is skipped with its reason and address, as is what an engine does not support."""
    messages = [skipped.get("message") for skipped in _document(tmp_path).iter("skipped")]
    assert "refused valid (known): released in 27 https://example.org/issues/1" in messages
    assert "unsupported: NotImplementedError: encoding DELTA_BINARY_PACKED" in messages
