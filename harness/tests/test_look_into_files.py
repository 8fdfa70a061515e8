"""`colconf validate`, `explain` and `inspect`: what they print, and with what status they end."""

import json
import os

import pytest
from click.testing import CliRunner

from corpora import own_cases, rules
from corpora.build.formats import FORMATS
from corpora.cases import load
from harness.commands.explain import explain
from harness.commands.inspect import inspect
from harness.commands.validate import validate
from harness.tests.schemas import check, printed
from properties.strategies.faults import FAULTS

MUST, SHOULD = "PQ-STATS-004", "PQ-CODEC-004"


@pytest.fixture
def files(tmp_path):
    """Return the paths of a sound file, one that breaks a MUST and one that breaks a SHOULD."""
    made = {"sound": FAULTS[MUST].near.build(), MUST: FAULTS[MUST].build(), SHOULD: FAULTS[SHOULD].build()}
    paths = {name: tmp_path / f"{name}.parquet" for name in made}
    for name, data in made.items():
        paths[name].write_bytes(data)
    return paths


def run(command, *arguments):
    """Run a command."""
    return CliRunner().invoke(command, [str(one) for one in arguments], catch_exceptions=False)


@pytest.mark.parametrize(("name", "status"), [("sound", 0), (MUST, 1), (SHOULD, 0)])
def test_the_status_says_whether_a_must_is_broken(files, name, status):
    """A SHOULD that is broken is told, and no failure."""
    result = run(validate, files[name])
    assert result.exit_code == status
    assert (name in result.stdout.replace(str(files[name]), "")) == (name != "sound")
    assert not result.stderr


def test_text_names_rule_clause_offset_and_path(files):
    """A violation is a line of text, and its clause another, which states the rule the first time."""
    result = run(validate, files[MUST], files[MUST])
    _, line, clause, _, again, later = result.stdout.splitlines()
    assert line == again
    assert line.startswith(f"  MUST   {MUST} at byte ")
    assert " in row_groups[0].column " in line
    rule = rules.load()[MUST]
    assert clause.strip() == f"{rule.clause}: {rule.text}"
    assert later.strip() == rule.clause


def test_levels_are_chosen(files):
    """With --level must a SHOULD is not told."""
    assert run(validate, "--level", "must", files[SHOULD]).stdout == f"{files[SHOULD]}: nothing is broken\n"
    assert f"SHOULD {SHOULD}" in run(validate, "--level", "should", files[SHOULD]).stdout


def test_a_folder_stands_for_its_files(files, tmp_path):
    """Each file below a folder is told, those that are no Parquet files by name are not."""
    (tmp_path / "notes.txt").write_text("no Parquet file")
    result = run(validate, tmp_path)
    assert result.exit_code == 1
    told = [line.partition(": ") for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert {path: found for path, _, found in told} == {
        str(files["sound"]): "nothing is broken",
        str(files[MUST]): "1 MUST",
        str(files[SHOULD]): "1 SHOULD",
        str(tmp_path): "3 Parquet files, 1 break a MUST, 0 notes across files",
    }


def test_a_file_that_is_not_there_stops_nothing(files, tmp_path):
    """Other files are still looked at; what could not be read is a line on standard error, and status 2."""
    result = run(validate, tmp_path / "none", files[MUST])
    assert result.exit_code == 2
    assert result.stderr == f"colconf: {tmp_path / 'none'}: No such file or directory\n"
    assert MUST in result.stdout


def test_an_empty_file_is_no_parquet_file(tmp_path):
    """A file of no bytes breaks a rule, like any other that is no Parquet file."""
    (tmp_path / "x.parquet").write_bytes(b"")
    result = run(validate, tmp_path / "x.parquet")
    assert result.exit_code == 1
    assert "PQ-FILE-001" in result.stdout


def test_json(files):
    """JSON holds for each file what text says of it."""
    result = run(validate, "--format", "json", files["sound"], files[MUST])
    sound, broken = printed("validate", result.stdout)["files"]
    assert sound["violations"] == []
    (one,) = broken["violations"]
    assert (one["rule"], one["level"]) == (MUST, "MUST")
    assert one["clause"] == rules.load()[MUST].clause
    assert 4 < one["offset"] < files[MUST].stat().st_size
    assert one["path"][0] == "row_groups[0]"


def test_sarif(files):
    """SARIF has what version 2.1.0 requires: a tool, rules by index, levels, places."""
    result = run(validate, "--format", "sarif", files[MUST], files[SHOULD])
    log = json.loads(result.stdout)
    assert log["version"] == "2.1.0"
    (part,) = log["runs"]
    listed = part["tool"]["driver"]["rules"]
    found = {one["ruleId"]: one for one in part["results"]}
    assert found.keys() >= {MUST, SHOULD}
    assert (found[MUST]["level"], found[SHOULD]["level"]) == ("error", "warning")
    for one in part["results"]:
        assert listed[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["message"]["text"]
        (place,) = one["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"].endswith(".parquet")


def test_explain_prints_a_rule():
    """Id, level, clause and text, whatever the case of the letters."""
    rule = rules.load()[MUST]
    for name in (MUST, MUST.lower()):
        result = run(explain, name)
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{MUST}  MUST")
        assert " ".join(result.stdout.split()).count(rule.text) == 1
        assert rule.clause in result.stdout


def test_explain_lists_all_rules():
    """Without a rule, a line for each."""
    listed = run(explain).stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(rules.load())


def test_explain_knows_what_was_meant():
    """A rule that there is not is one line, with those that are near, and status 2."""
    result = run(explain, "PQ-STAT-04")
    assert result.exit_code == 2
    assert "PQ-STATS-004" in result.stderr


def test_inspect_shows_every_part(files):
    """Text and JSON show footer, schema, row groups, pages and statistics; ranges lie in the file."""
    result = run(inspect, files["sound"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert all(word in result.stdout for word in ("footer [", "schema", "row group 0", "page 0", "min_value"))
    told = printed("inspect", run(inspect, "--json", files["sound"]).stdout)
    size = files["sound"].stat().st_size
    ends = list(_ranges(told))
    assert told["bytes"] == size
    assert told["footer"]["range"][1] == size - 8
    assert all(0 <= start <= stop <= size for start, stop in ends)
    pages = told["row_groups"][0]["columns"][0]["pages"]
    assert all(page["header_range"][1] == page["body_range"][0] for page in pages)


def _ranges(value):
    """Yield every byte range in what is told."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name == "range" or name.endswith("_range"):
                yield one
            yield from _ranges(one)
    elif isinstance(value, list):
        for one in value:
            yield from _ranges(one)


@pytest.mark.heavy
def test_descriptions_of_cases_are_of_the_schema():
    """Descriptions of some files of all areas, encrypted ones with their keys, are of the schema."""
    every = list(own_cases.records(["parquet/*", "orc/*"]))
    described = set()
    for record in [*every[::60], *own_cases.records(["parquet/logical/new/*"])]:
        case = load(record)
        content = FORMATS[case.format].inspect(case.file.read_bytes(), (None, None, True), case.keys)
        check(json.loads(json.dumps(content)), "inspect:1", case.format)
        described |= {*content}
    assert described >= {
        "schema",
        "row_groups",
        "file_crypto_metadata",
        "stripes",
        "statistics",
        "encryption",
    }


def test_inspect_is_limited_to_what_is_asked_for(files):
    """A row group and a column that there are are shown alone; others are one line and status 2."""
    path = files["sound"]
    told = printed("inspect", run(inspect, "--json", path).stdout)
    name = told["row_groups"][0]["columns"][0]["column"]
    few = json.loads(run(inspect, "--json", "--no-pages", "--row-group", 0, "--column", name, path).stdout)
    (group,) = few["row_groups"]
    assert [one["column"] for one in group["columns"]] == [name]
    assert "pages" not in group["columns"][0]
    for arguments in (("--row-group", 7), ("--column", "none")):
        result = run(inspect, *arguments, path)
        assert result.exit_code == 2
        assert "there is no" in result.stderr


@pytest.mark.parametrize("command", [inspect, validate], ids=lambda command: command.name)
def test_only_regular_files_are_opened(tmp_path, command):
    """A FIFO is refused with a line; to open it would wait for a writer, for ever."""
    path = tmp_path / "x.parquet"
    os.mkfifo(path)
    result = run(command, path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not a regular file" in result.stderr
    assert result.stderr.count("\n") == 1


def test_inspect_shows_what_it_can_of_a_damaged_file(files, tmp_path):
    """The rest of a file with a page that cannot be decoded is shown; then the error, and status 1."""
    path = tmp_path / "damaged.parquet"
    path.write_bytes(FAULTS["PQ-PLAIN-001"].build())
    result = run(inspect, path)
    assert result.exit_code == 1
    assert "page 0" in result.stdout
    assert result.stderr.count("\n") == 1
    assert "[PQ-PLAIN-001]" in result.stderr
    path.write_bytes(files["sound"].read_bytes()[:-4])
    result = run(inspect, path)
    assert (result.exit_code, "PQ-FILE-003" in result.stderr) == (1, True)
    assert run(inspect, tmp_path / "none").exit_code == 2
