"""Reports of large runs: what they hold does not grow with the results."""

from __future__ import annotations

import tracemalloc

import pytest

from harness.judging.results import ResultsError, load
from harness.judging.streamed import Streamed
from reports import html, junit
from reports.build import build
from reports.tests import sample


def written(tmp_path, count):
    """Write a run of so many results, one of each case; most agree."""
    folder = tmp_path / str(count)
    folder.mkdir()
    rows = sample.every_verdict()
    rows += [sample.row("", sample.PYARROW, "agree")] * count
    told = [{**rows[number], "case": f"files/{number}"} for number in range(count)]
    return sample.write(folder, told)


def grown(out):
    """Return the bytes that a model of the run takes at most while it is made and gone through."""
    tracemalloc.start()
    try:
        model = build(load(out, streamed=True))
        assert sum(1 for _ in model.results) == model.cases == model.total.cases
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.heavy
def test_twenty_times_as_many_results_take_no_more_memory(tmp_path):
    """A model is made of rows that pass through one at a time: they would take megabytes together.

    How much garbage has not been collected yet at the peak differs by some hundred kilobytes.
    """
    few, many = grown(written(tmp_path, 300)), grown(written(tmp_path, 6_000))
    assert many < few + (1 << 20)


def test_a_streamed_report_is_the_same(tmp_path):
    """What a report says does not depend on how its rows were read."""
    out = written(tmp_path, 30)
    eager, streamed = build(load(out)), build(load(out, streamed=True))
    for form in (html, junit):
        assert form.render(eager) == form.render(streamed)


def test_html_lists_what_did_not_pass(tmp_path, monkeypatch):
    """Of more results than a browser opens, those that passed are left out, and the page says so."""
    model = build(load(written(tmp_path, 30)))
    failing = model.total.cases - model.total.passed
    assert 4 < failing < model.total.cases
    assert "are listed here" not in html.render(model)
    for listed, shown in ((model.total.cases - 1, failing), (4, 4)):
        monkeypatch.setattr(html, "LISTED", listed)
        assert len(html._data(model, ())["results"]) == shown
        assert "only the results that did not pass are listed here" in html.render(model)


def test_streamed_sequences():
    """A streamed sequence has a length and places, and begins anew each time."""
    begun = []

    def make():
        begun.append(True)
        return iter("abc")

    found = Streamed(make)
    assert (list(found), len(found), len(begun)) == (["a", "b", "c"], 3, 2)
    assert (found[0], found[2], found[-1], found[1:], found[::2]) == ("a", "c", "c", ["b", "c"], ["a", "c"])
    assert found == ["a", "b", "c"]
    for place in (3, -4):
        with pytest.raises(IndexError):
            found[place]


def test_a_broken_line_is_told_at_once(tmp_path):
    """Streamed or not, a line that is no row is an error when the run is loaded."""
    out = written(tmp_path, 3)
    with (out / "results.ndjson").open("a") as rows:
        rows.write("{}\n")
    with pytest.raises(ResultsError, match="line 4"):
        load(out, streamed=True)
