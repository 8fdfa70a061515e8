"""`colconf list`: all that can be named to other commands, for people, pipes and programs."""

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from corpora import known_failures, own_cases, rules
from harness import cli
from harness.commands.listing import list_
from harness.listings import rows
from harness.tests.schemas import printed
from properties.fuzz import targets


def listed(*arguments):
    """Return what the command prints."""
    result = CliRunner().invoke(list_, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_cases_are_listed_by_glob():
    """A case has its meaning, its rule and its file; its id is its path, whatever the folder."""
    cases = printed("list cases", listed("cases", "parquet/alp/d*", "--json"))
    assert len(cases) > 1
    assert all(case["case"].startswith("parquet/alp/d") for case in cases)
    assert all(case["file"].endswith(f"{case['case']}.parquet") for case in cases)
    assert {case["expectation"] for case in cases} <= {"accept", "refuse", "either"}
    tables = printed("list cases", listed("cases", "evolved/orc/add/*", "--json"))
    assert [case["case"] for case in tables][:1] == ["evolved/orc/add/all"]
    assert not list(own_cases.records(["nothing"]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rules", sorted(rules.load())),
        ("findings", sorted({entry.finding for entry in known_failures.load() if entry.finding})),
        ("targets", targets.names()),
    ],
)
def test_everything_is_listed(name, expected):
    """What is piped has a line of keys and a line for each, in columns that tabs separate; JSON has all."""
    head, *lines = listed(name).splitlines()
    assert head.split("\t")[0] == name.removesuffix("s")
    assert sorted(line.split("\t")[0] for line in lines) == expected
    assert {line.count("\t") for line in lines} == {head.count("\t")}
    assert len(printed(f"list {name}", listed(name, "--json"))) == len(lines)


def test_features_and_engines():
    """Features have their clause; an engine that is not installed is listed with the reason."""
    features = printed("list features", listed("features", "parquet/encoding/plain", "--json"))
    assert features == [
        {
            "feature": "parquet/encoding/plain",
            "clause": "Encodings.md, Plain",
            "text": "PLAIN values of any physical type",
        }
    ]
    (reference,) = printed("list engines", listed("engines", "reference", "--json"))
    assert (reference["formats"], reference["available"]) == (["parquet", "orc"], True)


def test_rows_on_a_terminal(monkeypatch, capsys):
    """A terminal gets tables below headings that fit its width, and no more than `most` rows."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    content = [{"engine": "a", "case": "x\t" * 30, "count": 1}, {"engine": "b", "case": None, "count": 2}]
    rows.show_rows(content, heading=("engine",))
    printed = click.unstyle(capsys.readouterr().out)
    assert "engine a" in printed
    assert "\\t" in printed
    assert max(map(len, printed.splitlines())) <= 40
    rows.show_rows(content, most=1)
    assert "and 1 more; --json shows all" in capsys.readouterr().out
    rows.show_rows([])
    assert capsys.readouterr().out == "nothing\n"


def test_commands_are_completed():
    """A shell completes commands, their subcommands and options."""
    completed = BashComplete(cli.colconf, {}, "colconf", "_COLCONF_COMPLETE")
    words = [item.value for item in completed.get_completions(["list"], "r")]
    assert words == ["rules"]
    assert "--shard" in [item.value for item in completed.get_completions(["run"], "--sh")]
    assert isinstance(cli.colconf.get_command(click.Context(cli.colconf), "list"), click.Group)
