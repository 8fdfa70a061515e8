"""Folders that are read as tables: what readers do with them, through a run and by the commands."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import corpora
from corpora.build.evolution.cases import alike, generated
from corpora.build.evolution.importing import import_tables
from corpora.cases import dump, load
from corpora.folders import copy, digest
from corpora.table_reads import in_order
from harness.children.connection import Connection
from harness.children.worker import open_engine
from harness.commands import replay, resume, run
from harness.commands.run_request import request_of
from harness.engines.entry import Entry
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import ScriptRequest
from harness.environments.availability import status
from harness.investigate.findings import folders, scripts
from harness.investigate.findings.collect import of_run
from harness.judging.ask_sheet import outcomes_of
from harness.judging.compare import compare
from harness.judging.places import Config, Sheet
from harness.judging.results import load_run, read_rows
from harness.runs.history.confirm import remember
from harness.runs.history.tests.test_history import request
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.pipeline.sheets import sheets
from harness.tests.pipelines import LIMITS, Quiet, go, ours, process

MODULE = "harness.tests.table_fakes"
WAYS = ("default", "one", "other")
SEED = "some files"
STEPS = ("add", "widen")


@pytest.fixture(scope="module", name="table")
def folder_of_a_table(tmp_path_factory):
    """Return a folder with the cases of a table of several files."""
    folder = tmp_path_factory.mktemp("table")
    for case in generated("parquet", SEED, "tables/t", folder, STEPS):
        dump(case, folder / f"{case.id.rpartition('/')[2]}.json")
    return folder


def reader(cls):
    """Return the process of a fake."""
    return process(cls, module=MODULE)


@pytest.mark.heavy
def test_mistakes_are_found(table, tmp_path):
    """A reader that leaves files out, refuses or dies is found; the order of rows is nobody's mistake."""
    few = tmp_path / "few"  # what is wrong is asked in several processes
    few.mkdir()
    for name in ("nothing", "only-missing", "split-413"):
        dump(load(table / f"{name}.json"), few / f"{name}.json")
    wrong = reader("FirstFile"), reader("RefusesMissing"), ours("DiesOfTables")
    results = go(tmp_path / "out", import_tables([str(table)]), reader("Tables"), ours("NoTables"))
    of_wrong = go(tmp_path / "wrong", import_tables([str(few)]), reader("Tables"), *wrong)
    verdicts = {}
    for row in (*results.rows, *of_wrong.rows):
        verdicts.setdefault(row.engine, {})[row.case.rpartition("/")[2]] = row.verdict
    assert set(verdicts["tables"].values()) == {"agree"}
    assert verdicts["firstfile"]["nothing"] == "different"
    assert verdicts["refusesmissing"]["only-missing"] == "refused_valid"
    assert verdicts["refusesmissing"]["nothing"] == "agree"
    assert set(verdicts["diesoftables"].values()) == {"crashed"}
    assert set(verdicts["notables"].values()) == {"unsupported"}


@pytest.mark.heavy
def test_rows_are_matched_before_they_are_compared(tmp_path):
    """Rows that sort otherwise by what an engine documents are the same rows, recorded or voted on."""
    table = Path(corpora.__file__).parent / "evolved" / "orc" / "recase-add-inside"
    readers = [replace(reader(name), formats=("orc",)) for name in ("Tables", "SortsMaps")]
    for path in table, table / "files":
        results = go(tmp_path / path.name, import_tables([str(path)]), *readers)
        verdicts = {row.verdict for row in results.rows if row.engine == "sortsmaps"}
        assert "equivalent" in verdicts
        assert verdicts <= {"equivalent", "agree"}


@pytest.mark.heavy
def test_a_folder_without_cases_is_voted_on(table, tmp_path):
    """Of a folder of which nothing is recorded, who differs from the reference and from another is shown."""
    copy(table / "files", tmp_path / "lake")
    imported = import_tables([str(tmp_path / "lake")])
    reference = process("Tables", "reference", MODULE)
    results = go(tmp_path / "out", imported, reference, reader("Tables"), reader("FirstFile"))
    assert {row.engine for row in results.rows if row.verdict == "different"} == {"firstfile"}
    assert {finding.engine for finding in results.findings} == {"firstfile"}


def test_queries_of_a_folder_without_cases(table, tmp_path):
    """The reference derives queries of each read whose result is defined, as many as are wanted."""
    copy(table / "files", tmp_path / "lake")
    arguments = ["--tables", str(tmp_path / "lake"), "--engine", "reference", "--queries", "7", "--no-spark"]
    more = ["--out", str(tmp_path / "out"), "--report", "none"]
    result = CliRunner().invoke(run.run, [*arguments, *more])
    assert result.exit_code == 0, result.output
    rows = [row for row in read_rows(tmp_path / "out") if row.config == ""]
    queried = {row.case.rpartition("/")[2]: row.detail.probes.queries for row in rows}
    assert queried["all"] == 7
    assert {7} <= set(queried.values()) <= {0, 7}  # of a read that no text defines, none


LIGHT = [
    (name, format_)
    for name, entry in ENGINES.items()
    if not entry.heavy and name != "reference"
    for format_ in entry.formats
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("name", "format_"), LIGHT)
def test_engines_read_tables(name, format_, table, tmp_path):
    """Each light engine reads the same table as the oracle, or says that it reads no such tables."""
    entry = ENGINES[name]
    if not status(entry).available:
        pytest.skip(f"{name} is not installed")
    folder = table
    if format_ == "orc":
        folder = tmp_path
        for case in generated("orc", SEED, "tables/t", folder, STEPS):
            dump(case, folder / f"{case.id.rpartition('/')[2]}.json")
    engine = open_engine(f"{entry.module}:{entry.class_name}")
    for case in import_tables([str(folder)]).cases:
        answer = answer_of(engine, case)
        if answer is not None:
            comparison = compare(case.expectation.table, answer, engine.equivalences)
            assert comparison.difference is None, str(case.read)


def answer_of(engine, case):
    """Return the table that an engine reads; None where it says that it cannot, or may refuse."""
    try:
        return in_order(engine.read_table(str(case.file), case.format, {}, case.read))
    except Exception as error:
        if engine.classify(error) != "unsupported" and case.expectation.kind == "accept":
            raise
        return None


@pytest.mark.heavy
def test_the_commands(table, tmp_path, monkeypatch):
    """`run --tables` reads tables, keeps findings with their folders, and `replay` reads one again."""
    monkeypatch.chdir(tmp_path)
    out, history = tmp_path / "out", tmp_path / "history"
    arguments = ["run", "--tables", str(table), "--engine", "reference", "--engine", "pyarrow", "--no-spark"]
    result = CliRunner().invoke(run.run, [*arguments[1:], "--history", str(history), "--out", str(out)])
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in (out / "results.ndjson").read_text().splitlines()]
    assert {row["verdict"] for row in rows if row["engine"] == "reference"} == {"agree"}
    assert json.loads((out / "run.json").read_text())["asked"]["tables"] == [str(table)]
    case = next(iter(sorted(table.glob("*.json"))))
    result = CliRunner().invoke(replay.replay, [str(case), "--engine", "pyarrow"])
    assert "does not show" in result.output


@pytest.mark.parametrize(
    "more",
    [["--generate", "1"], ["--keys", "k"], ["--time-budget", "1m"]],
)
def test_what_excludes_tables(table, more):
    """Tables exclude generated files, keys and nights, in one line and with exit status 2."""
    result = CliRunner().invoke(run.run, ["--tables", str(table), *more])
    assert result.exit_code == 2
    line = result.output.splitlines()[-1]
    assert "--tables and" in line or "leave out --tables" in line


def test_files_and_tables_are_one_run(table):
    """A run has the cases of both; as some have queries, engines answer without pushdown, too."""
    file = Path(corpora.__file__).parent / "parquet" / "findings" / "delta-of-a-writer.parquet"
    arguments = ["--files", str(file), "--tables", str(table), "--engine", "duckdb", "--no-spark"]

    def planned(*more):
        return request_of(run.run.make_context("run", [*arguments, *more]).params)

    ids = [case.id for case in planned().imported.cases]
    assert len(ids) == 1 + len(import_tables([str(table)]).cases)
    assert "parquet/findings/delta-of-a-writer" in ids
    duckdb = {process.name: process for process in planned().processes}["duckdb"]
    assert [config.text for config in duckdb.configs] == ["", "pushdown=off"]
    quick = planned("--profile", "quick").processes
    assert [config.text for process in quick for config in process.configs] == ["", ""]


@pytest.mark.heavy
def test_settings_of_files_yield_to_tables(table, tmp_path, monkeypatch):
    """Settings of files and of nights do not stand in the way of `--tables`; a resumed run has its tables."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colconf.toml").write_text(
        'files = ["."]\ntime-budget = "1h"\nqueries = "3"\nno-spark = true'
    )
    case = next(iter(sorted(table.glob("*.json"))))
    arguments = ["--tables", str(case), "--engine", "reference", "--engine", "pyarrow", "--out", "out"]
    result = CliRunner().invoke(run.run, [*arguments, "--report", "none"])
    assert result.exit_code == 0, result.output
    before = load_run(tmp_path / "out")
    given = {param.name: None for param in run.run.params}
    request = request_of(resume.options(tmp_path / "out", before, given), before)
    assert [each.id for each in request.imported.cases] == [load(case).id]


@pytest.mark.heavy
def test_folders_of_one_read_are_asked_at_once(tmp_path):
    """A heavy engine reads the folders of a sheet, which share their read, in one request."""
    for case in alike("parquet", "three", "tables/t", tmp_path / "tables", 3):
        dump(case, case.file.parent / f"{case.id.rpartition('/')[2]}.json")
    imported = import_tables([str(tmp_path / "tables")])
    planned = sheets(imported.cases)
    assert {len(sheet.cases) % 3 for sheet in planned} == {0}
    results = go(tmp_path / "out", imported, replace(reader("AtOnce"), heavy=True))
    assert {row.verdict for row in results.rows} == {"agree"}


@pytest.mark.heavy
def test_findings_keep_folders(table, tmp_path):
    """A finding about a table is kept in a history, and exported, with all files of its folder."""
    reader_of_one = process("FirstFile", "pyarrow", MODULE)
    wanted = request(tmp_path / "out", import_tables([str(table)]), reader_of_one)
    run_pipeline(wanted, Quiet())
    (finding, *_) = remember(tmp_path / "history", wanted, Quiet())
    (stored,) = {load(path).file for path in (tmp_path / "history" / "cases").glob("*.json")}
    assert digest(stored) == digest(table / "files")
    (evidence, *_) = of_run(tmp_path / "out", finding.signature)
    folder, why = folders.write(evidence, tmp_path / "exported")
    assert not why
    assert digest(folder / "files") == digest(table / "files")
    shows = subprocess.run([sys.executable, folder / "repro.py"], capture_output=True, text=True, check=False)
    assert (shows.returncode, shows.stdout.splitlines()[-1]) == (0, "the bug does not show"), shows.stderr


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["duckdb", "polars", "datafusion"])
def test_scripts_read_tables(name, table, tmp_path):
    """The script of an engine reads a table as its adapter does."""
    if not status(ENGINES[name]).available:
        pytest.skip(f"{name} is not installed")
    case = next(case for case in import_tables([str(table)]).cases if case.id.endswith("/some"))
    copy(case.file, tmp_path / "files")
    text = scripts.source(name, ScriptRequest("parquet", read=case.read), "files")
    (tmp_path / "ask.py").write_text(f"{text}\n\nnames, _, lines = ask()\nprint(len(names), len(lines))\n")
    done = subprocess.run([sys.executable, tmp_path / "ask.py"], capture_output=True, text=True, check=False)
    expected = case.expectation.table
    assert done.stdout.split() == [str(len(expected.columns)), str(expected.num_rows)], done.stderr


@pytest.mark.parametrize("name", ["add-drop/some", "drop-inside-reorder/recursive", "required-in-null/s"])
def test_pyorc_reads_tables(name, tmp_path):
    """Columns, and fields of structs, are selected in each file; adapter and script have the right rows."""
    case = load(Path(corpora.__file__).parent / "evolved" / "orc" / f"{name}.json")
    expected = case.expectation.table
    engine = open_engine("harness.engines.pyorc.adapter:Pyorc")
    answer = in_order(engine.read_table(str(case.file), "orc", {}, case.read))
    assert compare(expected, answer, engine.equivalences).difference is None
    text = scripts.source("pyorc", ScriptRequest("orc", read=case.read), str(case.file))
    (tmp_path / "ask.py").write_text(f"{text}\n\nnames, _, lines = ask()\nprint(names, len(lines))\n")
    done = subprocess.run([sys.executable, tmp_path / "ask.py"], capture_output=True, text=True, check=False)
    names = [ascii(field.name) for field in expected.columns]
    assert done.stdout.strip() == f"{names} {expected.num_rows}", done.stderr
    assert expected.num_rows


@pytest.mark.parametrize(
    ("name", "message"), [("drop/missing", "adds no columns"), ("integers/longs", "types of the file")]
)
def test_what_pyorc_does_not_convert(name, message):
    """A file is asked for its own columns only, with their types."""
    case = load(Path(corpora.__file__).parent / "evolved" / "orc" / f"{name}.json")
    read = replace(case.read, partitions=())
    with pytest.raises(Unsupported, match=message):
        open_engine("harness.engines.pyorc.adapter:Pyorc").read_table(str(case.file), "orc", {}, read)


def test_tables_in_ways(table, monkeypatch):
    """A folder is read in other ways only by engines that have several for folders."""
    case = import_tables([str(table)]).cases[0]
    seen = []
    for has_ways in (False, True):
        entry = Entry("ways", MODULE, "Tables", switches={"way": WAYS}, ways_of_tables=has_ways)
        monkeypatch.setitem(ENGINES, "ways", entry)
        engine = process("Tables", "ways", MODULE, configs=(Config("", {"way": "default"}),))
        with Connection(engine.command, LIMITS) as connection:
            outcomes = outcomes_of(connection, engine, Sheet("s", (case,)), everything=True, ways=None)
            seen.append({place.way for place, _ in outcomes})
    assert seen == [{""}, set(WAYS[1:]) | {""}]
