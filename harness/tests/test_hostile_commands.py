"""Every command is given hostile names of files and columns: it runs nothing of them, and prints text."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from harness.cli import Commands, colconf

FILE = "x coding=raw_unicode_escape `touch mark` $(touch mark) \x1b[31m\u202e.parquet"
COLUMNS = (
    '\\u000aimport os;open("mark","w")#',
    '"; touch mark; `touch mark` $(touch mark)',
    "%s{0}{{}}${x}\x1b[31m\u202e",
)
RUN = [
    "run",
    "--files",
    "in",
    "--no-spark",
    "--engine",
    "reference",
    "--engine",
    "duckdb",
    "--known",
    "known",
]
# What each command is asked: IN is the file, OUT the folder of a run with findings about it.
COMMANDS = {
    "run": [
        [*RUN, "--out", "again", "--queries", "12"],
        ["run", "--tables", "table", *RUN[3:], "--out", "tables"],
    ],
    "validate": [["validate", "in"], ["validate", "--format", "sarif", "IN"], ["validate", "table"]],
    "inspect": [["inspect", "IN"], ["inspect", FILE]],
    "explain": [["explain", FILE]],
    "replay": [["replay", "IN", "--engine", "duckdb"], ["replay", FILE]],
    "minimize": [
        ["minimize", "OUT:duckdb", "--engine", "duckdb", "--time-budget", "3s"],
        ["minimize", FILE, "--engine", "duckdb"],
    ],
    "bisect": [["bisect", FILE, "--engine", "duckdb"]],
    "anonymize": [["anonymize", "IN", "--out", "other.parquet"], ["anonymize", FILE, "--out", "other"]],
    "coverage": [["coverage", FILE]],
    "export": [["export", "OUT", "--format", "csv"], ["export", "OUT", "--format", "sarif"]],
    "report": [["report", "OUT"], ["report", FILE]],
    "site": [["site", "OUT", "--out", "pages"]],
    "trend": [["trend", "OUT"]],
    "diff": [["diff", "OUT", "OUT"]],
    "findings": [["findings", "export", "OUT", "--out", "exported"]],
    "known": [["known", "update", FILE]],
    "runs": [["runs", "list", "."]],
    "upgrade": [["upgrade", "--from", FILE, "--to", FILE, "--files", "IN"]],
    "fuzz": [["fuzz", FILE], ["fuzz", "--engine", FILE]],
    "list": [["list", FILE]],
    "engines": [["engines", "control", FILE]],
    "corpus": [["corpus", FILE]],
    "selftest": [["selftest", "--only", FILE]],
    "doctor": [["doctor"]],
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Return a folder with files of hostile names, and a run with findings about them."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in ("in", "known", "table"):
        (folder / name).mkdir()
    columns = [
        [float("nan"), 0.0, -0.0, 1.5],
        [b"\xff", b"", None, b"a"],
        ["$(touch mark)", "\x1b", None, ""],
    ]
    table = pa.table(dict(zip(COLUMNS, columns, strict=True)))
    pq.write_table(table, folder / "in" / FILE)
    (folder / "table" / "\x1b=$(touch mark)").mkdir()
    pq.write_table(table, folder / "table" / "\x1b=$(touch mark)" / FILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = invoke([*RUN, "--queries", "12", "--out", "OUT"])
    assert result.exit_code == 1, result.output
    return folder


def invoke(arguments):
    """Return the result of a command in the current folder."""
    given = [text.replace("OUT", "out").replace("IN", str(Path("in", FILE))) for text in arguments]
    return CliRunner().invoke(colconf, given)


def test_each_command_is_asked():
    """A new command needs a line here."""
    assert set(COMMANDS) == set(Commands().list_commands(click.Context(colconf)))


@pytest.mark.parametrize("name", COMMANDS)
def test_hostile_names(hostile, monkeypatch, name):
    """No error of ours, nothing executed, and nothing but visible text is printed."""
    monkeypatch.chdir(hostile)
    for arguments in COMMANDS[name]:
        result = invoke(arguments)
        assert result.exit_code in {0, 1, 2}, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        assert "No such option" not in result.output
        signs = {sign for sign in result.output if unicodedata.category(sign) in {"Cc", "Cf"}} - {"\n", "\t"}
        assert not signs, (arguments, result.output)
    assert not [path for path in hostile.rglob("mark") if path.is_file()]


def test_exported_scripts_run_nothing_of_the_file(hostile, monkeypatch):
    """Each script of a finding is executed, and shows it."""
    monkeypatch.chdir(hostile)
    assert invoke(["findings", "export", "OUT", "--out", "scripts"]).exit_code == 0
    scripts = sorted((hostile / "scripts").rglob("repro.py"))
    assert scripts
    for script in scripts:
        done = subprocess.run(
            [sys.executable, "-I", str(script)],
            cwd=hostile,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        assert done.returncode == 1, done.stdout + done.stderr
    assert not list(hostile.rglob("mark"))
