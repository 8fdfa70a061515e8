"""A writer that wrote several columns wrong: a known one hides no other."""

from pathlib import Path

from corpora.cases import Case, Expectation
from corpora.known_failures import Entry
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging import writers
from harness.judging.answers import Answered, Remembered
from harness.judging.places import Config, Process
from harness.judging.records import first_finding
from harness.judging.subjects import Given
from harness.judging.traits import Traits

FIELDS = [("a", integer(32)), ("b", STRING)]
KNOWN = Entry("w", "files/a", "wrote_other", "a-bug", signature="w | wrote_other | value in int(32, signed)")


def outcome(*row):
    """Return the outcome of reading a row."""
    return Outcome(OutcomeKind.TABLE, Table.of(FIELDS, [[value] for value in row]))


def test_each_wrong_column_has_a_row():
    """The row of the first unknown column counts; if all are known, that of the first column."""
    case = Case(
        "files/a",
        "parquet",
        Path(__file__),
        "0" * 64,
        Expectation.accept(outcome("1", "x").table, "generator"),
        source="writer:w@1",
    )
    given = [
        Given(
            Answered(Process(name, "1", (), (Config("", {}),), ("parquet",)), Traits(), Remembered({})),
            0,
            read,
        )
        for name, read in (("reference", outcome("2", "y")), ("w", outcome("2", "y")))
    ]
    blamed = writers.blame(case, given, (), 0)
    assert [row.row.detail.difference["path"] for row in blamed.rows] == [
        "column 'a', row 0",
        "column 'b', row 0",
    ]
    for known, shown in (([], "column 'a', row 0"), ([KNOWN], "column 'b', row 0")):
        row = first_finding(blamed.rows, known).row
        assert (row.detail.finding, row.detail.difference["path"]) == (True, shown)
    other = Entry("w", "files/a", "wrote_other", "a-bug", signature="w | wrote_other | value in string")
    row = first_finding(blamed.rows, [KNOWN, other]).row
    assert (row.detail.finding, row.detail.difference["path"]) == (False, "column 'a', row 0")
