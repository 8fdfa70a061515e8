"""The source texts that read folders as tables."""

import json
import re

import pytest

from corpora.table_reads import TableRead
from corpora.tagged import Field, decimal, integer, time, timestamp
from harness.engines.spark import table as spark_table

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
