"""The parts of the gate that need no run: configurations, the corpus's subset, causes, facts, scripts."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.cases import Case, Expectation
from corpora.predicates import And, Compare, In, IsNull, Not, StartsWith
from corpora.queries import Aggregate, Filter
from corpora.table_reads import TableRead
from corpora.tagged import DATE, STRING, decimal, floating, integer, timestamp
from harness.engines.registry import ENGINES
from harness.engines.spark import switches as spark_switches
from harness.engines.spark.options import options_of
from harness.investigate.upgrade.causes import causes_of, load
from harness.investigate.upgrade.choices import configurations, spread
from harness.investigate.upgrade.classes import Class
from harness.investigate.upgrade.facts import changes
from harness.investigate.upgrade.groups import gather
from harness.investigate.upgrade.scripts import script
from harness.investigate.upgrade.tests.test_baseline import line
from harness.runs.pipeline.profiles import configurations as of_a_run

SPARK = ENGINES["spark"]


def test_the_gate_tries_more_than_a_run():
    """Every option of the gate is tried, one at a time; a run tries none of them."""
    for format_ in ("parquet", "orc"):
        tried = configurations(SPARK, {}, format_, every=True)
        usual = of_a_run(SPARK, [format_], every_switch=True)
        assert tried[0] == {}
        assert all(one in tried for one in usual)
        wanted = {(switch, value) for switch, found in SPARK.gate[format_].items() for value in found}
        assert {pair for one in tried for pair in one.items()} >= wanted
        assert not {pair for one in usual for pair in one.items()} & wanted
        assert all(len(one) <= 1 for one in tried)


def test_what_the_user_sets_stays():
    """Switches in the engine's name are part of every configuration."""
    tried = configurations(SPARK, {"vectorized": "off"}, "parquet", every=True)
    assert all(one["vectorized"] == "off" for one in tried)
    assert {"vectorized": "off", "rebase": "legacy"} in tried


def test_options_of_spark_are_left_alone_by_default():
    """The default of a switch sets nothing; each value sets one option."""
    assert set(spark_switches.settings("parquet", {}).values()) == {None}
    told = spark_switches.settings("parquet", {"rebase": "legacy"})
    assert told["spark.sql.parquet.datetimeRebaseModeInRead"] == "LEGACY"
    assert spark_switches.option_of("orc", "rebase", "legacy") == ""


def cases(*names):
    """Return cases of these ids."""
    accept = Expectation.by_vote()
    return [Case(name, "parquet", None, "0" * 64, accept) for name in names]


def test_every_folder_of_the_corpus_before_a_second_file_of_any():
    """A subset has something of everything, in the corpus's order, the same each time."""
    names = [f"parquet/a/{number}" for number in range(5)] + ["parquet/b/1", "parquet/c/1", "parquet/c/2"]
    chosen = [case.id for case in spread(cases(*names), 5)]
    assert chosen == ["parquet/a/0", "parquet/a/1", "parquet/b/1", "parquet/c/1", "parquet/c/2"]
    assert len(spread(cases(*names), 2)) == 2
    assert spread(cases(*names), 100) == cases(*names)


def group(signature, **more):
    """Return the group of one line."""
    return gather([("files", line(signature, format="parquet", **more))])[0]


def test_a_cause_is_of_the_version_that_is_crossed():
    """A cause fits where the upgrade crosses its version, by evidence or by signature."""
    found = group("spark | accepts | x", tried=["rebase=exception"], restored=["rebase=exception"])
    assert [one["id"] for one in causes_of(found, "spark", "3.5.9", "4.3.0")] == ["spark-rebase-read"]
    for old, new in (("4.0.0", "4.3.0"), ("3.3.4", "3.5.9")):
        (only,) = causes_of(found, "spark", old, new)
        assert not only["id"]
        assert only["option"] == "spark.sql.parquet.datetimeRebaseModeInRead=EXCEPTION"


@pytest.mark.parametrize(
    ("signature", "of"),
    [
        ("spark | nulls | was null in list<element: struct<never: int(32, signed)>>", "4.1.0"),
        ("spark:vectorized=off | refuses | AnalysisException: [PARQUET_TYPE_ILLEGAL]", "4.1.0"),
        (
            "spark | accepts | SparkRuntimeException: Unable to create Parquet converter for data type <q>",
            "4.0.0",
        ),
    ],
)
def test_causes_of_tables_with_other_schemas(signature, of):
    """What Spark 4 reads, or refuses, of a struct without the requested fields has its option."""
    (cause,) = causes_of(group(signature), "spark", "3.5.9", "4.3.0")
    assert cause["issue"] == {"4.1.0": "SPARK-53535", "4.0.0": "SPARK-40876"}[of]
    assert not list(causes_of(group(signature), "spark", of, "4.3.0"))
    assert ("option" in cause) == (of == "4.1.0")


@pytest.mark.parametrize(
    ("engine", "types", "name"),
    [
        ("pyarrow", "bytes as json", "JSON"),
        ("pyarrow", "bytes as uuid", "UUID"),
        ("polars", "float(64) as decimal", "decimals"),
    ],
)
def test_causes_name_the_type(engine, types, name):
    """A cause of other types of a column is about this type."""
    (cause,) = causes_of(
        group(f"{engine} | schema | {types}", **{"class": "schema"}), engine, "0.20.31", "26.0.1"
    )
    assert name in cause["says"]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("", ""),
        ("vectorized=off", "spark.sql.parquet.enableVectorizedReader=false"),
        ("way=no-nested-vectors", "spark.sql.parquet.enableNestedColumnVectorizedReader=false"),
        (
            "nested=off,ansi=off",
            "spark.sql.parquet.enableNestedColumnVectorizedReader=false, spark.sql.ansi.enabled=false",
        ),
        ("way=view", ""),
        ("of=another version", ""),
    ],
)
def test_configurations_are_told_as_options(config, text):
    """A report names the options of Spark that switches and ways set."""
    assert options_of("spark", "parquet", config) == text
    assert options_of("pyarrow", "parquet", config) == ""


def test_evidence_is_what_every_line_that_tried_it_shows():
    """A switch explains a group only if it restores every file that was tried with it."""
    tried, none = {"tried": ["a=1", "b=1"]}, {"tried": []}
    lines = [
        line("e | value | x", restored=found, **more)
        for found, more in ((["a=1", "b=1"], tried), (["a=1"], tried), ([], none))
    ]
    (found,) = gather(("files", one) for one in lines)
    assert found.restored == {"a=1"}


def test_nothing_is_made_up():
    """A group that neither entries nor switches explain has no cause."""
    assert not list(causes_of(group("spark | value | x"), "spark", "3.5.9", "4.3.0"))


def test_causes_are_well_formed():
    """Every cause has classes that exist, an id of its own, and something to be told by."""
    causes = load()
    assert len({cause.id for cause in causes}) == len(causes)
    for cause in causes:
        assert set(cause.classes) <= {str(one) for one in Class}
        assert cause.signature or cause.evidence
        assert cause.engine in ENGINES
        known = {f"{switch}={value}" for switch, values in SPARK.switches.items() for value in values}
        assert cause.engine != "spark" or set(cause.evidence) <= known


def test_facts_of_two_files(tmp_path):
    """What a writer chose is told by aspect; the same choices are no change."""
    made = pa.table({"a": pa.array([1, 2, 2], pa.int32()), "b": ["x", "y", None]})
    one, two, three = (tmp_path / f"{name}.parquet" for name in "abc")
    pq.write_table(made, one, compression="snappy")
    pq.write_table(made, two, compression="snappy")
    pq.write_table(made, three, compression="zstd", use_dictionary=False, write_statistics=False)
    assert not list(changes(one, two, "parquet"))
    told = {(aspect, what) for aspect, _, what, _, _ in changes(one, three, "parquet")}
    assert (Class.CODEC, "codec: SNAPPY → ZSTD") in told
    assert (Class.ENCODING, "encodings: INT32: RLE_DICTIONARY → PLAIN") in told
    assert (Class.STATISTICS, "min_value: written no more") in told


def test_facts_of_types(tmp_path):
    """A logical type is told with the parameters that mean something for it."""
    one, two = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("us"))}), one)
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("us", "UTC"))}), two)
    told = {what for aspect, _, what, _, _ in changes(one, two, "parquet") if aspect is Class.LAYOUT}
    wall, instant = (f"OPTIONAL INT64 TIMESTAMP(unit=us, utc={utc})" for utc in (False, True))
    assert f"type: {wall} → {instant}" in told


def test_a_file_without_facts(tmp_path):
    """A file that the reference cannot read is left to the validator."""
    bad = tmp_path / "a.parquet"
    bad.write_bytes(b"PAR1")
    assert not list(changes(bad, bad, "parquet"))


QUERIES = [
    Filter(Compare(("a",), "<", integer(32), "3")),
    Filter(And((In(("a b", "c`d"), STRING, ("x", 'y"')), Not(IsNull(("e",)))))),
    Filter(StartsWith(("s",), "pre")),
    Filter(Compare(("d",), "=", DATE, "-141427")),
    Filter(Compare(("t",), ">=", timestamp("ns", utc=True), "1000")),
    Filter(Compare(("f",), "!=", floating(64), "7ff8000000000000"), ("a", "f")),
    Filter(Compare(("n",), "=", decimal(5, 2), "-100")),
    Aggregate(("a", "b")),
]


@pytest.mark.parametrize(
    "engine", [name for name, entry in ENGINES.items() if entry.packages and entry.script]
)
def test_scripts_are_python(engine, for_each):
    """The script of each engine that has one, for every kind of query, compiles and names both versions."""

    def check(query):
        told = {"query": query.to_json() if query else None, "probe": str(query) if query else None}
        at = line("e | value | a", format="parquet", file="x", sha256="", **told)
        text = script(at, "file.parquet", [{"name": engine, "version": one} for one in ("1.0", "2.0")])
        compile(text, "reproduce.py", "exec")
        assert f"--with {ENGINES[engine].packages[0]}==1.0" in text
        assert "==2.0" in text
        assert "file.parquet" in text

    for_each([(str(query), query) for query in (None, *QUERIES)], check)


@pytest.mark.parametrize(("old", "is_summed"), [("0.9.2", True), ("1.4.1", False)])
def test_a_script_is_asked_in_the_words_of_the_older_version(old, is_summed):
    """Both versions run it: DuckDB before 1.2 has no `make_date` of days, later ones know the sum as well."""
    query = QUERIES[3]
    details = {"query": query.to_json(), "probe": str(query)}
    at = line("e | value | a", format="parquet", file="x", sha256="", **details)
    engines = [{"name": "duckdb", "version": version} for version in ("2.0.1", old)]
    text = script(at, "file.parquet", engines)
    assert ("1970-01-01" in text) is is_summed
    assert ("make_date(" in text) is not is_summed


EMPTY = TableRead(()).to_json()


def test_a_read_that_no_script_repeats():
    """DuckDB selects no table without columns: the script says what the gate compared, and asks no engine."""
    at = line("e | accepts | a", format="parquet", file="x", sha256="", query=None, probe=None, read=EMPTY)
    text = script(at, "files", [{"name": "duckdb", "version": version} for version in ("1.1.3", "2.0.1")])
    compile(text, "reproduce.py", "exec")
    assert "duckdb 1.1.3" in text
    assert "No script shows it: SQL selects one column or more" in text
    assert "import duckdb" not in text


def test_an_engine_without_a_script():
    """Of an engine without a script of its own, the script says what the gate compared, and runs nothing."""
    at = line("e | value | a", format="parquet", file="x", sha256="", query=None, probe=None)
    text = script(at, "file.parquet", [{"name": "arro3", "version": one} for one in ("1.0", "2.0")])
    compile(text, "reproduce.py", "exec")
    assert "arro3 1.0" in text
    assert "import arro3" not in text
