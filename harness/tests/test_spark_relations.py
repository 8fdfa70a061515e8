"""Sheets that Spark reads again are not listed again, unless a file or an option is another."""

import os

import pytest

from harness.children.links import Links
from harness.engines.spark.relations import Relations


class _Reader:
    """A reader whose frames are numbers; it counts what it loads."""

    def __init__(self):
        self.loaded = 0

    def load(self, links):
        """Return a new frame; links must lead to files."""
        assert all(map(os.path.exists, links))
        self.loaded += 1
        return self.loaded


@pytest.fixture
def relations(tmp_path):
    """Return relations whose links are in a folder of their own."""
    (tmp_path / "links").mkdir()
    return Relations(Links(str(tmp_path / "links")))


def _files(folder, *names):
    for name in names:
        (folder / name).write_text(name)
    return [str(folder / name) for name in names]


def _load(relations, reader, files, read=()):
    with relations.linked(files, ".parquet") as names:
        assert list(map(os.path.realpath, names)) == files
        return relations.load(reader, list(names), read)


def test_a_sheet_is_loaded_once_with_the_same_options(tmp_path, relations):
    """The frame of the same files is loaded once for each way to read them."""
    files, reader = _files(tmp_path, "a", "b"), _Reader()
    frames = [_load(relations, reader, files, read) for read in ((), ("on",), (), ("on",))]
    assert frames == [1, 2, 1, 2]


def test_a_changed_file_is_loaded_again(tmp_path, relations):
    """A frame knows the sizes of its files: a file of another size, or time, has the sheet loaded again."""
    files, reader = _files(tmp_path, "a", "b"), _Reader()
    first = _load(relations, reader, files)
    (tmp_path / "b").write_text("longer")
    assert _load(relations, reader, files) != first
    os.utime(tmp_path / "a", ns=(1, 1))
    assert _load(relations, reader, files) == 3


def test_links_of_sheets_that_were_left_go(tmp_path, relations):
    """Of ten sheets, the links of the last four stay; the first one is loaded again."""
    reader = _Reader()
    sheets = [_files(tmp_path, f"a{number}", f"b{number}") for number in range(10)]
    for files in sheets:
        _load(relations, reader, files)
    assert len(list((tmp_path / "links").iterdir())) == 8
    assert [_load(relations, reader, files) for files in (sheets[9], sheets[0])] == [10, 11]


def test_the_sheet_that_was_left_longest_goes_first(tmp_path, relations):
    """A sheet that is read again stays, if three others are read before and one after."""
    reader = _Reader()
    sheets = [_files(tmp_path, f"a{number}", f"b{number}") for number in range(5)]
    frames = [_load(relations, reader, sheets[number]) for number in (0, 1, 2, 3, 0, 4, 0)]
    assert frames == [1, 2, 3, 4, 1, 5, 1]


def test_files_that_are_not_kept_are_loaded_each_time(tmp_path, relations):
    """Links that a request creates for itself have no frame that stays."""
    reader, link = _Reader(), _files(tmp_path, "own")
    assert [relations.load(reader, link, ()) for _ in range(2)] == [1, 2]


def test_errors_name_the_files(tmp_path, relations):
    """An exception while a sheet is read names its files, not the links."""
    files = _files(tmp_path, "a", "b")

    def fail():
        with relations.linked(files, ".orc") as names:
            raise ValueError(f"cannot read {list(names)[1]}")

    with pytest.raises(ValueError, match=f"^cannot read {files[1]}$"):
        fail()
