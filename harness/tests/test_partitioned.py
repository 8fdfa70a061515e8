"""Engines write partitioned tables, of which every value and row is to be found again."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from corpora.build.formats import FORMATS
from corpora.folders import copy
from corpora.table_reads import PARTITIONS
from corpora.tagged import DATE, STRING, Table, integer
from harness.children.connection import Connection
from harness.children.outcomes import OutcomeKind
from harness.commands import run
from harness.engines.naming import EngineName
from harness.engines.partitioned import as_read, features_of, partition_by, read_of
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.writer_options import CHOSEN
from harness.environments.availability import status
from harness.investigate.findings import broken_files, collect, folders
from harness.judging.details import RowDetail
from harness.judging.results import Row
from harness.runs import summary
from harness.runs.pipeline import run as pipeline_run
from harness.runs.pipeline import store
from harness.runs.pipeline.context import WriteDrawn
from harness.runs.pipeline.drawn import writer_of
from harness.runs.pipeline.written_files import remove_hidden_files
from harness.tests.pipelines import LIMITS, go, process

OPTIONS = "harness.tests.partition_fakes"
DRAWN = WriteDrawn(5, 5, f"{OPTIONS}:tables", partitioned=True)
WRITERS = [
    pytest.param(name, format_, marks=[pytest.mark.heavy] if entry.heavy else [])
    for name, entry in ENGINES.items()
    if entry.write_options
    for format_, options in import_module(entry.write_options).OPTIONS.items()
    if options.partitions
]


def writer(cls, **more):
    """Return the process of a fake that writes."""
    return process(cls, module=OPTIONS, writes=True, write_options=OPTIONS, **more)


@pytest.fixture(autouse=True)
def _no_rules(monkeypatch):
    """Have the validator find nothing in files of JSON."""
    report = replace(FORMATS["parquet"], examine=lambda *_: SimpleNamespace(violations=[], suppressed={}))
    monkeypatch.setitem(FORMATS, "parquet", report)


@pytest.mark.heavy
def test_rows_of_the_null_partition_are_lost(tmp_path):
    """A writer that leaves rows out is found, and no reader of the folder is blamed."""
    engines = writer("Folders"), writer("LosesNull"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    (finding,) = results.findings
    assert (finding.signature, finding.count) == ("losesnull | wrote_other | rows", 1)
    assert finding.options == {"partition_by": {"columns": [PARTITIONS[0]]}}
    assert "parquet/other/partition-null" in finding.features
    assert {row.verdict for row in results.rows} == {"agree", "wrote_other", "unsupported"}


@pytest.mark.heavy
def test_doubtful_names_are_held_against_their_writer_alone(tmp_path):
    """Who decodes `%C3%B6` otherwise is not blamed; who does not find its own null again is."""
    engines = writer("Empties"), writer("Letters"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    assert {finding.signature for finding in results.findings} == {
        "empties | wrote_other | value in string",
        "letters | wrote_other | value in string",
    }
    others = {(row.engine, row.case) for row in results.rows if row.verdict == "different"}
    assert ("letters", "writers/empties/drawn-5-000000/3") in others


@pytest.mark.heavy
def test_an_engine_is_to_read_its_own_folders(tmp_path):
    """Who refuses a folder of doubtful names is blamed if it wrote it, and else is not."""
    engines = writer("Forgets"), writer("Empties"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    own = [finding for finding in results.findings if finding.engine == "forgets"]
    assert [finding.verdict for finding in own] == ["refused_valid"]
    assert {(finding.case, finding.count) for finding in own} == {("writers/forgets/drawn-5-000000/2", 1)}


@pytest.mark.heavy
def test_other_columns_of_doubtful_folders(tmp_path):
    """A wrong value of a data column is the writer's, also where its partitions are of doubtful names."""
    engines = writer("Garbles"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    (finding,) = results.findings
    assert (finding.signature, finding.count) == ("garbles | wrote_other | value in int(32, signed)", 4)
    doubtful = {row.verdict for row in results.rows if row.case.endswith("/3")}
    assert doubtful == {"wrote_other", "different"}


@pytest.mark.heavy
def test_a_damaged_folder_is_written_again(tmp_path, monkeypatch):
    """A killed run that has lost a file of a folder writes the folder again: its rows are all there."""
    engines = writer("Folders"), process("Folders", "reference", OPTIONS)
    judged = pipeline_run.judge_tasks
    monkeypatch.setattr(pipeline_run, "judge_tasks", _killed)
    with pytest.raises(KeyboardInterrupt):
        go(tmp_path / "out", None, *engines, write=DRAWN)
    monkeypatch.setattr(pipeline_run, "judge_tasks", judged)
    (lost, *_) = sorted((tmp_path / "out/written").rglob("*.parquet"))
    lost.unlink()
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    assert {row.verdict for row in results.rows} == {"agree", "unsupported"}


def _killed(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("cls", "reference", "is_blamed"), [("Mute", "Folders", True), ("Silent", "Garbling", False)]
)
def test_a_writer_that_reads_no_folders(tmp_path, cls, reference, is_blamed):
    """The reference says what its folders hold, unless another engine reads what was written."""
    engines = writer(cls), writer("Folders"), process(reference, "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    blamed = {finding.engine for finding in results.findings if finding.verdict == "wrote_other"}
    assert (cls.lower() in blamed) is is_blamed


@pytest.mark.heavy
def test_the_reference_alone_blames_no_writer_of_doubtful_folders(tmp_path):
    """Where another engine reads the data columns as they were written, it is the reference that is wrong."""
    engines = writer("Folders"), writer("Letters"), process("Garbling", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    wrong = {row.case for row in results.rows if (row.engine, row.verdict) == ("folders", "wrote_other")}
    assert wrong == set()
    assert "different" in {row.verdict for row in results.rows if row.engine == "reference"}


@pytest.mark.heavy
def test_an_engine_that_writes_nothing(tmp_path):
    """A folder that an engine did not make is an empty one: its rows are lost."""
    engines = writer("WritesNothing"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    (finding,) = results.findings
    assert (finding.signature, finding.count) == ("writesnothing | wrote_other | rows", 4)


def test_hidden_files_are_removed_and_rows_stay(tmp_path):
    """Files with hidden names go; a file in a folder whose name is hidden has rows, and stays."""
    rows, mark = tmp_path / "p=/_x/part-0.parquet", tmp_path / "_SUCCESS"
    rows.parent.mkdir(parents=True)
    for file in (rows, mark):
        file.write_bytes(b"")
    remove_hidden_files(tmp_path)
    assert (rows.exists(), mark.exists()) == (True, False)


@pytest.mark.heavy
def test_hidden_files_of_a_writer_are_left_out(tmp_path):
    """An engine that refuses folders with hidden files reads those of a writer that makes some."""
    engines = writer("Marks"), process("Folders", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=DRAWN)
    assert {row.verdict for row in results.rows} == {"agree", "unsupported"}
    assert not list((tmp_path / "out").rglob("_SUCCESS"))


def test_features_of_partitions():
    """What the values of partition columns have in them is a feature, by which known failures tell causes."""
    columns = [("a", STRING), (PARTITIONS[0], STRING)]
    table = Table.of(columns, [["*", "b", "c"], ["a/b%", None, "null"]])
    features = features_of(table, [PARTITIONS[0]], "parquet")
    names = ("null", "null-text", "percent", "slash")
    assert features == [f"parquet/other/partition-{name}" for name in names]
    assert features_of(Table.of([("a", STRING)], [["*"]]), [], "orc") == []


@pytest.mark.heavy
def test_a_table_without_a_type_to_partition_by(tmp_path):
    """An engine that does not take the partition column is not asked to write that table."""
    results = go(tmp_path / "out", None, writer("Folders"), write=DRAWN)
    (row,) = [row for row in results.rows if row.verdict == "unsupported"]
    assert (row.case, row.outcome) == ("writers/folders/drawn-5-000001/0", "unsupported")
    assert "no partition column" in row.detail.message


@pytest.mark.parametrize(("name", "format_"), WRITERS)
def test_partitions_are_found_again(tmp_path, name, format_):
    """The reference finds the rows that an engine wrote in folders of text, integers and dates."""
    options = writer_of(ENGINES[name].write_options, format_)
    there = status(ENGINES[name])
    if not there.available:
        pytest.skip(there.reason)
    table = Table.of(
        [("row", integer(32)), (PARTITIONS[1], integer(64)), (PARTITIONS[0], STRING), ("day", DATE)],
        [["1", "2", "3"], ["-5", "0", "-5"], ["a b", "1", "a b"], ["0", "1", "2"]],
    )
    table = (
        table
        if options.takes(DATE)
        else Table.of([(f.name, f.type) for f in table.columns[:3]], table.all_columns()[:3])
    )
    chosen = partition_by(table)
    with Connection(there.launch.command, LIMITS, env=there.launch.environment()) as connection:
        outcome = connection.write(tmp_path / "t", format_, {}, table, {CHOSEN: chosen})
    assert outcome.kind is OutcomeKind.TABLE, outcome
    names = chosen["partition_by"]["columns"]
    wanted = as_read(options.stored(table, chosen), names)
    copy(tmp_path / "t", tmp_path / "visible")
    table = Reference().read_table(str(tmp_path / "visible"), format_, {}, read_of(wanted, names))
    assert table == wanted
    assert len({path.parent for path in (tmp_path / "visible").rglob(f"*.{format_}")}) == 2


@pytest.mark.heavy
def test_a_folder_that_holds_what_was_written(tmp_path):
    """Neither the place of the partition column nor the order of rows makes a folder a wrong one."""
    pytest.importorskip("pyarrow")
    columns = [(PARTITIONS[0], STRING), ("a", integer(64))]
    table = Table.of(columns, [["b", "a", "b"], ["1", "2", "3"]])
    with broken_files.Writer(EngineName("pyarrow"), "parquet", LIMITS, tmp_path) as pyarrow_writer:
        assert pyarrow_writer.broken(table, {CHOSEN: partition_by(table)}) == {}
        assert len(list(pyarrow_writer.file.rglob("*.parquet"))) == 2


@pytest.mark.heavy
def test_a_script_writes_the_folders(tmp_path, monkeypatch):
    """A finding is exported with the smallest folder, and a script that writes it with the engine alone."""
    pytest.importorskip("fastparquet")
    monkeypatch.chdir(tmp_path)
    arguments = ["--write-generated", "24", "--partitioned", "--seed", "1", "--queries", "none", "--no-spark"]
    engines = ["--engine", "reference", "--engine", "fastparquet", "--known", str(tmp_path)]
    result = CliRunner().invoke(run.run, [*arguments, *engines, "--out", "out", "--report", "none"])
    assert result.exit_code == 1, result.output
    found = next(iter(collect.of_run(tmp_path / "out", "fastparquet | wrote_other | rows")))
    assert not isinstance(found, str)
    small = collect.written_again(found, LIMITS, tmp_path)
    assert small.broken_file is not None
    assert small.broken_file.table.num_rows == 1
    folder, _ = folders.write(small, tmp_path / "findings")
    done = subprocess.run(
        [sys.executable, str(folder / "repro.py")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "the bug shows" in done.stdout) == (1, True), done
    case = json.loads((folder / "case.json").read_bytes())
    assert case["read"]["partitions"][0]["name"] == PARTITIONS[0]


def test_refused_writes_are_in_the_summary():
    """How often an engine refused to write is printed, with the most frequent error."""
    errors = Counter({"ValueError: no <n>": 3, "OSError: full": 1})
    shown = "duckdb@1 refused to write 4 times: 3 of them ValueError: no <n>"
    assert summary._unwritten("duckdb@1", errors) == shown
    tally = store.Tally()
    for phase in ("write", "read"):
        detail = RowDetail(error_class="E", message=f"7 is no {phase}", phase=phase)
        row = Row("writers/a/b/c", "", "parquet", "a", "1", "", "refused", "unsupported", detail, 0.0, 0)
        store.count(tally, row)
    assert tally.unwritten == {"a@1": Counter({"E: <n> is no write": 1})}


def test_spark_writes_an_empty_text_as_null():
    """In a partition column of Spark, an empty text is null, as SPARK-19887 says, and nowhere else."""
    columns = [("a", STRING), (PARTITIONS[0], STRING)]
    table = Table.of(columns, [["", "b"], ["", "c"]])
    stored = writer_of(ENGINES["spark"].write_options, "parquet").stored
    assert stored(table, partition_by(table)) == Table.of(columns, [["", "b"], [None, "c"]])
    assert stored(table, {}) == table


def test_partitioned_needs_tables(tmp_path):
    """`--partitioned` without generated tables is refused in one line."""
    result = CliRunner().invoke(run.run, ["--partitioned", "--no-spark", "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "--partitioned requires --write-generated" in result.output
