"""The source texts that read folders as tables."""

import json
import re
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.queries import Filter, IsNull, Not
from corpora.table_reads import BY_ID, TableRead
from corpora.tagged import DATE, INT96, STRING, Field, decimal, integer, list_of, struct_of, time, timestamp
from harness.engines.datafusion import table as datafusion_table
from harness.engines.duckdb import table as duckdb_table
from harness.engines.errors import Unsupported
from harness.engines.polars import table as polars_table
from harness.engines.polars.adapter import Polars
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyorc import table as pyorc_table
from harness.engines.registry import ENGINES
from harness.engines.scripts.literals import evaluate
from harness.engines.scripts.request import ScriptRequest
from harness.engines.spark import script as spark_script
from harness.engines.spark import table as spark_table
from harness.engines.spark import versions as spark_versions
from harness.engines.spark import ways as spark_ways

LACKED = [
    ("parquet", integer(8, signed=False), "short"),
    ("parquet", integer(64, signed=False), "decimal(20,0)"),
    ("parquet", time("ms", utc=False), "integer"),
    ("parquet", time("us", utc=True), "long"),
    ("parquet", timestamp("ns", utc=False), "long"),
    ("parquet", timestamp("ms", utc=True), "timestamp"),
    ("parquet", INT96, "timestamp"),
    ("orc", timestamp("ns", utc=False), "timestamp"),
    ("parquet", decimal(38, 3), "decimal(38,3)"),
]


@pytest.mark.parametrize(("format_", "type_", "expected"), LACKED)
def test_spark_is_asked_for_types_it_lacks(format_, type_, expected):
    """A column of a type that Spark lacks is asked as the type that holds its values."""
    source = spark_table.text(TableRead((Field("a", type_),)), format_)
    schema = json.loads(re.search(r"json\.loads\('(.*?)'\)", source)[1])
    assert [field["type"] for field in schema["fields"]] == [expected]


def test_polars_reads_columns_by_their_names(tmp_path):
    """A column of a table whose name Polars takes for a pattern is read, and no other in its place."""
    pl = pytest.importorskip("polars")
    pq.write_table(pa.table({"^a$": [1], "a": [2], "*": [3]}), tmp_path / "a.parquet")
    for name, value in (("^a$", 1), ("*", 3)):
        read = TableRead((Field(name, integer(64)), Field("a", integer(64))))
        frame = polars_table.scan(pl, str(tmp_path), read).collect()
        assert frame.to_dict(as_series=False) == {name: [value], "a": [2]}


@pytest.mark.parametrize(("unit", "expected"), [("ns", "TIME_NS"), ("us", "TIME")])
def test_duckdb_has_times_of_two_units(unit, expected):
    """Times in nanoseconds are a type of their own: in TIME, their last digits would be lost."""
    assert duckdb_table.type_text(time(unit, utc=False)) == expected


@pytest.mark.parametrize(
    ("type_", "polars", "duckdb"),
    [
        (INT96, 'pl.Datetime("ns")', "TIMESTAMP"),
        (list_of(INT96), 'pl.List(pl.Datetime("ns"))', "TIMESTAMP[]"),
        (timestamp("ms", utc=True), "pl.Datetime(\"ms\", 'UTC')", "TIMESTAMP WITH TIME ZONE"),
    ],
    ids=str,
)
def test_timestamps_that_engines_lack(type_, polars, duckdb):
    """A column of INT96, or of milliseconds, is asked as the timestamp that an engine reads it as."""
    assert polars_table.type_text(type_) == polars
    assert duckdb_table.type_text(type_) == duckdb


def test_spark_reads_nanoseconds_in_all_ways():
    """Without the option the reader of rows refuses what that of vectors reads as an integer."""
    settings = spark_table.settings(TableRead((Field("a", timestamp("ns", utc=False)),)))
    assert settings["spark.sql.legacy.parquet.nanosAsLong"] == "true"


def test_wall_clocks_of_old_versions(monkeypatch):
    """A schema with wall clocks is refused before 3.4, where TIMESTAMP_NTZ became a type of tables."""
    clocks = TableRead((Field("a", timestamp("us", utc=False)),))
    monkeypatch.setattr(spark_versions, "number", lambda: (3, 3))
    with pytest.raises(Unsupported, match=r"since 3\.4"):
        spark_table.text(clocks, "parquet")
    monkeypatch.setattr(spark_versions, "number", lambda: (3, 4))
    assert "timestamp_ntz" in spark_table.text(clocks, "parquet")


def test_arrow_schema_of_nested_types(monkeypatch):
    """The Arrow schema of a frame follows structs in arrays and maps of instants, whatever PySpark can."""
    pa, types = pytest.importorskip("pyarrow"), pytest.importorskip("pyspark.sql.types")
    leaves = {"date": pa.date32(), "int": pa.int32(), "timestamp": pa.timestamp("us", "UTC")}
    monkeypatch.setattr(
        "pyspark.sql.pandas.types.to_arrow_type", lambda type_: leaves[type_.simpleString()]
    )  # as before 4.0: leaves alone
    struct = types.StructType([types.StructField("b", types.DateType(), nullable=False)])
    at = types.MapType(types.IntegerType(), types.TimestampType())
    schema = types.StructType([types.StructField("a", types.ArrayType(struct)), types.StructField("m", at)])
    inner = pa.struct([pa.field("b", pa.date32(), nullable=False)])
    expected = [("a", pa.list_(pa.field("element", inner))), ("m", pa.map_(pa.int32(), leaves["timestamp"]))]
    assert spark_versions.arrow_schema(schema).equals(pa.schema(expected))


@pytest.mark.parametrize(("listed", "newer_has_it"), [("parquet,orc", False), ("", True), ("", False)])
def test_metadata_of_newer_sources(listed, newer_has_it):
    """Tables have `_metadata` by the older sources, and by the newer ones where their class says so."""
    loaded = SimpleNamespace(isAssignableFrom=lambda _: newer_has_it)
    java = SimpleNamespace(lang=SimpleNamespace(Class=SimpleNamespace(forName=lambda _: loaded)))
    conf = SimpleNamespace(get=lambda _: listed)
    session = SimpleNamespace(conf=conf, _jvm=SimpleNamespace(java=java))
    assert spark_versions.has_metadata(session) is (bool(listed) or newer_has_it)


def test_ways_that_split():
    """Ways that set how files are split say so, and no other way does."""
    splitting = {name for name, way in spark_ways.WAYS.items() if way.splits}
    assert splitting == {"splits", "min-partitions"}
    assert splitting == set(ENGINES["spark"].unordered)


def test_recursive_look_up_of_partitions():
    """A way that turns the discovery of partitions off is not asked of tables with partitions."""
    options = dict(spark_ways.WAYS["recursive"].options)
    assert "recursiveFileLookup" in spark_table.text(TableRead((Field("a", STRING),)), "parquet", options)
    with pytest.raises(Unsupported, match="discovery of partitions"):
        spark_table.text(TableRead((), (Field("a", STRING),)), "parquet", options)


def test_special_members():
    """Each engine is asked for what its pages document, and for nothing else."""
    column = Field("a", integer(32))
    by_id = {"matching": BY_ID, "ids": ((("a",), 1),)}
    defaults = TableRead((column,), defaults=(("a", "5"),))
    corrupt = TableRead((column,), skips_corrupt=True)
    removed = TableRead((column,), removed=("part-0.parquet",))
    lengths = TableRead((Field("a", STRING),), lengths=(("a", "char", 5),))
    assert "default_value: '5'" in duckdb_table.text(replace(defaults, **by_id))
    days = TableRead((Field("a", DATE),), defaults=(("a", "-1"),), **by_id)
    assert "default_value: '1969-12-31'" in duckdb_table.text(days)
    assert "exclude_invalid_files=True" in pyarrow_table.text(corrupt, "parquet")
    assert "exclude_invalid_files" not in pyarrow_table.text(TableRead((column,)), "parquet")
    for read in (defaults, corrupt, removed, lengths):
        texts = [duckdb_table.text, polars_table.text, datafusion_table.text]
        texts += [] if read is corrupt else [partial(pyarrow_table.text, format="parquet")]
        for text in texts:
            with pytest.raises(Unsupported, match="the documentation of"):
                text(read)


def test_declared_by_spark(monkeypatch):
    """Spark's catalog declares columns with lengths, and adds those that have defaults."""
    columns = (Field("k", integer(64)), Field("c", STRING), Field("d", decimal(5, 2)))
    read = TableRead(columns, (Field("p", STRING),), defaults=(("d", "-150"),), lengths=(("c", "char", 5),))
    source, lines = spark_table.text(read, "orc", {"x": "it's"}), []
    session = Mock(sql=lambda line: [lines.append(line)])
    evaluate(source, {"session": session, "FOLDER": "/it's"})
    (name,) = session.table.call_args.args
    columns = "(`k` BIGINT, `c` CHAR(5), `p` STRING) USING orc OPTIONS ('x' = 'it\\'s') PARTITIONED BY (`p`)"
    assert lines == [
        f"DROP TABLE IF EXISTS {name}",
        f"CREATE TABLE {name} {columns} LOCATION '/it\\'s'",
        f"ALTER TABLE {name} ADD COLUMNS (`d` DECIMAL(5,2) DEFAULT CAST('-1.50' AS DECIMAL(5,2)))",
        f"MSCK REPAIR TABLE {name}",
    ]
    with pytest.raises(Unsupported, match="no field ids"):
        spark_table.text(replace(read, matching=BY_ID), "parquet")
    monkeypatch.setattr(spark_versions, "number", lambda: (3, 3))
    with pytest.raises(Unsupported, match=r"since 3\.4"):
        spark_table.text(read, "parquet")


def test_what_spark_passes_over():
    """Corrupt and missing files are passed over only where a read says so."""
    names = {"spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles"}
    assert not names & spark_table.settings(TableRead(())).keys()
    assert names <= spark_table.settings(TableRead((), skips_corrupt=True, removed=("a",))).keys()


def test_how_files_are_listed():
    """Engines are asked for unified schemas, names and depths of files as their pages say."""
    column, year = Field("a", integer(32)), Field("year", integer(32))
    unified = TableRead((column,), (year,), unified=True)
    inference = "spark.sql.sources.partitionColumnTypeInference.enabled"
    assert "mergeSchema" in (source := spark_table.text(unified, "orc"))
    assert ".schema(" not in source
    assert inference not in spark_table.settings(unified)
    texts = replace(unified, partitions=(Field("year", STRING),))
    assert spark_table.settings(texts)[inference] == "false"
    assert "pa.unify_schemas" in pyarrow_table.text(unified, "parquet")
    assert "schema=None" in datafusion_table.text(unified)
    assert "CAST(" not in duckdb_table.text(unified)
    named = TableRead((column,), recursive=True, name_pattern="part-?.*")
    source = spark_table.text(named, "parquet")
    assert "'recursiveFileLookup': 'true'" in source
    assert "'pathGlobFilter': 'part-?.*'" in source
    assert duckdb_table.files_of("folder", named) == "folder/**/part-?.*"
    keyless = replace(unified, unified=False, keyless=True)
    assert "flavor" not in pyarrow_table.text(keyless, "parquet")
    for text in (partial(spark_table.text, format="parquet"), duckdb_table.text, polars_table.text):
        with pytest.raises(Unsupported, match="values alone"):
            text(keyless)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (TableRead(()), "all columns if none"),
        (TableRead((Field("a", STRING),), matching="caseless"), "exact names"),
        (TableRead((Field("a", STRING),), split_bytes=9), "splits"),
        (TableRead((Field("a.b", STRING),)), "a dot in a name"),
    ],
)
def test_what_pyorc_is_not_asked(read, message):
    """Columns and fields of structs are selected by name; pyorc knows nothing else of tables."""
    with pytest.raises(Unsupported, match=message):
        pyorc_table.names(read)
    inner = struct_of([("x", STRING), ("y", list_of(struct_of([("z", STRING)])))])
    assert pyorc_table.names(TableRead((Field("a", STRING), Field("s", inner)))) == ["a", "s.x", "s.y"]


def test_the_script_of_removed_files():
    """A script copies the folder, and removes the file between the listing and the read."""
    read = TableRead((Field("a", STRING),), removed=("b/part-0",))
    request = ScriptRequest("parquet", read=read)
    lines = spark_script.code(request).body
    copied, listed, removed = (
        next(at for at, line in enumerate(lines) if word in line)
        for word in ("copytree", "session.read", "os.remove")
    )
    assert copied < listed < removed
    assert "b/part-0" in lines[removed]


EACH = Filter(Not(IsNull(("a",))), ("a",))
RESTORED = [
    (pa.timestamp("us", "Europe/Berlin"), timestamp("us", utc=True), ""),
    (pa.duration("us"), integer(64), "incoming: Duration"),
    (pa.list_(pa.duration("us")), list_of(integer(64)), "incoming: Duration"),
    (pa.date64(), DATE, "incoming: Datetime"),
    (pa.list_(pa.int32(), 1), list_of(integer(32)), "incoming: Array"),
]


@pytest.mark.parametrize(("written", "requested", "refusal"), RESTORED)
def test_polars_takes_types_from_arrow_schema(tmp_path, written, requested, refusal):
    """Moments of a zone are cast to UTC; what no option casts to the file's own type is refused."""
    polars = pytest.importorskip("polars")
    day = 86_400_000
    value = [day] if pa.types.is_list(written) or pa.types.is_fixed_size_list(written) else day
    pq.write_table(pa.table({"a": pa.array([value], written)}), tmp_path / "a.parquet")
    engine, read = Polars(), TableRead((Field("a", requested),))
    for config in ({}, {"api": "lazy"}):
        if refusal:
            with pytest.raises(polars.exceptions.SchemaError, match=refusal) as raised:
                engine.read_table(str(tmp_path), "parquet", config, read)
            assert engine.classify(raised.value) == "refused"
            for pushdown in ("on", "off"):
                with pytest.raises(polars.exceptions.SchemaError, match=refusal):
                    engine.query_table(str(tmp_path), "parquet", {**config, "pushdown": pushdown}, read, EACH)
        else:
            assert engine.read_table(str(tmp_path), "parquet", config, read).num_rows == 1


@pytest.mark.parametrize(
    ("values", "requested", "message"),
    [
        (pa.array(["x"]), integer(64), "String != target: Int64"),
        (pa.array([1], pa.timestamp("ms")), DATE, "Datetime.* != target: Date"),
    ],
)
def test_polars_refuses_other_types(tmp_path, values, requested, message):
    """A type that ARROW:schema does not explain is refused as Polars refuses it."""
    polars = pytest.importorskip("polars")
    pq.write_table(pa.table({"a": values}), tmp_path / "a.parquet", store_schema=False)
    with pytest.raises(polars.exceptions.SchemaError, match=message):
        Polars().read_table(str(tmp_path), "parquet", {}, TableRead((Field("a", requested),)))
