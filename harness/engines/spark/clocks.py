"""Timestamps of ORC in Spark: both of ORC's types are Spark's TIMESTAMP, an instant of the session's zone.

The wall clock that a TIMESTAMP of ORC is, Spark shows in that zone: a cast to TIMESTAMP_NTZ. Which columns
are of that type, and not TIMESTAMP_INSTANT, Spark's schema does not say; its ORC reader does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpora.tagged import Field, Type
from harness.engines.errors import Unsupported
from harness.engines.zones import UTC

_MICROS = 1_000_000


def with_clocks(session: Any, file: str, schema: Any) -> Any:
    """Return the schema of a file's columns with TIMESTAMP_NTZ where the file has a TIMESTAMP."""
    if not _has_timestamps(schema):
        return schema
    jvm = session.sparkContext._jvm
    orc, configured = jvm.org.apache.orc.OrcFile, session.sparkContext._jsc.hadoopConfiguration()
    reader = orc.createReader(jvm.org.apache.hadoop.fs.Path(file), orc.readerOptions(configured))
    try:
        return _with_clocks(schema, reader.getSchema())
    finally:
        reader.close()


def with_clocks_of(schema: Any, fields: Iterable[Field]) -> Any:
    """Return the schema of a table's columns with TIMESTAMP_NTZ where they are TIMESTAMPs of ORC."""
    from pyspark.sql import types

    of_name = {field.name: field.type for field in fields}
    with_clocks = [
        types.StructField(each.name, _clock_of(each.dataType, of_name.get(each.name)), each.nullable)
        for each in schema.fields
    ]
    return types.StructType(with_clocks)


def _clock_of(type_: Any, read: Type | None) -> Any:
    from pyspark.sql import types

    if read is None or not _has_timestamps(type_):
        return type_
    if type_.typeName() == "timestamp":
        is_clock = (read.kind, read.unit, read.utc) == ("timestamp", "ns", False)
        return _wall_clock() if is_clock else type_
    below = [field.type for field in read.children]
    if type_.typeName() == "array":
        return types.ArrayType(_clock_of(type_.elementType, below[0]), type_.containsNull)
    if type_.typeName() == "map":
        key, value = _clock_of(type_.keyType, below[0]), _clock_of(type_.valueType, below[1])
        return types.MapType(key, value, type_.valueContainsNull)
    return with_clocks_of(type_, read.children)


def _wall_clock() -> Any:
    """Return the type of a wall clock; raises Unsupported."""
    from pyspark.sql import types

    if not hasattr(types, "TimestampNTZType"):
        raise Unsupported("Spark before 3.4 has no type for what its session's zone shows")
    return types.TimestampNTZType()


def as_shown(frame: Any, types: dict[str, Any]) -> Any:
    """Return a frame with these columns cast to these types, the others as they are."""
    from pyspark.sql import functions

    columns = []
    for name in frame.columns:
        column = functions.col("`" + name.replace("`", "``") + "`")
        columns.append(column.cast(types[name]).alias(name) if name in types else column)
    return frame.select(*columns)


def changed(before: Any, after: Any) -> dict[str, Any]:
    """Return the types of the columns in which two schemas differ."""
    pairs = zip(before.fields, after.fields)
    return {new.name: new.dataType for old, new in pairs if old.dataType != new.dataType}


def at_path(schema: Any, path: Iterable[str]) -> Any:
    """Return the type of a column, or of a field of structs, that a query has found there."""
    type_ = schema
    for name in path:
        type_ = type_[name].dataType
    return type_


def session_of(frame: Any) -> Any:
    """Return the session of a frame."""
    return frame.sparkSession if hasattr(frame, "sparkSession") else frame.sql_ctx.sparkSession  # before 3.3


def instant_of(frame: Any, micros: int) -> int:
    """Return the instant, in microseconds, of a wall clock of the zone of a frame's session.

    Raises Unsupported where the zone shows it twice, or never, and beyond 64 bits.
    """
    session = session_of(frame)
    zone = session.conf.get("spark.sql.session.timeZone")
    if zone == UTC:
        return micros
    java = session.sparkContext._jvm.java.time
    local = java.LocalDateTime.ofEpochSecond(micros // _MICROS, 0, java.ZoneOffset.UTC)
    offsets = java.ZoneId.of(zone).getRules().getValidOffsets(local)
    if offsets.size() != 1:
        raise Unsupported(f"{local.toString()} is not a unique instant in {zone}")
    instant = micros - int(offsets.get(0).getTotalSeconds()) * _MICROS
    if not -(1 << 63) <= instant < 1 << 63:
        raise Unsupported(f"{micros} us in {zone} is no instant in 64 bits")
    return instant


def _has_timestamps(type_: Any) -> bool:
    if type_.typeName() == "struct":
        return any(_has_timestamps(field.dataType) for field in type_.fields)
    if type_.typeName() == "array":
        return _has_timestamps(type_.elementType)
    if type_.typeName() == "map":
        return _has_timestamps(type_.keyType) or _has_timestamps(type_.valueType)
    return bool(type_.typeName() == "timestamp")


def _with_clocks(type_: Any, described: Any) -> Any:
    from pyspark.sql import types

    if not _has_timestamps(type_):
        return type_
    if type_.typeName() == "timestamp":
        if described.getCategory().name() != "TIMESTAMP":
            return type_
        return _wall_clock()
    below = list(described.getChildren())
    if type_.typeName() == "array":
        return types.ArrayType(_with_clocks(type_.elementType, below[0]), type_.containsNull)
    if type_.typeName() == "map":
        key, value = _with_clocks(type_.keyType, below[0]), _with_clocks(type_.valueType, below[1])
        return types.MapType(key, value, type_.valueContainsNull)
    fields = [
        types.StructField(field.name, _with_clocks(field.dataType, item), field.nullable, field.metadata)
        for field, item in zip(type_.fields, below)
    ]
    return types.StructType(fields)
