"""Temporary files go with their run, whatever became of its process."""

import subprocess
import sys
import tempfile

import pytest

from harness.children.connection import Connection
from harness.children.scratch import scratch_folder
from harness.tests.pipelines import files, go, process

ENDLESS = """
import sys
from harness.children.scratch import scratch_folder
with scratch_folder() as made:
    (made / "file").touch()
    print(made, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Have a folder of temporary files of our own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def test_the_folder_of_a_killed_run_goes_with_the_next(temporary):
    """The next run removes what a killed one left, and nothing of one that still works."""
    (temporary / "colconf-scratch-file").touch()
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline()
        with scratch_folder() as made:
            assert len(list(temporary.glob("colconf-scratch-*/"))) == 2
        assert not made.exists()
        (left,) = temporary.glob("colconf-scratch-*/file")
        other.kill()
        other.wait()
        with scratch_folder() as made:
            assert not left.exists()
    assert [path.name for path in temporary.iterdir()] == ["colconf-scratch-file"]


def test_a_run_leaves_no_temporary_files(tmp_path, temporary, monkeypatch):
    """Engines work below the folder of the run, and the folder that others use is not changed by it."""
    folders = []
    begin = Connection.__init__

    def noted(connection, *arguments, **more):
        folders.append(more["scratch"])
        begin(connection, *arguments, **more)

    monkeypatch.setattr(Connection, "__init__", noted)
    go(tmp_path / "out", files(tmp_path / "in", ["a"]), process("Healthy"))
    assert folders
    assert all(folder.name.startswith("colconf-scratch-") for folder in folders)
    assert tempfile.tempdir in {None, str(temporary)}
