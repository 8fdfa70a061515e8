"""A wheel, as people install it: small, the same to the byte, and whole without a clone."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from corpora import own_cases, packed
from harness.tests.pages import ROOT

pytestmark = pytest.mark.heavy
UV = (sys.executable, "-m", "uv")
OURS = ("PYTHON", "COLCONF")
OTHERS = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def built(folder):
    """Return a wheel of this checkout, built into a folder."""
    subprocess.run([*UV, "build", "--wheel", "--out-dir", folder, ROOT], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return a wheel of this checkout."""
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def colconf(wheel, tmp_path_factory):
    """Return a function that calls a wheel's `colconf`, from a folder that has nothing of this checkout."""
    folder = tmp_path_factory.mktemp("project")
    subprocess.run([*UV, "venv", "env"], cwd=folder, check=True, capture_output=True)
    install = [*UV, "pip", "install", "--python", "env/bin/python", f"{wheel}[fastparquet,generate]"]
    subprocess.run(install, cwd=folder, check=True, capture_output=True)

    def call(*arguments, **variables):
        env = {**OTHERS, "COLCONF_CACHE": str(folder / "cache"), **variables}
        command = [folder / "env/bin/colconf", *arguments]
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)

    call.folder = folder
    return call


def test_it_is_the_same_to_the_byte(wheel, tmp_path):
    """Built twice, it has the same bytes."""
    assert built(tmp_path).read_bytes() == wheel.read_bytes()


def test_one_archive(wheel, tmp_path):
    """All cases are in one archive, and none stands beside it; what else a wheel has is code and its data."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        opened.extract(f"corpora/{packed.ARCHIVE}", tmp_path)
    assert len(names) < 1_500
    folders = tuple(f"corpora/{folder}/" for folder in packed.FOLDERS)
    assert not [name for name in names if name.startswith(folders)]
    folder = packed.unpacked(tmp_path / "corpora" / packed.ARCHIVE, tmp_path / "cache")
    assert dict(packed.contents_of(folder)) == dict(packed.contents_of(own_cases.CHECKED_IN))


def test_commands_without_a_clone(colconf):
    """Cases are listed, run, replayed, found by the known failures, and used by a sample."""
    listed = colconf("list", "cases", "--json")
    assert len(json.loads(listed.stdout)) == len(list(own_cases.records(["*"])))
    assert colconf("doctor").returncode == 0
    engines = ("--engine", "reference", "--engine", "fastparquet", "--no-spark")
    ran = colconf("run", "--case", "parquet/alp/*", *engines, "--out", "alp")
    assert (ran.returncode, "nothing unexpected" in ran.stdout + ran.stderr) == (0, True), ran.stderr
    table = colconf("run", "--case", "evolved/orc/add/*", *engines[:2], "--no-spark", "--out", "table")
    assert table.returncode == 0, table.stderr
    replayed = colconf("replay", "parquet/alp/double/example", "--engine", "reference")
    assert "agree" in replayed.stdout, replayed.stderr
    finding = colconf("replay", "fastparquet-index-of-deltas")
    assert "the finding shows" in finding.stdout, finding.stderr
    sample = colconf("run", "--profile", "sample", "--seed", "1", *engines, "--out", "sample")
    assert sample.returncode in {0, 1}, sample.stderr  # files are generated: there may be findings
    lines = (colconf.folder / "sample/results.ndjson").read_text("utf-8").splitlines()
    cases = {json.loads(line)["case"].partition("/")[0] for line in lines}
    assert cases >= {"parquet", "orc", "generated"}
    assert colconf("report", "alp", "--format", "sarif", "--output", "alp.sarif").returncode == 0


def test_what_needs_a_checkout(colconf):
    """What writes into a checkout says so in one line."""
    for command in (["corpus", "build"], ["corpus", "release", "--out", "archives"]):
        refused = colconf(*command)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr


def test_a_cache_that_cannot_be_written(colconf):
    """The folder of the cases is named, and how to name another."""
    (colconf.folder / "file").touch()
    refused = colconf("list", "cases", COLCONF_CACHE=str(colconf.folder / "file"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert "let COLCONF_CACHE name a folder that can be written" in refused.stderr
