"""The GitHub Action, step by step in a clean folder, and the container's instructions."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

from harness.tests.pages import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ *([^}]+?) *\}\}")
USED = {
    "actions/setup-python@v5",
    "actions/cache@v4",
    "github/codeql-action/upload-sarif@v3",
    "actions/upload-artifact@v4",
}
OURS = ("PYTHON", "COLCONF", "VIRTUAL_ENV")
PROGRAMS = {
    "colconf": f'exec {sys.executable} -m harness.cli "$@"',
    "python": 'echo "python $*" >> "$CALLS"',
    "gh": 'echo "gh $*" >> "$CALLS"; [[ "$*" != *--edit-last* ]]',  # there is no comment yet
}


class Job:
    """A job that takes the action's steps one after the other, as the runner does."""

    def __init__(self, folder, event="push", environment=None, **inputs):
        """Make the files of the runner, and programs that are called instead of the real ones.

        In an `environment`, a folder of a new Python, these are the real ones, `gh` alone excepted.
        """
        self.folder = folder
        self.calls = folder.parent / "calls"
        self.output, self.summary = folder.parent / "output", folder.parent / "summary"
        for file in (self.calls, self.output, self.summary):
            file.touch()
        bin_folder = folder.parent / "bin"
        bin_folder.mkdir()
        for name, script in PROGRAMS.items() if environment is None else [("gh", PROGRAMS["gh"])]:
            (bin_folder / name).write_text(f"#!/bin/bash\n{script}\n")
            (bin_folder / name).chmod(0o755)
        self.path = f"{bin_folder}:{os.environ['PATH']}"
        self.env = {**os.environ, "PYTHONPATH": str(ROOT)}
        if environment is not None:
            self.path = f"{environment / 'bin'}:{self.path}"
            self.env = {name: os.environ[name] for name in os.environ if not name.startswith(OURS)}
            self.env["HOME"] = str(folder.parent)
        self.values = {f"inputs.{name}": given["default"] for name, given in ACTION["inputs"].items()}
        self.values |= {f"inputs.{name}": value for name, value in inputs.items()}
        self.values |= {
            "github.event_name": event,
            "github.event.pull_request.html_url": "https://example.org/pull/7"
            if event == "pull_request"
            else "",
            "github.token": "secret",
            "github.action_path": str(ROOT),
            "github.run_id": "1",
            "runner.os": "Linux",
        }
        self.used, self.texts, self.status = [], [], 0

    def expanded(self, text):
        """Return text with its expressions replaced; KeyError for a value that no runner has."""
        return EXPRESSION.sub(lambda match: self.values[match[1]], text)

    def holds(self, condition):
        """Return whether each part of a condition holds."""
        for part in condition.split(" && "):
            name, operator, wanted = re.fullmatch(r"([\w.]+) (==|!=) '([^']*)'", part).groups()
            if (self.values[name] == wanted) != (operator == "=="):
                return False
        return True

    def run(self):
        """Take the steps until one fails; return the job."""
        for step in STEPS:
            if not self.holds(step["if"]) if "if" in step else False:
                continue
            if "uses" in step:
                self.used.append((step["uses"], {name: self.expanded(v) for name, v in step["with"].items()}))
                continue
            given = {name: self.expanded(self.expanded(value)) for name, value in step["env"].items()}
            env = {**self.env, "PATH": self.path, "CALLS": str(self.calls), **given}
            env |= {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
            # As the runner starts `shell: bash`.
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                command, cwd=self.folder, env=env, capture_output=True, text=True, check=False
            )
            self.texts.append(done.stdout + done.stderr)
            for line in self.output.read_text().splitlines():
                name, _, value = line.partition("=")
                self.values[f"steps.{step.get('id')}.outputs.{name}"] = value
            self.output.write_text("")
            self.status = done.returncode
            if self.status:
                break
        return self


@pytest.fixture
def workspace(tmp_path):
    """Return a clean folder with a file."""
    (tmp_path / "work/my data").mkdir(parents=True)
    shutil.copy(ROOT / "corpora/parquet/alp/double/example.parquet", tmp_path / "work/my data/a.parquet")
    return tmp_path / "work"


def test_inputs_and_expressions():
    """Each input that a step names is declared and described; no script has an expression in it."""
    text = (ROOT / "action.yml").read_text("utf-8")
    named = {name.removeprefix("inputs.") for name in re.findall(r"inputs\.\w+", text)}
    assert named == set(ACTION["inputs"])
    assert all(
        given["description"] and isinstance(given["default"], str) for given in ACTION["inputs"].values()
    )
    for step in STEPS:
        assert "${{" not in step.get("run", "")
        assert ("run" in step) == (step.get("shell") == "bash")
    assert {step["uses"] for step in STEPS if "uses" in step} == USED
    (package,) = (step["run"] for step in STEPS if step.get("name") == "Install colconf")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert re.search(r":-\$ACTION\[(\w+)\]", package)[1] in extras


@pytest.mark.heavy
def test_a_pull_request(workspace):
    """A clean run is reported, summed up, uploaded and commented; a comment that is not there yet is made."""
    inputs = {"engines": "reference\n", "files": "my data\n", "arguments": "--no-spark\n--queries\nnone"}
    job = Job(workspace, "pull_request", **inputs, comment="true", sarif="true", out="out/run").run()
    assert job.status == 0, job.texts
    assert job.values["steps.run.outputs.status"] == "0"
    assert job.summary.read_text().startswith("**colconf: nothing unexpected**")
    assert [name for name, _ in job.used] == [
        "actions/setup-python@v5",
        "actions/cache@v4",
        "github/codeql-action/upload-sarif@v3",
        "actions/upload-artifact@v4",
    ]
    sarif = dict(job.used)["github/codeql-action/upload-sarif@v3"]["sarif_file"]
    assert json.loads((workspace / sarif).read_text())["version"] == "2.1.0"
    comment = "gh pr comment https://example.org/pull/7 --body-file out/run/chat.md"
    assert job.calls.read_text().splitlines() == [
        f"python -m pip install --quiet {ROOT}[all]",
        f"{comment} --edit-last",
        comment,
    ]
    assert "::notice title=colconf::nothing unexpected" in "".join(job.texts)


@pytest.mark.heavy
def test_a_clean_machine(workspace, tmp_path):
    """With nothing but a new Python, the steps install colconf and run what they installed, to the end."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    inputs = {"package": f"{ROOT}[fastparquet]", "engines": "reference\nfastparquet", "files": "my data"}
    inputs |= {"history": "history", "sarif": "true", "out": "out/run", "arguments": "--no-spark"}
    job = Job(workspace, "pull_request", environment, **inputs, comment="true").run()
    assert job.status == 0, job.texts
    assert json.loads((workspace / "out/run/report.sarif").read_text())["version"] == "2.1.0"
    files = {name for _, given in job.used for name in given.get("path", "").split()}
    assert {"history", "out/run/report.*", "out/run/junit.xml"} < files
    assert list((workspace / "history").iterdir())
    for pattern in (name for name in files if name.startswith("out/")):
        assert list(workspace.glob(pattern)), pattern
    assert len(job.calls.read_text().splitlines()) == 2  # of gh
    python = environment / "bin/python"
    code = "import harness; print(harness.__file__)"
    where = subprocess.run([python, "-c", code], cwd=workspace, capture_output=True, text=True, check=True)
    assert where.stdout.startswith(str(environment))


def test_errors_and_findings(workspace):
    """An error fails the job and reports nothing; findings fail it unless `fail` is false."""
    job = Job(workspace, files="nowhere; touch injected", engines="reference", arguments="--no-spark").run()
    assert job.status == 2
    assert "nowhere; touch injected: No such file or directory" in "".join(job.texts)
    assert not (workspace / "injected").exists()
    assert [name for name, _ in job.used] == ["actions/setup-python@v5", "actions/cache@v4"]
    last = STEPS[-1]["run"]
    for status, fail, wanted in (("1", "true", 1), ("1", "false", 0), ("0", "true", 0), ("2", "false", 2)):
        env = {"STATUS": status, "FAIL": fail, "PATH": os.environ["PATH"]}
        assert subprocess.run(["bash", "-c", last], env=env, check=False).returncode == wanted


def instructions():
    """Return the instructions of the Containerfile, with continued lines joined."""
    text = (ROOT / "Containerfile").read_text("utf-8")
    joined = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", text))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def test_the_container():
    """What it copies is there and is all that the build needs; it ends as a user, and starts colconf."""
    steps = instructions()
    assert steps[0][0] == "FROM"
    assert {name for name, _ in steps} == {
        "FROM",
        "ARG",
        "RUN",
        "COPY",
        "USER",
        "WORKDIR",
        "ENTRYPOINT",
        "CMD",
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    copied = [source for name, rest in steps if name == "COPY" for source in shlex.split(rest)[:-1]]
    assert all((ROOT / source).exists() for source in copied)
    needed = {*project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"], "pyproject.toml"}
    assert {*copied} >= needed | {project["project"]["readme"]}
    declared = dict(rest.split("=", 1) for name, rest in steps if name == "ARG")
    assert declared["EXTRAS"] in project["project"]["optional-dependencies"]
    for name, rest in steps:
        if name == "RUN":
            assert set(re.findall(r"\$\{(\w+)\}", rest)) <= declared.keys()
            subprocess.run(["bash", "-n", "-c", rest], check=True)
    last = dict(steps)
    assert last["USER"] == "colconf"
    assert json.loads(last["ENTRYPOINT"])[0] in project["project"]["scripts"]
    assert Path(last["WORKDIR"]) == Path("/work")
