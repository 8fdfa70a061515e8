"""Cases beside their files are what these mean."""

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.cases import Case, Expectation, dump, load
from corpora.files import digest
from corpora.importers import ImportProblem, import_path, import_paths

PARQUET = b"PAR1" + b"\0" * 8 + b"PAR1"


@pytest.fixture
def case(tmp_path):
    """A file with its case beside it."""
    file = tmp_path / "sub" / "one.parquet"
    file.parent.mkdir()
    file.write_bytes(PARQUET)
    expected = Expectation.refuse(rule="PQ-PAGE-003")
    made = Case("parquet/page/one", "parquet", file, digest(file), expected, ("parquet/page/v1",), "clause")
    dump(made, file.with_suffix(".json"))
    return made


def test_a_case_beside_its_file(case, tmp_path):
    """The file is imported as its case says, id included, and the case is no file of its own."""
    imported = import_path(tmp_path)
    assert imported.cases == (case,)
    assert imported.skipped == ()
    assert import_path(case.file).cases == (case,)


def test_other_bytes(case):
    """A case says nothing about other bytes than those it was written for."""
    case.file.write_bytes(PARQUET + PARQUET)
    (found,) = import_path(case.file.parent).cases
    assert found.id == "files/one.parquet"
    assert found.expectation == Expectation.by_vote()
    assert found.notes == "not the bytes that one.json describes"


def test_json_that_is_no_case(case):
    """A JSON file that is no case, or whose file is elsewhere, is skipped with a reason as any other file."""
    folder = case.file.parent
    (folder / "two.json").write_text("{}")
    dump(replace(case, file=folder / "gone.parquet"), folder / "three.json")
    assert [item.id for item in import_path(folder).skipped] == ["files/three.json", "files/two.json"]
    case.file.with_suffix(".json").write_text("[]")
    (found,) = import_path(folder).cases
    assert found.expectation == Expectation.by_vote()


def cut(case):
    """Cut the record behind its first members."""
    path = case.file.with_suffix(".json")
    path.write_bytes(path.read_bytes()[:250])


def changed(case):
    """Let the record be about another format."""
    path = case.file.with_suffix(".json")
    path.write_text(path.read_text().replace('"format": "parquet"', '"format": "csv"'))


def renamed(case):
    """Damage the name of a member."""
    path = case.file.with_suffix(".json")
    path.write_text(path.read_text().replace('"sha256"', '"sha257"'))


def linked(case):
    """Let the file be a link out of the folder."""
    case.file.rename(case.file.parents[1] / "away.parquet")
    case.file.symlink_to(case.file.parents[1] / "away.parquet")


DAMAGES = {
    "cut": (cut, "Expecting value"),
    "nearly empty": (
        lambda case: case.file.with_suffix(".json").write_text('{\n "id": "par'),
        "Unterminated",
    ),
    "a few signs": (lambda case: case.file.with_suffix(".json").write_text('{\n "i'), "Unterminated string"),
    "a member of another name": (renamed, "sha256"),
    "empty": (lambda case: case.file.with_suffix(".json").write_text(""), "Expecting value"),
    "other members": (changed, "format"),
    "other bytes": (lambda case: case.file.write_bytes(PARQUET * 2), "its sha256 differs"),
    "no file": (lambda case: case.file.unlink(), "its file one.parquet is not there"),
    "a link": (linked, "a link out of the folder"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_record_that_cannot_be_used_is_named(case, name):
    """Of a folder it is skipped as unusable, with the reason, and the file voted on; named, it is refused."""
    damage, reason = DAMAGES[name]
    damage(case)
    (case.file.parent / "other.parquet").write_bytes(PARQUET)
    imported = import_path(case.file.parent)
    (skipped,) = imported.skipped
    assert (skipped.file, skipped.unusable) == (case.file.with_suffix(".json"), True)
    assert reason in skipped.reason
    assert all(each.expectation == Expectation.by_vote() for each in imported.cases)
    if case.file.exists():
        with pytest.raises(ImportProblem, match=r"one\.json: .*restore it, or move it away"):
            import_path(case.file)


def test_a_record_may_be_named_with_its_file(case):
    """`*` in a shell names both: the record is used, and is no file of its own; alone, it is a problem."""
    record = case.file.with_suffix(".json")
    imported = import_paths([case.file, record])
    assert [each.expectation for each in imported.cases] == [case.expectation]
    assert imported.skipped == ()
    with pytest.raises(ImportProblem, match=r"one\.json: neither"):
        import_path(record)


def test_json_of_others_is_named_beside_its_file(case):
    """What `*` in a shell names and is no record is left out, and named."""
    record = case.file.with_suffix(".json")
    record.write_text("[]")
    (skipped,) = import_paths([case.file, record]).skipped
    assert (skipped.file, skipped.unusable) == (record, True)


def test_json_of_others_is_no_damaged_record(case):
    """Rows or digests as JSON, beside a file or not, are skipped as any other file is."""
    beside = case.file.with_suffix(".json")
    manifest = '{"files": [{"id": 1, "format": "parquet", "file": "one.parquet", "sha256": "00"}]}'
    rows = '{"a": 1}\n{"a": 2}\n'
    for content in (rows, manifest, '{"sha256": "00", "expectation": 1}', '{"id": 1}', "[]", "{"):
        beside.write_text(content)
        (skipped,) = import_path(case.file.parent).skipped
        assert not skipped.unusable
        assert import_path(case.file).cases


def test_cases_are_written_in_short_lines(case):
    """What fits into a line stands in one line, and the case is read back."""
    path = case.file.with_suffix(".json")
    lines = path.read_text().splitlines()
    assert ' "expectation": {"kind": "refuse", "source": "spec", "rule": "PQ-PAGE-003"},' in lines
    assert load(path) == case


def test_a_record_of_a_file_in_another_folder_is_no_record(case):
    """A JSON file that names a file elsewhere is one of others, also beside a file of its name."""
    folder = case.file.parent
    (folder / "f").mkdir()
    (folder / "f" / "x.parquet").write_bytes(PARQUET)
    dump(replace(case, file=folder / "f" / "x.parquet"), case.file.with_suffix(".json"))
    assert not any(each.unusable for each in import_path(folder).skipped)
    assert import_path(case.file).cases[0].expectation == Expectation.by_vote()


def test_a_record_that_cannot_be_read_is_named(case, monkeypatch):
    """Its error is the reason; what lies beside no file of a format is not taken for one."""

    def refuse(path):
        raise OSError(errno.EACCES, "Permission denied", str(path))

    (case.file.parent / "other.json").write_text("{}")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    other, damaged = sorted(import_path(case.file.parent).skipped, key=lambda each: each.unusable)
    assert other.file.name == "other.json"
    assert "Permission denied" in damaged.reason
