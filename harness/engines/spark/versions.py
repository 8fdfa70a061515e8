"""Replacements in older versions of Spark (3.2 and later) for features of the newest."""

from __future__ import annotations

from inspect import signature
from typing import Any

_FROM_ARROW = (4, 0)  # createDataFrame takes a pyarrow.Table (SPARK-48220)
_ITERATOR_SERVER = (3, 4)  # batches from Python become an iterator, before that an RDD (SPARK-40307)
_ROW_INDEX = (3, 5)  # _metadata.row_index of Parquet (SPARK-37980)
_WALL_CLOCKS = (3, 4)  # TIMESTAMP_NTZ, hidden in 3.3 (SPARK-35662)
_DEFAULTS = (3, 4)  # ALTER TABLE … ADD COLUMNS … DEFAULT (SPARK-38334)
_METADATA = (3, 3)  # _metadata (SPARK-37273)


def number() -> tuple[int, int]:
    """Return (3, 5) for 3.5.9."""
    import pyspark

    major, minor = pyspark.__version__.split(".")[:2]
    return int(major), int(minor)


def has_row_index() -> bool:
    """Return whether Parquet's rows can be asked for their place in the file."""
    return number() >= _ROW_INDEX


def has_defaults() -> bool:
    """Return whether columns may have default values."""
    return number() >= _DEFAULTS


def file_of_row() -> Any:
    """Return the column with the file that a row comes from."""
    from pyspark.sql import functions

    if number() >= _METADATA:
        return functions.col("_metadata.file_path")
    return functions.input_file_name()


def has_metadata(session: Any) -> bool:
    """Return whether tables have `_metadata` as the session reads them; newer sources: SPARK-56335."""
    if session.conf.get("spark.sql.sources.useV1SourceList"):
        return True
    load = session._jvm.java.lang.Class.forName
    wanted = load("org.apache.spark.sql.connector.catalog.SupportsMetadataColumns")
    return bool(wanted.isAssignableFrom(load("org.apache.spark.sql.execution.datasources.v2.FileTable")))


def has_wall_clocks() -> bool:
    """Return whether TIMESTAMP_NTZ is a type of tables."""
    return number() >= _WALL_CLOCKS


def arrow_schema(schema: Any) -> Any:
    """Return the Arrow schema of a frame's, its instants in UTC.

    Before 4.0, `to_arrow_type` refuses structs in arrays and maps of instants: this follows what is nested.
    """
    import pyarrow as pa

    return pa.schema([_arrow_field(field) for field in schema.fields])


def _arrow_field(field: Any) -> Any:
    import pyarrow as pa

    return pa.field(field.name, _arrow_type(field.dataType), nullable=field.nullable)


def _arrow_type(type_: Any) -> Any:
    import pyarrow as pa
    from pyspark.sql import types
    from pyspark.sql.pandas.types import to_arrow_type

    if isinstance(type_, types.StructType):
        return pa.struct([_arrow_field(field) for field in type_.fields])
    if isinstance(type_, types.ArrayType):
        return pa.list_(pa.field("element", _arrow_type(type_.elementType), nullable=type_.containsNull))
    if isinstance(type_, types.MapType):
        value = pa.field("value", _arrow_type(type_.valueType), nullable=type_.valueContainsNull)
        return pa.map_(_arrow_type(type_.keyType), value)
    if "timezone" in signature(to_arrow_type).parameters:  # 4.2; all before it know UTC alone
        return to_arrow_type(type_, timezone="UTC")
    return to_arrow_type(type_)


def frame_of(session: Any, table: Any, schema: Any) -> Any:
    """Return a frame of an Arrow table, without a conversion on the way.

    Before 4.0 it takes the way of `createDataFrame` of pandas with Arrow (`sql/pandas/conversion.py`), from
    where the batches are made.
    """
    version = number()
    if version >= _FROM_ARROW:
        return session.createDataFrame(table, schema)
    if not table.num_rows:  # no batches would be no partitions, which is an error
        return session.createDataFrame([], schema)
    from pyspark.sql.dataframe import DataFrame
    from pyspark.sql.pandas.serializers import ArrowStreamSerializer

    jvm = session._jvm
    wrapped = getattr(session, "_wrapped", None)  # of 3.2
    owner = wrapped._jsqlContext if wrapped else session._jsparkSession
    has_iterators = version >= _ITERATOR_SERVER
    before = () if has_iterators else (owner,)
    server = jvm.ArrowIteratorServer if has_iterators else jvm.ArrowRDDServer
    batches = session.sparkContext._serialize_to_jvm(
        table.to_batches(),
        ArrowStreamSerializer(),
        lambda file: jvm.PythonSQLUtils.readArrowStreamFromFile(*before, file),
        lambda: server(*before),
    )
    return DataFrame(jvm.PythonSQLUtils.toDataFrame(batches, schema.json(), owner), wrapped or session)
