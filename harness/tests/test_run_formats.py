"""Files of both formats are generated in one run: the sheets take turns, and are those of their numbers."""

import pytest
from click.testing import CliRunner

from harness.commands import run as command
from harness.commands.inputs import format_for
from harness.judging.results import load

pytest.importorskip("hypothesis")


@pytest.mark.heavy
def test_sheets_take_turns(tmp_path):
    """Even sheets are Parquet, odd ones ORC; every engine is asked for what it reads."""
    asked = ["--generate", "18", "--engine", "reference:pushdown=on", "--no-spark", "--report", "none"]
    asked += ["--format", "parquet", "--format", "orc"]
    out = tmp_path / "out"
    result = CliRunner().invoke(command.run, [*asked, "--out", str(out)])
    assert result.exit_code == 0, result.output
    rows = load(out).rows
    assert len(rows) == 18
    assert {(int(row.case.split("/")[2]) % 2, row.format) for row in rows} == {(0, "parquet"), (1, "orc")}


@pytest.mark.heavy
def test_a_step_changes_no_sheet():
    """One in two sheets is what it is among all of them."""
    from properties.generate import generate

    every = {sheet.number: [file.data for file in sheet.files] for sheet in generate(3, 1, 4, "orc")}
    some = {sheet.number: [file.data for file in sheet.files] for sheet in generate(3, 1, 4, "orc", step=2)}
    assert some == {number: every[number] for number in (1, 3)}


def test_writers_have_one_format():
    """Engines write files of one format in a run."""
    result = CliRunner().invoke(command.run, ["--format", "parquet", "--format", "orc", "--no-spark"])
    assert result.exit_code == 2
    assert "only one --format is allowed" in result.stderr


@pytest.mark.parametrize(
    ("engines", "form"),
    [
        ([], "parquet"),
        (["pyorc"], "orc"),
        (["reference", "pyorc@0.12.0", "pyarrow_orc:api=table"], "orc"),
        (["pyorc", "pyarrow"], "parquet"),
        (["spark:vectorized=on"], "parquet"),
        (["reference"], "parquet"),
        (["./mine.toml"], "parquet"),
    ],
)
def test_the_format_that_is_made_for_engines(engines, form):
    """Files are generated in Parquet, unless all named engines read nothing but ORC."""
    assert format_for(engines) == form
