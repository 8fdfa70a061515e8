"""`colconf known update`: the edit that a run asks for, and nothing else of the file."""

import datetime as dt
import tomllib
from dataclasses import replace
from itertools import accumulate

import pytest
from click.testing import CliRunner

from corpora import known_failures
from corpora.cases import CaseError
from corpora.known_failures import cases_of
from corpora.known_text import Edits, edited
from harness.commands.known import known
from harness.judging import records
from harness.judging.results import load_run, read_rows
from harness.runs.history.changes import judged_row
from harness.runs.history.propose import closed, proposed
from harness.runs.history.subjects import subject_of
from harness.runs.history.tests.test_history import request
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.run import run
from harness.runs.summary import show
from harness.tests.pipelines import Quiet, files, process, pushing

TODAY = dt.datetime.now(tz=dt.UTC).date()
LISTED = """# What the engine does.

[[failure]]
case = "files/good"  # it was bad
verdict = "refused_valid"
reason = "held from the first version on"

# Its own comment.
[[failure]]
case = "files/better"
versions = ">=2"
verdict = "different"
reason = "never held in a version before 2"

# A section.

[[failure]]
case = "files/bad"
verdict = "refused_valid"
reason = "expired"
url = 'https://example.org/1'
repro = '''
[[failure]]
# this is text
'''
expires = 2020-01-01

[[failure]]
case = "elsewhere/*"
config = { x = "y" }
verdict = "crashed"
reason = "not of this run"
"""


@pytest.fixture
def ran(tmp_path):
    """Run version 2 of an engine over files, some of them listed; answer run and known failures."""
    folder = tmp_path / "known"
    folder.mkdir()
    (folder / "refuses.toml").write_text(LISTED)
    imported = files(tmp_path / "in", ["good", "better", "bad", "badder"])
    made = request(tmp_path / "out", imported, replace(process("Refuses"), version="2"), known=folder)
    run(made, Quiet())
    return made


def update(made, *more):
    """Call the command; what this process has read of the known failures is forgotten."""
    records.known_entries.cache_clear()
    records.known_digest.cache_clear()
    return CliRunner().invoke(known, ["update", str(made.out), "--known", str(made.known), *more])


@pytest.mark.parametrize(("names", "offers"), [(["good"], False), (["good", "badder"], True)])
def test_a_stale_entry_is_no_finding_to_export(tmp_path, capsys, names, offers):
    """The summary offers to export findings where there is one with a file."""
    folder = tmp_path / "known"
    folder.mkdir()
    (folder / "refuses.toml").write_text(LISTED.partition("# Its own comment.")[0])
    given = request(tmp_path / "out", files(tmp_path / "in", names), process("Refuses"), known=folder)
    record, tally = run(given, Quiet())
    assert tally.stale
    show(tmp_path / "out", record, tally, [])
    assert ("findings export" in capsys.readouterr().out) == offers


def test_a_folder_of_ones_own_is_made(ran):
    """With --write, a folder that is not there is made; FINDINGS.md is of colconf's own folder alone."""
    own = replace(ran, known=ran.known.parent / "own" / "known")
    refused = update(own)
    assert (refused.exit_code, "--write makes it" in refused.stderr) == (2, True)
    result = update(own, "--write")
    assert result.exit_code == 0
    assert (own.known / "refuses.toml").exists()
    assert f"{own.known}: written" in result.stderr
    assert "FINDINGS.md" not in result.stderr


def test_the_round_trip(ran):
    """What is proposed, written and run again leaves nothing to propose; the rest is as it was."""
    result = update(ran)
    assert result.exit_code == 0, result.output
    assert (ran.known / "refuses.toml").read_text() == LISTED
    changed = [line for line in result.stdout.splitlines()[2:] if line[:1] in {"+", "-"}]
    expires = TODAY + dt.timedelta(days=30)
    assert changed == [
        '+versions = "<2"',
        "-",
        "-# Its own comment.",
        "-[[failure]]",
        '-case = "files/better"',
        '-versions = ">=2"',
        '-verdict = "different"',
        '-reason = "never held in a version before 2"',
        "-expires = 2020-01-01",
        f"+expires = {expires}",
        "+",
        "+[[failure]]",
        '+case = "files/badder"',
        '+versions = ">=2"',
        '+verdict = "refused_valid"',
        '+reason = "to be looked at"',
        f"+expires = {expires}",
    ]
    lines = load_run(ran.out).stale
    assert lines
    assert all(line.startswith(f"{ran.known / 'refuses.toml'}: ") for line in lines)
    elsewhere = replace(ran, known=ran.known / ".." / "known")
    assert update(elsewhere, "--write").exit_code == 0
    again = replace(ran, out=ran.out.parent / "again", settings={"again": 1})
    _, tally = run(again, Quiet())
    assert tally.findings == []
    assert tally.stale == []
    result = update(again)
    assert result.stdout == ""
    assert "nothing to change" in result.stderr


def test_a_run_that_derives_queries(ran):
    """It closes the entries of derived queries alone, and proposes such entries."""
    settings = {"queries_of_cases": True}
    derived = replace(ran, out=ran.out.parent / "derived", queries_of_cases=True, settings=settings)
    run(derived, Quiet())
    assert "files/better" not in update(derived).stdout
    (ran.known / "refuses.toml").write_text(
        LISTED.replace('verdict = "different"', 'verdict = "different"\nderived = true')
    )
    again = replace(derived, out=ran.out.parent / "again")
    run(again, Quiet())
    lines = update(again).stdout.splitlines()
    assert '-case = "files/better"' in lines
    assert lines[lines.index('+case = "files/badder"') :].count("+derived = true") == 1


@pytest.mark.parametrize("count", [2, 40])
def test_few_cases_are_listed(tmp_path, count):
    """A finding of few files becomes a list of them, which can become stale; one of many a glob."""
    folder = tmp_path / "known"
    folder.mkdir()
    imported = files(tmp_path / "in", [f"bad{number}" for number in range(count)])
    made = request(tmp_path / "out", imported, process("Refuses"), known=folder)
    run(made, Quiet())
    (change,) = proposed(made.out, folder, days=5, today=TODAY)
    (entry,) = tomllib.loads(change.after)["failure"]
    if count == 2:
        assert entry["case"] == ["files/bad0", "files/bad1"]
        assert "signature" not in entry
    else:
        assert entry["case"] == "files/bad*"
        assert entry["signature"].startswith("refuses | refused_valid")


def test_an_entry_about_values_has_a_subject(tmp_path):
    """An entry for the files of a finding about values covers what was wrong there, and no other failure."""
    folder = tmp_path / "known"
    folder.mkdir()
    plan = request(tmp_path / "out", files(tmp_path / "in", ["a"]), process("WrongValue"), known=folder)
    run(plan, Quiet())
    assert update(plan, "--write").exit_code == 0
    (entry,) = known_failures.load(folder)
    (row,) = read_rows(plan.out)
    assert (entry.case, entry.signature, entry.subject) == ("files/a", "", ("value in *",))
    judged = judged_row(row)
    assert entry.covers(judged)
    assert not entry.covers(
        judged._replace(signature=f"{judged.signature.partition(' | ')[0]} | different | rows")
    )
    of_column = row.with_detail(column_features=("parquet/value/nan",))
    assert judged_row(of_column).column_features == ("parquet/value/nan",)


def test_generated_findings_are_listed_by_signature(tmp_path):
    """Their cases have no names that last; an entry about them matches the next run's findings."""
    folder = tmp_path / "known"
    folder.mkdir()
    made = request(
        tmp_path / "out",
        None,
        pushing("LosesRows"),
        known=folder,
        generate=Generate(3, 7, "harness.tests.pipelines:made"),
    )
    run(made, Quiet())
    (change,) = proposed(made.out, folder, days=5, today=TODAY)
    assert change.file == folder / "losesrows.toml"
    assert update(made, "--write", "--days", "5").exit_code == 0
    entries = known_failures.load(folder)
    assert {entry.case for entry in entries} == {"generated/*"}
    assert all(entry.signature.startswith("losesrows") for entry in entries)
    assert {entry.expires for entry in entries} == {TODAY + dt.timedelta(days=5)}
    for number in range(4):  # what is listed no longer hides what else is wrong with its file
        again = replace(made, out=tmp_path / f"{number}", settings={"again": number})
        _, tally = run(again, Quiet())
        if not tally.findings:
            break
        assert update(again, "--write").exit_code == 0
    assert tally.findings == []


@pytest.mark.parametrize(
    ("versions", "seen", "left"),
    [
        ("", "4.3.1", "<4.3.1"),
        (">=4.3.0", "4.3.1", ">=4.3.0,<4.3.1"),
        (">=4.3.0,<5", "4.3.1", ">=4.3.0,<4.3.1"),
        (">3, !=4.1", "4.3", ">3,!=4.1,<4.3"),
        (">=4.3.0", "4.3", ""),
        ("==4.3", "4.3", ""),
        ("<=4.3", "4.3", "<4.3"),
    ],
)
def test_ranges_end_before_the_version_that_is_fine(versions, seen, left):
    """The lower end stays; a range in which nothing is left is none."""
    assert closed(versions, seen) == left


def test_the_files_of_this_project_can_be_edited(some_of):
    """Each entry of each file can be closed, dated or removed, and all else stays line by line."""
    files = [(path.name, path) for path in sorted(known_failures.FOLDER.glob("*.toml"))]
    for path in some_of(files, 4):
        text = path.read_text("utf-8")
        assert edited(text, Edits()) == text
        ends = [*accumulate(len(cases_of(raw)) for raw in tomllib.loads(text)["failure"])]
        for at in {0, len(ends) // 2, len(ends) - 1}:
            places = range(ends[at - 1] if at else 0, ends[at])
            lines = text.splitlines()
            changes = {place: {"versions": "<9", "expires": TODAY} for place in places}
            assert len(edited(text, Edits(changes)).splitlines()) - len(lines) <= 2
            out = edited(text, Edits(dict.fromkeys(places))).splitlines()
            assert [line for line in lines if line in set(out)][: len(out)]
            assert set(out) <= set(lines)


LISTS = """[[failure]]
case = "first"
verdict = "different"
reason = "r"

# Of three files.
[[failure]]
case = [
  "a",
  "b",  # the odd one
  "c",
]
verdict = "different"
reason = "r"
repro = '''
case = [
'''

[[failure]]
case = "last"
verdict = "different"
reason = "r"
"""


@pytest.mark.parametrize(
    ("changes", "listed"),
    [
        ({2: None}, [("a", {}), ("c", {})]),
        ({1: None, 2: None}, [("c", {})]),
        ({1: None, 2: None, 3: None}, []),
        ({1: {"versions": "<9"}}, [("a", {"versions": "<9"}), ("b", {}), ("c", {})]),
        ({2: {"versions": "<9"}}, [("a", {}), ("c", {}), ("b", {"versions": "<9"})]),
        (
            {1: {"versions": "<9"}, 2: {"versions": "<8"}, 3: {"versions": "<9"}},
            [("a", {"versions": "<9"}), ("c", {"versions": "<9"}), ("b", {"versions": "<8"})],
        ),
        ({place: {"expires": TODAY} for place in (1, 2, 3)}, [(case, {"expires": TODAY}) for case in "abc"]),
    ],
)
def test_cases_of_a_list_change_each_by_itself(tmp_path, changes, listed):
    """Cases are removed, or move into an entry behind the first of their list; the rest of the file stays."""
    path = tmp_path / "x.toml"
    path.write_text(edited(LISTS, Edits(changes)))
    wanted = [("first", {}), *listed, ("last", {})]
    assert [(entry.case, *of_entry(entry)) for entry in known_failures.read(path)] == [
        (case, change.get("versions", ""), change.get("expires")) for case, change in wanted
    ]
    assert path.read_text().count("# Of three files.") == bool(listed)
    if len(changes) == len(listed) == 3 and changes[1] == changes[2]:
        assert len(path.read_text().splitlines()) == len(LISTS.splitlines()) + 1


def of_entry(entry):
    """Return what the edits of these tests change."""
    return entry.versions, entry.expires


def test_values_are_written_as_they_are_read():
    """Text with quotes, backslashes and control characters survives."""
    entry = {
        "case": "files/\u2028é",
        "verdict": "different",
        "reason": 'a "b" \\ \x7f\n\x00',
        "expires": TODAY,
    }
    assert tomllib.loads(edited("", Edits(new=[entry])))["failure"] == [entry]


def test_an_edit_that_would_change_more_is_refused():
    """What the cutting does not understand is left alone."""
    text = 'other = 1\n"failure" = [{ case = "a" }]\n'
    with pytest.raises(CaseError, match=r"by hand|is not TOML"):
        edited(text, Edits(new=[{"case": "b"}]))


@pytest.mark.parametrize(
    ("signature", "glob"),
    [
        ("spark | different | value in list<element: int(64, signed)>", "value in *"),
        ("spark:vectorized=off | different | pushdown: rows lost in float(64) not order", "*: rows *"),
        ("spark | different | batches: rows lost and gained", "*: rows *"),
        ("duckdb | different | filter: order of rows in string in", "*: order of rows*"),
        ("spark | different | filter in several tests of timestamp", "filter in *"),
        ("spark | different | rows", "rows"),
        ("spark:way=x | inconsistent | columns", "columns"),
    ],
)
def test_the_subject_of_a_signature(signature, glob):
    """It names what differs, and neither a type nor the test of a filter."""
    assert subject_of(signature) == glob


def test_subjects(tmp_path):
    """An entry is limited to what a run saw of its cases; one with a signature stays as it is."""
    folder = tmp_path / "known"
    folder.mkdir()
    entry = '[[failure]]\ncase = {}\nverdict = "different"\nreason = "a reason"\n'
    others = (
        entry.format('"files/other"').replace("a reason", "another")
        + "\n"
        + entry.format('"generated/*"')
        + 'signature = "*"\n'
    )
    file = folder / "wrongvalue.toml"
    listed = entry.format('["files/a", "files/bad"]')
    file.write_text(f"{listed}\n{others}")
    imported = files(tmp_path / "in", ["a", "bad"])
    updated = request(tmp_path / "out", imported, process("WrongValue"), known=folder)
    run(updated, Quiet())
    result = update(updated, "--subjects", "--write")
    assert result.exit_code == 0, result.output
    assert file.read_text() == f'{listed}subject = "value in *"\n\n{others}'
    assert "nothing to change" in update(updated, "--subjects").stderr
