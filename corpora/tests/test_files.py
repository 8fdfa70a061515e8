"""A file is whole or not there, and on the disk before it has its name; nobody writes in another way."""

import errno
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

from corpora.files import HOOKS, Disk, copy_whole, sweep, unfinished_of, whole_file, whole_path, write_whole

ROOT = Path(__file__).resolve().parents[2]
# What renames and is no file that is written: corpora of a fuzzer, whose inputs are named by their digests,
# environments and workers, which are folders that processes take from each other under a lock.
ALLOWED = {"corpora/files.py", "harness/investigate/fuzz/merging.py", "harness/investigate/fuzz/campaign.py"}
ALLOWED |= {"harness/environments/carried.py", "harness/environments/store.py"}
ALLOWED |= {"harness/runs/pipeline/storage.py", "harness/engines/jvm/program.py"}
RENAMES = re.compile(
    r"os\.(rename|replace)\(|\.rename\(|unfinished\.replace\(|(path|part|file)\.replace\([a-z]"
)


class Noting(Disk):
    """Notes what it does, and fails where it is told to."""

    def __init__(self, failing=""):
        self.did, self.failing = [], failing

    def _note(self, what):
        self.did.append(what)
        if what == self.failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, write, data):
        """Note it."""
        self._note("write")
        return super().write(write, data)

    def sync(self, path):
        """Note it."""
        self._note("sync folder" if path.is_dir() else "sync file")
        super().sync(path)

    def rename(self, old, new):
        """Note it."""
        self._note("rename")
        super().rename(old, new)


def test_the_order(tmp_path, monkeypatch):
    """The content reaches the disk before the name, and the name before it counts."""
    disk = Noting()
    monkeypatch.setattr(HOOKS, "disk", disk)
    write_whole(tmp_path / "a", b"abc")
    assert disk.did == ["write", "sync file", "rename", "sync folder"]
    disk.did = []
    write_whole(tmp_path / "b", b"abc", durable=False)
    assert disk.did == ["write", "rename"]


@pytest.mark.parametrize("failing", ["write", "sync file", "rename"])
def test_a_full_disk_names_the_file(tmp_path, monkeypatch, failing):
    """The error names the file that was asked for; the old one stays, and nothing else does."""
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(HOOKS, "disk", Noting(failing))
    with pytest.raises(OSError, match="No space left on device") as raised:
        write_whole(tmp_path / "a", "new")
    assert raised.value.filename == str(tmp_path / "a")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


def test_an_exception_leaves_nothing(tmp_path):
    """Whoever writes may fail in the middle: of a file, of a folder, of a copy."""
    with suppress(ZeroDivisionError), whole_file(tmp_path / "a") as out:
        out.write(b"x" * (100_000 // 0))
    with suppress(ZeroDivisionError), whole_path(tmp_path / "b") as folder:
        folder.mkdir()
        (folder / "x").write_text(str(1 // 0))
    with pytest.raises(FileNotFoundError):
        copy_whole(tmp_path / "none", tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


class Losing(Disk):
    """Says that it has written, and has not."""

    def write(self, write, data):
        """Write nothing."""
        del write
        return len(data)


class Unnaming(Disk):
    """Says that it has renamed a file, and has not."""

    def rename(self, old, new):
        """Rename nothing."""


def test_a_copy_whose_rename_was_lost_is_refused(tmp_path, monkeypatch):
    """Who comes next would find no copy, and nothing that says so."""
    (tmp_path / "a").write_bytes(b"abc")
    monkeypatch.setattr(HOOKS, "disk", Unnaming())
    with pytest.raises(OSError, match="the copy is not there") as raised:
        copy_whole(tmp_path / "a", tmp_path / "b")
    assert raised.value.filename == str(tmp_path / "b")


def test_a_copy_that_lost_bytes_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    """A name that holds less than the original would be taken for a copy by who comes next."""
    (tmp_path / "a").write_bytes(b"abc")
    copy_whole(tmp_path / "a", tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == b"abc"
    (tmp_path / "c").unlink()
    monkeypatch.setattr(HOOKS, "disk", Losing())
    with pytest.raises(OSError, match="the copy is not as it was written") as raised:
        copy_whole(tmp_path / "a", tmp_path / "b")
    assert raised.value.filename == str(tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_text_is_as_it_was_given(tmp_path):
    """Lines end as they are written, and what UTF-8 cannot hold is escaped."""
    write_whole(tmp_path / "a", "é\n\ud800\r\n")
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\n\\ud800\r\n"


def test_what_a_kill_left_is_swept(tmp_path):
    """Unfinished files go, others stay."""
    unfinished_of(tmp_path / "a").write_text("half")
    unfinished_of(tmp_path / "b").mkdir()
    (tmp_path / ".a").write_text("mine")
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".a"]


def test_nobody_else_renames_what_is_written():
    """A rename anywhere else is one that forgets what `corpora/files.py` does."""
    renames = []
    for package in ("corpora", "properties", "harness", "reports"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if "tests" not in file.parts and name not in ALLOWED:
                lines = enumerate(file.read_text("utf-8").splitlines(), 1)
                renames += [f"{name}:{at}: {line.strip()}" for at, line in lines if RENAMES.search(line)]
    assert not renames, "\n".join(renames)


def test_a_path_without_a_name_is_no_file():
    """An empty path, which stands for the folder one is in, cannot be written."""
    with pytest.raises(IsADirectoryError):
        write_whole(Path(), b"")
