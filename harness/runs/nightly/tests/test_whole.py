"""The findings of a night: those of its rounds, each once."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.known_failures import NOT_ANY_MORE, Entry, Stale
from harness.judging.details import RowDetail
from harness.judging.results import Finding, Row
from harness.runs.nightly import whole


@pytest.mark.parametrize(("first", "second", "cases"), [(1, 2, 3), (0, 2, 0), (1, 0, 0)])
def test_a_finding_of_two_rounds(monkeypatch, first, second, cases):
    """Rows and cases add up; the number of cases is unknown if a round did not count them."""
    finding = Finding("s", "x", "1", "", "different", "files/a", 4, [], None, "")
    rounds = {"a": [replace(finding, cases=first)], "b": [replace(finding, cases=second)]}
    monkeypatch.setattr(whole, "read_findings", rounds.get)
    (merged,) = whole._findings(rounds)
    assert (merged.count, merged.cases) == (8, cases)


@pytest.mark.parametrize(("features", "left"), [(("parquet/value/nan",), 0), (("parquet/value/null",), 1)])
def test_an_entry_of_columns_is_seen_in_another_round(features, left):
    """An entry that one round calls stale is none if a row of another round fails in its columns."""
    entry = Entry("fake", "files/a", "different", "r", column=("parquet/value/nan",))
    run = SimpleNamespace(stale=[str(Stale(entry, NOT_ANY_MORE))])
    doubted = whole._Doubted([entry], [run])
    detail = RowDetail(column_features=features)
    doubted.see(Row("files/a", "0", "parquet", "fake", "1", "", "table", "different", detail, 0.0, 0))
    assert len(doubted.left()) == left
