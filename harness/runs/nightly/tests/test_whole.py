"""The findings of a night: those of its rounds, each once."""

from dataclasses import replace

import pytest

from harness.judging.results import Finding
from harness.runs.nightly import whole


@pytest.mark.parametrize(("first", "second", "cases"), [(1, 2, 3), (0, 2, 0), (1, 0, 0)])
def test_a_finding_of_two_rounds(monkeypatch, first, second, cases):
    """Rows and cases add up; the number of cases is unknown if a round did not count them."""
    finding = Finding("s", "x", "1", "", "different", "files/a", 4, [], None, "")
    rounds = {"a": [replace(finding, cases=first)], "b": [replace(finding, cases=second)]}
    monkeypatch.setattr(whole, "read_findings", rounds.get)
    (merged,) = whole._findings(rounds)
    assert (merged.count, merged.cases) == (8, cases)
