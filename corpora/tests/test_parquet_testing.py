import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from corpora.cases import Case, CaseError
from corpora.features import is_known
from corpora.importers import import_path, parquet_testing
from corpora.importers.csv_tables import CsvProblem, csv_table

ROOT = os.environ.get("PARQUET_TEST_DATA")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    """Files that are made at import go into a cache of the test's own."""
    monkeypatch.setenv("COLCONF_CACHE", str(tmp_path_factory.mktemp("cache")))


needs_data = pytest.mark.skipif(not ROOT, reason="PARQUET_TEST_DATA is not set")


def _checkout(tmp_path):
    """Make what is recognised as a checkout: the one path that nothing else has."""
    (tmp_path / "bad_data").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "bad_data" / "PARQUET-1481.parquet").write_bytes(b"PAR1 not the real one PAR1")
    return tmp_path


def test_other_bytes_are_not_described(tmp_path):
    """A file of a known name but other bytes is judged by vote, and its notes say so."""
    (case,) = import_path(_checkout(tmp_path)).cases
    assert case.id == "parquet-testing/bad_data/PARQUET-1481.parquet"
    assert case.expectation.source == "vote"
    assert "not the bytes" in case.notes


def test_skipped_with_the_reason_of_the_table(tmp_path):
    """Files of the corpus that are no cases are skipped for the reason that the table gives."""
    (_checkout(tmp_path) / "data" / "delta_byte_array_expect.csv").write_text("a\n1\n")
    (skipped,) = import_path(tmp_path).skipped
    assert skipped.reason == "the values expected of the Parquet file of that name"


@pytest.mark.parametrize("text", ["", "{", "{}", "[3]", '[{"parquet_file": "case-001.parquet"}]'])
def test_shredded_variants_without_description(tmp_path, text):
    """Whatever stands in cases.json, a file called INVALID may be refused, others are voted on."""
    folder = _checkout(tmp_path) / "shredded_variant"
    folder.mkdir()
    (folder / "cases.json").write_text(text)
    for name in ("case-001.parquet", "case-002-INVALID.parquet"):
        (folder / name).write_bytes(b"PAR1 and so on, PAR1")
    cases = {case.file.name: case.expectation.kind for case in import_path(folder).cases}
    assert cases == {"case-001.parquet": "accept", "case-002-INVALID.parquet": "either"}


@pytest.mark.parametrize(
    "entry",
    [
        "path = 'x'",
        "path = 'x'\nsha256 = ''\nfeatures = []\nexpectation = 'maybe'",
        "path = 'x'\nsha256 = ''\nfeatures = []\nexpectation = 'accept'",
        "path = 'x'\nsha256 = ''\nfeatures = 3\nexpectation = 'vote'",
        "path = 'x'\nsha256 = ''\nfeatures = []\nexpectation = 'vote'\nclaus = ''",
    ],
)
def test_wrong_entries_are_refused(tmp_path, entry):
    """An entry of the table that is not of its form is a CaseError."""
    path = tmp_path / "table.toml"
    path.write_text(f"[[other]]\nglob = 'x'\nreason = 'y'\n[[file]]\n{entry}\n")
    with pytest.raises(CaseError):
        parquet_testing.table(path)


def test_csv_tables(tmp_path):
    """A CSV file becomes typed columns, quoted or not, an empty field being null."""
    path = tmp_path / "t.csv"
    path.write_text('"a","b:"\n"1","x, y"\n,""\n-9223372036854775808,é\n', encoding="utf-8")
    table = csv_table(path, ["a:int64", "b::string"])
    assert [(column.name, column.type.kind) for column in table.columns] == [("a", "int"), ("b:", "string")]
    assert (table.column(0), table.column(1)) == (["1", None, "-9223372036854775808"], ["x, y", None, "é"])


@pytest.mark.parametrize("text", ["", "a\n1\n", "a,b\n1\n", "a,b\n1.5,x\n", "a,b\n01,x\n", "a,b\n1,\xff\n"])
def test_wrong_csv(tmp_path, text):
    """A CSV file without header, with rows of another width, or with undeclared values is refused."""
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(CsvProblem):
        csv_table(path, ["a:int64", "b:string"])


@needs_data
@pytest.mark.corpus
def test_whole_checkout():
    """Every file of data and bad_data has an entry for its bytes, with a clause and known features."""
    imported = import_path(ROOT)
    described = [case for case in imported.cases if "variant/" not in case.id]
    assert all(case.spec and case.features and "not the bytes" not in case.notes for case in described)
    assert all(is_known(feature) for case in imported.cases for feature in case.features)
    assert not [item for item in imported.skipped if item.reason == "neither Parquet nor ORC"]
    entries = parquet_testing.table().entries
    assert {case.id for case in described} == {f"parquet-testing/{path}" for path in entries}
    for case in imported.cases:
        assert Case.from_json(case.to_json()) == case


@needs_data
@pytest.mark.corpus
def test_bad_data_is_refused_or_shown_legal():
    """Every file of bad_data must be refused for a stated reason, but for the one that is legal."""
    cases = import_path(Path(ROOT, "bad_data")).cases
    kinds = Counter(case.expectation.kind for case in cases)
    assert kinds["refuse"] == len(cases) - 1
    (legal,) = (case for case in cases if case.expectation.kind == "accept")
    assert legal.id.endswith("ARROW-GH-43605.parquet")
    assert legal.notes.startswith("Legal")
    assert all(case.expectation.clause and case.expectation.reason for case in cases if case is not legal)


@needs_data
@pytest.mark.corpus
def test_parts_of_a_checkout_are_recognised(tmp_path):
    """Ids do not depend on whether the root, a folder, or one file of the checkout was given."""
    file = Path(ROOT, "data", "geospatial", "geospatial.parquet")
    ids = {import_path(path).cases[-1].id for path in (file, file.parent)}
    assert ids == {"parquet-testing/data/geospatial/geospatial.parquet"}
    copy = shutil.copy(file, tmp_path / "geospatial.parquet")
    assert import_path(copy).cases[0].id == "files/geospatial.parquet"


@needs_data
@pytest.mark.corpus
def test_csv_expectations_are_what_pyarrow_reads():
    """The values taken from the CSV files are those of the Parquet files, as pyarrow reads them."""
    parquet = pytest.importorskip("pyarrow.parquet")
    cases = [case for case in import_path(Path(ROOT, "data")).cases if case.source.startswith("writer:")]
    assert len(cases) == 4
    for case in cases:
        read = parquet.read_table(case.file)
        table = case.expectation.table
        assert [column.name for column in table.columns] == read.column_names
        for index, name in enumerate(read.column_names):
            values = [None if value is None else str(value) for value in read.column(name).to_pylist()]
            assert table.column(index) == values


@needs_data
@pytest.mark.corpus
def test_encrypted_files_come_with_their_keys():
    """Each encrypted file comes with the keys that the repository documents, which may be written out."""
    cases = [case for case in import_path(Path(ROOT, "data")).cases if case.file.suffix == ".encrypted"]
    assert len(cases) == 13
    assert {case.expectation.kind for case in cases} == {"accept"}
    assert all(Case.from_json(case.to_json()).keys == case.keys for case in cases if case.keys.is_public())
