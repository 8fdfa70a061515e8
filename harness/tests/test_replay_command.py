"""`colconf replay`: what it says of verdicts that blame nobody."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from corpora.cases import Expectation
from harness.commands import replay as command


@pytest.mark.parametrize(
    ("verdict", "certainty", "doubt"),
    [
        ("different", "contested", ", contested: 1 against 1"),
        ("different", "likely", ""),
        ("agree", "contested", ""),
        ("contested", "contested", ", contested: 1 against 1"),
    ],
)
def test_a_contested_verdict_says_so(monkeypatch, verdict, certainty, doubt):
    """A problem that is contested is called so, with the remedy; a finding and a right answer are not."""
    decided = replace(Expectation.by_vote(), certainty=certainty, why="1 against 1")
    row = SimpleNamespace(engine="x", version="1", config="", verdict=verdict)
    row.detail = SimpleNamespace(expectation=decided)
    judged = False, SimpleNamespace(rows=[row]), []
    monkeypatch.setattr(command, "named", lambda *_, **__: SimpleNamespace(case=None))
    monkeypatch.setattr(command, "judge_again", lambda *_: judged)
    result = CliRunner().invoke(command.replay, ["x.parquet"])
    assert result.exit_code == (2 if doubt else 0)  # undecided is not: gone
    first, last = result.stdout.splitlines()
    assert first == f"x@1: {verdict}{doubt}"
    assert last.startswith("undecided: ") if doubt else last == "the finding does not show"
