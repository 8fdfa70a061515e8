"""The page's script, in a real browser: runs when COLCONF_BROWSER names a Chromium or Chrome."""

import os
import re
import subprocess

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.site.build import write as write_site
from reports.tests import sample, site_runs

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

READ = sum(row["outcome"] != "skipped" for row in sample.every_verdict())

pytestmark = pytest.mark.skipif(not BROWSER, reason="COLCONF_BROWSER names no browser")


def _page(tmp_path, rows, chosen=""):
    """Return the page's elements after its script ran, with the filter that `chosen` asks for."""
    file = tmp_path / "report.html"
    file.write_text(FORMATS["html"].render(build(load(sample.write(tmp_path, rows)))), "utf-8")
    address = f"{file.as_uri()}#cases?{chosen}" if chosen else file.as_uri()
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", address]
    return subprocess.run(command, capture_output=True, timeout=60, check=True).stdout.decode("utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the site of a small history."""
    folder = tmp_path_factory.mktemp("site")
    write_site([site_runs.write(folder / "runs")], None, folder / "out", ())
    return folder / "out"


def _site_page(site, tmp_path, address, width=1280):
    """Return a page of the site, opened from the disk, after its script ran without a message."""
    size = f"--window-size={width},800"
    flags = [*FLAGS, size, "--virtual-time-budget=3000", "--enable-logging=stderr"]
    command = [BROWSER, *flags, f"--user-data-dir={tmp_path / 'profile'}", f"{site.as_uri()}/{address}"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    assert b"CONSOLE" not in done.stderr, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ("q=files/page", 2),
        ("q=page/9&kind=case", 1),
        ("engine=pyarrow&kind=case&q=page", 1),
        ("q=nowhere", 0),
    ],
)
def test_search_of_the_site(chosen, count, site, tmp_path):
    """The address chooses what is listed, from data files that the page loads from the disk."""
    page = _site_page(site, tmp_path, f"search.html#{chosen}", 400)
    cases = re.findall(r'<a href="[^"]*" style="top', page)
    assert int(_count(page).partition(" of ")[0]) >= count
    assert bool(cases) == bool(count)
    assert len(re.findall(r'href="cases/files/page/\d+.html"', page)) == count
    assert "<img" not in page


def test_matrix_of_the_site_begins_with_the_newest_two(site, tmp_path):
    """Of an engine's releases the oldest is hidden at first, with its cells."""
    page = _site_page(site, tmp_path, "matrix.html")
    heads = re.findall(r'<th scope="col"[^>]*data-age="(\d+)"([^>]*)>', page)
    assert {(int(age) > 2) == ("hidden" in rest) for age, rest in heads} == {True}
    assert max(int(age) for age, _ in heads) > 2


def test_heads_of_tables_sort(site, tmp_path):
    """The script makes buttons of the heads of sortable tables, and the filter of a table appears."""
    page = _site_page(site, tmp_path, "findings.html")
    assert page.count('class="sorts"') == 7
    assert re.search(r'data-for="findings"(?! hidden)', page)


def _count(page):
    return re.search('id="count"[^>]*>([^<]*)<', page).group(1)


def test_findings_are_listed_first(tmp_path):
    """Without a filter the page lists the findings."""
    page = _page(tmp_path, sample.every_verdict())
    assert _count(page) == f"9 of {READ} results"
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
    assert _count(_page(tmp_path, sample.every_verdict(), chosen)) == f"{count} of {READ} results"


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
