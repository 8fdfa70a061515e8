"""Engines write generated tables under drawn options, and a fault under one option is found with its name."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora.build.formats import FORMATS
from corpora.cases import CERTAIN, CONTESTED
from corpora.queries import Filter, IsNull
from corpora.tables import WriterTable
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.writer_options import choose, fitting
from harness.judging.blame import blaming
from harness.judging.signature import signature
from harness.runs.pipeline import written
from harness.runs.pipeline.context import WriteDrawn
from harness.tests import drawn_fakes
from harness.tests.pipelines import comparable, go, process
from reference_impl.validation import Violation

OPTIONS = "harness.tests.drawn_fakes"
COUNT = 41  # the last group has one table
DRAWN = WriteDrawn(COUNT, 5, f"{OPTIONS}:tables")


def writer(cls):
    """Return the process of a fake that writes."""
    return process(cls, module=OPTIONS, writes=True, write_options=OPTIONS)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Run three writers and a reference; the validator finds a fault where rows are lost."""
    patch = pytest.MonkeyPatch()

    def validate(data):
        lost = len(json.loads(data)["blocks"][0][0]) < drawn_fakes.ROWS
        return [Violation("PQ-PLAIN-001", 7, (), "cut off")] if lost else []

    report = replace(FORMATS["parquet"], examine=lambda data, *_: SimpleNamespace(violations=validate(data)))
    patch.setitem(FORMATS, "parquet", report)
    reference = process("Writes", "reference", OPTIONS)
    engines = (writer("LosesRow"), writer("Writes"), writer("Older"), reference)
    out = tmp_path_factory.mktemp("drawn") / "out"
    yield go(out, None, *engines, write=DRAWN), out, engines
    patch.undo()


@pytest.mark.heavy
def test_a_fault_under_one_option_is_found(finished):
    """Rows that are lost under one option are the writer's, and the finding names that option alone."""
    results, _, _ = finished
    findings = {finding.verdict: finding for finding in results.findings}
    assert set(findings) == {"wrote_other", "wrote_invalid"}
    for finding in findings.values():
        assert (finding.engine, finding.options) == ("losesrow", {"lossy": True})
        assert "written with lossy=true" in finding.basis
    lossy = {row.case for row in results.rows if row.detail.options.get("lossy")}
    blamed = {row.case for row in results.rows if row.verdict == "wrote_other"}
    assert blamed == {case for case in lossy if case.startswith("writers/losesrow/")}
    assert 0 < len(blamed) < COUNT


@pytest.mark.heavy
def test_readers_are_held_to_the_file(finished):
    """Who reads what a file holds agrees, though its writer was given another table."""
    results, _, _ = finished
    reads = [row for row in results.rows if not row.verdict.startswith("wrote")]
    assert {row.verdict for row in reads} == {"agree"}
    assert len(reads) == 3 * COUNT * 4  # writers, tables, readers


@pytest.mark.heavy
def test_nobody_is_blamed_for_values_of_a_broken_file(tmp_path, monkeypatch):
    """Where the writer broke a rule and the reference refuses the file, readers of other values are right."""

    def validate(data, *_):
        broken = [Violation("PQ-PLAIN-001", 7, (), "garbled")] if b'"?"' in data else []
        return SimpleNamespace(violations=broken)

    monkeypatch.setitem(FORMATS, "parquet", replace(FORMATS["parquet"], examine=validate))
    reference = process("Strict", "reference", OPTIONS)
    results = go(tmp_path / "out", None, writer("Garbles"), writer("Writes"), reference, write=DRAWN)
    assert {finding.verdict for finding in results.findings} == {"wrote_invalid"}
    assert {row.engine for row in results.rows if row.is_by_choice} == {"reference"}


def test_a_broken_rule_is_a_finding_of_a_type(tmp_path):
    """The rows of a file that breaks a rule in columns of two types have two signatures."""
    context = SimpleNamespace(format="parquet", written=tmp_path, is_partitioned=False)
    broken = [{"rule": "PQ-BLOOM-005", "about": about, "message": "x"} for about in ("BOOLEAN", "DOUBLE", "")]
    given = WriterTable("t", (), Table.of([("row", integer(32))], [["1"]]))
    outcome = Outcome(OutcomeKind.TABLE)
    write = written.Write(writer("Writes"), given, written.Drawn("0", {}), outcome, "", broken, [])
    assert [signature(written._invalid(context, write, each)) for each in broken] == [
        "writes | wrote_invalid | PQ-BLOOM-005 in BOOLEAN",
        "writes | wrote_invalid | PQ-BLOOM-005 in DOUBLE",
        "writes | wrote_invalid | PQ-BLOOM-005",
    ]


@pytest.mark.heavy
def test_a_column_left_in_plain_is_a_finding(tmp_path, monkeypatch):
    """A column that options encrypt, and the file does not, is a finding about the writer."""
    report = replace(FORMATS["parquet"], examine=lambda *_: SimpleNamespace(violations=[], suppressed={}))
    monkeypatch.setitem(FORMATS, "parquet", report)
    monkeypatch.setattr(written, "unsealed", lambda _, chosen, __: ["text"] if chosen.get("lossy") else [])
    results = go(
        tmp_path / "out", None, writer("Writes"), process("Writes", "reference", OPTIONS), write=DRAWN
    )
    (finding,) = results.findings
    assert finding.signature == "writes | wrote_other | encryption"
    assert (finding.difference["path"], finding.options) == ("encryption of column 'text'", {"lossy": True})


@pytest.mark.heavy
def test_a_writer_is_not_blamed_by_the_reference_alone(tmp_path, monkeypatch):
    """Where an engine of another lineage reads what was written, the reference differs, not the writer."""
    report = replace(FORMATS["parquet"], examine=lambda *_: SimpleNamespace(violations=[], suppressed={}))
    monkeypatch.setitem(FORMATS, "parquet", report)
    reference = process("Misreads", "reference", OPTIONS)
    results = go(tmp_path / "out", None, writer("Writes"), writer("Older"), reference, write=DRAWN)
    assert {(finding.engine, finding.verdict) for finding in results.findings} == {("reference", "different")}


def test_false_statistics_are_the_writers_breach():
    """A case of a file with false statistics names the rule: a reader that trusts them is not to blame."""
    context = SimpleNamespace(format="parquet", written=Path("written"), is_partitioned=False)
    table = Table.of([("row", integer(32))], [["1"]])
    rules = (
        "PQ-STATS-001",
        "PQ-STATS-017",
        "PQ-DBP-012",
    )  # a MUST, a SHOULD, and one that readers come across
    broken = [{"rule": rule, "message": "x"} for rule in rules]
    write = written.Write(
        writer("Writes"),
        WriterTable("t", (), table),
        written.Drawn("0", {}),
        Outcome(OutcomeKind.TABLE),
        "",
        broken,
        [],
    )
    expectation = written._case(context, write, table).expectation
    assert (expectation.kind, expectation.breach) == ("either", "PQ-DBP-012 PQ-STATS-001")
    lost = blaming(expectation, Filter(IsNull(("row",))), pushed=True)
    assert (lost.certainty, expectation.certainty) == (CONTESTED, CERTAIN)
    sound = written._case(context, write._replace(broken=broken[1:2]), table).expectation
    assert (sound.kind, sound.breach) == ("accept", None)
    repeated = written._case(context, write._replace(broken=[{"rule": "PQ-LOGICAL-010"}]), table).expectation
    assert (repeated.kind, repeated.breach) == ("accept", "PQ-LOGICAL-010")  # no reason to refuse the file


def test_who_refuses_far_moments_is_not_to_blame(tmp_path, monkeypatch):
    """A reader of a limited range is right to refuse a table beyond it, and no other table."""
    report = replace(FORMATS["parquet"], examine=lambda *_: SimpleNamespace(violations=[], suppressed={}))
    monkeypatch.setitem(FORMATS, "parquet", report)
    drawn = WriteDrawn(4, 5, f"{OPTIONS}:far_moments")
    engines = writer("Writes"), writer("Narrow"), process("Writes", "reference", OPTIONS)
    results = go(tmp_path / "out", None, *engines, write=drawn)
    verdicts = {(row.case.split("/")[2], row.verdict) for row in results.rows if row.engine == "narrow"}
    assert {verdict for _, verdict in verdicts} == {"agree", "refused_as_expected", "refused_valid"}
    assert {finding.verdict for finding in results.findings} == {"refused_valid"}


def test_an_engine_gets_what_it_has(finished):
    """Options that a version lacks are not drawn for it, nor is it given columns of types that it lacks."""
    results, out, _ = finished
    drawn = {"older": set(), "writes": set()}
    values = set()
    for row in results.rows:
        name = row.case.split("/")[1]
        if name in drawn:
            drawn[name] |= row.detail.options.keys()
            values |= {row.detail.options.get("harmless")} if name == "older" else set()
    assert values == {0, 1, 2}  # what the version does by itself stands below what is drawn
    assert drawn == {"older": {"harmless", "own"}, "writes": {"lossy", "harmless", "calls"}}
    file = out / "written" / "writes" / "drawn-5-000010" / "0.parquet"
    assert [field["name"] for field in json.loads(file.read_text())["columns"]] == ["row", "text"]


@pytest.mark.heavy
def test_the_same_seed_draws_the_same(finished, tmp_path):
    """Another run of the seed writes the same tables under the same options."""
    results, out, engines = finished
    again = go(tmp_path / "out", None, *engines, write=DRAWN)
    assert again.run.seeds == results.run.seeds == [5]

    def without_files(folder):
        return [{**row, "detail": {**row["detail"], "file": "", "message": ""}} for row in comparable(folder)]

    assert without_files(tmp_path / "out") == without_files(out)


def test_options_fit_fewer_columns_and_rows():
    """Options by column are cut to the columns that are left, and numbers of rows to the rows."""
    table = Table.of([("a", integer(32)), ("b", STRING)], [["1", "2"], ["x", "y"]])
    chosen = {
        "some": {"columns": ["a", "c.list.element"]},
        "each": {"by_column": {"b": 1, "ab": 2}},
        "none": {"columns": ["c"]},
        "calls": [1, 0, 9],
        "flag": True,
    }
    assert fitting(chosen, table) == {
        "some": {"columns": ["a"]},
        "each": {"by_column": {"b": 1}},
        "calls": [1, 0, 1],
        "flag": True,
    }


def test_draws_depend_on_the_name_alone():
    """Another name draws other options, the same name the same."""
    (table,) = drawn_fakes.tables(1, [0], "parquet")[0][:1]
    writer_options = drawn_fakes.OPTIONS["parquet"]
    draws = [choose(writer_options, str(name), table, None) for name in range(40)]
    assert draws == [choose(writer_options, str(name), table, None) for name in range(40)]
    assert all(sum(draw["calls"]) == drawn_fakes.ROWS for draw in draws if "calls" in draw)
    assert {tuple(sorted(draw)) for draw in draws} >= {(), ("lossy",), ("harmless",), ("calls",)}
