"""A second project, without Python: a reader of its own, the archive of the corpora, `tar` and Node."""

import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from corpora import own_cases, released
from corpora.released import ROOT
from harness.commands.engines import engines

SOME = ("parquet/levels/nulls*", "parquet/fault/pq-page-00*", "parquet/codec/gzip/*", "orc/date/*")
VALUE = "whole(cursor.take(4).readInt32LE(0))"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return the folder of a project that vendors the archive of some cases, unpacked by tar."""
    root, folder = tmp_path_factory.mktemp("corpora"), tmp_path_factory.mktemp("project")
    for record in [each for glob in SOME for each in own_cases.records([glob])]:
        target = root / record.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        for file in record.parent.glob(f"{record.stem}.*"):
            shutil.copy(file, target.parent)
    shutil.copytree(ROOT / "rules.d", root / "rules.d")
    shutil.copy(ROOT / "features.toml", root)
    archive = released.release(folder, "1", {"README.md": "", "LICENSE": ""}, root=root)
    subprocess.run(["tar", "xzf", archive.name], cwd=folder, check=True)
    return folder


def tools(folder, *names):
    """Return a search path on which there are these programs alone: no Python."""
    for name in names:
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"{name} is not installed")
        (folder / name).symlink_to(os.path.realpath(path))
    return str(folder)


def check(project, path, *command):
    """Return the end of the check of the corpora by a reader, in a process that sees a path and no more."""
    checker = project / "colconf-corpus-1/readers/check.js"
    return subprocess.run(
        [shutil.which("node"), checker, project / "colconf-corpus-1", *command],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def counts(done):
    """Return the counts of the last line."""
    last = done.stdout.splitlines()[-1]
    return {name: int(count) for name, count in (part.rsplit(" ", 1) for part in last.split(", "))}


def new(language, folder):
    """Write the skeleton of a language to a folder."""
    result = CliRunner().invoke(engines, ["new", "--language", language, "--name", "my_own", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.heavy
def test_a_reader_in_javascript(project, tmp_path):
    """The skeleton reads its type rightly and misses a checksum; a bug that is put into it is found."""
    (tmp_path / "bin").mkdir()
    path = tools(tmp_path / "bin", "node")
    reader = new("js", tmp_path / "js") / "reader.mjs"
    done = check(project, path, "node", reader)
    assert done.returncode == 1, done.stderr
    assert (
        "parquet/fault/pq-page-003/one-bit-of-the-checksum: reads a file that breaks PQ-PAGE-003"
        in done.stdout
    )
    honest = counts(done)
    assert honest["agree"] > 20
    assert honest["unsupported"] > 20
    text = reader.read_text("utf-8")
    assert text.count(VALUE) == 1
    reader.write_text(text.replace(VALUE, VALUE.replace("(0))", "(0) + 1)")), "utf-8")
    broken = check(project, path, "node", reader)
    assert broken.returncode == 1
    assert counts(broken)["wrong"] > honest["wrong"] + 10
    assert "parquet/levels/nulls" in broken.stdout


@pytest.mark.heavy
def test_a_reader_that_dies_or_is_not_there(project, tmp_path):
    """A crash is a wrong case, and the next file is read by a new process; a missing program is one line."""
    (tmp_path / "bin").mkdir()
    path = tools(tmp_path / "bin", "node")
    dies = tmp_path / "dies.js"
    dies.write_text("process.stdin.once('data', () => process.exit(3))")
    done = check(project, path, "node", dies)
    assert done.returncode == 1
    assert counts(done)["agree"] == 0
    assert ": crashed, or took too long" in done.stdout.splitlines()[0]
    absent = check(project, path, "nosuch")
    assert (absent.returncode, absent.stderr.count("\n")) == (2, 1)
    assert check(project, path).returncode == 2


@pytest.mark.heavy
def test_a_reader_in_java(project, tmp_path):
    """The skeleton in Java, built by its Makefile, agrees on the same cases as that in JavaScript."""
    (tmp_path / "bin").mkdir()
    tools(tmp_path / "bin", "node", "java", "javac", "make")
    folder = new("java", tmp_path / "java")
    subprocess.run(["make"], cwd=folder, check=True, capture_output=True)
    manifest = (folder / "my-own.toml").read_text("utf-8")
    command = [part.strip('" ') for part in manifest.split("command = [")[1].split("]")[0].split(",")]
    command = [part.replace("{here}", str(folder)).replace("./", f"{folder}/", 1) for part in command]
    done = check(project, os.environ["PATH"], *command)
    script = new("js", tmp_path / "js") / "reader.mjs"
    assert counts(done) == counts(check(project, os.environ["PATH"], "node", script)), done.stderr
