"""Folders of Hive's partitions are read as one table, beside their files."""

import json
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq

from corpora.build.evolution.importing import import_tables
from corpora.folders import digest
from corpora.importers import import_paths
from harness.children.connection import Connection, worker_command
from harness.children.outcomes import OutcomeKind
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.upgrade.choices import tables
from harness.investigate.upgrade.classes import Class, Right, line
from harness.investigate.upgrade.groups import Group
from harness.investigate.upgrade.scripts import keep


def made(folder):
    """Make a partitioned table, and a file beside it."""
    for year in (2026, 2027):
        for month in (1, 2):
            inside = folder / "events" / f"year={year}" / f"month={month}"
            inside.mkdir(parents=True)
            pq.write_table(pa.table({"a": [year * 100 + month]}), inside / "part-0.parquet")
    (folder / "plain").mkdir()
    pq.write_table(pa.table({"a": [1]}), folder / "plain" / "b.parquet")
    return folder


def test_the_root_of_a_table_is_above_its_partitions(tmp_path):
    """One case for the table, none for folders without partitions, whichever folder was given."""
    for given in (made(tmp_path), tmp_path / "events"):
        found = tables([str(given)], import_paths([given]).cases)
        assert [case.file for case in found] == [tmp_path / "events"]
        assert found[0].format == "parquet"


def test_the_digest_is_of_all_files(tmp_path):
    """Another file, or another partition of the same file, is another table."""
    made(tmp_path)
    digests = set()
    for change in (None, "rename", "write"):
        part = tmp_path / "events" / "year=2026" / "month=1"
        if change == "rename":
            part.rename(part.with_name("month=3"))
        if change == "write":
            pq.write_table(pa.table({"a": [5]}), part.with_name("month=3") / "part-0.parquet")
        (case,) = tables([str(tmp_path)], import_paths([tmp_path]).cases)
        digests.add(case.sha256)
    assert len(digests) == 3


def test_a_file_that_was_given_by_name_is_no_table(tmp_path):
    """A file in a partition that is given itself is a file."""
    made(tmp_path)
    file = tmp_path / "events" / "year=2026" / "month=1" / "part-0.parquet"
    assert tables([str(file)], import_paths([file]).cases) == []


def test_pyarrow_reads_the_partitions_as_columns(tmp_path):
    """The table has the columns of its files, and of its folders."""
    made(tmp_path)
    with Connection(worker_command(ENGINES["pyarrow"])) as connection:
        found = connection.read(tmp_path / "events", "parquet", {})
    assert found.kind is OutcomeKind.TABLE
    assert [column.name for column in found.table.columns] == ["a", "year", "month"]
    assert sorted(found.table.column(0)) == ["202601", "202602", "202701", "202702"]


def test_a_difference_of_a_table_has_its_folder_and_a_script(tmp_path):
    """The script reads the copied folder as the table case does, with its engine alone."""
    folder = made(tmp_path) / "events"
    case = next(case for case in import_tables([str(folder)]).cases if case.id.endswith("schema-0"))
    members = {"path": "", "old": "1", "new": "2", "size": 9, "by": "", "features": []}
    at = line(Class.VALUE, Right.UNSPECIFIED, case, **members)
    group = Group("a signature", Class.VALUE, json.loads(json.dumps(at)))
    version = str(status(ENGINES["pyarrow"]).version)
    engines = [{"name": "pyarrow", "version": version}] * 2
    assert keep(tmp_path / "cases" / "001", group, engines) == "cases/001"
    kept = tmp_path / "cases" / "001"
    assert digest(kept / "files") == case.sha256
    shutil.rmtree(folder)
    done = subprocess.run(
        [sys.executable, "-I", kept / "reproduce.py"], capture_output=True, text=True, timeout=60, check=True
    )
    assert "202602" in done.stdout
    assert "2027" in done.stdout
