"""`colconf validate`, `colconf explain` and `colconf inspect`: what they print, and their status."""

from __future__ import annotations

import json
import os
import tomllib
from collections import Counter
from importlib.metadata import EntryPoint
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora import rules
from harness.commands.explain import explain
from harness.commands.inspect import inspect
from harness.commands.validate import validate
from harness.commands.validate_text import Result, is_broken, text
from harness.tests.schemas import printed
from properties.strategies.faults import FAULTS
from properties.truths import wild
from reference_impl.parquet.writer import write
from reference_impl.validation import Report, Violation

BROKEN, ADVISED = "PQ-STATS-004", "PQ-STATS-012"


@pytest.fixture
def files(tmp_path):
    """Make a folder of a sound file, one that breaks a MUST, one that breaks a SHOULD, and others."""
    (tmp_path / "in").mkdir()
    (tmp_path / "sound.parquet").write_bytes(FAULTS["PQ-FILE-002"].near.build())
    (tmp_path / "broken.parquet").write_bytes(FAULTS[BROKEN].build())
    (tmp_path / "in" / "advised.parquet").write_bytes(FAULTS[ADVISED].build())
    (tmp_path / "in" / "notes.txt").write_text("nothing to look at")
    (tmp_path / "empty.parquet").write_bytes(b"")
    return tmp_path


def run(command, *arguments):
    """Return status, standard output and standard error."""
    result = CliRunner().invoke(command, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("command", [validate, explain, inspect], ids=lambda command: command.name)
def test_it_is_a_command_of_colconf(command):
    """The project's entry points name the command."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    value = project["project"]["entry-points"]["colconf.commands"][command.name]
    assert EntryPoint(command.name, value, "colconf.commands").load() is command


def test_a_sound_file(files):
    """Nothing is broken, and the status is 0."""
    status, out, _ = run(validate, files / "sound.parquet")
    assert status == 0
    assert "nothing is broken" in out


def test_a_broken_must_is_status_1(files):
    """Rule, level, clause, offset and path are told."""
    status, out, _ = run(validate, files / "broken.parquet")
    assert status == 1
    assert f"MUST   {BROKEN} at byte " in out
    assert rules.load()[BROKEN].clause in out
    assert "row_groups[0]" in out


def test_a_broken_should_is_status_0(files):
    """What only should be so is told, unless it is not asked for, and breaks nothing."""
    for level, is_told in (("should", True), ("must", False)):
        status, out, _ = run(validate, "--level", level, files / "in" / "advised.parquet")
        assert status == 0
        assert (ADVISED in out) == is_told


def violation(rule, message):
    """Return a violation without a place."""
    return Violation(rule, None, (), message)


@pytest.mark.parametrize("every", [False, True])
def test_a_broken_must_comes_first(every):
    """Rules of a level are in the order of the file, below those of the level above."""
    by_level = [("PQ-CHUNK-010", "first"), (BROKEN, "second"), ("PQ-STATS-002", "third"), (ADVISED, "last")]
    report = Report([violation(rule, message) for rule, message in by_level])
    lines = list(text([Result("x", report)], rules.load(), every=every))
    messages = [line.rpartition(" ")[2] for line in lines if line.startswith(("  MUST", "  SHOULD"))]
    assert messages == ["second", "third", "first", "last"]


def test_places_of_a_rule_are_listed_together():
    """A rule that is broken in many places has their count and the first; `--all` lists each."""
    many = [violation(rule, f"place {at}") for at in range(5) for rule in (ADVISED, BROKEN)]
    result = Result("x", Report(many, suppressed=Counter({ADVISED: 2_000})))
    lines = list(text([result], rules.load(), every=False))
    assert lines[0] == "x: 5 MUST, 2,005 SHOULD"
    clause = lines.index(f"  SHOULD {ADVISED} in 2,005 places")
    assert lines[1] == f"  MUST   {BROKEN} in 5 places"
    assert [line.strip() for line in lines[3:7]] == [
        *(f"place {at}" for at in range(3)),
        "and 2 more; --all lists them",
    ]
    assert lines[clause + 1].strip().startswith(rules.load()[ADVISED].clause)
    assert lines[-1].strip() == "and 2,002 more; --all lists 5 of the 2,005"
    each = list(text([result], rules.load(), every=True))
    assert sum(line.startswith(("  MUST", "  SHOULD")) for line in each) == len(many)
    assert each[-1] == f"  {ADVISED}: 2,000 more, not listed"


def test_a_rule_of_which_no_place_is_listed():
    """A rule of which a report lists no place is counted; a MUST among such rules decides the status."""
    result = Result("x", Report(suppressed=Counter({BROKEN: 1})))
    lines = list(text([result], rules.load(), every=False))
    assert lines[1] == f"  MUST   {BROKEN} in 1 place"
    assert lines[-1].strip() == "and 1 more, not listed"
    assert is_broken(result, rules.load())


def test_all_is_an_option(tmp_path):
    """`--all` lists the places that the listing by rules only counts; the status stays."""
    file = tmp_path / "floats.parquet"
    pq.write_table(pa.table({f"x{at}": [0.5] for at in range(6)}), file)  # without nan_count
    status, out, _ = run(validate, file)
    assert (status, out.count("there is no nan_count")) == (0, 3)
    assert "SHOULD PQ-STATS-017 in 12 places\n" in out
    status, out, _ = run(validate, "--all", file)
    assert (status, out.count("there is no nan_count")) == (0, 12)


def test_the_release_of_a_rule_that_older_files_break_is_printed(tmp_path):
    """Beside a rule that came with a release of the format, text and JSON say so; else they do not."""
    file = tmp_path / "floats.parquet"
    pq.write_table(pa.table({"x": [0.5]}), file)  # without nan_count
    _, out, _ = run(validate, file)
    rule = rules.load()["PQ-STATS-017"]
    assert "since release 2.13.0" in rule.about_age
    assert out.count(rule.about_age) == 1
    (document,) = printed("validate", run(validate, "--format", "json", file)[1])["files"]
    since = {violation["rule"]: violation.get("since") for violation in document["violations"]}
    assert since["PQ-STATS-017"] == rule.since
    assert since["PQ-FILE-012"] is None
    assert rule.about_age in run(explain, "PQ-STATS-017")[1]


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("keys/geoparquet-1", "key_value_metadata, geo: "),
        ("keys/variant-of-spark", "key_value_metadata, org.apache.spark.sql.parquet.row.metadata: "),
        ("numbers/null-of-parquet-cpp", "x: ConvertedType 24 "),
    ],
)
def test_conventions_beside_the_specification_are_notes(tmp_path, name, begin):
    """What breaks no rule and is read in more than one way has a note, but not with `--level must`."""
    (plan,) = (each.recipe.plan for each in wild.files() if each.recipe.id == f"wild/{name}")
    file = tmp_path / "a.parquet"
    file.write_bytes(write(plan))
    status, out, _ = run(validate, file)
    assert status == 0
    assert f"  note: {begin}" in out
    (document,) = printed("validate", run(validate, "--format", "json", file)[1])["files"]
    assert [note.startswith(begin) for note in document["notes"]] == [True]
    (of_run,) = json.loads(run(validate, "--format", "sarif", file)[1])["runs"]
    (noted,) = of_run["invocations"][0]["toolExecutionNotifications"]
    assert noted["level"] == "note"
    assert begin in noted["message"]["text"]
    assert "note:" not in run(validate, "--level", "must", file)[1]


def test_folders_and_files_that_are_not_there(files):
    """A folder stands for the Parquet files below it; one bad file does not stop the rest: status 2."""
    status, out, err = run(validate, "--format", "json", files / "missing", files)
    told = printed("validate", out)["files"]
    names = [one["file"].rpartition("/")[2] for one in told]
    assert names == ["missing", "broken.parquet", "empty.parquet", "advised.parquet", "sound.parquet"]
    assert status == 2
    assert "missing: No such file" in err
    assert [one["rule"] for one in told[1]["violations"]] == [BROKEN]
    assert [one["rule"] for one in told[2]["violations"]] == ["PQ-FILE-001"]


def test_files_that_are_not_checked_are_counted(files):
    """Of a folder, files that are neither Parquet nor ORC are named; others are checked."""
    (files / "in" / "README.md").write_text("")
    (files / "in" / "named.parquet.gz").write_bytes((files / "sound.parquet").read_bytes())
    (files / "in" / ".part.tmp").write_bytes(b"PAR1")
    dangling = files / "in" / "gone"
    dangling.symlink_to(files / "in" / "nowhere")
    status, _, errors = run(validate, files / "in")
    assert status == 0
    assert "README.md" in errors
    assert ": not checked: neither Parquet nor ORC\n" in errors
    assert "named.parquet.gz" not in errors
    assert f"{dangling}: not checked: cannot be read: No such file or directory\n" in errors
    assert f"{files}/in/.part.tmp: not checked: hidden\n" in errors
    _, _, errors = run(validate, files / "sound.parquet")
    assert not errors


def test_files_of_a_folder_that_cannot_be_read_are_named(files):
    """A link to nothing and a FIFO of a format's name have their reasons, and the status is 2."""
    (files / "in" / "dangling.parquet").symlink_to(files / "nowhere.parquet")
    os.mkfifo(files / "in" / "fifo.parquet")
    status, _, errors = run(validate, files / "in")
    assert status == 2
    assert "dangling.parquet: No such file or directory" in errors
    assert "fifo.parquet: not a regular file" in errors
    assert "dangling.parquet and" not in errors


def test_sarif(files):
    """SARIF has one result for each violation, with level, place, and a rule that its driver describes."""
    _, out, _ = run(validate, "--format", "sarif", files)
    told = json.loads(out)
    assert told["version"] == "2.1.0"
    (one,) = told["runs"]
    known = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    assert known == sorted({BROKEN, ADVISED, "PQ-FILE-001"})
    levels = {}
    for result in one["results"]:
        assert known[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".parquet")
        assert place["region"]["byteOffset"] >= 0
        levels[result["ruleId"]] = result["level"]
    assert levels == {BROKEN: "error", ADVISED: "warning", "PQ-FILE-001": "error"}


def test_explain():
    """A rule is printed with its level and where the specification says it; without one, all are listed."""
    status, out, _ = run(explain, BROKEN.lower())
    assert status == 0
    assert out.startswith(f"{BROKEN}  MUST")
    assert "parquet.thrift, Statistics.min_value" in out
    _, out, _ = run(explain)
    assert len(out.splitlines()) == len(rules.load())


def test_explain_names_what_is_near():
    """A rule that is not there is one line, with those that are spelled alike, and status 2."""
    status, out, err = run(explain, "PQ-STAT-04")
    assert (status, out) == (2, "")
    assert BROKEN in err


def test_inspect_shows_all_parts(files):
    """Text and JSON show footer, schema, row groups and pages; selections limit them."""
    status, out, _ = run(inspect, files / "broken.parquet")
    assert status == 0
    for part in ("footer [", "schema", "row group 0", "page 0 DATA_PAGE", "statistics: "):
        assert part in out
    _, out, _ = run(inspect, "--no-pages", "--row-group", "0", files / "broken.parquet")
    assert "DATA_PAGE" not in out
    _, out, _ = run(inspect, "--json", files / "broken.parquet")
    assert printed("inspect", out)["errors"] == []


def test_inspect_of_a_broken_file(files):
    """What can be shown is, then what could not in one line, and status 1; what is not there is status 2."""
    data = (files / "sound.parquet").read_bytes()
    (files / "cut.parquet").write_bytes(data[:-4] + b"PAR2")
    status, out, err = run(inspect, files / "cut.parquet")
    assert status == 1
    assert f"{len(data)} bytes" in out
    assert "[PQ-FILE-003]" in err
    assert len(err.splitlines()) == 1
    assert run(inspect, files / "missing")[0] == 2
    assert run(inspect, "--row-group", "7", files / "sound.parquet")[0] == 2
