"""The page of a run: configurations that answer alike, known failures, what changed since the last run."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from corpora import known_failures
from harness.judging.results import load
from harness.runs.history.records import STATES
from reports import html
from reports.build import build
from reports.tests import sample
from reports.tests.sample import DATASET, FASTPARQUET, PYARROW, SPARK_OFF, SPARK_ON


def model_of(tmp_path, rows, **record):
    """Return the model of a run of some rows, whose record has some more members."""
    out = sample.write(tmp_path, rows)
    if record:
        run = json.loads((out / "run.json").read_text())
        (out / "run.json").write_text(json.dumps(run | record))
    return build(load(out))


def text_of(page):
    """Return the text of a page, without its elements."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"(?s)<(style|script).*?</\1>|<[^>]*>", " ", page)))


def test_configurations_that_answer_alike_share_a_column(tmp_path):
    """They have the same answers to the same cases, in any order; another answer or engine parts them."""
    same = [sample.row(case, place, "agree") for place in (SPARK_ON, SPARK_OFF) for case in ("a", "b")]
    other = [sample.row("a", PYARROW, "agree"), sample.row("a", DATASET, "unsupported")]
    model = model_of(tmp_path / "alike", [*reversed(same), *other])
    assert model.alike == {SPARK_ON: (SPARK_OFF,)}
    assert model.columns == [0, PYARROW, DATASET, SPARK_ON, FASTPARQUET]
    page = text_of(html.render(model))
    assert page.count("and 1 more alike vectorized=off") == 2  # of engines, of features
    parted = model_of(tmp_path / "parted", [*same[:3], sample.row("b", SPARK_OFF, "refused_otherwise")])
    assert parted.alike == {}


def test_a_known_failure_is_a_state_of_its_own(tmp_path):
    """It is neither green nor red, and says so in words; a cell that has a finding, too, is red."""
    known = {"reason": "some reason", "url": ""}
    listed = sample.row("a", PYARROW, "different", features=("parquet/page/v1",), known=known)
    page = html.render(model_of(tmp_path / "known", [listed]))
    assert '<button class="cell known"' in page
    assert "known: different" in text_of(page)
    assert '<strong class="ink-warn">Nothing unexpected' in page
    new = sample.row("b", PYARROW, "amplified", features=("parquet/page/v1",))
    page = html.render(model_of(tmp_path / "new", [listed, new]))
    assert '<button class="cell known"' not in page
    assert '<button class="cell warn"' in page
    assert "amplified 0/2" in text_of(page)  # the finding's, though the known failure is worse
    assert '<strong class="ink-good">' in html.render(
        model_of(tmp_path / "fine", [sample.row("a", 1, "agree")])
    )


def test_known_failures_have_what_findings_md_says(tmp_path, monkeypatch):
    """Symptom, clause, versions and script of a confirmed finding stand in the page, where cases link to."""
    entry = known_failures.Entry(
        engine="pyarrow", case="a", verdict="different", reason="rows <b>are lost", finding="pyarrow-loses",
        symptom="a <i>symptom", clause="README.md, Data Pages", versions=">=3", repro="print('<script>')",
    )  # fmt: skip
    monkeypatch.setattr(known_failures, "load", lambda: [entry])
    known = {"reason": entry.reason, "url": ""}
    rows = [sample.row(case, PYARROW, "different", known=known) for case in "ab"]
    page = html.render(model_of(tmp_path, rows))
    assert page.count('id="finding-pyarrow-loses"') == 1
    for part in (entry.symptom, entry.clause, entry.versions, entry.repro, "colconf replay pyarrow-loses"):
        assert part in unescape(page), part
    assert "<i>" not in page
    assert '"pyarrow-loses"' in page.partition('id="data"')[2]


@pytest.mark.parametrize("state", ["new", "known"])
def test_what_changed_since_the_last_run(state, tmp_path):
    """Findings of each engine are counted by state, fixed ones too, where there is a history."""
    fixed = [{"signature": "spark:vectorized=on | hung | x", "version": "4.3.0", "case": "c", "since": ""}]
    history = {state: 1, "fixed": 1, "open": 1, "stale": 0, "fixed_findings": fixed}
    model = model_of(tmp_path, [sample.row("a", PYARROW, "different")], history=history)
    model.findings[:] = [replace(finding, state=state) for finding in model.findings]
    assert model.findings
    page = html.render(model).partition('<section id="changes">')[2].partition("</section>")[0]
    rows = [re.findall(r">([^<>\n]+)</(?:th|a|span)>", row) for row in page.split("<tr>")[1:]]
    places = {name: number for number, name in enumerate(["engine", *STATES])}
    counts = {row[0]: row for row in rows}
    (pyarrow,) = (row for name, row in counts.items() if name.startswith("pyarrow"))
    assert pyarrow[places[state]] == counts["spark@4.3.0"][places["fixed"]] == "1"
    assert [pyarrow[place] for place in places.values()].count("1") == 1
    assert "Since the last run" not in html.render(model_of(tmp_path / "none", [sample.row("a", 1, "agree")]))


@pytest.mark.parametrize("cases", [1, 2])
def test_a_finding_of_one_case_selects_it(tmp_path, cases):
    """A finding whose results are all of one case leads to it, that of several to all results alike."""
    model = model_of(tmp_path, [sample.row("files/a", PYARROW, "different")])
    model.findings[:] = [replace(finding, count=2, cases=cases) for finding in model.findings]
    page = html.render(model)
    assert ('data-verdict="different" data-case="files/a"' in page) == (cases == 1)
    assert ("and 1 more" in page) == (cases > 1)


def test_results_have_the_features_of_their_columns(tmp_path):
    """The page has those of the columns that a problem is about; other results have none."""
    rows = [
        sample.row("a", PYARROW, "different", column_features=["parquet/value/nan", "parquet/type/double"]),
        sample.row("b", PYARROW, "agree"),
    ]
    page = html.render(model_of(tmp_path, rows))
    data = json.loads(unescape(re.search(r'(?s)<script[^>]*id="data"[^>]*>(.*?)</script>', page)[1]))
    columns = [result[-1].get("columns", []) for result in data["results"]]
    texts = [[data["strings"][place] for place in places] for places in columns]
    assert sorted(texts) == [[], ["parquet/value/nan", "parquet/type/double"]]
