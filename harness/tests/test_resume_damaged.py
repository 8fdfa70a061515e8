"""A part that was emptied, cut or changed is seen, named, set aside and made again."""

import json
import shutil

import pytest

from harness.runs.pipeline import parts, run
from harness.runs.pipeline.errors import PipelineError
from harness.tests.pipelines import Quiet, comparable, files, generated, go, process, pushing

NAMES = ["000", "001", "002"]


class Stopped(Exception):  # noqa: N818 - what a kill is, for tests
    """The run ends here."""


def emptied(data):
    """Return what is left when nothing reached the disk."""
    del data
    return b""


def cut(data):
    """Return the first half."""
    return data[: len(data) // 2]


def without_its_end(data):
    """Return all whole lines but the last, as a version without end lines wrote them."""
    return b"".join(data.splitlines(keepends=True)[:-1])


def flipped(data):
    """Return the data with a digit of an answer changed: JSON all the same."""
    assert b'"7"' in data
    return data.replace(b'"7"', b'"6"', 1)


def longer(data):
    """Return the data with a line behind its end."""
    return data + data.splitlines(keepends=True)[0]


def garbage(data):
    """Return as many bytes of something else."""
    return b"\xff" * len(data)


def without_a_line(data):
    """Return the data without its first line."""
    return b"".join(data.splitlines(keepends=True)[1:])


DAMAGES = [emptied, cut, without_its_end, flipped, longer, garbage, without_a_line]


def stopped(monkeypatch, begin, at="judge_tasks"):
    """Begin a run that ends before the judging."""

    def stop(*_, **__):
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(run, at, stop)
        with pytest.raises(Stopped):
            begin(Quiet())


def of_two_engines(out, progress):
    """Run two fakes over the files of the folder that the run is in."""
    imported = files(out.parent / "in", NAMES, together=True)
    return go(out, imported, process("Healthy"), process("WrongValue"), progress=progress)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """Return a folder with a whole run of two engines, and with one that ended before the judging."""
    folder = tmp_path_factory.mktemp("sessions")
    of_two_engines(folder / "whole", Quiet())
    with pytest.MonkeyPatch.context() as patch:
        stopped(patch, lambda progress: of_two_engines(folder / "stopped", progress))
    return folder


@pytest.mark.sweep(3)
@pytest.mark.parametrize("harm", DAMAGES)
def test_a_damaged_part_is_made_again(sessions, harm):
    """Answers are damaged between two sessions of a run: its results are those of a whole one."""
    out = sessions / harm.__name__
    shutil.copytree(sessions / "stopped", out)
    (part,) = (out / "parts" / "execute" / "healthy@1").rglob("*.ndjson")
    part.write_bytes(harm(part.read_bytes()))
    progress = Quiet()
    results = of_two_engines(out, progress)
    assert len(results.rows) == 6
    assert comparable(out) == comparable(sessions / "whole")
    (note,) = [text for text in progress.notes if ": damaged (" in text]
    assert str(part) in note
    assert "made again" in note


@pytest.mark.sweep(2)
@pytest.mark.parametrize("stage", ["about", "plan.ndjson", "files.ndjson", "judge"])
def test_a_damaged_part_of_any_stage(tmp_path, monkeypatch, stage):
    """What an engine says of itself, the plan, the digests and the verdicts are checked like the answers."""
    imported = files(tmp_path / "in", NAMES, together=True)

    def begin(progress, name="out"):
        return go(tmp_path / name, imported, process("WrongValue"), progress=progress)

    begin(Quiet(), "whole")
    stopped(monkeypatch, begin, "store")
    parts_of_stage = [
        part for part in (tmp_path / "out" / "parts").rglob("*.ndjson") if stage in part.as_posix()
    ]
    assert parts_of_stage
    for part in parts_of_stage:
        part.write_bytes(b"")
    progress = Quiet()
    begin(progress)
    assert comparable(tmp_path / "out") == comparable(tmp_path / "whole")
    assert len([text for text in progress.notes if ": damaged (" in text]) == len(parts_of_stage)


def test_a_generated_file_that_was_emptied(tmp_path, monkeypatch):
    """A generated file is compared with the digest that its part has; the sheet is generated again."""

    def begin(progress, name="out"):
        return generated(tmp_path / name, 3, pushing("Queried"), progress=progress)

    begin(Quiet(), "whole")
    stopped(monkeypatch, begin)
    (file, *_) = sorted((tmp_path / "out" / "generated").rglob("*.parquet"))
    before = file.read_bytes()
    file.write_bytes(b"")
    shutil.rmtree(tmp_path / "out" / "parts" / "execute")
    progress = Quiet()
    begin(progress)
    assert file.read_bytes() == before
    assert any(str(file) in text for text in progress.notes)


def test_a_part_that_is_damaged_while_the_run_lasts(tmp_path, monkeypatch):
    """Who reads it says which part it is, and the run that is continued makes it again."""
    imported = files(tmp_path / "in", NAMES, together=True)
    whole = go(tmp_path / "whole", imported, process("Healthy"))
    commit = parts.commit

    def damaging(path, lines, **more):
        commit(path, lines, **more)
        if "execute" in path.parts:
            path.write_bytes(flipped(path.read_bytes()))

    with monkeypatch.context() as patch:
        patch.setattr(parts, "commit", damaging)
        with pytest.raises(PipelineError, match=r"execute/healthy@1/.*\.ndjson: damaged .*--resume"):
            go(tmp_path / "out", imported, process("Healthy"))
    results = go(tmp_path / "out", imported, process("Healthy"))
    assert len(results.rows) == len(whole.rows)


def test_rows_that_are_missing_are_named(tmp_path, monkeypatch):
    """Whatever loses rows between the judging and the results: the run ends with an error that names them."""
    imported = files(tmp_path / "in", NAMES)
    rows = run._Run._rows

    def fewer(self, *arguments):
        return (stored for stored in rows(self, *arguments) if stored.row.case != "files/001")

    monkeypatch.setattr(run._Run, "_rows", fewer)
    with pytest.raises(PipelineError, match=r"not complete: 2 of 3 of healthy@1; there is none of files/001"):
        go(tmp_path / "out", imported, process("Healthy"))
    assert json.loads((tmp_path / "out" / "run.json").read_text())["finished"] is None


def test_a_spilled_table_is_part_of_its_part(tmp_path, monkeypatch):
    """A table in a file of its own is checked with the part that names it."""
    imported = files(tmp_path / "in", NAMES[:1])

    def begin(progress, name="out"):
        return go(tmp_path / name, imported, process("AnswersMuch"), progress=progress)

    begin(Quiet(), "whole")
    stopped(monkeypatch, begin)
    spills = [path for path in (tmp_path / "out" / "spill").rglob("*.jsonl") if path.stat().st_size]
    for spill in spills:
        spill.write_bytes(cut(spill.read_bytes()))
    progress = Quiet()
    begin(progress)
    assert any(str(spills[0]) in text for text in progress.notes)
    assert comparable(tmp_path / "out") == comparable(tmp_path / "whole")
