"""What older versions of Spark have instead of what the adapter asks of the newest; 3.2 and later."""

from __future__ import annotations

from inspect import signature
from typing import Any

_FROM_ARROW = (4, 0)  # createDataFrame takes a pyarrow.Table (SPARK-48220)
_ITERATOR_SERVER = (3, 4)  # batches from Python become an iterator, before that an RDD (SPARK-40307)
_ROW_INDEX = (3, 5)  # _metadata.row_index of Parquet (SPARK-37980)
_METADATA = (3, 3)  # _metadata (SPARK-37273)


def number() -> tuple[int, int]:
    """Return (3, 5) for 3.5.9."""
    import pyspark

    major, minor = pyspark.__version__.split(".")[:2]
    return int(major), int(minor)


def has_row_index() -> bool:
    """Return whether Parquet's rows can be asked for their place in the file."""
    return number() >= _ROW_INDEX


def file_of_row() -> Any:
    """Return the column with the file that a row comes from."""
    from pyspark.sql import functions

    if number() >= _METADATA:
        return functions.col("_metadata.file_path")
    return functions.input_file_name()


def arrow_schema(schema: Any) -> Any:
    """Return the Arrow schema of a frame's; before 4.2 its instants have no other zone than UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    if "timezone" in signature(to_arrow_schema).parameters:
        return to_arrow_schema(schema, timezone="UTC")
    return to_arrow_schema(schema)


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
