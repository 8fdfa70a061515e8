"""A file of results that is not as the run wrote it is refused: one line that names it, and exit status 2."""

import json
import os

import pytest
from click.testing import CliRunner

from corpora import files as files_of_corpora
from harness.commands.export import export
from harness.files import digest_of
from harness.judging.results import ResultsError, load, load_run, read_findings, read_rows
from harness.problem import USAGE
from harness.runs.history.session import Session, annotate, observe
from harness.runs.history.store import HistoryError, opened
from harness.runs.history.store import load as load_history
from harness.tests.pipelines import files, go, process
from harness.tests.test_resume_damaged import cut, emptied

HARMS = [emptied, cut, lambda data: data.replace(b'"different"', b'"equivalen"', 1)]


@pytest.fixture
def out(tmp_path):
    """Run an engine that is wrong; return the folder."""
    go(tmp_path / "out", files(tmp_path / "in", ["a", "b"]), process("WrongValue"))
    return tmp_path / "out"


@pytest.mark.sweep(4)
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", ["results.ndjson", "findings.ndjson"])
def test_a_changed_file_is_refused(out, name, harm, streamed):
    """Emptied, cut or changed by a letter: not read, whether rows are streamed or not."""
    load(out, streamed=streamed)
    (out / name).write_bytes(harm((out / name).read_bytes()))
    with pytest.raises(ResultsError, match=rf"{name}") as refused:
        load(out, streamed=streamed)
    assert "\n" not in str(refused.value)
    reader = read_rows if name == "results.ndjson" else read_findings
    with pytest.raises(ResultsError):
        list(reader(out))


def fifo(path):
    """Make a FIFO, which to open waits for ever."""
    os.mkfifo(path)


def endless(path):
    """Make a link to a device whose first line has no end."""
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [fifo, endless])
@pytest.mark.parametrize("name", ["results.ndjson", "findings.ndjson", "run.json"])
def test_what_is_no_regular_file_is_not_opened(out, name, make):
    """A FIFO or a device in the place of a file of the run is refused, by its name."""
    (out / name).unlink()
    make(out / name)
    with pytest.raises(ResultsError, match=rf"{name}: .*not a regular file"):
        load(out)


@pytest.mark.parametrize("make", [fifo, endless])
def test_a_history_that_is_no_regular_file_is_not_opened(tmp_path, make):
    """It is refused, by its name."""
    make(tmp_path / "history.ndjson")
    with pytest.raises(OSError, match="not a regular file") as refused:
        load_history(tmp_path)
    assert refused.value.filename == str(tmp_path / "history.ndjson")


def test_a_line_without_an_end_is_not_taken_into_memory(tmp_path, monkeypatch):
    """A line beyond the limit is an error, the longest one is read, and so is one without an end."""
    monkeypatch.setattr(files_of_corpora, "MOST_OF_LINE", 4)
    path = tmp_path / "lines"
    for content, lines in ((b"abc\nabc", [b"abc\n", b"abc"]), (b"abc\n", [b"abc\n"]), (b"abcde", None)):
        path.write_bytes(content)
        with path.open("rb") as opened:
            if lines is None:
                with pytest.raises(OSError, match="a line of more than"):
                    list(files_of_corpora.lines_of(opened, path))
            else:
                assert list(files_of_corpora.lines_of(opened, path)) == lines


@pytest.mark.parametrize("name", ["results.ndjson", "findings.ndjson"])
def test_an_emptied_file_says_how_to_mend_it(out, name):
    """No finding in it is not nothing unexpected."""
    (out / name).write_bytes(b"")
    with pytest.raises(ResultsError, match=r"0 of \d lines\); restore it, or run again with --overwrite"):
        load(out)


def test_export_refuses_it(out, tmp_path):
    """A reader that writes elsewhere ends with status 2, and leaves no file."""
    (out / "results.ndjson").write_bytes(cut((out / "results.ndjson").read_bytes()))
    target = tmp_path / "rows.csv"
    done = CliRunner().invoke(export, [str(out), "--format", "csv", "--out", str(target)])
    assert done.exit_code == USAGE
    assert "results.ndjson" in done.stderr
    assert not target.exists()


def test_results_without_digests(out):
    """Results of before version 3 are read as they are; newer ones must have digests."""
    run = load_run(out).to_json()
    del run["digests"]
    (out / "run.json").write_text(json.dumps(run))
    with pytest.raises(ResultsError, match=r"run.json: has no entry for results.ndjson"):
        load(out)
    (out / "run.json").write_text(json.dumps({**run, "schema_version": 2}))
    assert len(load(out).rows) == 2


def test_findings_with_states_have_their_own_digest(out, tmp_path):
    """A history's states change `findings.ndjson` and its digest; killed between, both hold."""
    session = Session.of(load_run(out))
    before = (out / "findings.ndjson").read_bytes()
    with opened(tmp_path / "history") as history:
        observe(history, session, out)
        annotate(history, session, out)
    assert load(out).findings[0].state == "new"
    after, run = digest_of(out / "findings.ndjson").to_json(), load_run(out).to_json()
    assert run["digests"]["findings.ndjson"] == after
    (out / "findings.ndjson").write_bytes(before)
    with pytest.raises(ResultsError, match="it was changed"):
        load(out)
    both = {**run["digests"], "findings.ndjson": [after, digest_of(out / "findings.ndjson").to_json()]}
    (out / "run.json").write_text(json.dumps({**run, "digests": both}))
    assert load(out).findings[0].state == ""


@pytest.mark.parametrize("harm", [emptied, cut, lambda data: data.replace(b'"new"', b'"old"', 1)])
def test_a_torn_history_is_refused(out, tmp_path, harm):
    """It says how to mend it."""
    with opened(tmp_path / "history") as history:
        observe(history, Session.of(load_run(out)), out)
        history.save()
    file = tmp_path / "history" / "history.ndjson"
    file.write_bytes(harm(file.read_bytes()))
    with pytest.raises(HistoryError, match=r"is damaged: .*restore it from a copy"):
        load_history(tmp_path / "history")


@pytest.mark.parametrize("harm", [emptied, lambda data: data + b"x"])
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_a_damaged_case_of_a_history_is_told(out, tmp_path, suffix, harm):
    """A case that cannot be replayed is named; what is there in its place is not read as if it were it."""
    with opened(tmp_path / "history") as history:
        observe(history, Session.of(load_run(out)), out)
        assert list(history.damaged()) == []
        for file in (tmp_path / "history" / "cases").glob(f"*{suffix}"):
            file.write_bytes(harm(file.read_bytes()))
        (text,) = history.damaged()
        assert suffix in text
        assert all(history.case(record) is None for record in history.records.values())
        observe(history, Session.of(load_run(out)), out)  # the finding is seen again, and its case with it
        assert list(history.damaged()) == []
