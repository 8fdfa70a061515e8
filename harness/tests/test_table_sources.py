"""The source texts that read folders as tables."""

import json
import re

import pytest

from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, decimal, integer, time, timestamp
from harness.engines.errors import Unsupported
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


def test_arrow_schema_of_nested_types():
    """The Arrow schema of a frame follows structs in arrays and maps of instants, whatever PySpark can."""
    import pyarrow as pa
    from pyspark.sql import types

    struct = types.StructType([types.StructField("b", types.DateType(), nullable=False)])
    at = types.MapType(types.IntegerType(), types.TimestampType())
    schema = types.StructType([types.StructField("a", types.ArrayType(struct)), types.StructField("m", at)])
    inner = pa.struct([pa.field("b", pa.date32(), nullable=False)])
    expected = [
        ("a", pa.list_(pa.field("element", inner))),
        ("m", pa.map_(pa.int32(), pa.timestamp("us", "UTC"))),
    ]
    assert spark_versions.arrow_schema(schema).equals(pa.schema(expected))


def test_recursive_look_up_of_partitions():
    """A way that turns the discovery of partitions off is not asked of tables with partitions."""
    options = dict(spark_ways.WAYS["recursive"].options)
    assert "recursiveFileLookup" in spark_table.text(TableRead((Field("a", STRING),)), "parquet", options)
    with pytest.raises(Unsupported, match="discovery of partitions"):
        spark_table.text(TableRead((), (Field("a", STRING),)), "parquet", options)
