"""The pages in a real browser: scripts, keyboard, print, both themes, narrow windows, accessibility.

Skipped without Chromium and chromedriver, see `reports.tests.browser`.
"""

from urllib.parse import urlencode

import pytest

from harness.judging.results import load
from reports.build import build
from reports.formats import FORMATS
from reports.site.build import write as write_site
from reports.tests import sample, site_runs
from reports.tests.browser import AXE, BROWSER, DRIVER, Browser
from reports.tests.test_upgrade import CAUSE, account, group
from reports.upgrade import build as build_upgrade
from reports.upgrade import render_html

READ = sum(row["outcome"] != "skipped" for row in sample.every_verdict())
LOOKS = {"wide": (1280, 800, "light"), "narrow": (400, 800, "dark")}
SITE = (
    "index.html",
    "matrix.html",
    "findings.html",
    "status.html",
    "rules.html",
    "runs.html",
    "search.html",
    "engines/pyarrow.html",
    "features/parquet/encoding/byte-stream-split.html",
    "rules/*.html",
    "cases/files/page/10.html",
    "findings/*.html",
    "runs/20250103-030405-abcdef.html",
)
PAGES = ("report.html", "hostile.html", "upgrade.html", "causes.html", *(f"site/{name}" for name in SITE))

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium, or no chromedriver, in PATH"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Return a browser."""
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def _write_report(folder, name, rows):
    """Write the report of a run with these rows."""
    (folder / f"{name}-run").mkdir()
    report = build(load(sample.write(folder / f"{name}-run", rows)))
    (folder / f"{name}.html").write_text(FORMATS["html"].render(report), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    _write_report(folder, "report", sample.every_verdict())
    _write_report(folder, "hostile", sample.hostile())
    (folder / "upgrade.html").write_text(render_html(build_upgrade(account())), "utf-8")
    option = {**CAUSE, "option": f"spark.sql.{'veryLongName' * 9}=true"}
    groups = [group("rows", "regressed", causes=[option], folder=f"cases/{at}") for at in range(2)]
    (folder / "causes.html").write_text(render_html(build_upgrade(account(groups=groups))), "utf-8")
    write_site([site_runs.write(folder / "runs")], None, folder / "site", ())
    return folder


@pytest.fixture
def page(browser, folder):
    """Return a function that opens a page; afterwards the console must have said nothing."""

    def opened(name, chosen="", look=LOOKS["wide"]):
        browser.look(*look)
        file = next(iter(sorted(folder.glob(name))))
        browser.open(f"{file.as_uri()}{chosen}")
        return browser

    browser.messages()
    yield opened
    assert browser.messages() == []


_INK = """
const probe = document.createElement("p");
document.body.append(probe);
return getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).map(Number);
"""
_CUT_OFF = """
const boxes = [...document.querySelectorAll(".scroll, .tall, pre, .parts, .dump")];
return boxes.filter((box) => getComputedStyle(box).maxHeight !== "none").length;
"""
_FOLDED = """
const folded = [...document.querySelectorAll("main details:not([open]) > :not(summary)")];
return folded.filter((part) => !part.closest("[hidden]") && !part.checkVisibility()).length;
"""
_ENGINES = "return [...document.querySelectorAll('#engines tbody .name')].map((name) => name.textContent)"
_AGES = """
const heads = [...document.querySelectorAll("#matrix thead th[data-age]")];
return heads.filter((head) => head.checkVisibility()).map((head) => Number(head.dataset.age));
"""


_COLUMNS = """
const heads = [...document.querySelectorAll("#matrix thead th[data-age]")];
return heads.filter((head) => head.checkVisibility()).map((head) => head.querySelector(".name").textContent);
"""
_FEATURES = """
const rows = [...document.querySelectorAll("#matrix tbody tr")];
return rows.filter((row) => row.checkVisibility()).map((row) => row.dataset.text);
"""


def _choose(browser, name, value):
    """Choose a value of a list of a form, as a user does."""
    browser.js(
        "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
        "list.dispatchEvent(new Event('input', { bubbles: true }))",
        name,
        value,
    )


def _until(browser, expression):
    """Wait until an expression of the page is true."""
    assert browser.js(
        f"return new Promise((done) => {{ let left = 400; const look = () => "
        f"({expression}) ? done(true) : --left ? setTimeout(look, 25) : done(false); look(); }})"
    ), expression


# -- every page, wide and narrow, light and dark -----------------------------------------------------------


@pytest.mark.sweep(8)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_page_fits_its_window(name, look, page):
    """Nothing is wider than the window: what is wide scrolls in its own box. The theme is the chosen one."""
    shown = page(name, look=LOOKS[look])
    width, inner = shown.js("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner
    assert (sum(shown.js(_INK)) > 384) == (LOOKS[look][2] == "dark")


@pytest.mark.skipif(not AXE, reason="COLCONF_AXE names no axe.min.js")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible(name, look, page):
    """axe-core finds nothing: names, roles, contrast, order of headings, regions that scroll."""
    shown = page(name, look=LOOKS[look])
    shown.js("for (const folded of document.querySelectorAll('details')) folded.open = true")
    assert shown.violations() == []


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", PAGES)
def test_page_prints(name, page):
    """What is folded is printed, filters and the search are not, and nothing is cut off at the right."""
    shown = page(name)
    shown.look(760, 1000, media="print")
    assert shown.count("form, .controls, nav") == 0
    assert shown.js(_CUT_OFF) == 0
    assert shown.js(_FOLDED) == 0


@pytest.mark.parametrize("name", ["report.html", "upgrade.html", "site/cases/files/page/10.html"])
def test_page_becomes_a_pdf(name, page):
    """The browser prints the page into a file."""
    assert page(name).pdf().startswith(b"%PDF")


# -- the report of a run -----------------------------------------------------------------------------------


def test_findings_are_listed_first(page):
    """Without a filter the page lists the findings."""
    report = page("report.html")
    assert report.text("#count") == f"9 of {READ} results"
    assert report.count(".result") == 9


@pytest.mark.sweep(3)
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
def test_filter(chosen, count, page):
    """The address chooses what is listed: verdict, engine, feature, text."""
    assert page("report.html", f"#cases?{chosen}").text("#count") == f"{count} of {READ} results"


def test_a_cell_opens_its_cases(page):
    """A click on a cell of the matrix lists its cases alone; Back undoes it."""
    report = page("report.html")
    before = report.text("#count")
    cases = report.js("return document.querySelector('#matrix button.bad .share').textContent").split("/")[1]
    report.click("#matrix button.bad")
    _until(report, "location.hash.startsWith('#cases?')")
    assert report.text("#count").split(" of ")[0] == cases
    assert report.js("return document.getElementById('cases').getBoundingClientRect().top") < 200
    report.back()
    _until(report, "!location.hash")
    assert report.text("#count") == before


def test_the_keyboard_opens_a_cell_and_a_case(page):
    """Tab reaches the cells, Enter opens one, Space unfolds a case; who stands where is seen."""
    report = page("report.html")
    report.js("document.querySelector('#feature-problems').focus()")
    report.press("Tab")
    while report.js("return !document.activeElement.matches('#matrix button')"):
        report.press("Tab")
    assert report.js("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    report.press("Enter")
    _until(report, "location.hash.startsWith('#cases?')")
    report.js("document.querySelector('#f-reset').focus()")
    before = report.js("return document.querySelector('.result').open")
    report.press("Tab", "Space")
    _until(report, f"document.querySelector('.result').open === {str(not before).lower()}")
    assert "expectation" in report.text(".result .body")


def test_heads_of_the_report_sort(page):
    """A click on a head sorts the engines by it, a second one the other way round."""
    report = page("report.html")
    report.click("#engines thead th button")
    rising = report.js(_ENGINES)
    assert rising == sorted(rising)
    report.click("#engines thead th button")
    assert report.js(_ENGINES) == sorted(rising, reverse=True)


def test_hostile_text_is_drawn_as_text(page):
    """What the script draws from hostile data is text: no element of it, and no address of a script."""
    report = page("hostile.html", "#cases?verdict=different")
    assert report.text("#count") == "1 of 2 results"
    assert report.count(".result .facts") == 1
    assert report.js("return [document.images.length, document.scripts.length]") == [0, 2]
    assert report.js("return document.querySelectorAll('a[href^=javascript]').length") == 0


@pytest.mark.heavy
def test_many_results_are_drawn_on_demand(page, folder):
    """Of 12,000 results a hundred are drawn at first, and a hundred more on demand."""
    _write_report(folder, "many", sample.many(12_000))
    report = page("many.html", "#cases?engine=1")
    assert report.text("#count") == "2,000 of 12,000 results"
    assert report.count(".result") == 100
    report.click("#more")
    assert report.count(".result") == 200


# -- the site ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ("q=files/page", 2),
        ("q=page/9&kind=case", 1),
        ("engine=pyarrow&kind=case&q=page", 1),
        ("q=nowhere", 0),
    ],
)
def test_search_of_the_site(chosen, count, page):
    """The address chooses what is listed, from data files that the page loads from the disk."""
    site = page("site/search.html", f"#{chosen}", LOOKS["narrow"])
    _until(site, "!count.textContent.endsWith('loading') && count.textContent")
    assert int(site.text("#count").partition(" of ")[0]) >= count
    assert site.count("#rows a[href*='cases/files/page/']") == count
    assert site.js("return document.images.length") == 0


def test_search_takes_names_as_the_formats_write_them(page):
    """A query with underscores finds the feature whose name has dashes."""
    site = page("site/search.html", "#q=encoding/BYTE_STREAM_SPLIT&kind=feature", LOOKS["narrow"])
    _until(site, "!count.textContent.endsWith('loading') && count.textContent")
    assert site.text("#count").startswith("1 of ")


@pytest.mark.parametrize(
    ("query", "kinds", "hint"),
    [
        ("pyarrow BYTE_STREAM_SPLIT page", {"feature"}, ""),
        ("pyarrow files/page/9", {"case"}, ""),
        ("files/page unheard-of", {"case"}, "these have 1 of the 2"),
        ("losing", {"finding"}, "similar"),
        ("nowhere", set(), "try fewer or other ones"),
    ],
)
def test_a_search_that_finds_nothing_says_what_to_do(query, kinds, hint, page):
    """An engine's name leaves out no case, a feature has the words of its cases, similar words are shown."""
    site = page("site/search.html", f"#{urlencode({'q': query})}", LOOKS["narrow"])
    _until(site, "!count.textContent.endsWith('loading') && count.textContent")
    text = site.text("#count")
    assert hint in text
    assert bool(hint) == ("No page has all of these words" in text)
    script = "return [...document.querySelectorAll('#rows .kind')].map((kind) => kind.textContent.trim())"
    found = set(site.js(script))
    assert found >= kinds
    assert bool(found) == bool(kinds)


def test_the_keyboard_searches_the_site(page):
    """Enter in the search of a page searches; Down goes to the first match and the next, Enter opens it."""
    site = page("site/index.html")
    site.js("document.querySelector('form.find input').focus()")
    site.press("files/page", "Enter")
    _until(
        site, "location.pathname.endsWith('search.html') && document.querySelectorAll('#rows a').length >= 2"
    )
    site.js("document.querySelector('#rows').focus()")
    site.press("Down", "Down")
    assert site.js("return document.activeElement === document.querySelectorAll('#rows a')[1]")
    target = site.js("return document.activeElement.href")
    site.press("Enter")
    _until(site, "!location.pathname.endsWith('search.html')")
    assert site.js("return location.href") == target


def test_back_undoes_a_filter_of_the_search(page):
    """A choice is a step of the browser's history."""
    site = page("site/search.html", "#q=page")
    _until(site, "!count.textContent.endsWith('loading') && count.textContent")
    before = site.text("#count")
    _choose(site, "[name=kind]", "case")
    assert site.text("#count") != before
    site.back()
    _until(site, f"count.textContent === '{before}'")


def test_matrix_of_the_site_begins_with_the_newest_two(page):
    """Of an engine's releases the oldest is hidden at first, with its cells; a choice shows it."""
    site = page("site/matrix.html")
    assert set(site.js(_AGES)) == {1, 2}
    _choose(site, "[data-filter=columns]", "all")
    assert max(site.js(_AGES)) > 2


def test_matrix_leaves_out_versions_without_an_answer(page, folder):
    """A format of which a version answers nothing hides its column; all formats show it."""
    rows = [
        sample.row("a", sample.PYARROW, "agree", features=("parquet/page/v1",)),
        {**sample.row("b", sample.SPARK_ON, "agree", features=("orc/type/date",)), "format": "orc"},
        sample.row("c", sample.PYARROW, "not_asked", features=("parquet/page/v2",), outcome="skipped"),
    ]
    (folder / "formats-run").mkdir()
    write_site([sample.write(folder / "formats-run", rows)], None, folder / "formats", ())
    site = page("formats/matrix.html")
    assert site.js(_COLUMNS) == ["pyarrow"]
    assert site.js(_FEATURES) == ["parquet/page/v1"]
    _choose(site, "[data-field=format]", "orc")
    assert site.js(_COLUMNS) == ["spark"]
    _choose(site, "[data-field=format]", "")
    assert site.js(_COLUMNS) == ["pyarrow", "spark"]
    assert len(site.js(_FEATURES)) == 2


def test_findings_are_filtered_by_field_and_word(page):
    """A choice and a word of the symptom leave the findings that have both, and their number is told."""
    site = page("site/findings.html")
    every = site.text("[data-count]")
    _choose(site, "[data-field=engine]", "pyarrow")
    _choose(site, "[data-filter=rows]", "rows lost")
    assert site.text("[data-count]") == f"1 of {every.partition(' of ')[2]}"
    _choose(site, "[data-field=kind]", "confirmed")
    assert site.text("[data-count]").startswith("0 of ")


def test_a_wide_drawing_begins_with_the_newest_run(page):
    """In a narrow window, the end of the drawing is seen first."""
    site = page("site/index.html", look=LOOKS["narrow"])
    left, rest = site.js(
        "const box = document.querySelector('.scroll-x');"
        "return [box.scrollLeft, box.scrollWidth - box.clientWidth]"
    )
    assert left > 0
    assert abs(left - rest) <= 1


def test_heads_of_the_site_sort(page):
    """The script makes buttons of the heads of sortable tables, and the filter of a table appears."""
    site = page("site/findings.html")
    assert site.count("#findings th.sorts button") == 7
    assert site.count("form[data-for=findings]") == 1
    site.click("#findings th.sorts button")
    names = site.js("return [...document.querySelectorAll('#findings tbody a')].map((e) => e.textContent)")
    assert site.js("return document.querySelector('#findings th').ariaSort") == "ascending"
    assert names


def test_a_link_to_a_folded_part_opens_it(page):
    """The sentence on a release leads to its cases, unfolded."""
    site = page("site/engines/pyarrow.html")
    site.click("td.words a[href^='#release']")
    _until(site, "document.querySelector('details.release:target').open")


# -- the report of an upgrade ------------------------------------------------------------------------------


def test_filters_of_the_upgrade(page):
    """A choice hides other differences, opens the frames of those that stay, and says how many there are."""
    upgrade = page("upgrade.html")
    _choose(upgrade, "[name=right]", "improved")
    assert upgrade.count("details.group[data-right=improved]") == 1
    assert upgrade.count("details.group[data-right=regressed]") == 0
    assert upgrade.text("#count") == "1 of 3 differences"
