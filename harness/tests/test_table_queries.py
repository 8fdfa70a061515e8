"""Queries of folders that are read as tables: lost rows are found, light engines answer as the oracle."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora.answers import answer, settled
from corpora.build.evolution.importing import import_tables
from corpora.folders import copy
from corpora.queries import Compare, Filter, IsNull, Slice
from corpora.tagged import integer
from harness.children.worker import open_engine
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import ScriptRequest
from harness.environments.availability import status
from harness.investigate.findings import scripts
from harness.judging import ask_sheet
from harness.judging.compare import compare
from harness.judging.places import Config
from harness.judging.rows import aligned
from harness.judging.traits import Traits
from harness.tests.pipelines import go, process

MODULE = "harness.tests.table_fakes"
EVOLVED = Path(corpora.__file__).parent / "evolved"
TESTED = ("missing-tested", "widened-tested", "names-swapped", "null-structs")
LIGHT = [
    (name, format_)
    for name, entry in ENGINES.items()
    if not entry.heavy and name != "reference"
    for format_ in entry.formats
]


def test_large_tables_are_queried_as_they_are_read(tmp_path, monkeypatch):
    """Results of tables with many rows are not compared by digests, which are those of files."""
    by_digest = []
    monkeypatch.setattr(ask_sheet, "MOST_ROWS", 1)
    monkeypatch.setattr(ask_sheet, "ask_large", lambda _, case, *__: by_digest.append(case))
    shutil.copytree(EVOLVED / "parquet" / "missing-tested" / "files", tmp_path / "table")
    imported = import_tables([tmp_path / "table"])
    judge = process("Reference", "reference", "harness.engines.reference.adapter")
    results = go(tmp_path / "out", imported, judge, process("Tables", module=MODULE), queries=8)
    assert by_digest == []
    assert not results.findings
    assert any(row.detail.probes for row in results.rows if row.verdict == "agree")


def test_lost_rows_are_found(tmp_path):
    """A filter that passes over files without a column is found, and its signature says so."""
    imported = import_tables([str(EVOLVED / "parquet" / "missing-tested")])
    configs = (Config("", {"pushdown": "on"}), Config("pushdown=off", {"pushdown": "off"}))
    readers = [process(name, module=MODULE, configs=configs) for name in ("Tables", "LosesMissing")]
    results = go(tmp_path / "out", imported, *readers)
    assert {row.verdict for row in results.rows if row.engine == "tables"} == {"agree"}
    (finding,) = results.findings
    about = "pushdown: rows lost in int(32, signed) is null of a table"
    assert finding.signature == f"losesmissing | different | {about}"


@pytest.mark.heavy
def test_rows_of_a_filter_have_no_order(tmp_path):
    """The rows of a filter are matched before they are compared, under what an engine documents."""
    imported = import_tables([str(EVOLVED / "orc" / "recase-add-inside")])
    names = ("Tables", "SortsMaps")
    readers = [replace(process(name, module=MODULE), formats=("orc",)) for name in names]
    results = go(tmp_path / "out", imported, *readers)
    assert any(row.detail.probes for row in results.rows)
    assert {row.verdict for row in results.rows} <= {"equivalent", "agree"}


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("name", "format_"), LIGHT)
def test_engines_answer_queries_of_tables(name, format_):
    """Each light engine answers queries of tables as the oracle does, or says that it does not."""
    entry = ENGINES[name]
    if not status(entry).available:
        pytest.skip(f"{name} is not installed")
    engine = open_engine(f"{entry.module}:{entry.class_name}")
    folders = [EVOLVED / format_ / table for table in TESTED]
    for case in import_tables([str(folder) for folder in folders if folder.exists()]).cases:
        for probe in case.probes:
            traits = Traits(float_order=engine.float_order, aggregate_order=engine.aggregate_order)
            order = traits.order(probe.query)
            actual = answer_of(engine, case, probe.query)
            if actual is not None:
                expected = answer(probe.query, case.expectation.table, order)
                actual = aligned(expected, settled(probe.query, actual, order), engine.equivalences)
                comparison = compare(expected, actual, engine.equivalences)
                assert comparison.difference is None, f"{case.id}: {probe.query}"


@pytest.mark.parametrize(("name", "format_"), [("pyarrow", "parquet"), ("pyarrow_orc", "orc")])
def test_a_query_of_the_schema_of_all_files_has_the_columns_of_the_read(name, format_):
    """The schema that pyarrow makes of all files has another order of columns than the read."""
    entry = ENGINES[name]
    if not status(entry).available:
        pytest.skip(f"{name} is not installed")
    engine = open_engine(f"{entry.module}:{entry.class_name}")
    (case,) = import_tables([str(EVOLVED / format_ / "unified" / "all.json")]).cases
    for query in (Filter(IsNull(("a",))), Slice(0, 2)):
        for pushdown in ("on", "off"):
            table = engine.query_table(str(case.file), format_, {"pushdown": pushdown}, case.read, query)
            assert [field.name for field in table.columns] == [field.name for field in case.read.schema]


def answer_of(engine, case, query):
    """Return the answer of an engine; None where it says that it has none."""
    try:
        engine.check_query(query)
        return engine.query_table(str(case.file), case.format, {}, case.read, query)
    except Exception as error:
        if engine.classify(error) != "unsupported":
            raise
        return None


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["duckdb", "polars", "datafusion", "pyarrow"])
@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_scripts_ask_tables(name, pushdown, tmp_path):
    """The script of an engine asks a query of a table as its adapter does."""
    if not status(ENGINES[name]).available:
        pytest.skip(f"{name} is not installed")
    (case,) = import_tables([str(EVOLVED / "parquet" / "missing-tested")]).cases
    copy(case.file, tmp_path / "files")
    query = Filter(Compare(("b",), "!=", integer(32), "7"))
    request = ScriptRequest("parquet", {"pushdown": pushdown}, query, read=case.read)
    text = scripts.source(name, request, "files")
    (tmp_path / "ask.py").write_text(f"{text}\n\nnames, _, lines = ask()\nprint(names, sorted(lines))\n")
    done = subprocess.run([sys.executable, tmp_path / "ask.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "[\"'a'\", \"'b'\"] ['5 | -7']\n", done.stderr
