"""Writing with Spark: one part file, moved to its target."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from corpora.tagged import Table, Type, timestamp
from harness.engines.arrow.build import to_arrow
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.spark.keys import Taught
from harness.engines.spark.session import enter_zone
from harness.engines.spark.stored_times import TIMESTAMP_TYPE, ZONE
from harness.engines.spark.versions import frame_of
from harness.engines.spark.write_options import OPTIONS, split
from harness.engines.terms import rescaled
from harness.engines.writer_options import CHOSEN
from harness.engines.zones import UTC

_CODECS = {
    "parquet": {
        "UNCOMPRESSED": "none",
        "SNAPPY": "snappy",
        "GZIP": "gzip",
        "ZSTD": "zstd",
        "LZ4_RAW": "lz4_raw",
    },
    "orc": {"UNCOMPRESSED": "none", "SNAPPY": "snappy", "ZLIB": "zlib", "ZSTD": "zstd", "LZ4": "lz4"},
}
_INDEXED = {  # options of parquet-java, README.md; the page index and checksums are always written
    "parquet.page.row.count.limit": "20",
    "parquet.page.size.row.check.min": "20",
    "parquet.bloom.filter.enabled": "true",
    "parquet.bloom.filter.max.bytes": "1024",
}
_STRIDE = 1_000  # the least that ORC's writers take


def write(  # noqa: PLR0917 - what is written, and how
    taught: Taught,
    scratch: str,
    file: str,
    format: str,
    table: Table,
    options: dict[str, Any],
) -> None:
    """Write `table` to `file`; raises Unsupported for what Spark has no type or option for.

    Without options, it is written as Spark does by default.
    """
    session = taught.session
    chosen, settings = split(options.get(CHOSEN, {}))
    zone = settings.pop(ZONE, UTC)
    keys = OPTIONS[format].keys(options.get(CHOSEN, {}))
    codec = options.get("codec")
    if codec is not None and codec not in _CODECS[format]:
        raise Unsupported(f"Spark does not write {format.upper()} with codec {codec}")
    if options:
        session.conf.set(TIMESTAMP_TYPE, "TIMESTAMP_MICROS")
        given = chosen if CHOSEN in options else _OPTIONS[format](table, options)
    else:
        session.conf.unset(TIMESTAMP_TYPE)
        given = {}
    table = _AS_GIVEN[format](table)
    schema = _struct([(field.name, field.type) for field in table.columns])
    frame = frame_of(session, to_arrow(table), schema).coalesce(1)
    folder = os.path.join(tempfile.mkdtemp(prefix="write-", dir=scratch), "out")
    writer = frame.write.format(format).options(**given)
    if codec is not None:
        writer = writer.option("compression", _CODECS[format][codec])
    names = partitions_of(options.get(CHOSEN, {}))
    try:
        for name, value in settings.items():
            session.conf.set(name, value)
        enter_zone(session, zone)
        with nullcontext() if keys is None else taught.known(keys, ()):
            writer.partitionBy(*names).save(folder)
        if names:
            shutil.move(folder, file)
            return
        (part,) = glob.glob(os.path.join(glob.escape(folder), f"part-*.{format}"))
        shutil.move(part, file)
    finally:
        enter_zone(session, UTC)
        for name in settings:
            session.conf.unset(name)
        shutil.rmtree(os.path.dirname(folder), ignore_errors=True)


def _parquet_options(_: Table, options: dict[str, Any]) -> dict[str, str]:
    result = {
        "parquet.writer.version": f"v{options.get('page_version', 1)}",
        "parquet.enable.dictionary": str(options.get("dictionary", True)).lower(),
    }
    if options.get("row_group_rows"):
        result["parquet.block.row.count.limit"] = str(options["row_group_rows"])
    return {**result, **(_INDEXED if options.get("indexed") else {})}


def _orc_options(table: Table, options: dict[str, Any]) -> dict[str, str]:
    """Return options of ORC's Java writer (OrcConf)."""
    result = {"orc.dictionary.key.threshold": str(float(bool(options.get("dictionary", True))))}
    if options.get("row_group_rows"):
        result["orc.stripe.row.count"] = str(options["row_group_rows"])
    if options.get("indexed"):
        flat = [field.name for field in table.columns if not field.type.children]
        result["orc.row.index.stride"] = str(_STRIDE)
        result["orc.bloom.filter.columns"] = ",".join(flat)
    return result


def for_orc(table: Table) -> Table:
    """Return the table that Spark must be given for its ORC file to hold this one.

    Spark stores its instants as ORC's TIMESTAMP, a wall clock, and its own wall clocks as LONG.
    """
    fields = [(field.name, _stored(field.type)) for field in table.columns]
    columns = [
        [_held(field.type, value) for value in table.column(at)] for at, field in enumerate(table.columns)
    ]
    return Table.of(fields, columns, table.num_rows)


def _stored(type_: Type) -> Type:
    if type_.kind == "timestamp":
        if type_.utc:
            raise Unsupported("Spark writes no ORC file with TIMESTAMP WITH LOCAL TIME ZONE")
        return timestamp("us", utc=True)
    return replace(
        type_, children=tuple(child._replace(type=_stored(child.type)) for child in type_.children)
    )


def _held(type_: Type, value: Any) -> Any:
    if value is None or not (type_.children or type_.kind == "timestamp"):
        return value
    if type_.kind == "timestamp":
        return str(rescaled(type_, value, "us"))
    if type_.kind == "list":
        return [_held(type_.children[0].type, item) for item in value]
    if type_.kind == "map":
        return [[_held(child.type, item) for child, item in zip(type_.children, pair)] for pair in value]
    return [_held(child.type, item) for child, item in zip(type_.children, value)]


def _struct(fields: list[tuple[str, Type]]) -> Any:
    from pyspark.sql import types

    return types.StructType([types.StructField(name, _spark_type(type_)) for name, type_ in fields])


def _spark_type(type_: Type) -> Any:
    """Return Spark's type of the same meaning; raises Unsupported where there is none."""
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
        result = getattr(types, "TimestampType" if type_.utc else "TimestampNTZType", None)
        if result is None:
            raise Unsupported("this Spark has no type for wall clocks")
        return result()
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


_OPTIONS = {"parquet": _parquet_options, "orc": _orc_options}
_AS_GIVEN: dict[str, Callable[[Table], Table]] = {"parquet": lambda table: table, "orc": for_orc}
