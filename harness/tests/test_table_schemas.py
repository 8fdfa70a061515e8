"""`--schema`: folders are read with the schema that a user declares."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from corpora.build.evolution import own
from corpora.build.evolution.importing import import_tables
from corpora.cases import Expectation, dump
from corpora.importers import ImportProblem
from corpora.table_reads import TableRead
from corpora.tagged import DATE, STRING, Field, Table, floating, integer
from harness.commands import resume
from harness.commands.run import run
from harness.commands.run_request import request_of
from harness.commands.table_schemas import declared
from harness.judging.results import load

INT, LONG = integer(32), integer(64)
DECLARED = (Field("n", LONG), Field("new", STRING), Field("year", STRING))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with a partitioned table, and files with its declared schema; return it."""
    monkeypatch.chdir(tmp_path)
    for year in (2023, 2024):
        (tmp_path / f"sales/year={year}").mkdir(parents=True)
        pq.write_table(pa.table({"n": pa.array([year], pa.int32())}), f"sales/year={year}/a.parquet")
    empty = {
        "n": pa.array([], pa.int64()),
        "new": pa.array([], pa.string()),
        "year": pa.array([], pa.string()),
    }
    pq.write_table(pa.table(empty), "catalog.parquet")
    orc.write_table(pa.table(empty), "catalog.orc")
    return tmp_path


def test_the_declared_read(folder):
    """The declared read has columns that files lack, wider types, and partition columns of their types."""
    path = str(folder / "sales")
    cases = {
        case.id.rpartition("/")[2]: case for case in import_tables([path], declared={path: DECLARED}).cases
    }
    assert next(iter(cases)) == "declared"
    assert cases["declared"].read == TableRead(DECLARED[:2], DECLARED[2:])
    assert cases["schema-0"].read.partitions == (Field("year", INT),)


@pytest.mark.usefixtures("folder")
def test_a_schema_that_a_file_has():
    """A declared schema that is that of the files is read once; a type without a definition is none."""
    columns = (Field("n", INT), Field("year", INT))
    assert [each.name for each in own.reads(Path("sales").absolute(), "parquet", columns)] == [
        "declared", "unified", "nothing"
    ]  # fmt: skip
    reads = {each.name: each for each in own.reads(Path("sales").absolute(), "parquet", (Field("n", DATE),))}
    assert reads["declared"].undefined
    assert not reads["schema-0"].undefined
    other = {
        each.name: each
        for each in own.reads(Path("sales").absolute(), "parquet", (Field("year", floating(64)),))
    }
    assert "how the name of a folder becomes float" in other["declared"].undefined


@pytest.mark.parametrize("file", ["catalog.parquet", "sales=catalog.orc"])
def test_the_command(folder, colconf, file):
    """A run reads the folder with the columns of the file, of either format, and so does a resumed run."""
    common = ("--engine", "reference", "--no-spark", "--report", "none", "--out", "out")
    query = ("--query", "SELECT n WHERE year = '2024' AND new IS NULL", "--queries", "none")
    status, _, err = colconf("run", "--tables", "sales", "--schema", file, *query, *common)
    assert status == 0, err
    results = load(folder / "out")
    row = next(row for row in results.rows if row.case == "tables/sales/declared")
    assert (row.verdict, row.detail.probes.queries) == ("agree", 1)
    name = file.rpartition("=")[2]
    assert results.run.settings["schema"] == [f"{folder / 'sales'}={folder / name}"]
    options = resume.options(folder / "out", results.run, run.make_context("run", ["--resume", "out"]).params)
    assert request_of(options, results.run).imported.cases[0].read == TableRead(DECLARED[:2], DECLARED[2:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tables", "sales", "--schema", "gone.parquet"), "--schema gone.parquet: "),
        (("--tables", "sales", "--schema", "text.sql"), "--schema text.sql: the schema cannot be read: "),
        (("--tables", "sales", "--schema", "sales"), "--schema sales: "),
        (("--tables", "sales", "--schema", "catalog.orc", "--schema", "sales=catalog.orc"),
         "--schema sales=catalog.orc: sales has two schemas"),
        (("--tables", "sales", "--tables", "other", "--schema", "catalog.orc"),
         "--schema catalog.orc: --tables has 2 folders; give DIR=FILE, where DIR is one of them as given"),
        (("--schema", "catalog.orc"), "--schema catalog.orc: --tables has 0 folders; give a folder"),
    ],
)  # fmt: skip
def test_bad_schemas(folder, colconf, arguments, message):
    """A schema that cannot be read, or whose folder is not known, is one line."""
    (folder / "other").mkdir()
    (folder / "text.sql").write_text("CREATE TABLE sales (n BIGINT)")
    status, _, err = colconf("run", "--engine", "reference", "--no-spark", *arguments)
    assert (status, len(err.strip().splitlines())) == (2, 1)
    assert err.startswith(f"colconf: {message}")


def test_table_cases_have_schemas(folder):
    """No schema can be declared for table cases; of several folders, a schema is of the named one."""
    path = str(folder / "sales")
    case = import_tables([path]).cases[0]
    dump(replace(case, expectation=Expectation.accept(Table.of([], []), "spec")), folder / "case.json")
    record = str(folder / "case.json")
    with pytest.raises(ImportProblem, match="table cases have schemas of their own"):
        import_tables([record], declared={record: DECLARED})
    assert declared(["a=catalog.orc"], ["a", "b"]) == {"a": DECLARED}
