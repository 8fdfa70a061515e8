"""A generated case of an earlier version: its stored file is used where the seed makes another one by now."""

from dataclasses import replace

import pytest

from corpora.cases import CaseError, Probe
from corpora.queries import Filter, IsNull
from harness.investigate import suspects
from harness.runs.pipeline import generated
from harness.tests.pipelines import files

ID = "generated/1/2/3"


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """Return the case of a run, and the one that this version makes of its seed."""
    stored, built = files(tmp_path, ["000", "001"]).cases
    monkeypatch.setattr(generated, "case_of", lambda *_: built)
    return stored, built


def again(stored, tmp_path):
    """Return the case that is looked at."""
    return suspects._generated_again(ID, stored, "parquet", tmp_path)


def test_the_same_file_is_made_again(cases, tmp_path):
    """What is made again has all values; the stored case may have only their digest."""
    _, built = cases
    assert again(replace(built), tmp_path) == built
    assert again(None, tmp_path) is built
    query = Filter(IsNull(("x",)))
    assert again(replace(built, probes=(Probe(query),)), tmp_path).probes[-1].query == query


def test_another_file_is_not_taken_for_it(cases, tmp_path):
    """The file of the run is read, not the one that the seed makes by now."""
    stored, built = cases
    assert stored.sha256 != built.sha256
    assert again(stored, tmp_path) is stored


@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_a_file_that_is_not_as_it_was_is_refused(cases, tmp_path, harm):
    """One line names the file and the mend."""
    stored, _ = cases
    stored.file.write_bytes(b"PAR1") if harm == "changed" else stored.file.unlink()
    with pytest.raises(suspects.SuspectError, match="is not as it was in the run: use the version that made"):
        again(stored, tmp_path)


def test_a_seed_that_makes_fewer_files(cases, tmp_path, monkeypatch):
    """The stored case is used; without one, the reason is given."""
    stored, _ = cases

    def missing(*_):
        raise CaseError("the sheet has 1 files")

    monkeypatch.setattr(generated, "case_of", missing)
    assert again(stored, tmp_path) is stored
    with pytest.raises(CaseError, match="the sheet has 1 files"):
        again(None, tmp_path)
