"""Entries of known failures that no longer fail, where a vote decides what files hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from corpora.cases import Expectation
from corpora.known_failures import Entry
from corpora.tagged import Table, integer
from harness.judging.details import RecordedExpectation, RowDetail
from harness.judging.records import _recorded
from harness.judging.results import Row
from harness.judging.signature import Stored
from harness.runs.pipeline.store import store

TABLE = Table.of([("x", integer(32))], [["1"]])
CONFIG = ("1", "")
ENTRY = Entry("engine", "files/a", "different", "a bug")


def voted(table, verdict):
    """Return the row of a file that breaks a rule, of which a vote has a table or none, as a run reads it."""
    expectation = Expectation.either(
        "it breaks PQ-FILE-001: who refuses is right", table=table, source="vote"
    )
    outcome = "refused" if verdict == "refused_as_expected" else "table"
    detail = RowDetail("a", _recorded(expectation))
    row = Row("files/a", "0" * 64, "parquet", "engine", *CONFIG, outcome, verdict, detail, 0.1, 0)
    return Row.from_json(json.loads(json.dumps(row.to_json())))


def stale(tmp_path, row, entry=ENTRY):
    """Return the entries that a run of this row alone reports as stale."""
    return [problem.entry for problem in store(tmp_path, "id", [Stored(row, {}, 1)], [entry]).stale]


@pytest.mark.parametrize("verdict", ["agree", "equivalent"])
def test_the_values_of_a_file_that_breaks_a_must_are_right_again(tmp_path, verdict):
    """An entry about values is stale once the engine returns the table of the vote."""
    assert stale(tmp_path, voted(TABLE, verdict)) == [ENTRY]


@pytest.mark.parametrize(
    ("table", "verdict"), [(None, "agree"), (TABLE, "refused_as_expected"), (None, "contested")]
)
def test_answers_that_pass_whatever_they_are(tmp_path, table, verdict):
    """Values with which nothing is compared, and a refusal that the vote allows, show nothing."""
    assert stale(tmp_path, voted(table, verdict)) == []


def test_a_process_that_is_no_longer_lost(tmp_path):
    """An entry about a crash is stale once the engine refuses the file, or returns any values."""
    crash = replace(ENTRY, verdict="crashed")
    for row in (voted(TABLE, "refused_as_expected"), voted(None, "agree")):
        assert stale(tmp_path, row, crash) == [crash]


def test_results_that_do_not_record_whether_there_is_a_table(tmp_path):
    """In older results, no answer to such a file shows that a failure is gone."""
    row = voted(TABLE, "agree")
    data = row.to_json()
    assert data["detail"]["expectation"].pop("has_table") is True
    assert stale(tmp_path, Row.from_json(data)) == []
    assert "has_table" not in RecordedExpectation("accept", "vote").to_json()
