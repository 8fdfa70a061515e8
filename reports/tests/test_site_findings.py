"""Findings on the site: known failures, other names, releases and history that count alike, gaps."""

import re

import pytest

from corpora.known_failures import Entry
from reports.site import addresses
from reports.site.build import write
from reports.site.collect import collect, folders_of
from reports.site.finding import FINE, LISTED, NOT_ASKED, OTHERWISE, SEEN, SHOWS
from reports.site.findings import records
from reports.site.overview import values
from reports.site.places import Version
from reports.site.plots import lines
from reports.site.release_changes import changes_by_release
from reports.site.search import entries
from reports.site.trends import plots_of
from reports.tests import sample, site_runs

LOST, REFUSED = "pyarrow | different | rows lost", "pyarrow | refused_valid | no"
KNOWN = {"reason": "NaN is left out of bounds", "url": "https://example.org/7"}
ENTRY = Entry("pyarrow", "files/nan", "different", KNOWN["reason"], KNOWN["url"], versions=">=17,<18")


def _row(case, version, verdict, **detail):
    detail.setdefault("signature", {"different": LOST, "refused_valid": REFUSED}.get(verdict, ""))
    row = sample.row(case, sample.PYARROW, verdict, **detail)
    return {**row, "version": version, "config": detail.get("config", ""), "sha256": "a" * 64}


def _runs(folder, *runs):
    """Write runs of rows, a day after the other."""
    for place, rows in enumerate(runs, 1):
        site_runs.stamp(sample.write(folder / str(place), rows), place)
    return folder


@pytest.fixture
def folder(tmp_path):
    """Return the folder of three runs: rows lost in 16 are refused in 17, and right in 18."""
    return _runs(
        tmp_path / "runs",
        [_row("files/a", "16.0", "different"), _row("files/nan", "16.0", "different")],
        [_row("files/a", "17.0", "refused_valid"), _row("files/nan", "17.0", "different", known=KNOWN)],
        [_row("files/a", "18.0", "agree")],
    )


def _site(folder):
    return collect(folders_of([folder]), [ENTRY])


def test_a_known_failure_without_a_finding_is_listed(folder, tmp_path):
    """The page of findings has its cause and its versions, its filter finds both, and it has a page."""
    write([folder], None, tmp_path / "site", [ENTRY])
    page = (tmp_path / "site/findings.html").read_text("utf-8")
    (row,) = [row for row in re.findall(r"(?s)<tr data-.*?</tr>", page) if 'data-kind="known failure"' in row]
    assert 'data-engine="pyarrow"' in row
    assert KNOWN["reason"] in re.search(r'data-text="([^"]*)"', row)[1]
    assert "files/nan" in re.search(r'data-text="([^"]*)"', row)[1]
    assert "known for &gt;=17,&lt;18" in row
    assert "colconf known bisect" in page
    address = re.search(r'href="(findings/known/pyarrow/[0-9a-f]{12}\.html)"', row)[1]
    text = (tmp_path / "site" / address).read_text("utf-8")
    assert KNOWN["url"] in text
    assert "colconf known bisect" in text
    assert 'href="../../../cases/files/nan.html"' in text


def test_a_known_failure_that_no_run_asked_is_left_out(folder):
    """The list of all known failures is corpora/known; that whose entry was removed keeps its page."""
    other = Entry("pyarrow", "files/none", "different", "another cause")
    kinds = {
        record.symptom: record for record in records(_site(folder), [ENTRY, other]) if record.kind == LISTED
    }
    assert kinds.keys() == {KNOWN["reason"]}
    site = collect(folders_of([folder]), [])
    (removed,) = [record for record in records(site, []) if record.kind == LISTED]
    assert (removed.symptom, removed.url, removed.range) == (KNOWN["reason"], KNOWN["url"], "")


def test_a_finding_that_no_run_asked_has_no_table_of_releases(folder, tmp_path):
    """A confirmed finding has its page, with the script, and no list of versions that were not asked."""
    confirmed = {"finding": "pyarrow-x", "symptom": "x", "clause": "y", "repro": "print(7)"}
    entries = [Entry("pyarrow", "files/none", "different", "z", **confirmed)]
    write([folder], None, tmp_path / "site", entries)
    page = (tmp_path / "site/findings/pyarrow-x.html").read_text("utf-8")
    assert "print(7)" in page
    assert "<h2>Releases" not in page


def test_releases_and_history_count_alike(folder):
    """Both count the cases that fail with the same verdict outside of the entry's range, too."""
    (finding,) = [record for record in records(_site(folder), [ENTRY]) if record.kind == LISTED]
    states = {state.version.version: (state.word, state.cases) for state in finding.states}
    assert states == {"16.0": (SHOWS, 1), "17.0": (SHOWS, 1), "18.0": (NOT_ASKED, 0)}
    assert finding.counts == (1, 1, None)


def test_the_newest_release_shows_only_what_it_was_asked(folder, tmp_path):
    """One that was not asked is not said to show it, is not counted, and the last that was asked is named."""
    site = _site(folder)
    findings = records(site, [ENTRY])
    (finding,) = [finding for finding in findings if finding.kind == LISTED]
    assert (finding.now, finding.days) == (NOT_ASKED, -1)
    assert finding.now_in_words == "not tested; 17.0, the last that was: shows it"
    assert finding.age == "first seen 2025-01-01, last seen 2025-01-02; the newest release was not tested"
    (tile,) = values(site, findings)["tiles"]
    assert tile.findings[LISTED] == 0
    write([folder], None, tmp_path / "site", [ENTRY])
    page = (tmp_path / "site/findings.html").read_text("utf-8")
    assert "<td>not tested; 17.0, the last that was: shows it</td>" in page
    (known,) = (tmp_path / "site/findings/known/pyarrow").iterdir()
    assert "the newest release, 18.0, was not tested" in known.read_text("utf-8")


def test_titles_tell_findings_apart(tmp_path):
    """The same words in another configuration or of another type are two titles, and no title has more."""
    signatures = (LOST, "pyarrow:way=x | different | rows lost", "pyarrow | different | rows lost in int")
    rows = [
        _row(f"files/{place}", "16.0", "different", signature=text) for place, text in enumerate(signatures)
    ]
    every = records(_site(_runs(tmp_path / "all", rows)), [])
    titles = {finding.id: finding.title for finding in every if finding.id in signatures}
    assert len(set(titles.values())) == 3
    assert titles[signatures[1]].startswith("pyarrow with way=x, different:")
    assert titles[signatures[2]].endswith("(rows lost in int)")
    only = {finding.id: finding for finding in records(_site(_runs(tmp_path / "one", rows[:1])), [])}
    assert (only[LOST].kind, only[LOST].apart) == (SEEN, "")


@pytest.mark.parametrize(
    ("kind", "verdicts", "avoided"),
    [
        ("pushdown", {"": "different", "pushdown=off": "agree", "way=x": "agree"}, ("pushdown=off",)),
        ("pushdown", {"": "different", "pushdown=off": "different"}, ()),
        ("filter", {"": "different", "pushdown=off": "agree", "pushdown=late": "agree"}, ()),
        ("filter", {"": "agree", "way=x": "different", "way=y": "agree"}, ("",)),
    ],
)
def test_a_finding_says_which_configurations_avoid_it(kind, verdicts, avoided, tmp_path):
    """The default one, if it is right about all cases; others only if they were asked the same queries."""
    difference = {"path": "rows lost", "expected": "rows 0", "actual": "without 0", "kind": kind}
    rows = [
        _row(case, "16.0", verdict, config=config, difference=difference)
        for case in ("files/a", "files/b")
        for config, verdict in verdicts.items()
    ]
    folder = _runs(tmp_path / "runs", rows)
    (finding,) = [finding for finding in records(_site(folder), []) if finding.id == LOST]
    assert finding.avoided == avoided
    some = [row for row in rows if (row["case"], row["verdict"]) != ("files/b", "agree")]
    every = {finding.id: finding for finding in records(_site(_runs(tmp_path / "some", some)), [])}
    assert every[LOST].avoided == ()
    write([folder], None, tmp_path / "site", [])
    text = (tmp_path / "site" / addresses.finding(LOST)).read_text("utf-8")
    assert ("<dt>avoided by</dt>" in text) == bool(avoided)
    assert ("16.0 is right about all 2 cases" in text) == bool(avoided)


def test_counts_of_results_are_not_called_cases(tmp_path):
    """A case that fails in two configurations is one case and two results."""
    rows = [_row("files/nan", "16.0", "different", config=config, known=KNOWN) for config in ("", "way=x")]
    folder = _runs(tmp_path / "runs", [*rows, _row("files/a", "16.0", "different")])
    site = _site(folder)
    assert [sighting.results for sighting in site.runs[0].sightings if sighting.state == "listed"] == [2]
    (finding,) = [finding for finding in records(site, [ENTRY]) if finding.kind == LISTED]
    assert len(finding.cases) == 1
    write([folder], None, tmp_path / "site", [ENTRY])
    page = (tmp_path / "site" / addresses.run(site.runs[0].id)).read_text("utf-8")
    heads = re.findall(r">([^<]*)</th>", page.partition("<h2>Findings</h2>")[2].partition("<tbody>")[0])
    assert heads == ["finding", "version", "state", "results"]
    assert re.search(r"<td>listed</td><td>2</td>", page)
    newest = (tmp_path / "site/index.html").read_text("utf-8").partition("New and regressed")[2]
    assert re.search(r"pyarrow@16.0, \d+ results?</span>", newest)


def test_a_script_that_names_a_file_says_where_to_run_it(folder, tmp_path):
    """Only a script without a file of the corpora runs anywhere."""
    for name, script in (("file", "read('corpora/x.parquet')"), ("none", "print(7)")):
        confirmed = {"finding": "pyarrow-x", "symptom": "x", "clause": "y", "repro": script}
        write(
            [folder], None, tmp_path / name, [Entry("pyarrow", "files/none", "different", "z", **confirmed)]
        )
        page = (tmp_path / name / "findings/pyarrow-x.html").read_text("utf-8")
        assert ("run it in a clone of colconf" in page) == (name == "file")
        assert ("shows the finding without colconf" in page) == (name == "none")


def test_shares_of_releases_are_compared_over_what_both_were_asked(tmp_path):
    """A release that was asked more that it lacks is not called worse by its share."""
    folder = _runs(
        tmp_path,
        [_row("files/a", "16.0", "agree"), _row("files/b", "16.0", "different")],
        [_row(f"files/{name}", "17.0", "agree" if name in "ab" else "different") for name in "abcdef"],
    )
    (release,) = _site(folder).releases("pyarrow")
    assert release.sentence == (
        "17.0 is better than 16.0: 1 result better, 0 worse, of 2 that both were asked;"
        " of these 50 % were right, and 100 % are"
    )


def test_a_feature_is_found_by_what_its_cases_are_about(tmp_path):
    """The parts of the ids of its cases are words of the search."""
    rows = [_row("parquet/split/int32/v1", "16.0", "agree", features=("parquet/encoding/split",))]
    (entry,) = [entry for entry in entries(_site(_runs(tmp_path, rows)), []) if entry.kind == "feature"]
    assert set(entry.words.split()) == {"parquet", "split", "int32", "v1"}


def test_a_run_that_asked_no_case_leaves_a_gap():
    """The line ends where a run has no value, if so wished; it goes on where engines take turns."""
    points = [1, 0, None, 2]
    labels = [str(place) for place in range(4)]
    drawn = lines("Cases", "cases", labels, {"cases": points}, gaps=True)
    assert [path.count(",") for path in drawn.lines[0].paths] == [2, 1]
    assert [path.count(",") for path in lines("x", "x", labels, {"cases": points}).lines[0].paths] == [3]
    assert drawn.rows[2] == ["2", ""]


def test_times_that_differ_by_much_are_all_seen():
    """On a scale of powers of ten, values of 40 and 4,000 are as far apart as 4 and 400; 0 is at its foot."""
    drawn = lines("Seconds", "s", ["1", "2", "3"], {"x": [4, 40, 0], "y": [400, 4000, None]}, powers=True)
    assert [tick.label for tick in drawn.up] == ["1", "10", "100", "1,000", "10,000"]
    (low, middle, foot), (high, top) = ([mark.y for mark in line.marks] for line in drawn.lines)
    assert low - middle == pytest.approx(high - top, abs=0.2)
    assert foot == drawn.up[0].at
    assert [tick.label for tick in lines("x", "s", ["1"], {"x": [0]}, powers=True).up] == ["1", "10"]


def test_a_right_answer_in_another_configuration_is_a_gap(tmp_path):
    """A finding of one configuration is not asked by a run without it: no 0."""
    entry = Entry("pyarrow", "files/a", "different", "x", config={"pushdown": "on"})
    folder = _runs(
        tmp_path,
        [_row("files/a", "16.0", "different", config="pushdown=on")],
        [_row("files/a", "16.0", "agree", config="pushdown=off")],
        [_row("files/a", "16.0", "agree", config="pushdown=on")],
    )
    (finding,) = [found for found in records(_site(folder), [entry]) if found.kind == LISTED]
    assert finding.counts == (1, None, 0)


def test_what_fails_under_another_name_is_not_fixed(folder, tmp_path):
    """The release says under which; right answers are fixed, and a new name for old failures is not new."""
    site = _site(folder)
    findings = records(site, [ENTRY])
    by_id = {finding.id: finding for finding in findings}
    words = {state.version.version: (state.word, state.others) for state in by_id[LOST].states}
    assert words["17.0"][0] == OTHERWISE
    assert REFUSED in words["17.0"][1]
    assert words["18.0"] == (FINE, ())
    changes = changes_by_release(site, findings)
    middle = changes[Version("pyarrow", "17.0")]
    names = {row.finding.id: row.now for row in middle.renamed}
    assert set(names[LOST]) >= {REFUSED}
    assert not [finding.id for finding in middle.fixed if finding.id == LOST]
    assert not middle.introduced
    assert [finding.id for finding in changes[Version("pyarrow", "18.0")].fixed] == [REFUSED]
    write([folder], None, tmp_path / "site", [ENTRY])
    page = (tmp_path / "site/engines/pyarrow.html").read_text("utf-8")
    assert "now fails as" in page.partition("16.0 → 17.0")[2].partition("</details>")[0]


def test_a_right_case_that_fails_now_introduces_a_finding(tmp_path):
    """Also if other cases of the finding failed before."""
    folder = _runs(
        tmp_path,
        [_row("files/a", "16.0", "agree"), _row("files/b", "16.0", "refused_valid")],
        [_row("files/a", "17.0", "different"), _row("files/b", "17.0", "different")],
    )
    site = _site(folder)
    change = changes_by_release(site, records(site, []))[Version("pyarrow", "17.0")]
    assert [finding.id for finding in change.introduced] == [LOST]
    assert [row.finding.id for row in change.renamed] == [REFUSED]


def test_the_newest_run_is_compared_by_versions(folder, tmp_path):
    """The overview names the version before, and what is different; an engine that is absent is named."""
    site = _site(folder)
    (row,) = values(site, [])["versions"]
    assert (row.now.version, row.before.version, row.run.id) == ("18.0", "17.0", site.runs[1].id)
    assert row.sentence.startswith("18.0 is better than 17.0")
    again = _runs(
        tmp_path,
        [_row("files/a", "18.0", "agree")],
        [
            {**_row("files/a", "26.0", "agree"), "engine": "polars"},
            _row("files/a", "18.0", "different"),
            _row("files/a", "19.0", "agree"),
        ],
        [_row("files/a", "18.0", "agree")],
    )
    shown = values(_site(again), [])
    assert [row.sentence for row in shown["versions"]] == ["the same version; 1 verdict changed"]
    assert shown["absent"] == ["polars"]


def test_the_plot_of_findings_counts_what_pages_show(folder):
    """Known failures count, too, and the numbers are those of the findings' histories."""
    site = _site(folder)
    findings = records(site, [ENTRY])
    shown = [sum(bool(finding.counts[place]) for finding in findings) for place in range(3)]
    assert [row[1] for row in plots_of(site, findings)[1].rows] == [str(count) for count in shown]
    assert shown == [2, 2, 0]


def test_generated_files_stand_for_features_without_other_cases(tmp_path):
    """A file of all features that fails says little of each of them."""
    features = {"files/a": ("f/one",), "generated/1/2/3": ("f/one", "f/two")}
    rows = [_row(case, "16.0", "agree", features=names) for case, names in features.items()]
    site = _site(_runs(tmp_path, rows))
    cases = {feature: [record.id for record in records_] for feature, records_ in site.by_feature.items()}
    assert cases == {"f/one": ["files/a"], "f/two": ["generated/1/2/3"]}


def test_the_plot_of_seconds_has_no_empty_line(folder):
    """Of nights, only the rounds are measured: their engines have no line, nor a place in the legend."""
    site = _site(folder)
    for run in site.runs:
        run.parts = {"corpora": 3.0}
    assert [drawn.name for drawn in plots_of(site, [])[2].lines] == ["corpora", "whole run"]


def test_status_shows_both_formats(tmp_path):
    """One run that asked both shows them; without one, each format has its own."""
    parquet = [_row("parquet/page/1", "16.0", "agree", features=("parquet/page/v1",))]
    orc = [{**_row("orc/date/1", "16.0", "agree", features=("orc/type/date",)), "format": "orc"}]
    more = [{**parquet[0], "engine": "polars"}, *parquet]
    _runs(tmp_path / "apart", orc, more)
    write([tmp_path / "apart"], None, tmp_path / "1", [])
    page = (tmp_path / "1/status.html").read_text("utf-8")
    assert ('id="parquet"' in page, 'id="orc"' in page) == (True, True)
    assert "Parquet by run" in page
    assert page.count("runs/20250101") == 1 + page.count('newest run is <a href="runs/20250101')
    _runs(tmp_path / "both", [*parquet, *orc], more, orc)
    write([tmp_path / "both"], None, tmp_path / "2", [])
    note = re.search(r"(?s)Parquet by run.*?</p>", (tmp_path / "2/status.html").read_text("utf-8"))[0]
    assert note.count("20250101-030405-abcdef</a>") == 2
    assert "both formats" in note
    newer = [{**row, "version": "17.0"} for row in (*parquet, *orc)]
    older = [{**row, "version": version} for row in (*parquet, *orc) for version in ("15.0", "16.0")]
    _runs(tmp_path / "newer", older, newer)
    write([tmp_path / "newer"], None, tmp_path / "3", [])
    assert "pyarrow@17.0" in (tmp_path / "3/status.html").read_text("utf-8")
