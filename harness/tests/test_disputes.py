"""Contested cases in the summary of a run: they are listed, and blame nobody."""

from dataclasses import replace

from corpora.cases import Expectation
from corpora.known_failures import Entry
from harness.judging.records import with_known
from harness.judging.signature import Stored
from harness.judging.wording import in_words
from harness.runs.pipeline.disputes import KEPT, note, shown
from harness.runs.pipeline.store import Tally, count_case
from harness.tests.pipelines import files, go, process

DIFFERENCE = {"path": "column 'a', row 0", "expected": '"x"', "actual": '"y"', "kind": "value"}


def contested(folder, names):
    """Return the rows of files of which one engine and the reference answer two things."""
    imported = files(folder / "in", names, Expectation.by_vote())
    reference = process("Healthy", "reference", reported=False)
    return go(folder / "out", imported, process("WrongValue"), reference).rows


def test_contested_cases_are_listed(tmp_path):
    """Each case is listed once, with its votes and the reason; those behind the limit are counted."""
    disputes = []
    for row in contested(tmp_path, ["a", "b", "c"]):
        note(disputes, row)
        note(disputes, row)
    lines = list(shown(disputes, 3, 2, str))
    assert lines[0] == "3 contested cases, in which nobody is blamed:"
    assert [line for line in lines if "contested  " in line] == [
        "  contested  files/a",
        "  contested  files/b",
    ]
    assert any("table 1 (reference) : 1 (wrongvalue)" in line for line in lines)
    assert lines[-1] == "  and 1 more"
    assert not list(shown(disputes, 3, 0, str))


def test_as_many_are_kept_as_are_ever_shown(tmp_path):
    """A run of many contested cases keeps the first ones only."""
    (row,) = contested(tmp_path, ["a"])
    disputes = []
    for number in range(KEPT + 5):
        note(disputes, replace(row, case=f"files/{number}"))
    assert [len(disputes), disputes[-1].case] == [KEPT, f"files/{KEPT - 1}"]


def test_what_another_engine_answered_is_shown(tmp_path):
    """The first answer that differs stands below its case, with the known bug that it looks like."""
    (row,) = contested(tmp_path, ["a"])
    other = replace(row, verdict="different").with_detail(difference=DIFFERENCE)
    bug = Entry(
        "wrongvalue", "generated/*", "different", "a-known-bug", signature="wrongvalue | different | *"
    )
    marked = with_known(Stored(other, {}, 1), [bug]).row
    assert (marked.detail.finding, marked.detail.known_bug) == (False, "a-known-bug")
    disputes = []
    for each in (replace(other, verdict="agree"), marked):
        note(disputes, each)
    assert list(shown(disputes, 1, 5, str))[-2:] == [
        '      wrongvalue@1: column \'a\', row 0: expected "x", got "y"',
        "      looks like a known bug: a-known-bug",
    ]


def test_a_case_is_contested_by_any_of_its_rows(tmp_path):
    """Answers that trust false metadata are contested, those of the same case that pass are not."""
    (row,) = contested(tmp_path, ["a"])
    agreed = row.with_detail(expectation=row.detail.expectation._replace(certainty=None))
    tally, last = Tally(), ""
    for each in (agreed, row, row, replace(agreed, case="files/b")):
        last = count_case(tally, each, last)
    assert (tally.cases, tally.contested, [each.case for each in tally.disputes]) == (2, 1, ["files/a"])


def test_two_answers_to_one_request_are_no_expectation():
    """The first answer of an engine that contradicts itself is not called expected."""
    assert in_words("different", "value", "1", "2") == "expected 1, got 2"
    assert in_words("unstable", "value", "1", "2") == "first 1, then 2"
    assert in_words("unstable", "order", "1 alone", "2 after a") == "1 alone, 2 after a"
