"""`colconf run --resume`: what fits is taken from the run, and what does not is refused in one line."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from harness.commands import run as command
from harness.problem import INTERRUPTED
from harness.runs.pipeline import folder
from harness.runs.pipeline.request import begun

ASKED = ("--files", "in", "--engine", "pyarrow", "--no-spark", "--report", "none", "--out", "out")


def invoke(*arguments):
    """Run the command in this process."""
    return CliRunner().invoke(command.run, arguments)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Return a folder with a run of two files that looks as if it had been killed at its end, and a copy."""
    here = tmp_path_factory.mktemp("resumed")
    (here / "now" / "in").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(here / "now")
        for name in ("a", "b"):
            pq.write_table(pa.table({name: [1, 2]}), f"in/{name}.parquet")
        patched.setattr(folder, "clean", lambda _: None)
        assert invoke(*ASKED).exit_code == 0
    run = here / "now" / "out" / "run.json"
    run.write_text(json.dumps({**json.loads(run.read_text()), "finished": None}))
    shutil.copytree(here / "now", here / "copy")
    return here


@pytest.fixture
def killed(ended, monkeypatch):
    """Work where the run was killed, in the state of that moment; return its `run.json`."""
    shutil.rmtree(ended / "now")
    shutil.copytree(ended / "copy", ended / "now")
    monkeypatch.chdir(ended / "now")
    return ended / "now" / "out" / "run.json"


def refused(*arguments):
    """Return the line that the command ends with, status 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.mark.heavy
def test_a_run_is_resumed_and_then_finished(killed):
    """It ends as it was asked, from wherever it is called; a second time there is nothing left to do."""
    result = invoke("--resume", "out")
    assert result.exit_code == 0, result.output
    assert "continuing the run" in result.stderr
    run = json.loads(killed.read_text())
    name = f"pyarrow@{pa.__version__}"
    assert run["asked"]["engines"] == [name, f"{name}:pushdown=off"]
    assert run["asked"]["queries"] == 24
    assert run["counts"]["results"] == 4
    again = invoke("--resume", "out")
    assert again.exit_code == 0
    assert "2 cases, 4 results, 0 findings; see `colconf report out`" in again.stderr


@pytest.mark.parametrize("option", [("--engine", "pyarrow"), ("--files", "in"), ("--overwrite",)])
@pytest.mark.usefixtures("killed")
def test_nothing_can_be_asked_otherwise(option):
    """What decides results is the run's."""
    said = refused("--resume", "out", *option)
    assert said == f"Error: --resume takes everything from the run; leave out {option[0]}"


@pytest.mark.usefixtures("killed")
def test_files_that_changed():
    """They are named: the first of them, and how many more."""
    pq.write_table(pa.table({"b": ["other"]}), "in/b.parquet")
    assert refused("--resume", "out").endswith("in/b.parquet has changed since the run was begun")
    Path("in", "a.parquet").unlink()
    said = refused("--resume", "out")
    assert "in/a.parquet is gone, and 1 more files are not as they were" in said


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("engines", ["pyarrow@0.0.1"], "pyarrow@0.0.1 cannot be run: it is not installed"),
        ("colconf", "0.0.1", "out: cannot be resumed: colconf was 0.0.1, and is "),
        ("engines", ["reference@0.0.1"], "cannot be resumed: engines was reference@0.0.1, and is reference@"),
    ],
)
def test_versions_that_changed(killed, key, value, said):
    """An engine, or colconf, that is of another version now is named."""
    run = json.loads(killed.read_text())
    run["asked"][key] = value
    killed.write_text(json.dumps(run))
    assert said in refused("--resume", "out")


@pytest.mark.usefixtures("killed")
def test_no_run():
    """A folder without a run is one line."""
    assert "not the folder of a run" in refused("--resume", "in")


def test_configurations_are_those_of_the_run(tmp_path, monkeypatch):
    """A run that named no engines is resumed with its own configurations, not with more of each."""
    requests = []

    def interrupted(request, _):
        requests.append(request)
        (tmp_path / "out").mkdir(exist_ok=True)
        folder.save(request.out, begun(request))
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_pipeline", interrupted)
    monkeypatch.chdir(tmp_path)
    for arguments in (("--no-spark", "--out", "out"), ("--resume", "out")):
        result = invoke(*arguments)
        assert result.exit_code == INTERRUPTED, result.output
    new, resumed = (
        [(process.key, config.text) for process in request.processes for config in process.configs]
        for request in requests
    )
    assert new == resumed
    assert ("pyarrow@" + pa.__version__, "api=dataset") in new
    assert ("pyarrow@" + pa.__version__, "pushdown=off") in new
