"""The source texts that read folders as tables."""

import json
import re
from types import SimpleNamespace

import pytest

from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, decimal, integer, time, timestamp
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
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
    ("orc", timestamp("ns", utc=False), "timestamp"),
    ("parquet", decimal(38, 3), "decimal(38,3)"),
]


@pytest.mark.parametrize(("format_", "type_", "expected"), LACKED)
def test_spark_is_asked_for_types_it_lacks(format_, type_, expected):
    """A column of a type that Spark lacks is asked as the type that holds its values."""
    source = spark_table.text(TableRead((Field("a", type_),)), format_)
    schema = json.loads(re.search(r"json\.loads\('(.*?)'\)", source)[1])
    assert [field["type"] for field in schema["fields"]] == [expected]


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
