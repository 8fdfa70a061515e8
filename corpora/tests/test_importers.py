import hashlib
import os

import pytest

from corpora.cases import Case, Expectation, dump
from corpora.importers import ImportProblem, import_path, import_paths

PARQUET = b"PAR1" + b"\0" * 8 + b"PAR1"


def _write(path, content=PARQUET):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _ids(items):
    return [item.id for item in items]


def test_folder(tmp_path):
    """Every file below a folder is a case or is skipped with a reason, in sorted order."""
    _write(tmp_path / "b.parquet")
    _write(tmp_path / "a" / "no suffix")
    _write(tmp_path / "a" / "z.orc", b"ORC")
    _write(tmp_path / "a" / "readme.md", b"text")
    _write(tmp_path / "_SUCCESS", b"")
    _write(tmp_path / "_metadata")
    _write(tmp_path / ".b.parquet.crc", b"crc")
    _write(tmp_path / ".git" / "config", b"")
    imported = import_path(tmp_path)
    assert _ids(imported.cases) == ["files/a/no suffix", "files/a/z.orc", "files/b.parquet"]
    assert [case.format for case in imported.cases] == ["parquet", "orc", "parquet"]
    assert [(item.id, item.reason.split(":")[0]) for item in imported.skipped] == [
        ("files/_SUCCESS", "neither Parquet nor ORC"),
        ("files/_metadata", "a summary file"),
        ("files/a/readme.md", "neither Parquet nor ORC"),
    ]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PARQUET, "accept"),
        (b"PARE" + b"\0" * 8 + b"PARE", "accept"),
        (b"junk" + PARQUET[4:], "accept"),
        (PARQUET[:-1], "refuse"),
        (b"PAR1", "refuse"),
        (b"", "refuse"),
        (b"a comma, separated", "refuse"),
    ],
)
def test_expectation_in_a_folder(tmp_path, content, kind):
    """A file called .parquet without a footer at its end must be refused; on others the engines vote."""
    _write(tmp_path / "x.parquet", content)
    (case,) = import_path(tmp_path).cases
    assert case.expectation.kind == kind
    assert case.source == case.expectation.source == ("vote" if kind == "accept" else "spec")


def test_named_file(tmp_path):
    """A file that is given itself has an id of its name."""
    assert _ids(import_path(_write(tmp_path / "x" / "one.bin")).cases) == ["files/one.bin"]


def test_named_file_of_a_case(tmp_path):
    """A file of a recorded case may be without a magic number: that is what the case is about."""
    file = _write(tmp_path / "x.orc", b"O")
    refusal = Expectation.refuse(rule="ORC-FILE-001", reason="one byte")
    digest = hashlib.sha256(b"O").hexdigest()
    dump(Case("orc/x", "orc", file, digest, refusal, source="spec"), tmp_path / "x.json")
    (case,) = import_path(file).cases
    assert case.format == "orc"
    assert case.expectation.kind == "refuse"


@pytest.mark.parametrize("content", [b"", b"PAR", b"no magic number"])
def test_named_file_that_is_no_parquet(tmp_path, content):
    """A file without a magic number is one of its format by its name; of another name, it is a problem."""
    other, named_so = (_write(tmp_path / name, content) for name in ("x.txt", "x.parquet"))
    with pytest.raises(ImportProblem, match=r"x\.txt: neither Parquet nor ORC$"):
        import_path(other)
    (case,) = import_path(named_so).cases
    assert (case.format, case.expectation.kind) == ("parquet", "refuse")


def test_one_of_several_named_files_is_no_parquet(tmp_path):
    """It is left out and named, so that `*` in a shell is no problem; without another one it is."""
    first, second, third = (_write(tmp_path / name, b"text") for name in ("x.txt", "x.parquet", "_metadata"))
    imported = import_paths([first, second, third])
    assert _ids(imported.cases) == ["files/x.parquet"]
    assert [(item.id, item.unusable) for item in imported.skipped] == [
        ("files/x.txt", True),
        ("files/_metadata", True),
    ]
    with pytest.raises(ImportProblem, match=r"x\.txt: neither"):
        import_paths([first, third])


def test_a_link_to_nothing_stops_no_other_file(tmp_path):
    """It is left out and named; alone, it is a problem."""
    link, file = tmp_path / "link.parquet", _write(tmp_path / "x.parquet")
    link.symlink_to(tmp_path / "nothing")
    imported = import_paths([link, file])
    assert _ids(imported.cases) == ["files/x.parquet"]
    assert [(item.id, item.unusable) for item in imported.skipped] == [("files/link.parquet", True)]
    with pytest.raises(ImportProblem, match="No such file"):
        import_path(link)


def test_missing_and_empty(tmp_path):
    """A path that is not there, a folder without files and a device are problems of one line."""
    _write(tmp_path / "folder" / ".hidden")
    for path in (tmp_path / "missing", tmp_path / "folder", "/dev/null"):
        with pytest.raises(ImportProblem) as caught:
            import_path(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_links(tmp_path):
    """A loop of links ends, a link to nothing and a pipe are skipped, and a linked file is a case."""
    _write(tmp_path / "a" / "x.parquet")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "broken.parquet").symlink_to(tmp_path / "nothing")
    (tmp_path / "linked.parquet").symlink_to(tmp_path / "a" / "x.parquet")
    os.mkfifo(tmp_path / "pipe.parquet")
    imported = import_path(tmp_path)
    assert _ids(imported.cases) == ["files/a/x.parquet", "files/linked.parquet"]
    assert [item.reason for item in imported.skipped] == [
        "cannot be read: No such file or directory",
        "not a regular file",
    ]
    assert all(item.unusable for item in imported.skipped)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(tmp_path):
    """A file that may not be read is skipped in a folder, and a problem when it is given itself."""
    path = _write(tmp_path / "x.parquet")
    path.chmod(0)
    assert _ids(import_path(tmp_path).skipped) == ["files/x.parquet"]
    with pytest.raises(ImportProblem, match="Permission denied"):
        import_path(path)


def test_ids_are_unique_and_files_judged_once(tmp_path):
    """The same name in several folders makes several ids; the same file given twice makes one case."""
    for folder in ("one", "two", "three/two"):
        _write(tmp_path / folder / "x.parquet")
    paths = [tmp_path / "one", tmp_path / "two", tmp_path / "three" / "two", tmp_path / "one" / "x.parquet"]
    top = tmp_path.name
    assert _ids(import_paths(paths).cases) == [
        "files/one/x.parquet",
        f"files/{top}/two/x.parquet",
        "files/three/two/x.parquet",
    ]


def test_which_file_an_id_means_does_not_depend_on_the_order_of_the_paths(tmp_path):
    """Of files of one name all have the folder in their ids, and no other file has."""
    for name in ("one/x.parquet", "two/x.parquet", "two/y.parquet"):
        _write(tmp_path / name)
    given = [tmp_path / "one", tmp_path / "two"]
    found = [{case.id: case.file for case in import_paths(paths).cases} for paths in (given, given[::-1])]
    assert found[0] == found[1]
    assert set(found[0]) == {"files/one/x.parquet", "files/two/x.parquet", "files/y.parquet"}


@pytest.mark.parametrize("step", [1, -1])
def test_a_folder_inside_of_another_one(tmp_path, step):
    """A file is named below the outermost of the paths that it is in."""
    for name in ("f.parquet", "z/f.parquet"):
        _write(tmp_path / name)
    paths = [tmp_path, tmp_path / "z"][::step]
    assert set(_ids(import_paths(paths).cases)) == {"files/f.parquet", "files/z/f.parquet"}


def test_a_file_that_is_given_itself_stays_so_in_a_folder_that_is_given_too(tmp_path):
    """What is no Parquet file, and is given by its name, is an error also beside its folder."""
    _write(tmp_path / "f.parquet")
    (tmp_path / "notes.txt").write_text("x")
    for step in (1, -1):
        (skipped,) = import_paths([tmp_path, tmp_path / "notes.txt"][::step]).skipped
        assert (skipped.id, skipped.unusable) == ("files/notes.txt", True)


def test_relative_paths(tmp_path, monkeypatch):
    """The current folder can be given as `.`; the cases hold absolute paths."""
    _write(tmp_path / "x.parquet")
    monkeypatch.chdir(tmp_path)
    (case,) = import_path(".").cases
    assert (case.id, case.file) == ("files/x.parquet", tmp_path / "x.parquet")
