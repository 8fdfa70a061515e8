"""The site of a small history: what its pages say, that links lead to pages, that hostile text stays text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from click.testing import CliRunner

from corpora.known_failures import Entry
from harness.investigate.findings.upstream import State
from harness.investigate.findings.upstream import read as read_states
from harness.listings import Listed
from reports.site import addresses
from reports.site.build import write
from reports.site.change_point import pettitt
from reports.site.collect import collect, folders_of
from reports.site.command import site as command
from reports.site.findings import records
from reports.site.model import CaseRecord
from reports.site.pages import _recorded
from reports.site.places import Version
from reports.site.plots import lines
from reports.site.structure import _part
from reports.site.trends import plots_of
from reports.site.views import natural, since
from reports.tests import sample, site_runs

ENTRY = Entry(
    engine="pyarrow",
    case="files/page/10",
    verdict="different",
    reason="rows are lost",
    clause="README.md, Data Pages",
    finding="pyarrow-loses-rows",
    symptom="<b>rows</b> are lost",
    repro="print(1)",
)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """Return a folder of three runs."""
    return site_runs.write(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def pages(history, tmp_path_factory):
    """Return the folder of the site of the runs."""
    out = tmp_path_factory.mktemp("site") / "out"
    write([history], None, out, [ENTRY])
    return out


@pytest.fixture(scope="module")
def model(history):
    """Return the model of the site."""
    return collect(folders_of([history]), [ENTRY])


class Elements(HTMLParser):
    """The elements of a page."""

    def __init__(self, path):
        """Read a page."""
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(path.read_text("utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Note text."""
        self.text += data


def _files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_each_link_leads_to_a_file_of_the_site(pages):
    """Every address of every page, its styles and scripts among them, is a file; parts of pages are there."""
    html = sorted(pages.rglob("*.html"))
    ids = {path: {attributes.get("id") for _, attributes in Elements(path).elements} for path in html}
    for path in html:
        for _, attributes in Elements(path).elements:
            for address in (attributes.get("href"), attributes.get("src")):
                parts = urlsplit(address or "")
                if parts.scheme or not address:
                    continue
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                assert target.is_file(), (path, address)
                if parts.fragment and target.name != "search.html":
                    assert parts.fragment in ids[target], (path, address)


def test_hostile_text_stays_text(pages):
    """No element, handler or address of a page comes from the data, and names of files are plain."""
    for path in pages.rglob("*.html"):
        for tag, attributes in Elements(path).elements:
            assert tag not in {"img", "b"}, path
            assert not [name for name in attributes if name.startswith("on")], path
            assert "style" not in attributes
            assert urlsplit(attributes.get("href") or "").scheme in {"", "data", "http", "https"}, path
            assert urlsplit(attributes.get("src") or "").scheme == ""
    names = "".join(_files(pages))
    assert names.isascii()
    assert not set(names) & set("<>\"'|`{} \\")


def test_pages_can_be_read_without_seeing_them(pages):
    """Each page has a language and one heading of the first level; heads, inputs and drawings have names."""
    for path in pages.rglob("*.html"):
        page = Elements(path)
        tags = [tag for tag, _ in page.elements]
        assert tags.count("h1") == tags.count("main") == 1, path
        assert ("html", {"lang": "en"}) in page.elements
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids)), path
        for place, (tag, attributes) in enumerate(page.elements):
            if tag == "th":
                assert "scope" in attributes, path
            if tag == "svg":
                assert {"role", "width"} & attributes.keys(), path  # the small ones stand in hidden legends
            if tag in {"input", "select"}:
                assert "aria-label" in attributes or page.elements[place - 1][0] == "label", path
            if "scroll-x" in attributes.get("class", "") or attributes.get("role") == "group":
                assert {"tabindex", "aria-label"} <= attributes.keys(), path


def test_data_of_the_search_is_data(pages):
    """A data file is one call with JSON, in which nothing ends the script, and its pages are there."""
    text = (pages / "data/entries-0.js").read_text("ascii")
    entries = json.loads(text.removeprefix("colconf.put(").removesuffix(");\n"))
    assert "</" not in text
    assert all((pages / entry[2]).is_file() for entry in entries)
    assert {"case", "finding", "feature", "rule", "engine"} == {entry[0] for entry in entries}
    wrong = {entry[1]: entry[6] for entry in entries if entry[0] == "case"}
    assert wrong["files/page/10"] == ["pyarrow"]
    assert wrong["files/page/9"] == []


def test_the_same_runs_give_the_same_bytes(history, pages, tmp_path):
    """A site has no time, no order and no number but those of its runs."""
    write([history], None, tmp_path / "again", [ENTRY])
    assert _files(pages) == _files(tmp_path / "again")


def test_a_site_in_place_of_another_has_no_old_page(history, tmp_path):
    """What an earlier site wrote and this one lacks is removed, no other file; other folders are refused."""
    write([history], None, tmp_path / "site", [ENTRY])
    gone = tmp_path / "site" / addresses.case("files/page/9")
    assert gone.exists()
    write([history / "3"], None, tmp_path / "site", [ENTRY])
    assert gone.exists()
    other = sample.write(tmp_path / "other", sample.every_verdict())
    kept = [tmp_path / "site" / name for name in ("CNAME", ".git/config", "cases/of-its-owner.txt")]
    for file in kept:
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
    with (tmp_path / "site" / ".colconf-site").open("a") as mark:
        mark.write("../outside\n")
    outside = tmp_path / "outside"
    outside.write_text("x")
    write([other], None, tmp_path / "site", [ENTRY])
    assert not gone.exists()
    assert all(file.exists() for file in (*kept, outside))
    result = CliRunner().invoke(command, [str(history), "--out", str(other)])
    assert "no site of colconf" in result.output


@pytest.mark.parametrize("file", [".", "/", "..", "a\0b"])
def test_a_row_without_the_name_of_a_file_has_no_recorded_case(file):
    """What a row says of its file ends no site."""
    record = CaseRecord("x", "0" * 64, "parquet", file, (), {}, "MUST")
    assert _recorded(record) == {}


def test_the_newest_answer_counts_and_the_change_is_listed(model):
    """A verdict that changed under the same version is a change of the later run."""
    assert [len(run.changes) for run in model.runs] == [0, 0, 1]
    (change,) = model.runs[2].changes
    assert (change.case, change.before, change.after) == ("files/page/10", "agree", "different")


def test_a_release_is_compared_with_the_one_before(model):
    """Of the cases that both were asked: one is right now, one is wrong now."""
    (release,) = [release for release in model.releases("pyarrow") if release.after.version == "16.1.0"]
    assert [change.case for change in release.better] == ["files/page/9"]
    assert [change.case for change in release.worse] == ["files/page/10"]
    assert release.sentence == (
        "16.1.0 is better in part, and worse in part, than 14.0.2:"
        " 1 result better, 1 worse, of 2 that both were asked; of these 50 % were right, and 50 % are"
    )
    words = {name: replace(release, **{name: []}).sentence.partition(":")[0] for name in ("better", "worse")}
    assert words == {"better": "16.1.0 is worse than 14.0.2", "worse": "16.1.0 is better than 14.0.2"}
    neither = replace(release, better=[], worse=[]).sentence
    assert neither.startswith("16.1.0 is neither better nor worse than 14.0.2:")


def test_since_which_release_a_case_is_right(model):
    """The words go by the newest release: right since, not any more, never."""
    words = {
        case: since(model, "pyarrow", [model.cases[case]]).words for case in ("files/page/9", "files/page/10")
    }
    assert words == {"files/page/9": "since 16.1.0", "files/page/10": "not any more: last in 14.0.2"}
    assert since(model, "pyarrow", []) is None


def test_an_engine_of_another_format_has_no_share(model):
    """Of an engine that calls every file of a format unsupported nothing of this format is shown."""
    assert Version("pyorc", "2.0.0") not in model.versions


def test_a_finding_has_its_releases_and_its_history(model):
    """A release outside of the entry's range shows a confirmed finding where its case fails alike."""
    by_id = {finding.id: finding for finding in records(model, [ENTRY])}
    confirmed = by_id["pyarrow-loses-rows"]
    states = {state.version.version: state.word for state in confirmed.states}
    assert states["14.0.2"] == "right"
    assert states["16.1.0"] == "shows it"
    refused = by_id["pyarrow/refused_valid/files/page/9"]
    assert refused.releases == "only 14.0.2, right since 16.1.0"
    assert refused.counts[:2] == (1, 0)


def test_a_finding_has_an_age_and_a_state_upstream(model):
    """It counts from the first run that showed it to the newest run; a fixed one has been seen last."""
    entry = replace(ENTRY, url="https://github.com/a/b/issues/1")
    by_id = {finding.id: finding for finding in records(model, [entry], {entry.url: State("closed", "17.0")})}
    confirmed = by_id["pyarrow-loses-rows"]
    assert confirmed.upstream == State("closed", "17.0")
    refused = by_id["pyarrow/refused_valid/files/page/9"]
    seen_last = "first seen 2025-01-01, last seen 2025-01-01"
    assert (refused.age, refused.days) == (f"{seen_last}; the newest release was not tested", -1)
    assert replace(refused, states=(refused.states[-1]._replace(word="right"),)).age == seen_last
    seen = replace(refused, seen=("2025-01-01T03:04:05Z",), newest="2025-03-01T00:00:00Z")
    assert replace(seen, states=()).releases == "not tested: no run of this site read its cases"
    words = ("shows it", "right", "not tested", "shows it", "shows it")
    states = tuple(
        seen.states[-1]._replace(version=Version("x", f"{at}.0"), word=word) for at, word in enumerate(words)
    )
    assert replace(seen, states=states).releases == "0.0, and 3.0 to 4.0"
    wrong = replace(seen, states=(seen.states[-1]._replace(word="shows it"),))
    assert (wrong.age, wrong.days) == ("first seen 2025-01-01, open for 59 days", 59)
    assert replace(wrong, newest="").days == 0


def test_pages_of_states_configurations_and_status(tmp_path):
    """An engine's configurations are compared with the default; a given state of an issue is on the page."""
    rows = [
        sample.row(f"parquet/page/{place}", config, verdict)
        for config, verdicts in (
            (sample.PYARROW, ("agree", "different")),
            (sample.DATASET, ("different", "agree")),
        )
        for place, verdict in enumerate(verdicts)
    ]
    entry = replace(ENTRY, url="https://github.com/a/b/issues/1")
    states = tmp_path / "states.json"
    states.write_text(json.dumps({entry.url: {"state": "closed", "fixed_in": "17.0", "title": "<b>t"}}))
    out = sample.write(tmp_path / "run", rows)
    write([out], None, tmp_path / "site", [entry], read_states(states))
    page = (tmp_path / "site/engines/pyarrow.html").read_text("utf-8")
    other = page.partition("<code>reader=dataset</code>")[2].partition("</tr>")[0]
    assert re.findall(r"<summary>(\d+)</summary>", other) == ["1", "1"]
    assert re.findall(r"parquet/<wbr>page/<wbr>(\d)</a>", other) == ["0", "1"]
    finding = (tmp_path / "site/findings/pyarrow-loses-rows.html").read_text("utf-8")
    assert "closed, fixed in 17.0" in finding
    assert "&lt;b&gt;t" in finding
    assert "What engines read and write" in (tmp_path / "site/status.html").read_text("utf-8")
    assert 'href="../status.html"' in page
    states.write_text("[")
    result = CliRunner().invoke(command, [str(out), "--out", str(tmp_path / "x"), "--states", str(states)])
    assert result.exit_code != 0
    assert "is no file of the states" in result.output


def test_a_finding_of_a_configuration_is_not_fine_where_it_was_not_asked(model):
    """Right answers under other switches say nothing about a finding of one configuration."""
    entry = replace(ENTRY, case="files/page/9", config={"threads": "off"})
    (finding,) = [record for record in records(model, [entry]) if record.confirmed]
    assert {state.word for state in finding.states if state.version.version != "14.0.2"} == {"not tested"}


def test_addresses_are_safe_and_last():
    """Plain ids stand as they are; others are digests, and no id leaves the site."""
    assert addresses.case("parquet/page/rows-1") == "cases/parquet/page/rows-1.html"
    for hostile in (
        "../x",
        "a//b",
        "/etc",
        "a/./b",
        "a b",
        "é",
        "",
        "x" * 500,
        "a.html/b",
        "x-1",
        "\udcff",
        "a/",
    ):
        assert addresses.case(hostile).startswith("cases/x-"), hostile
        assert Path(addresses.case(hostile)).parts[0] == "cases"


def test_addresses_differ_by_more_than_case():
    """Ids that differ by case alone have files of their own where case is ignored; rules stay."""
    for address in (addresses.case, addresses.engine, addresses.finding, addresses.rule):
        for pair in (("page/rows", "page/Rows"), ("pq-rule", "PQ-RULE"), ("ÿ", "Ÿ")):
            first, second = map(address, pair)
            assert first.lower() != second.lower(), pair
    assert addresses.rule("PQ-PAGE-001") == "rules/PQ-PAGE-001.html"


def test_ranges_of_bytes_are_values():
    """A part has the range of the description, whatever ranges a name in the file pretends to have."""
    row = Listed("  column 0 x [1, 999999) [4, 8) -", ([4, 8], None, [12, 20]))
    assert _part(row) == ("  column 0 x [1, 999999) [4, 8) -", 4, 20)
    assert _part(Listed("types [1, 2)")) == ("types [1, 2)", 0, 0)


def test_a_change_point_is_found_by_ranks():
    """One slow night is no change; a level that stays is, where it begins; few values say nothing."""
    assert pettitt([5, 5.1, 4.9, 5.2, 50, 5, 4.8, 5.1, 5.3, 4.9]) is None
    change = pettitt([5, 5.1, 4.9, 5.2, 5, 4.8, 7, 7.2, 6.9, 7.1, 7.3, 7.4])
    assert change is not None
    assert change.place == 6
    assert change.probability < 0.05
    assert pettitt([1, 1, 9, 9]) is None


def test_ids_sort_naturally():
    """Numbers in ids count as numbers."""
    assert sorted(["page/10", "page/9", "page/a"], key=natural) == ["page/9", "page/10", "page/a"]


def test_the_command_writes_the_site_and_says_where(history, tmp_path):
    """It names the page to open; without runs it is an error of one line."""
    done = CliRunner().invoke(command, [str(history), "--out", str(tmp_path / "site")])
    assert done.exit_code == 0, done.output
    assert "index.html: 3 runs" in done.stdout
    assert (tmp_path / "site/index.html").is_file()
    assert "required" in CliRunner().invoke(command, []).output
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        (error,) = CliRunner().invoke(command, [str(tmp_path / folder)]).output.splitlines()
        assert "no finished run" in error
        assert "`make nightly`" in error


@pytest.mark.parametrize(
    ("most", "ticks"), [(1, ["0", "1"]), (3, ["0", "1", "2", "3"]), (41, ["0", "10", "20", "30", "40", "50"])]
)
def test_ticks_of_counts_are_whole(most, ticks):
    """A plot of counts has no quarter of a case on its axis, and ends above its highest point."""
    drawn = lines("Cases", "cases", ["1", "2"], {"cases": [0, most]})
    assert [tick.label for tick in drawn.up] == ticks
    assert min(mark.y for mark in drawn.lines[0].marks) >= drawn.up[-1].at


def test_an_engine_without_support_is_not_called_wrong(tmp_path):
    """A release that reports all it does not read as unsupported lacks support; one wrong answer is wrong."""
    refused = sample.row("files/a", sample.PYARROW, "unsupported", outcome="unsupported")
    read = sample.row("files/b", sample.PYARROW, "agree")
    for name, verdict, tone in (("lacks", "agree", "quiet"), ("wrong", "different", "warn")):
        other = sample.row("files/c", sample.PYARROW, verdict, signature="pyarrow | different | x")
        site = collect(folders_of([sample.write(tmp_path / name, [refused, read, other])]), [])
        state = since(site, "pyarrow", list(site.cases.values()))
        assert (state.tone, "no support" in state.words) == (tone, tone == "quiet")


def test_a_release_that_was_asked_little_proves_nothing(tmp_path):
    """Only releases that were asked all cases are right about all of them; one wrong answer is enough."""
    runs = {
        "1.0.0": {"a": "different", "b": "agree"},
        "2.0.0": {"a": "agree"},
        "3.0.0": {"a": "agree", "b": "agree"},
    }
    for version, verdicts in runs.items():
        rows = [
            {**sample.row(case, sample.PYARROW, verdict, signature="x | y | z"), "version": version}
            for case, verdict in verdicts.items()
        ]
        site_runs.stamp(sample.write(tmp_path / version, rows), int(version[0]))
    site = collect(folders_of([tmp_path]), [])
    records_ = [site.cases[case] for case in ("a", "b")]
    assert since(site, "pyarrow", records_).words == "at the latest since 3.0.0"
    assert since(site, "pyarrow", records_[:1]).words == "since 2.0.0"


def test_a_run_of_few_cases_is_no_drop(tmp_path):
    """The plot of right answers counts all cases asked so far, not only those of the run."""
    for number, verdicts in enumerate(
        ({"a": "agree", "b": "agree", "c": "different"}, {"c": "different"}), 1
    ):
        rows = [
            sample.row(case, sample.PYARROW, verdict, signature="x | y | z")
            for case, verdict in verdicts.items()
        ]
        site_runs.stamp(sample.write(tmp_path / str(number), rows), number)
    plot = plots_of(collect(folders_of([tmp_path]), []), [])[0]
    assert [row[1] for row in plot.rows] == ["66.6", "66.6"]
