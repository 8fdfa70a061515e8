"""The queries of mutants: derived once from their parent, of each kind, and asked as far as they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.cases import Expectation, Probe
from corpora.column_queries import Top
from corpora.queries import Aggregate, Batches, Compare, Filter, Slice
from corpora.tagged import Table, integer
from harness.children.requests import Derived
from harness.engines.registry import ENGINES
from harness.investigate.fuzz import meaning
from harness.investigate.fuzz.inputs import Input
from harness.investigate.fuzz.questions import QUERIES, Questions, with_off
from harness.investigate.fuzz.requests import FuzzBench
from harness.investigate.fuzz.tests.test_engines import FUZZED, LIMITS, REFERENCE_PROCESS, fake
from harness.investigate.minimize.tests.files import parquet
from harness.judging.places import Config, Process

INT = integer(32)
PROBES = (
    *(Probe(Filter(Compare(("a",), "=", INT, str(number)))) for number in range(6)),
    Probe(Filter(Compare(("gone",), "=", INT, "1"))),
    Probe(Batches(3)),
    Probe(Aggregate(("a",))),
    Probe(Slice(0, 1)),
    Probe(Top(("a",), 1)),
)
ACCEPTED = Expectation.accept(Table.of([("a", INT)], [["1", "2"]]), "vote")


class Derives:
    """Stands for the connection to the reference, and counts."""

    def __init__(self):
        self.files = []

    def probes(self, file, format, most, keys):  # noqa: A002, ARG002 - the protocol's word
        """Return the probes."""
        self.files.append(file.read_bytes())
        return Derived(PROBES), None


def test_they_are_derived_once_from_the_parent(tmp_path):
    """Mutants of one file share its queries, of which each gets others, and only such as fit it."""
    connection, questions = Derives(), Questions("parquet", tmp_path)
    chosen = [
        questions.of(connection, Input(bytes([at]), "", "", parent=b"parent"), ACCEPTED) for at in range(20)
    ]
    assert connection.files == [b"parent"]
    assert len(set(chosen)) > 1
    assert all(len(probes) == QUERIES for probes in chosen)
    assert {type(probe.query) for probes in chosen for probe in probes} == {Filter, Aggregate, Slice, Top}
    assert all(any(isinstance(probe.query, Filter) for probe in probes) for probes in chosen)
    assert not all(all(isinstance(probe.query, Filter) for probe in probes) for probes in chosen)
    assert not any("gone" in str(probe.query) for probes in chosen for probe in probes)
    questions.of(connection, Input(b"alone", "", ""), ACCEPTED)
    assert connection.files == [b"parent", b"alone"]


def test_who_gets_none(tmp_path):
    """Files that must be refused or are of the future are asked nothing, and no query names two columns."""
    connection, questions = Derives(), Questions("parquet", tmp_path)
    item = Input(b"x", "", "")
    assert questions.of(connection, item, Expectation.refuse(clause="a clause")) == ()
    assert questions.of(connection, replace(item, future=True), ACCEPTED) == ()
    alike = Table.of([("a", INT), ("A", INT)], [["1"], ["1"]])
    assert questions.of(connection, item, Expectation.accept(alike, "vote"))
    twice = Table.of([("a", INT), ("a", INT)], [["1"], ["1"]])
    (probe,) = questions.of(connection, item, Expectation.accept(twice, "vote"))
    assert probe.query == Slice(0, 1)  # it names no column
    own = (PROBES[0],)
    assert questions.of(connection, replace(item, probes=own), ACCEPTED) == own


@pytest.mark.sweep(2)
@pytest.mark.parametrize("false", [False, True])
def test_rows_that_queries_lose(tmp_path, monkeypatch, false):
    """A mutant whose filters lose a row is a finding, unless its statistics are what is broken."""
    if false:
        monkeypatch.setattr(meaning, "broken", lambda *_: meaning.Broken(["PQ-STATS-004"], []))
    with FuzzBench([fake("FilterLosesFirst")], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path) as bench:
        batch = bench.ask([Input(parquet(30), "", "test", parent=parquet(20))], lambda _: True)
    ((row,),) = batch.rows
    assert (row.row.verdict, row.row.detail.finding) == ("different", not false)
    assert row.row.detail.probe in {str(probe.query) for probe in batch.cases[0].probes}
    assert row.row.detail.probes.queries == QUERIES


@pytest.mark.sweep(2)
@pytest.mark.parametrize("rule", ["", "PQ-THRIFT-005"])
def test_answers_of_files_that_nobody_can_tell(tmp_path, monkeypatch, rule):
    """Where a breach leaves the rows open, an engine that contradicts itself is not blamed."""
    if rule:
        monkeypatch.setattr(meaning, "broken", lambda *_: meaning.Broken([rule], []))
    configs = tuple(
        Config(text, {"pushdown": value}) for text, value in (("", "on"), ("pushdown=off", "off"))
    )
    engine = replace(fake("LosesByPushdown", FUZZED), configs=configs)
    with FuzzBench([engine], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path) as bench:
        batch = bench.ask([Input(parquet(30), "", "test", parent=parquet(20))], lambda _: True)
    row, *_ = (row.row for rows in batch.rows for row in rows)
    assert (row.verdict, row.detail.finding) == ("different", not rule)
    assert row.detail.difference["kind"] == "pushdown"


def test_an_engine_has_a_configuration_without_pushdown():
    """Wrong answers are traced by the same engine without pushdown, unless a value of it was named."""
    entry = ENGINES["duckdb"]
    switches = {switch: values[0] for switch, values in entry.switches.items()}
    process = Process("duckdb", "1", (), (Config("", switches),), ("parquet",))
    assert [config.text for config in with_off(process, "parquet").configs] == ["", "pushdown=off"]
    named = replace(process, configs=(Config("pushdown=off", {**switches, "pushdown": "off"}),))
    assert with_off(named, "parquet") == named
    assert with_off(fake("Refuses"), "parquet") == fake("Refuses")
