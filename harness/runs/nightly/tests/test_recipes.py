"""The ready-made workflow and the line for cron say commands that there are."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from harness.commands.known import known
from harness.commands.run import run

ROOT = Path(__file__).resolve().parents[4]
WORKFLOW = ROOT / ".github" / "workflows" / "nightly.yml"
pytestmark = pytest.mark.skipif(not WORKFLOW.is_file(), reason="not a checkout: no workflow is here")


def steps():
    """Return the steps of the nightly workflow."""
    return yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]["nightly"]["steps"]


def asked(words):
    """Return the options that `colconf run` takes from a command line, refusing those that it has not."""
    assert words[:1] == ["run"]
    return run.make_context("run", words[1:]).params


def words_of(command):
    """Return what follows `colconf` in the first simple command that calls it."""
    lines = [line for line in command.splitlines() if not line.startswith("echo ")]
    line = next(line for line in lines if re.search(r"bin/colconf run", line))
    words = shlex.split(re.sub(r"\|\| .*|;.*|>.*", "", line.partition("bin/colconf ")[2]))
    assert words
    return words


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_the_workflow_runs_a_night():
    """What `make nightly` does with the arguments of the workflow is a run with a budget and a history."""
    (command,) = [one["run"] for one in steps() if "make nightly" in one.get("run", "")]
    done = subprocess.run(
        ["bash", "-c", command.replace("make ", "make -n ", 1)],
        cwd=ROOT,
        env={**os.environ, "BUDGET": "90m"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    options = asked(words_of(done.stdout))
    assert options["time_budget"] == 5_400
    (cache,) = [one["with"]["path"] for one in steps() if "cache/restore" in one.get("uses", "")]
    assert options["history"] == cache
    assert str(options["out"]) == "out/nightly"


def test_the_workflow_keeps_what_a_night_leaves():
    """The cache that is saved is the one that is taken, and the files that are kept are those of the run."""
    paths = [one["with"]["path"] for one in steps() if "actions/cache" in one.get("uses", "")]
    assert len(paths) == 2
    assert len(set(paths)) == 1
    (kept,) = [one["with"]["path"].split() for one in steps() if "upload-artifact" in one.get("uses", "")]
    assert {"out/nightly/run.json", "out/nightly/results.ndjson", paths[0]} <= set(kept)


def test_the_summary_of_the_workflow(tmp_path):
    """The summary says that there are no results where the run wrote none, and shows them where it did."""
    (script,) = [one["run"] for one in steps() if one.get("name") == "summary"]
    summary = tmp_path / "summary.md"
    calls = tmp_path / "calls"

    def ask():
        environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary), "CALLS": str(calls)}
        subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=environment, check=True, timeout=300)

    ask()
    assert "no results" in summary.read_text()
    shim = tmp_path / ".venv" / "bin" / "colconf"
    shim.parent.mkdir(parents=True)
    shim.write_text('#!/bin/sh\necho "$@" >> "$CALLS"\necho "said $1"\n')
    shim.chmod(0o755)
    (tmp_path / "out" / "nightly").mkdir(parents=True)
    (tmp_path / "out" / "nightly" / "run.json").write_text("{}")
    ask()
    report, update = map(str.split, calls.read_text().splitlines())
    assert summary.read_text().endswith("said report\n")
    assert report == ["report", "out/nightly", "--format", "markdown"]
    assert update[:2] == ["known", "update"]
    folder = tmp_path / "out" / "nightly"
    context = known.commands["update"].make_context("update", [str(folder), *update[3:]])
    assert folder in context.params.values()
    assert (folder / "known.diff").read_text() == "said known\n"


def test_the_line_for_cron():
    """Five fields of time, `%` escaped, and a run with a budget, a history and a folder for each night."""
    block = re.search(r"```crontab\n(.*?)\n```", (ROOT / "docs" / "nightly.md").read_text("utf-8"), re.DOTALL)
    assert block
    fields = block[1].split(maxsplit=5)
    assert all(re.fullmatch(r"[0-9*,/-]+", one) for one in fields[:5])
    command = fields[5]
    assert not re.search(r"(?<!\\)%", command)
    options = asked(words_of(command.replace("$(date +\\%F)", "today")))
    assert (options["time_budget"], options["history"]) == (7_200, "history")
    assert str(options["out"]) == "nights/today"
    checked = subprocess.run(["sh", "-n", "-c", command.replace("\\%", "%")], check=False, timeout=300)
    assert checked.returncode == 0
