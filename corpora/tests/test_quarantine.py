"""A case of ours that turned out wrong is out of all verdicts by one entry, and shown."""

import datetime as dt

import pytest

from corpora import own_cases, quarantine
from corpora.build.evolution.importing import import_tables
from corpora.cases import CaseError
from corpora.importers import import_path

ENTRY = '[[case]]\nid = "{id}"\nreason = "the text leaves it open"\nsince = 2026-11-27\n'
OF_FILE = "parquet/page/index-page/last"
TODAY = dt.date(2026, 11, 28)


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Return what has a case in quarantine."""

    def put(identity):
        path = tmp_path / "quarantine.toml"
        path.write_text(ENTRY.format(id=identity))
        entries = quarantine.load(path)
        monkeypatch.setattr(quarantine, "load", lambda *_: entries)

    return put


def test_a_file_in_quarantine_is_skipped(listed):
    """The others of its folder are cases, and the reason and the day are shown."""
    folder = own_cases.folder() / OF_FILE
    before = import_path(folder.parent)
    assert not before.skipped
    listed(OF_FILE)
    after = import_path(folder.parent)
    (skipped,) = after.skipped
    assert (skipped.id, skipped.quarantined, skipped.unusable) == (OF_FILE, True, False)
    assert skipped.reason == "quarantined since 2026-11-27: the text leaves it open"
    assert {case.id for case in before.cases} - {case.id for case in after.cases} == {OF_FILE}


def test_a_table_in_quarantine_is_skipped(listed):
    """So is a table case."""
    path = next(own_cases.folder().joinpath(own_cases.TABLES, "parquet").rglob("*.json"))
    (case,) = import_tables([str(path)]).cases
    listed(case.id)
    imported = import_tables([str(path)])
    assert not imported.cases
    assert imported.skipped[0].quarantined


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[case]]\nid = 'a'\nreason = 'b'\n", "an id, a reason, and a date"),
        ("[[case]]\nid = 'a'\nreason = ' '\nsince = 2026-11-27\n", "an id, a reason, and a date"),
        ("[[case]]\nid = 'a'\nreason = 'b'\nsince = '2026-11-27'\n", "an id, a reason, and a date"),
        ("case = 5", "an id, a reason, and a date"),
        ("case = [5]", "an id, a reason, and a date"),
        ("[[case]]\nid = ['a']\nreason = 'b'\nsince = 2026-11-27\n", "an id, a reason, and a date"),
        (ENTRY.format(id="a") * 2, "a appears twice"),
        ("[other]\n", "only entries"),
        ("case", "quarantine.toml: "),
    ],
)
def test_a_damaged_list_is_refused(tmp_path, text, message):
    """In one line that names it."""
    path = tmp_path / "quarantine.toml"
    path.write_text(text)
    with pytest.raises(CaseError, match=message):
        quarantine.load(path)
    assert len(list(quarantine.problems(path, TODAY))) == 1


def test_the_lint_keeps_entries_from_being_forgotten(tmp_path):
    """An entry of no case, and one that is too old, are problems; a new one of a case is none."""
    path = tmp_path / "quarantine.toml"
    path.write_text(ENTRY.format(id="parquet/a"))
    assert list(quarantine.problems(path, TODAY)) == [
        "quarantine.toml: parquet/a: there is no such case; remove the entry"
    ]
    (tmp_path / "parquet").mkdir()
    (tmp_path / "parquet" / "a.json").write_text("")
    assert not list(quarantine.problems(path, TODAY))
    assert "for more than 90 days" in next(quarantine.problems(path, TODAY + dt.timedelta(days=90)))
