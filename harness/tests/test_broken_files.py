"""Files of a user that break a rule are named in the summary of a run, also where every reader is right."""

from dataclasses import replace

import pytest

from corpora.cases import Expectation
from harness.runs.pipeline.broken_files import MOST, note, rendered
from harness.tests.pipelines import files, go, process


@pytest.fixture
def row(tmp_path):
    """Return the row of a file that is refused by everybody."""
    refused = Expectation.refuse(clause="README.md, File format")
    imported = files(tmp_path / "in", ["a"], refused)
    (row,) = go(tmp_path / "out", imported, process("Healthy")).rows
    return row


def with_rule(row, rule, kind="either"):
    """Return a row whose file breaks a rule."""
    return row.with_detail(expectation=row.detail.expectation._replace(rule=rule, kind=kind))


def test_a_broken_file_is_named(row):
    """Below the case stands the clause, or the text of the rule; a broken SHOULD is not listed."""
    broken = []
    for each in (row, with_rule(row, "PQ-PAGE-003"), with_rule(row, "PQ-FILE-010"), with_rule(row, None)):
        note(broken, each)
    lines = list(rendered(broken, 5, str))
    assert lines[0].startswith("2 files with a broken MUST")
    assert lines[1:3] == [f"  broken  {row.detail.file}", "      README.md, File format"]
    assert lines[4].startswith("      PQ-PAGE-003: The checksum of a page")
    assert len(lines) == 5
    assert list(rendered(broken, 1, str))[-1] == "  and 1 more"
    assert not list(rendered(broken, 0, str))


def test_a_table_is_named_once(row):
    """The reads of a folder with a broken file have one line, with the folder."""
    broken = []
    for read in ("schema-0", "nothing"):
        note(broken, replace(row, case=f"tables/t/{read}"))
    lines = list(rendered(broken, 5, str))
    assert lines[0].startswith("1 file or table with a broken MUST")
    assert lines[1] == f"  broken  {row.detail.file}"
    assert len(lines) == 3


def test_files_of_cases_are_not_named(row):
    """Cases that colconf made to be broken are not listed, and of many broken files the first ones."""
    broken = []
    note(broken, replace(row, case="parquet/fault/x"))
    assert not broken
    for number in range(MOST + 3):
        note(broken, row.with_detail(file=f"/in/{number}"))
    assert len(broken) == MOST
