"""Large answers are compared by digests; what is not as expected is sent, and judged as any other answer."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from corpora import own_cases
from corpora.answers import answer, arranged, take
from corpora.cases import CaseError, Expectation, Probe
from corpora.importers import import_paths
from corpora.queries import AntiJoin, Distinct, Groups, RowGroup
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.large_answers import LargeAnswers
from harness.children.outcomes import OutcomeKind
from harness.engines.base import Engine
from harness.judging.ask_sheet import outcomes_of
from harness.judging.large_answers import ask_large, expected
from harness.judging.places import Place, Sheet
from harness.tests import large_fakes
from harness.tests.large_fakes import MANY, NUMBER, Large, read_notes
from harness.tests.pipelines import LIMITS, files, go, process, pushing

FAKES = "harness.tests.large_fakes"
RIGHT = answer(MANY, Large.found, "ieee")


@pytest.fixture
def sent(monkeypatch):
    """Return the list of requests that were sent: of digests, and rows of an answer."""
    requests = []
    send = Connection._ask

    def noted(self, op, seconds, **fields):
        requests.append((op, fields["first"], fields["count"]) if op == "rows" else op)
        return send(self, op, seconds, **fields)

    monkeypatch.setattr(Connection, "_ask", noted)
    return requests


def test_an_answer_is_held_until_another_request():
    """Rows are those of the answer that was digested; after another request, the engine answers anew."""
    answers = []

    def engine_answers(_):
        answers.append(Table.of([("a", NUMBER)], [[str(len(answers))]]))
        return answers[-1]

    large = LargeAnswers()
    request = {
        "file": "f",
        "format": "parquet",
        "config": {},
        "query": {},
        "op": "digest",
        "block_rows": 4096,
    }
    large.reply(Engine(), request, engine_answers)
    large.before("rows")
    rows = {**request, "op": "rows", "first": 0, "count": 1}
    assert large.reply(Engine(), rows, engine_answers).column(0) == ["0"]
    large.before("read")
    assert large.reply(Engine(), rows, engine_answers).column(0) == ["1"]


def ask(tmp_path, cls, right=None, query=MANY):
    """Return the outcome of a query, and the table that was answered; `right` is what is expected."""
    (case,) = files(tmp_path / "in", ["a"]).cases
    with Connection(process(cls, module=FAKES).command, LIMITS) as connection:
        right = right or (lambda: expected(RIGHT, connection.spill))
        outcome = ask_large(connection, case, {}, query, right)
        table = outcome.table
        read = None if table is None else take(table, range(table.num_rows))
    return outcome, read


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("cls", "requests"),
    [
        ("Large", ["digest"]),
        ("LosesRow", ["digest", ("rows", 2 * 16_384, RIGHT.num_rows - 1 - 2 * 16_384)]),
        ("LosesEnd", ["digest", ("rows", 4 * 16_384, RIGHT.num_rows - 2 - 4 * 16_384)]),
        ("Changes", ["digest", ("rows", 16_384, 3 * 16_384)]),
        ("OtherType", ["digest", "query"]),
    ],
)
def test_only_blocks_that_differ_are_sent(tmp_path, sent, cls, requests):
    """Of the answer that was digested the differing blocks are sent; the outcome has all of it."""
    outcome, read = ask(tmp_path, cls)
    assert outcome.kind is OutcomeKind.TABLE
    assert read == getattr(large_fakes, cls)().changed(RIGHT)
    assert sent == requests
    assert len(read_notes(tmp_path)) == (2 if cls == "OtherType" else 1)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "query",
    [
        Distinct(("number",)),
        Groups(("number",)),
        AntiJoin(("number",), NUMBER, ("7",), None),
    ],
    ids=lambda query: query.kind,
)
def test_answers_without_an_order(tmp_path, sent, query):
    """The rows of a large answer that says no order are sorted by both sides, and only digests are sent."""
    right = arranged(query, answer(query, Large.found, "ieee"))
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        outcome, _ = ask(tmp_path, "Large", lambda: expected(right, Path(folder)), query)
        assert list(outcome.table.blocks()) == list(right.blocks())
    assert sent == ["digest"]


def test_a_sheet_expects_rows_as_children_sort_them(tmp_path, sent):
    """Of a right answer without an order, a sheet's request sends digests, and no rows."""
    query = AntiJoin(("number",), NUMBER, ("7",), None)
    (case,) = files(tmp_path / "in", ["a"], Expectation.by_vote()).cases
    case = replace(case, probes=(Probe(query),))
    large = process("Large", module=FAKES)
    with Connection(large.command, LIMITS) as connection:
        sheet = Sheet("a", (case,), derived=True)
        outcomes = dict(outcomes_of(connection, large, sheet, everything=False))
    assert outcomes[Place(0, 0, 0)].table.num_rows == large_fakes.ROWS - 1
    assert sent == ["read", "digest"]


def test_an_engine_that_forgets_its_mistake(tmp_path):
    """The rows are those of the answer whose digests differ, whatever the engine would answer now."""
    assert ask(tmp_path, "Forgets")[1] == large_fakes.Changes().changed(RIGHT)


def test_a_refusal(tmp_path):
    """An error is that of the query."""
    outcome, _ = ask(tmp_path, "Refuses")
    assert (outcome.kind, outcome.detail.message, outcome.detail.phase) == (
        OutcomeKind.REFUSED,
        "too many",
        "query",
    )


def test_a_small_answer_is_sent(tmp_path, sent):
    """Of a small answer all rows are sent, and nothing is computed to compare them with."""
    outcome, read = ask(tmp_path, "LosesAlmostAll")
    assert outcome.kind is OutcomeKind.TABLE
    assert read == take(RIGHT, range(10))
    assert sent == ["digest", ("rows", 0, 10)]


def test_nothing_is_expected(tmp_path, sent):
    """Where the query does not fit the types that the engine reads, the query is asked for values."""
    assert ask(tmp_path, "Changes", lambda: None)[1] == large_fakes.Changes().changed(RIGHT)
    assert sent == ["digest", "query"]


@pytest.mark.heavy
def test_a_run(tmp_path):
    """A run finds the row that is lost, changed, or refused with pushdown, at its place in the answer."""
    names = ("Large", "LosesRow", "SendsValues", "Changes", "Refuses")
    engines = [pushing(cls, module=FAKES) for cls in names]
    shutil.copy(own_cases.folder() / "parquet/findings/not-in.parquet", tmp_path / "sound.parquet")
    imported = import_paths([tmp_path / "sound.parquet"])  # a file that breaks a rule may be refused
    results = go(tmp_path / "out", imported, process("Large", "reference", FAKES), *engines, queries=4)
    assert not [finding for finding in results.findings if finding.engine == "large"]
    found = {finding.engine: finding for finding in results.findings}
    assert {name: finding.probe for name, finding in found.items()} == dict.fromkeys(
        ("losesrow", "sendsvalues", "changes", "refuses"), str(MANY)
    )
    assert found["sendsvalues"].verdict == "different"
    assert "row 40004" in str(found["losesrow"].difference) or "40004" in str(found["losesrow"].difference)
    assert found["refuses"].verdict == "refused_valid"


def test_row_groups_of_many_rows():
    """The ordinals of a large row group are two numbers in JSON, and anything else is refused."""
    probe = Probe(RowGroup(1), range(1_000, 70_000))
    assert probe.to_json()["rows"] == {"first": 1_000, "count": 69_000}
    assert Probe.from_json(probe.to_json()) == probe
    for rows in ({"first": -1, "count": 2}, {"first": 1}, {"first": 1, "count": "2"}):
        with pytest.raises(CaseError):
            Probe.from_json({**probe.to_json(), "rows": rows})
    with pytest.raises(CaseError):
        Probe(RowGroup(1), range(0, 10, 2))
