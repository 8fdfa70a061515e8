"""Of a file that an engine cannot read whole, filters are asked, and queries that name their columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.cases import Expectation, Probe
from corpora.queries import Batches, Compare, Distinct, Filter, Project, SemiJoin
from corpora.tagged import floating
from harness.judging.in_part import in_turns, may_be_answered
from harness.tests.fakes import Queried
from harness.tests.in_part_fakes import FLOATS, NOTES
from harness.tests.pipelines import files, go, process

FAKES = "harness.tests.in_part_fakes"
NUMBER = Queried.found.columns[1].type
ABOVE = Compare(("number",), ">", NUMBER, "2")
NAMED, WHOLE = Filter(ABOVE, ("number",)), Filter(ABOVE)
PROBES = tuple(Probe(query) for query in (WHOLE, Batches(2), NAMED, Project(("name",))))
KNOWN = """[[failure]]
case = "*"
verdict = "{verdict}"
reason = "planted"
"""


def run(tmp_path, name, expectation=None, known="", probes=PROBES, **fields):
    """Return the only row of a run of a fake, and what it was asked."""
    imported = files(tmp_path / "in", ["a"], expectation or Expectation.accept(Queried.found, "generator"))
    cases = tuple(replace(case, probes=probes) for case in imported.cases)
    (tmp_path / "known").mkdir(exist_ok=True)
    if known:
        (tmp_path / "known" / f"{name.lower()}.toml").write_text(known)
    engine = replace(process(name, module=FAKES), **fields)
    results = go(tmp_path / "out", replace(imported, cases=cases), engine)
    (row,) = results.rows
    notes = tmp_path / NOTES
    return row, notes.read_text().splitlines() if notes.is_file() else []


def test_queries_that_may_be_answered():
    """A query that returns all columns is asked if it is a filter, which may lose unreadable rows."""
    assert [may_be_answered(probe.query) for probe in PROBES] == [True, False, True, True]
    assert may_be_answered(Distinct(("number",)))
    assert not may_be_answered(SemiJoin(("number",), NUMBER, ("1",)))


@pytest.mark.parametrize("name", ["Unread", "UnreadAndRefusing"])
def test_right_answers_and_refusals(tmp_path, name):
    """A file that is not supported stays so where its columns are right, or refused."""
    row, requests = run(tmp_path, name)
    assert (row.verdict, row.detail.probe) == ("unsupported", None)
    assert sorted(set(requests)) == sorted([str(NAMED), str(WHOLE), str(Project(("name",)))])
    assert row.detail.probes.queries == 3


@pytest.mark.parametrize(
    ("name", "verdict"), [("UnreadWithNan", "unsupported"), ("UnreadWithNanAndWrong", "different")]
)
def test_a_documented_nan_for_null_is_unequal(tmp_path, name, verdict):
    """Who reads a null among floats as NaN returns its row for `!=`; who loses another row is wrong."""
    unequal = Filter(Compare(("d",), "!=", floating(64), "4014000000000000"), ("d",))
    expectation = Expectation.accept(FLOATS, "generator")
    row, _ = run(tmp_path, name, expectation, probes=(Probe(unequal),))
    assert row.verdict == verdict


def test_an_engine_of_another_format_is_not_queried(tmp_path):
    """An engine that does not read the format of a file is sent no query about it."""
    row, requests = run(tmp_path, "UnreadAndWrong", formats=("orc",))
    assert (row.verdict, requests) == ("unsupported", [])


@pytest.mark.parametrize("name", ["UnreadAndWrong", "RefusedAndWrong"])
def test_a_wrong_answer_is_a_finding(tmp_path, name):
    """A wrong answer of some columns is a finding, though the whole file was not read."""
    row, _ = run(tmp_path, name)
    assert (row.verdict, row.detail.probe, row.detail.finding) == ("different", str(WHOLE), True)


def test_other_types_are_a_finding(tmp_path):
    """Columns of wrong types are judged as those of a file that is read whole, whatever the query is."""
    row, _ = run(tmp_path, "UnreadAndOfOtherTypes")
    assert (row.verdict, row.detail.probe, row.detail.finding) == ("different", str(WHOLE), True)
    assert row.detail.difference["kind"] == "type"
    assert "| type in int(32, signed) as string" in row.detail.signature


@pytest.mark.parametrize(
    ("name", "verdict", "probe"),
    [("UnreadAndWrong", "different", str(WHOLE)), ("RefusedAndWrong", "refused_valid", None)],
)
def test_known_answers(tmp_path, name, verdict, probe):
    """A refusal comes before wrong answers that are known, and one that is no problem behind them."""
    row, _ = run(tmp_path, name, known=KNOWN.format(verdict="different"))
    assert (row.verdict, row.detail.probe, row.detail.finding) == (verdict, probe, probe is None)


def test_a_heavy_engine_is_engine_one_file(tmp_path):
    """Each query is asked of one of the files that a heavy engine could not read, in turns."""
    expected = Expectation.accept(Queried.found, "generator")
    imported = files(tmp_path / "in", ["a", "b"], expected, together=True)
    cases = tuple(replace(case, probes=PROBES) for case in imported.cases)
    go(tmp_path / "out", replace(imported, cases=cases), process("Unread", module=FAKES, heavy=True))
    assert len((tmp_path / NOTES).read_text().splitlines()) == 3
    assert in_turns([4, 7], 2, NAMED, heavy=True) == [4]
    assert in_turns([4, 7], 3, NAMED, heavy=True) == [7]
    assert in_turns([4, 7], 3, NAMED, heavy=False) == [4, 7]


def test_a_file_without_known_values(tmp_path):
    """Where nobody knows what a file means, nothing is asked of what was not read."""
    assert run(tmp_path, "UnreadAndWrong", Expectation.by_vote())[1] == []
