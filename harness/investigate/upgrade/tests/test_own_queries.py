"""Queries of the user in the gate: what both versions return, and queries that are not compared."""

from dataclasses import replace

import pytest

from corpora.cases import Expectation, Probe
from corpora.queries import Compare, Filter, Top
from corpora.tagged import integer
from harness.children.connection import Limits
from harness.engines.naming import EngineName
from harness.investigate.upgrade import gate
from harness.investigate.upgrade.account import lines
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.investigate.upgrade.tests.test_gate import PUSHED, versions
from harness.runs.pipeline.errors import PipelineError
from harness.tests.fakes import Queried
from harness.tests.pipelines import Quiet, files, process
from harness.tests.schemas import check
from reports import upgrade_markdown
from reports.upgrade import build

FAKES = "harness.tests.fakes"
HERE = "harness.investigate.upgrade.tests.fakes"
LIMITS = Limits(start_seconds=20, seconds=5, sheet_file_seconds=0.1)
ABOVE = Filter(Compare(("number",), ">=", integer(32), "5"))
LEAST = Top(("number",), 2)
TEXTS = {ABOVE: "WHERE number >= 5", LEAST: "SELECT number ORDER BY number LIMIT 2"}


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """Return a function that compares two fake versions by queries of the user, and returns the outcome."""

    def run(old, new, queries, overwrite=False):
        reference = replace(process("Derives", "reference", "harness.tests.derived_fakes"), reported=False)
        monkeypatch.setattr(gate, "processes", lambda *_: (*versions(old, new, PUSHED), reference))
        monkeypatch.setattr(gate, "QUERIES", 0)
        cases = files(tmp_path / "in", ["a", "b", "c"], Expectation.by_vote()).cases
        recorded = Expectation.accept(Queried.found, "generator")
        cases = (*cases[:2], replace(cases[2], expectation=recorded))
        cases = (cases[0], *(replace(case, probes=tuple(map(Probe, queries))) for case in cases[1:]))
        request = UpgradeRequest(
            EngineName("spark", "1.0"),
            EngineName("spark", "2.0"),
            (Input("files-parquet", "parquet", cases, own=True),),
            tmp_path / "out",
            LIMITS,
            1,
            ("upgrade",),
            overwrite=overwrite,
            given={query: TEXTS[query] for query in queries},
        )
        done = upgrade(request, Quiet())
        check(done.account, "upgrade:1", "account")
        return done

    return run


def test_a_query_that_only_one_version_answers_right(compare):
    """A filter of the user that loses rows in the new version is a regression, and its file is named."""
    done = compare(("Queried", FAKES), ("LosesRows", FAKES), (ABOVE, LEAST))
    (group,) = done.account["groups"]
    assert (group["class"], group["right"], group["cases"]) == ("pushdown", "regressed", 2)
    assert group["smallest"]["probe"] == str(ABOVE)
    assert not done.account["passed"]
    assert done.account["queries"] == [
        {"query": text, "cases": 2, "compared": 2} for text in (TEXTS[ABOVE], TEXTS[LEAST])
    ]


def test_two_that_answer_alike(compare):
    """Versions with the same answers are signed off; the account says of how many files these are."""
    done = compare(("Queried", FAKES), ("Queried", FAKES), (ABOVE,))
    assert done.account["passed"]
    assert "  query WHERE number >= 5: answers compared on 2 of 2 cases" in list(lines(done.account))
    assert "no answers" not in upgrade_markdown.render(build(done.account))


def test_a_query_that_is_not_answered(compare):
    """A query that neither version can be asked is not signed off, and the report names it."""
    done = compare(("Unsorted", HERE), ("Unsorted", HERE), (ABOVE, LEAST))
    assert not done.unreviewed
    assert not done.account["passed"]
    assert [query["compared"] for query in done.account["queries"]] == [2, 0]
    assert next(lines(done.account)).endswith("some of your files, tables or queries could not be compared")
    assert f"of the query {TEXTS[LEAST]} no answers" in upgrade_markdown.render(build(done.account))


def test_another_query_is_another_comparison(compare):
    """A comparison is continued only with the queries that it was begun with."""
    compare(("Queried", FAKES), ("LosesRows", FAKES), (LEAST,))
    with pytest.raises(PipelineError, match="holds a run with other own_queries"):
        compare(("Queried", FAKES), ("LosesRows", FAKES), (ABOVE,))
