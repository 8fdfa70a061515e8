"""`colconf coverage`: what is reached is what the files of a run, or the inputs of a campaign, have."""

import pytest
from click.testing import CliRunner

from harness.commands import coverage as command
from harness.commands.coverage import coverage_command
from harness.commands.run import run
from harness.investigate import reached
from harness.investigate.reached import Module
from harness.tests.schemas import printed

DELTA = "parquet/page/mixed/fallback-to-delta/required"
BROKEN = "parquet/fault/pq-page-003/one-bit-of-the-checksum"
_DELTA = "reference_impl/parquet/encodings/delta_binary_packed.py"
_RLE = "reference_impl/orc/encodings/byte_rle.py"


def invoke(command, *arguments):
    """Run a command in this process."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def measured(*arguments):
    """Return the JSON of the command, and the share of branches reached by module."""
    done = invoke(coverage_command, *arguments, "--json")
    assert done.exit_code == 0, done.output
    data = printed("coverage", done.stdout)
    return data, {each["module"]: each["branches"]["reached"] for each in data["modules"]}


def a_run(out, *cases):
    """Have the reference read cases of the corpora, and return the folder of the run."""
    globs = [text for case in cases for text in ("--case", case)]
    options = ("--engine", "reference", "--no-spark", "--report", "none", "--out", out)
    assert invoke(run, *globs, *options).exit_code in {0, 1}
    return out


@pytest.mark.heavy
def test_what_the_files_of_a_run_reach(tmp_path, capsys):
    """Files reach the decoders of their encodings and no others; clauses are those of the files."""
    data, branches = measured(a_run(tmp_path / "out", DELTA, BROKEN), "--html", tmp_path / "html")
    assert data["files"] == 2
    assert 0 < data["branches"]["reached"] < data["branches"]["all"]
    assert branches[_DELTA] > 0
    assert branches[_RLE] == 0
    assert not any("/tests/" in module for module in branches)
    assert data["rules"]["PQ-PAGE-003"] == 1
    assert data["rules"]["PQ-PAGE-001"] == 0
    assert data["features"]["parquet/encoding/delta-binary-packed"] == 1
    assert data["features"]["parquet/codec/gzip"] == 0
    assert (tmp_path / "html/index.html").is_file()
    command._show([Module("a", (1, 2), (3, 5)), Module("b", (4, 4), (2, 2))])
    shown = capsys.readouterr().out
    assert shown == "5 of 6 lines and 5 of 7 branches were reached\n  a: 2 of 5 branches not reached\n"


@pytest.mark.heavy
def test_what_the_inputs_of_a_campaign_reach(tmp_path):
    """Inputs in the corpus of a target reach what it tests."""
    folder = tmp_path / "corpus" / "parquet_delta_binary_packed"
    folder.mkdir(parents=True)
    (folder / "a").write_bytes(bytes.fromhex("80010405020000000000"))
    data, branches = measured("--fuzz", tmp_path)
    assert data["files"] == 0
    assert branches[_DELTA] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the folder of a run, or of a campaign with --fuzz"),
        (("run", "--fuzz", "x"), "name the folder of a run, or of a campaign with --fuzz"),
        (("nosuch",), "nosuch"),
        (("--fuzz", "nosuch"), "nosuch: no corpus of `colconf fuzz` is there"),
    ],
)
def test_bad_input_is_one_line(arguments, message, tmp_path, monkeypatch):
    """What cannot be measured is one line, status 2."""
    monkeypatch.chdir(tmp_path)
    done = invoke(coverage_command, *arguments)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert message in line


def test_without_coverage(monkeypatch, tmp_path):
    """Where coverage.py is missing, that is said with how to install it."""
    (tmp_path / "corpus" / "parquet_delta_binary_packed").mkdir(parents=True)
    monkeypatch.setattr(reached, "find_spec", lambda _: None)
    done = invoke(coverage_command, "--fuzz", tmp_path)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "pip install coverage" in done.stderr
