"""Contested cases in the summary of a run: they are listed, and blame nobody."""

from dataclasses import replace

from corpora.cases import Expectation
from corpora.known_failures import Entry
from harness.judging.records import Findings, with_known
from harness.judging.results import load
from harness.judging.signature import Stored
from harness.judging.wording import in_words
from harness.runs.pipeline.disputes import MOST, note, rendered
from harness.runs.pipeline.store import Tally, count, count_case, skipped_row, store
from harness.runs.summary import Amount, show
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
    lines = list(rendered(disputes, 3, 2, str))
    assert lines[0] == (
        "3 contested cases (engines disagree, nothing decides who is right, and no engine is blamed):"
    )
    assert [line for line in lines if "contested  " in line] == [
        *(f"  contested  {tmp_path}/in/{name}" for name in "ab"),
    ]
    assert any("table 1 (reference) : 1 (wrongvalue)" in line for line in lines)
    assert lines[-1] == "  and 1 more"
    assert not list(rendered(disputes, 3, 0, str))


def test_as_many_are_kept_as_are_ever_rendered(tmp_path):
    """A run of many contested cases keeps the first ones only."""
    (row,) = contested(tmp_path, ["a"])
    disputes = []
    for number in range(MOST + 5):
        note(disputes, replace(row, case=f"files/{number}"))
    assert [len(disputes), disputes[-1].case] == [MOST, f"files/{MOST - 1}"]


def test_what_another_engine_answered_is_rendered(tmp_path):
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
    assert list(rendered(disputes, 1, 5, str))[-2:] == [
        '      wrongvalue@1: column \'a\', row 0: expected "x", got "y"',
        "      looks like a known bug: a-known-bug",
    ]


def test_a_refusal_has_the_known_bug_that_it_looks_like(tmp_path):
    """Of a contested file, an engine's known refusal is named, and is no finding."""
    (row,) = contested(tmp_path, ["a"])
    refused = replace(row, outcome="refused").with_detail(
        error_class="Error", message="no page", difference=None
    )
    words = "wrongvalue | refused_valid | *no page*"
    bug = Entry("wrongvalue", "other/*", "refused_valid", "a-bug", signature=words)
    marked = with_known(Stored(refused, {}, 1), [bug]).row
    assert (marked.verdict, marked.detail.finding, marked.detail.known_bug) == ("contested", False, "a-bug")


def test_an_engine_that_lacks_a_feature_is_no_side(tmp_path):
    """The first answer that is another side is shown, not the first that did not pass."""
    (row,) = contested(tmp_path, ["a"])
    other = replace(row, verdict="different").with_detail(difference=DIFFERENCE)
    disputes = []
    for each in (
        replace(other, verdict="unsupported"),
        replace(other, verdict="crashed"),
        replace(other, engine="reference"),
        replace(other, version="2"),
    ):
        note(disputes, each)
    assert [dispute.seen.version for dispute in disputes] == ["2"]


def test_the_summary_of_a_run_lists_them(tmp_path, capsys):
    """A run prints them behind its findings; `--quiet` does not."""
    imported = files(tmp_path / "in", ["a"], Expectation.by_vote())
    reference = process("Healthy", "reference", reported=False)
    run = go(tmp_path / "out", imported, process("WrongValue"), reference).run
    tally, last = Tally(), ""
    for row in load(tmp_path / "out").rows:
        last = count_case(tally, row, last)
    for amount, is_listed in ((Amount(), True), (Amount.of(quiet=True, verbose=False), False)):
        show(tmp_path / "out", run, tally, [], amount)
        name = imported.cases[0].file
        text = capsys.readouterr().out
        assert (
            (f"  contested  {name}\n" in text) == ("engines disagree, nothing decides" in text) == is_listed
        )
        assert ("allowed refusals" in text) == is_listed


def test_a_finding_is_named_by_the_path_of_the_file(tmp_path, capsys):
    """The summary of a run names a user's file as the user can open it."""
    imported = files(tmp_path / "in", ["a"], Expectation.by_vote())
    others = (process("Healthy"), process("Healthy", "reference"), process("Healthy", "other"))
    run = go(tmp_path / "out", imported, process("WrongValue", "wrong"), *others).run
    (row,) = [row for row in load(tmp_path / "out").rows if row.detail.finding]
    path = str(imported.cases[0].file)
    (tmp_path / "again").mkdir()
    tally = store(tmp_path / "again", "id", [Stored(row, {}, 1)], [])
    show(tmp_path / "out", run, tally, [])
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("  different")]
    assert line.endswith(f"  {path}")


def test_files_that_are_not_read_are_named(tmp_path, capsys):
    """The summary names files of a user that no engine was asked to read, with the reason."""
    imported = files(tmp_path / "in", ["a"], Expectation.by_vote())
    run = go(tmp_path / "out", imported, process("Healthy")).run
    tally = Tally()
    other = skipped_row("files/notes", "/in/notes.txt", "neither Parquet nor ORC", ("healthy", "1", ""))
    last = count_case(tally, other, "")
    last = count_case(tally, replace(other, engine="another"), last)
    count_case(tally, replace(other, case="corpora/x"), last)
    show(tmp_path / "out", run, tally, [])
    assert "  not read  /in/notes.txt: neither Parquet nor ORC\n" in capsys.readouterr().out
    assert len(tally.unread) == 1


def test_a_file_that_must_be_refused_is_broken(tmp_path):
    """It counts as broken by its clause, too, where no rule is named."""
    (row,) = contested(tmp_path, ["a"])
    meaning = row.detail.expectation._replace(rule=None, clause="README.md, File format")
    tally, last = Tally(), ""
    for case, kind in (("files/a", "refuse"), ("files/b", "accept")):
        each = row.with_detail(expectation=meaning._replace(kind=kind))
        last = count_case(tally, replace(each, case=case), last)
    assert (tally.cases, tally.broken, len(tally.broken_files)) == (2, 1, 1)


def test_rows_about_what_was_written_count_once(tmp_path):
    """They stand apart from the other rows of their case, before or behind them."""
    (row,) = contested(tmp_path, ["a"])
    row = replace(row, case="writers/a/drawn-1/0")
    wrote, other = replace(row, verdict="wrote_invalid"), replace(row, case="writers/a/drawn-1/1")
    for rows in ([wrote, other, row], [row, other, wrote], [wrote, other]):
        tally, last = Tally(), ""
        for each in rows:
            last = count_case(tally, each, last)
        assert tally.cases == 2


def test_a_finding_of_two_answers_says_so(tmp_path):
    """It is certain, by the engine alone: neither a clause nor the vote's reason stands behind it."""
    (row,) = contested(tmp_path, ["a"])
    row = replace(row, verdict="unstable").with_detail(difference=DIFFERENCE, finding=True)
    row = row.with_detail(expectation=row.detail.expectation._replace(clause="a clause", source="spec"))
    findings = Findings()
    findings.add(Stored(row, {}, 1))
    (finding,) = findings.all()
    assert (finding.certainty, finding.clause) == ("certain", "")
    assert finding.why == "the same engine answers the same request in two ways"


def test_a_finding_counts_its_rows_and_their_cases(tmp_path, capsys):
    """A file that fails under two switches is one case of two rows; the summary counts cases."""
    (row,) = contested(tmp_path, ["a"])
    row = replace(row, verdict="unstable").with_detail(difference=DIFFERENCE, finding=True)
    for case, cases, has_more in (("files/a", 1, False), ("files/b", 2, True)):
        findings = Findings()
        for each in (row, row, replace(row, case=case)):
            findings.add(Stored(each, {}, 1))
        (finding,) = findings.all()
        assert (finding.count, finding.cases, finding.more) == (3, cases, cases - 1)
        show(tmp_path / "out", load(tmp_path / "out").run, Tally(findings=[finding]), [])
        assert ("and 1 more" in capsys.readouterr().out) == has_more
        assert replace(finding, cases=0).more == 2  # of results of before


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


def test_a_problem_that_blames_nobody_is_counted_apart(tmp_path, capsys):
    """The table of a run says of how many problems a contested case blames nobody."""
    (row,) = contested(tmp_path, ["a"])
    other = replace(row, verdict="different").with_detail(difference=DIFFERENCE)
    crash = replace(row, verdict="crashed")
    run = load(tmp_path / "out").run
    for rows, shown in (([other, other, crash], 2), ([crash, row], 0)):
        tally = Tally()
        for each in rows:
            count(tally, each)
        show(tmp_path / "out", run, tally, [])
        head, line = (
            part for part in capsys.readouterr().out.splitlines()[:4] if "engine" in part or "@" in part
        )
        assert ("blames nobody" in head) == bool(shown)
        assert not shown or line.split()[-1] == str(shown)
