"""The page's script, in a real browser: runs when COLCONF_BROWSER names a Chromium or Chrome."""

import os
import re
import subprocess

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.tests import sample

BROWSER = os.environ.get("COLCONF_BROWSER")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--dump-dom",
]

pytestmark = pytest.mark.skipif(not BROWSER, reason="COLCONF_BROWSER names no browser")


def _page(tmp_path, rows, chosen=""):
    """Return the page's elements after its script ran, with the filter that `chosen` asks for."""
    file = tmp_path / "report.html"
    file.write_text(FORMATS["html"].render(build(load(sample.write(tmp_path, rows)))), "utf-8")
    address = f"{file.as_uri()}#cases?{chosen}" if chosen else file.as_uri()
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", address]
    return subprocess.run(command, capture_output=True, timeout=60, check=True).stdout.decode("utf-8")


def _count(page):
    return re.search('id="count"[^>]*>([^<]*)<', page).group(1)


def test_findings_are_listed_first(tmp_path):
    """Without a filter the page lists the findings."""
    page = _page(tmp_path, sample.every_verdict())
    assert _count(page) == "9 of 25 results"
    assert page.count('class="result"') == 9


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ("verdict=different", 2),
        ("verdict=!known", 1),
        ("engine=4", 4),
        ("feature=parquet/page/v1&verdict=hung", 1),
        ("feature=(no feature)", 1),
        ("text=SIGSEGV", 1),
        ("text=no such text", 0),
    ],
)
def test_filter(chosen, count, tmp_path):
    """The address chooses what is listed: verdict, engine, feature, text."""
    assert _count(_page(tmp_path, sample.every_verdict(), chosen)) == f"{count} of 25 results"


def test_hostile_text_is_drawn_as_text(tmp_path):
    """What the script draws from hostile data is text: no element of it, and no address of a script."""
    page = _page(tmp_path, sample.hostile(), "verdict=different")
    assert _count(page) == "1 of 2 results"
    assert 'class="facts"' in page
    assert "<img" not in page
    assert page.count("<script") == 2
    assert 'href="javascript' not in page


def test_many_results_are_drawn_on_demand(tmp_path):
    """Of 50,000 results a hundred are drawn at first."""
    page = _page(tmp_path, sample.many(50_000), "engine=1")
    assert _count(page) == "8,333 of 49,998 results"
    assert page.count('class="result"') == 100
