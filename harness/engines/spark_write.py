"""Writing with Spark: one part file, moved to where it is wanted."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any

from harness.engines.arrow_build import to_arrow
from harness.engines.base import Unsupported

if TYPE_CHECKING:
    from corpora.tagged import Table, Type

_INDEXED = {  # options of parquet-java, README.md; the page index and checksums are always written
    "parquet.page.row.count.limit": "20",
    "parquet.page.size.row.check.min": "20",
    "parquet.bloom.filter.enabled": "true",
    "parquet.bloom.filter.max.bytes": "1024",
}


def write(
    session: Any, scratch: str, file: str, table: Table, *, options: dict[str, Any], codecs: dict[str, str]
) -> None:
    """Write `table` to `file`; raises Unsupported for what Spark has no type or option for."""
    codec = options.get("codec", "SNAPPY")
    if codec not in codecs:
        raise Unsupported(f"Spark does not write codec {codec}")
    schema = _struct([(field.name, field.type) for field in table.columns])
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    frame = session.createDataFrame(to_arrow(table), schema).coalesce(1)
    folder = os.path.join(tempfile.mkdtemp(prefix="write-", dir=scratch), "out")  # noqa: PTH118 - 3.9
    writer = frame.write.option("compression", codecs[codec])
    writer = writer.option("parquet.writer.version", f"v{options.get('page_version', 1)}")
    if options.get("row_group_rows"):
        writer = writer.option("parquet.block.row.count.limit", options["row_group_rows"])
    writer = writer.option("parquet.enable.dictionary", str(options.get("dictionary", True)).lower())
    for name, value in (_INDEXED if options.get("indexed") else {}).items():
        writer = writer.option(name, value)
    try:
        writer.parquet(folder)
        (part,) = glob.glob(os.path.join(glob.escape(folder), "part-*.parquet"))  # noqa: PTH118, PTH207
        shutil.move(part, file)
    finally:
        shutil.rmtree(os.path.dirname(folder), ignore_errors=True)  # noqa: PTH120


def _struct(fields: list[tuple[str, Type]]) -> Any:
    from pyspark.sql import types

    return types.StructType([types.StructField(name, _spark_type(type_)) for name, type_ in fields])


def _spark_type(type_: Type) -> Any:
    """Answer Spark's type of the same meaning; raises Unsupported where there is none."""
    from pyspark.sql import types

    if type_.kind == "int" and type_.signed:
        return {8: types.ByteType, 16: types.ShortType, 32: types.IntegerType, 64: types.LongType}[
            type_.bits or 64
        ]()
    if type_.kind == "float" and type_.bits != 16:
        return types.FloatType() if type_.bits == 32 else types.DoubleType()
    if type_.kind == "decimal" and (type_.precision or 0) <= 38:
        return types.DecimalType(type_.precision or 0, type_.scale or 0)
    if type_.kind == "timestamp" and type_.unit == "us":
        return types.TimestampType() if type_.utc else types.TimestampNTZType()
    if type_.kind == "list":
        return types.ArrayType(_spark_type(type_.children[0].type))
    if type_.kind == "map":
        return types.MapType(*(_spark_type(child.type) for child in type_.children))
    if type_.kind == "struct":
        return _struct([(field.name, field.type) for field in type_.children])
    simple = {
        "null": types.NullType,
        "bool": types.BooleanType,
        "date": types.DateType,
        "string": types.StringType,
        "bytes": types.BinaryType,
    }
    if type_.kind not in simple:
        raise Unsupported(f"Spark has no type {type_}")
    return simple[type_.kind]()
