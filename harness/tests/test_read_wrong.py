"""A column that is read wrong hides neither another wrong column nor what queries of the others lose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.answers import answer, take
from corpora.cases import Case, Expectation, Probe
from corpora.known_failures import Entry
from corpora.queries import Aggregate, Batches, Compare, CountRows, Filter, Project, Slice, TopRows
from corpora.tagged import STRING, Table, floating, integer
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.answers import Answered, Remembered
from harness.judging.judge import judge
from harness.judging.places import Config, Place, Process
from harness.judging.read_wrong import probe_without, wrong_columns
from harness.judging.traits import Traits
from harness.judging.verdicts import AMPLIFIED_BASE_BYTES, Cost, Judgement, Verdict
from harness.judging.verdicts import judge as verdict_on

INT, DOUBLE = integer(32), floating(64)
NULL, NAN, ONE, TWO = None, "7ff8000000000000", "3ff0000000000000", "4000000000000000"
COLUMNS = [("row", INT), ("f", DOUBLE), ("t", STRING)]
FILE = Table.of(COLUMNS, [["0", "1", "2"], [ONE, NULL, TWO], ["a", "b", "c"]])
READ = Table.of(COLUMNS, [["0", "1", "2"], [ONE, NAN, TWO], ["a", "b", "c"]])
OTHER = Table.of(COLUMNS, [["0", "1", "2"], [ONE, NAN, TWO], ["a", "b", "?"]])
TEXT = Table.of([("row", STRING), *COLUMNS[1:]], [READ.column(at) for at in range(3)])
ABOVE = Filter(Compare(("row",), ">", INT, "0"))
BY_WRONG = Filter(Compare(("f",), ">", DOUBLE, ONE))
KNOWN = (Entry("duckdb", "parquet/x", "different", "null is NaN", signature="*value in float(64)*"),)
ACCEPTED = Expectation.accept(FILE, "generator")


def row_of(tmp_path, read, known=(), **answers):
    """Return the row of an engine that read a table, or failed, and answered queries."""
    file = tmp_path / "x.parquet"
    file.write_bytes(b"x")
    queries = {"above": ABOVE, "by_wrong": BY_WRONG, "count": CountRows(ABOVE.predicate)}
    probes = tuple(Probe(queries[name]) for name in answers)
    case = Case("parquet/x", "parquet", file, "0" * 64, ACCEPTED, source="spec", probes=probes)
    outcomes = {Place(0, 0): read, **{Place(0, 0, at): each for at, each in enumerate(answers.values())}}
    process = Process("duckdb", "1", (), (Config("", {}),), ("parquet",))
    (judged,) = judge([case], [Answered(process, Traits(), Remembered(outcomes))], known)
    return judged.stored.row


def of(table):
    """Return the outcome that is a table."""
    return Outcome(OutcomeKind.TABLE, table)


def test_another_wrong_column_is_a_finding(tmp_path):
    """Of two columns that differ, a known one first, the other is the finding; both known are the first."""
    row = row_of(tmp_path, of(OTHER), KNOWN)
    assert row.detail.finding
    assert row.detail.difference["path"].startswith("column 't'")
    assert not row_of(tmp_path, of(READ), KNOWN).detail.finding


def test_a_new_wrong_read_is_no_known_query(tmp_path):
    """A query that is lost, which is known, does not hide that the file is read wrong."""
    known = (Entry("duckdb", "parquet/x", "crashed", "planted"),)
    crashed = Outcome(OutcomeKind.CRASHED, detail=Detail(signal=11))
    row = row_of(tmp_path, of(READ), known, above=crashed)
    assert (row.verdict, row.detail.finding) == ("different", True)
    row = row_of(tmp_path, of(FILE), known, above=crashed)
    assert (row.verdict, row.detail.finding) == ("crashed", False)


def test_rows_lost_beside_a_wrong_column(tmp_path):
    """A query of other columns is judged, without the values of the wrong one, and a count of its rows."""
    lost, whole = of(take(READ, [2])), of(take(READ, [1, 2]))
    row = row_of(tmp_path, of(READ), KNOWN, above=lost)
    assert (row.verdict, row.detail.probe, row.detail.finding) == ("different", str(ABOVE), True)
    assert not row_of(tmp_path, of(READ), KNOWN, above=whole).detail.finding
    count = of(answer(CountRows(), take(FILE, [0]), "ieee"))
    row = row_of(tmp_path, of(READ), KNOWN, count=count)
    assert (row.detail.probe, row.detail.finding) == (str(CountRows(ABOVE.predicate)), True)


def test_queries_of_the_wrong_column(tmp_path):
    """What an engine finds by values that it reads wrong is not judged again."""
    assert not row_of(tmp_path, of(READ), KNOWN, by_wrong=of(take(READ, []))).detail.finding


def test_what_remains_of_a_query():
    """Columns that are read wrong are left out of a result; a query that depends on one is left out."""
    wrong = {"f"}

    def without(query):
        probe = probe_without(Probe(query), wrong, FILE)
        return None if probe is None else probe.query

    assert without(ABOVE) == ABOVE
    assert without(Project(("f", "t"))) == Project(("t",))
    assert without(Project(("f",))) is None
    assert without(Slice(0, 1, columns=("t", "f"))) == Slice(0, 1, columns=("t",))
    assert without(replace(ABOVE, columns=())) == replace(ABOVE, columns=())
    assert without(Aggregate(("t",))) == Aggregate(("t",))
    assert without(Batches(2)) == Batches(2)
    assert [without(query) for query in (BY_WRONG, Aggregate(("f",)), TopRows(("f",), 1))] == [None] * 3
    assert probe_without(Probe(Batches(2)), {"row", "f", "t"}, FILE) is None


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (READ, {"f"}),
        (take(READ, [0, 1]), None),
        (Table.of([("row", INT)], [["0", "1", "2"]]), None),
        (
            Table.of([("row", STRING), ("f", DOUBLE), ("t", STRING)], [READ.column(at) for at in range(3)]),
            {"row", "f"},
        ),
    ],
)
def test_wrong_columns(table, names):
    """Columns are wrong by values or by types; of a table with other rows or columns none is right."""
    assert wrong_columns(verdict_on(ACCEPTED, of(table)), FILE) == names


def test_an_expensive_read_is_a_right_one():
    """A read that cost too much has right values, if the values were right."""
    cost = Cost("memory", 2.0 * AMPLIFIED_BASE_BYTES, 1.0 * AMPLIFIED_BASE_BYTES, 1, 1, "agree")
    assert wrong_columns(Judgement(Verdict.AMPLIFIED, cost=cost), FILE) == frozenset()
    refused = cost._replace(verdict="refused_otherwise")
    assert wrong_columns(Judgement(Verdict.AMPLIFIED, cost=refused), FILE) is None
    assert wrong_columns(Judgement(Verdict.REFUSED_VALID), FILE) is None
