"""`colconf report`, and the reports that a run writes."""

import json

import pytest
from click.testing import CliRunner

from harness.judging.results import load
from reports import formats
from reports.command import report
from reports.tests import sample


def _run(*arguments):
    return CliRunner().invoke(report, [str(argument) for argument in arguments])


@pytest.fixture
def out(tmp_path):
    """Return the folder of a run."""
    return sample.write(tmp_path / "out", sample.every_verdict())


def test_terminal_is_the_default(out):
    """Without options a summary appears on standard output."""
    result = _run(out)
    assert result.exit_code == 0
    assert "9 findings" in result.stdout


@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_can_be_written(name, out, tmp_path):
    """--output gets what standard output gets."""
    file = tmp_path / "made"
    assert _run(out, "--format", name, "--output", file).exit_code == 0
    if name != "terminal":  # whose width is the terminal's
        assert _run(out, "--format", name).stdout_bytes == file.read_bytes()
    assert file.stat().st_size > 100


def test_the_name_of_the_output_says_the_format(out, tmp_path):
    """A name that ends in .json gets JSON."""
    assert _run(out, "--output", tmp_path / "x.json").exit_code == 0
    assert json.loads((tmp_path / "x.json").read_text())["schema_version"] == 1


def test_missing_results_are_one_line(tmp_path):
    """A folder that is not there, or that no run wrote, is one line on standard error and status 2."""
    for folder in (tmp_path / "nowhere", tmp_path):
        result = _run(folder)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert result.stdout == ""


@pytest.mark.parametrize("broken", ["{", "[]", '{"case": 1}', "\xff"])
def test_broken_results_are_one_line(broken, out):
    """Results that are not of the documented form are one line and status 2, never a traceback."""
    (out / "results.ndjson").write_text(broken + "\n", "latin-1")
    result = _run(out)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_an_output_that_cannot_be_written_is_one_line(out, tmp_path):
    """A folder that is not there is one line and status 2."""
    result = _run(out, "--output", tmp_path / "no" / "report.html")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    """A report is there whole or not at all: what fails leaves the file of before and nothing beside it."""
    file = tmp_path / "report.md"
    formats.write("old", file)

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="no space"):
        formats.write("new", file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_reports_of_a_run(out):
    """The entry points write the files that a run's folder holds."""
    results = load(out)
    names = {
        form(results, out).name for form in (formats.write_html, formats.write_markdown, formats.write_junit)
    }
    assert names == {"report.html", "report.md", "junit.xml"}
