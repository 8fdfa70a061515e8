"""Spark reads folders as tables with the schemas of readers."""

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyarrow import parquet

import corpora
from corpora.answers import answer
from corpora.build.evolution import orc
from corpora.build.evolution.cases import alike, generated
from corpora.build.evolution.members import Member
from corpora.build.evolution.parquet import file
from corpora.cases import load
from corpora.predicates import Compare, In, NullSafe
from corpora.queries import Aggregate, Fields, Filter, SemiJoin, Top
from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, Table, time, timestamp
from harness.children.outcomes import OutcomeKind
from harness.engines.spark.adapter import Spark
from harness.judging.compare import compare
from harness.judging.probes import judge_probe
from harness.judging.rows import aligned
from harness.judging.traits import Traits
from harness.judging.verdicts import Verdict

pytestmark = pytest.mark.spark
ASKED = ("/all", "/only-missing", "/nothing", "/widened", "/caseless", "/ids-renamed")


@pytest.mark.sweep(2)
@pytest.mark.parametrize("format_", ["parquet", "orc"])
def test_tables(spark, format_, tmp_path):
    """Spark reads a table with each schema as the oracle says."""
    cases = list(generated(format_, "some files", "tables/t", tmp_path, ("add", "widen")))
    asked = [case for case in cases if case.id.endswith(ASKED) or "/split-" in case.id]
    assert len(asked) > 3
    for case in asked:
        outcome = spark.read_table(case.file, format_, {"vectorized": "on"}, case.read)
        assert outcome.table is not None, outcome.detail.summary
        comparison = compare(case.expectation.table, outcome.table, Spark.equivalences)
        assert comparison.difference is None, str(case.read)


def test_tables_of_one_read(spark, tmp_path):
    """Folders that are read in one query have the rows that each has alone; one in three has long texts."""
    seeds = (("several", ("/all", "/nothing")), ("x3", ("/char",)))  # x3 has partitions and a declared length
    cases = [
        case
        for seed, reads in seeds
        for case in alike("parquet", seed, "tables/t", tmp_path / seed, 3)
        if case.id.rpartition("~")[0].endswith(reads)
    ]
    assert any(case.read.lengths and case.read.partitions for case in cases)
    for read in {case.read for case in cases}:
        some = [case for case in cases if case.read == read]
        assert len(some) == (2 if read.lengths else 3)
        config = {"vectorized": "on"}
        outcomes = spark.read_tables([case.file for case in some], "parquet", config, read)
        for case, outcome in zip(some, outcomes, strict=True):
            assert outcome.table == spark.read_table(case.file, "parquet", config, read).table
            assert outcome.table.num_rows == case.expectation.table.num_rows


def test_names_in_the_sql_of_tables(spark, tmp_path):
    """Names of columns and folders, and defaults, are quoted in the statements that declare a table."""
    folder = tmp_path / "it's {} a\\b"
    folder.mkdir()
    parquet.write_table(pa.table({"{0} `{}": ["a"]}), folder / "part.parquet")
    fields = (Field("{0} `{}", STRING), Field("b", STRING))
    read = TableRead(fields, defaults=(("b", "{}'\\"),))
    outcome = spark.read_table(folder, "parquet", {}, read)
    assert outcome.table is not None, outcome.detail.summary
    assert [outcome.table.column(at) for at in range(2)] == [["a"], ["{}'\\"]]


def test_ways_of_tables(spark, tmp_path):
    """Recursive look-up reads inner folders; ways that split are not asked where parts of files begin."""
    case = load(Path(corpora.__file__).parent / "evolved" / "parquet" / "names-swapped" / "ids.json")
    folder = tmp_path / "table"
    for copy in (folder, folder / "more"):
        shutil.copytree(case.file, copy, dirs_exist_ok=True)
    rows = case.expectation.table.num_rows
    for way, count in (("default", rows), ("recursive", 2 * rows)):
        outcome = spark.read_table(folder, "parquet", {"way": way}, case.read)
        assert outcome.table.num_rows == count
    read = replace(case.read, metadata=("block_length",))
    for way, kind in (("default", OutcomeKind.TABLE), ("min-partitions", OutcomeKind.UNSUPPORTED)):
        assert spark.read_table(case.file, "parquet", {"way": way}, read).kind is kind


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "name",
    [
        "parquet/missing-tested/both",
        "parquet/add/queries-row-index",
        "parquet/defaults/added",
        "parquet/padded/char",
        "orc/positions/position",
        "orc/corrupt/left-out",
        "orc/removed/passed-over",
    ],
)
def test_queries_of_tables(spark, name):
    """Spark answers queries of tables as the oracle does, with the members that only some reads have."""
    case = load(Path(corpora.__file__).parent / "evolved" / f"{name}.json")
    traits = Traits(Spark.equivalences, Spark.float_order, Spark.aggregate_order).reading(case.read)
    table = case.expectation.table
    (whole,) = spark.read_tables([case.file], case.format, {"vectorized": "off"}, case.read)
    assert compare(table, whole.table, Spark.equivalences).difference is None
    for probe in case.probes[:: max(3, len(case.probes) // 6)]:
        config = {"vectorized": "on"}
        (outcome,) = spark.query([case.file], case.format, config, probe.query, read=case.read)
        expected = answer(probe.query, table, traits.order(probe.query))
        judgement = judge_probe(probe, expected, outcome, traits, file=table).judgement
        assert judgement.verdict in {Verdict.AGREE, Verdict.EQUIVALENT}, str(probe.query)


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (time("ms", utc=True), ["0", "5", None]),
        (time("us", utc=False), ["0", "86399999999", None]),
        (timestamp("ns", utc=True), ["-1", "1001", None]),
        (timestamp("ns", utc=False), ["-1000", "1000", None]),
    ],
    ids=str,
)
def test_filters_of_types_that_are_read_as_integers(spark, tmp_path, type_, values):
    """A constant for a column of times or nanoseconds, which Spark reads as integers, is the same count."""
    member = Member(1, "a", type_)
    (tmp_path / "part-0.parquet").write_bytes(file((member,), Table.of([("a", type_)], [values]), Random(1)))
    read = TableRead((Field("a", type_),))
    greater = Compare(("a",), ">", type_, values[0])
    for query, expected in (
        (Filter(greater), [values[1]]),
        (Filter(Compare(("a",), "=", type_, values[1])), [values[1]]),
        (Filter(In(("a",), type_, tuple(values[:2]))), values[:2]),
        (Filter(NullSafe(("a",), type_, values[1])), [values[1]]),
        (SemiJoin(("a",), type_, (values[1], None)), [values[1]]),
    ):
        for pushdown in ("on", "off"):
            config = {"vectorized": "on", "pushdown": pushdown}
            (outcome,) = spark.query([tmp_path], "parquet", config, query, read=read)
            assert outcome.table is not None, outcome.detail.summary
            assert sorted(outcome.table.column(0)) == sorted(expected), (query, pushdown)


def test_wall_clocks_of_tables_are_those_of_any_zone(spark, tmp_path):
    """A TIMESTAMP of ORC in a folder is the same wall clock in each zone, in rows and in answers."""
    wall, values = timestamp("ns", utc=False), ["1600000000000000000", "-1000000000", None, "5000000000"]
    inner = Member(2, "s", shape="struct", members=(Member(3, "x", wall),))
    table = Table.of([("a", wall), ("s", inner.tagged())], [values, [[value] for value in values]])
    (tmp_path / "part-0.orc").write_bytes(orc.file((Member(1, "a", wall), inner), table, Random(1)))
    read = TableRead(table.columns)
    for config in ({"zone": "utc"}, {"zone": "los_angeles"}):
        outcome = spark.read_table(tmp_path, "orc", config, read)
        actual = aligned(table, outcome.table, Spark.equivalences)
        assert compare(table, actual, Spark.equivalences).equal, config
        for query in (
            Filter(Compare(("a",), "=", wall, values[0])),
            Fields((("s", "x"), ("a",)), Compare(("a",), "<", wall, values[3])),
            Aggregate(("s", "x")),
            Top(("a",), 2),
        ):
            (answered,) = spark.query([tmp_path], "orc", config, query, read=read)
            assert answered.table is not None, (query, answered.detail.summary)
            right = answer(query, table, "nan-greatest")
            actual = aligned(right, answered.table, Spark.equivalences)
            assert compare(right, actual, Spark.equivalences).equal, (config, str(query))
