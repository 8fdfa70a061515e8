"""Hostile file names, messages and values do not break out of any format."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.html import embedded
from reports.tests import sample


@pytest.fixture
def model(tmp_path):
    """Return the model of a run in which every text is hostile."""
    return build(load(sample.write(tmp_path, sample.hostile())))


class Page(HTMLParser):
    """The elements of a page and what its scripts hold."""

    def __init__(self, content):
        """Read the page."""
        super().__init__()
        self.elements, self.scripts = [], []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        """Note the content of a script."""
        if self.elements and self.elements[-1][0] == "script":
            self.scripts[-1] += data


def test_html_holds_only_our_elements(model):
    """No element, attribute or script of the page comes from the data, and none loads anything."""
    page = Page(FORMATS["html"].render(model))
    assert len(page.scripts) == 2
    assert "img" not in {tag for tag, _ in page.elements}
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert not {"src", "srcset", "data", "action"} & set(attributes), tag
        assert attributes.get("href", "#").startswith("#")
        assert "style" not in attributes


def test_html_data_is_whole(model):
    """The embedded cases are JSON, and their texts are those of the model."""
    data = json.loads(Page(FORMATS["html"].render(model)).scripts[0])
    assert model.results[0].case in data["strings"]
    assert len(data["results"]) == 2


def test_html_policy_names_exactly_our_script(model):
    """The content security policy allows the page's own script and style by digest, and nothing else."""
    content = FORMATS["html"].render(model)
    policy = dict(Page(content).elements)["meta"]["content"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@pytest.mark.parametrize("told", ["</script>", "<!--<script>", "]]>", "\u2028", "\udcff", "&lt;"])
def test_embedded_json_has_no_syntax_of_html(told):
    """Nothing that ends or confuses a script element is left, and JSON gives the text back."""
    made = embedded({"told": told})
    assert not re.search("[<>&\u2028\ud800-\udfff]", made)
    assert json.loads(made) == {"told": told}


def test_junit_is_xml(model):
    """What XML 1.0 cannot hold is escaped; the document parses and the counts are right."""
    root = ET.fromstring(FORMATS["junit"].render(model).encode("utf-8"))
    failure = root.find(".//failure[@type='different']")
    assert "\\x00\\x1b[31m\\u202e\\udcff" in failure.get("message")
    assert sum(int(suite.get("tests")) for suite in root) == 2


def test_markdown_shows_text_as_text(model):
    """No tag, no cell, no mention, no link and no code comes from the data."""
    made = FORMATS["markdown"].render(model)
    assert set(re.findall(r"</?(\w+)", made)) == {"code", "details", "summary", "sub"}
    for code in re.findall("<code>(.*?)</code>", made):
        assert not set(code) & set("|`@*[]<>")
    widths = {row.count("|") for row in made.splitlines() if row.startswith("| ")}
    assert widths <= {4, 5, 6, 8}  # not asked: 3 columns, engines: 4, findings: 5, matrix: 7


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_bounded_plain_utf8(name, model):
    """A message of 100,000 characters does not make a large report, and no control character is left."""
    made = FORMATS[name].render(model)
    assert len(made.encode("utf-8")) < 100_000
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", made)
