"""The cases of a wheel: packed in one way, unpacked once into the cache, found there."""

import multiprocessing
import shutil

import pytest

from corpora import own_cases, packed
from corpora.archives import ArchiveError
from corpora.cases import load
from corpora.files import digest

NAMES = ("parquet/alp/double/example", "orc/date/epoch", "evolved/orc/add/all")


@pytest.fixture
def root(tmp_path):
    """Return a folder like `corpora`, with a case of each kind."""
    root = tmp_path / "corpora"
    for name in NAMES:
        source = own_cases.CHECKED_IN / f"{name}.json"
        shutil.copytree(source.parent, (root / name).parent)
    return root


@pytest.fixture
def archive(root, tmp_path):
    """Return the archive of the folder."""
    packed.pack(root, tmp_path / packed.ARCHIVE)
    return tmp_path / packed.ARCHIVE


def test_it_is_the_same_to_the_byte(root, archive, tmp_path):
    """Packed again, of files with other times and in another folder, it has the same bytes."""
    shutil.copytree(root, tmp_path / "other", copy_function=shutil.copyfile)
    packed.pack(tmp_path / "other", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == archive.read_bytes()
    next((tmp_path / "other").rglob("*.orc")).write_bytes(b"ORC")
    packed.pack(tmp_path / "other", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() != archive.read_bytes()


def test_unpacked_once(root, archive, tmp_path):
    """Each file is there, under the digest of the archive; a second time, nothing is written."""
    folder = packed.unpacked(archive, tmp_path / "cache")
    assert folder == tmp_path / "cache" / digest(archive)[:16]
    assert dict(packed.contents_of(folder)) == dict(packed.contents_of(root))
    (folder / "mark").touch()
    assert packed.unpacked(archive, tmp_path / "cache") == folder
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert (folder / "mark").exists()


def test_unpacked_by_several_processes(archive, tmp_path):
    """Who loses the race takes the folder of the winner, and leaves nothing behind."""
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        folders = pool.starmap(packed.unpacked, [(archive, tmp_path / "cache")] * 3)
    assert len({*folders}) == 1
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [folders[0].name]


def test_what_cannot_be_unpacked(archive, tmp_path):
    """A folder that cannot be written and a damaged archive are one line, and leave nothing behind."""
    (tmp_path / "file").touch()
    with pytest.raises(ArchiveError, match=r"file.*: Not a directory; .* let COLCONF_CACHE name a folder"):
        packed.unpacked(archive, tmp_path / "file/cache")
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(ArchiveError, match="is no archive of colconf's corpora"):
        packed.unpacked(archive, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_cases_are_found_there(archive, tmp_path, monkeypatch):
    """Beside an archive, cases come from the cache; in a checkout, from where they are."""
    assert own_cases.folder() == own_cases.CHECKED_IN
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(own_cases, "CHECKED_IN", archive.parent)
    own_cases.folder.cache_clear()
    try:
        records = list(own_cases.records(NAMES))
        assert own_cases.folder() == own_cases.place()
        assert [load(record).id for record in records] == list(NAMES)
        assert all(record.is_relative_to(tmp_path / "cache/corpora") for record in records)
    finally:
        own_cases.folder.cache_clear()
