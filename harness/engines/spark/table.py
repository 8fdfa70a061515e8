"""A folder as one table, read with a schema: the source text, and what it sets in the session.

https://spark.apache.org/docs/latest/sql-data-sources-parquet.html and -orc.html.
"""

from __future__ import annotations

import json
import os
from typing import Any

from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, METADATA_PREFIX, TableRead
from corpora.tagged import Field, Type
from harness.engines import special_reads
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate
from harness.engines.spark import declared
from harness.engines.spark.versions import has_wall_clocks
from harness.engines.spark.ways import RECURSIVE

_SCALARS = {
    "bool": "boolean",
    "string": "string",
    "bytes": "binary",
    "date": "date",
    "null": "void",
}
_INTEGERS = {8: "byte", 16: "short", 32: "integer", 64: "long"}
_UNSIGNED = {8: "short", 16: "integer", 32: "long", 64: "decimal(20,0)"}  # SPARK-34817
# A time of day is a preview (SPARK-51162), and Parquet's nanoseconds are none of Spark's types: a schema has
# the integers that carry them. Both types of ORC's moments are one type of Spark.
_TIMES = {"ms": "integer"}
_NANOSECONDS = {"parquet": "long", "orc": "timestamp"}
_FLOATS = {32: "float", 64: "double"}
_MOST_DIGITS = 38
# SPARK-37273, and SPARK-42423 for the blocks.
_METADATA = {"block_start": "file_block_start", "block_length": "file_block_length"}


def settings(read: TableRead) -> dict[str, str]:
    """Return what a read sets in the session, away from Spark's defaults."""
    result = {
        "spark.sql.caseSensitive": str(read.matching != CASELESS).lower(),
        "spark.sql.legacy.parquet.nanosAsLong": "true",  # SPARK-40819: the row reader refuses them otherwise
    }
    if read.matching == BY_ID:
        result["spark.sql.parquet.fieldId.read.enabled"] = "true"
        result["spark.sql.parquet.fieldId.read.ignoreMissing"] = "true"
    if read.matching == BY_POSITION:
        result["orc.force.positional.evolution"] = "true"
    if read.skips_corrupt:
        result["spark.sql.files.ignoreCorruptFiles"] = "true"
    if read.removed:
        result["spark.sql.files.ignoreMissingFiles"] = "true"
    if read.unified and all(field.type.kind == "string" for field in read.partitions):
        result["spark.sql.sources.partitionColumnTypeInference.enabled"] = "false"
    if read.split_bytes is not None:
        result["spark.sql.files.maxPartitionBytes"] = str(read.split_bytes)
        result["spark.sql.files.openCostInBytes"] = "0"
    return result


def text(read: TableRead, format: str, options: dict[str, str] | None = None) -> str:
    """Return an expression of `session`, StructType, `json` and FOLDER: a frame; raises Unsupported."""
    if read.matching == BY_ID and format != "parquet":
        raise Unsupported("Spark finds columns of ORC by name or position")
    if read.matching == BY_POSITION and format != "orc":
        raise Unsupported("Spark finds columns of Parquet by name or field id")
    if "row_index" in read.metadata and format != "parquet":
        raise Unsupported("Spark numbers the rows of Parquet alone (SPARK-37980)")
    if read.partitions and RECURSIVE in (options or {}):
        raise Unsupported("recursiveFileLookup turns the discovery of partitions off")
    special_reads.check(read, "Spark", *_SERVED)
    options = {**(options or {}), **_options(read)}
    ids = dict(read.ids) if read.matching == BY_ID else {}
    struct = _struct(read.schema, format, ids, ())
    schema = json.dumps(struct, sort_keys=True)
    names = [_quoted(field.name) for field in read.schema]
    metadata = [f"_metadata.{_METADATA.get(name, name)} AS {METADATA_PREFIX}{name}" for name in read.metadata]
    select = f".selectExpr(*{[*names, *metadata]!a})" if metadata else f".select(*{names!a})"
    if declared.is_declared(read):
        return f"({declared.text(read, format, struct, options)}){select}"
    given = "" if read.unified else f".schema(StructType.fromJson(json.loads({schema!a})))"
    return (
        f"session.read{f'.options(**{options!a})' if options else ''}{given}"
        f'.format("{format}").load(FOLDER){select}'
    )


_SERVED = ("defaults", "lengths", "skips_corrupt", "removed", "unified", "recursive", "name_pattern")


def _options(read: TableRead) -> dict[str, str]:
    """Return the options of the reader of files that a read asks for."""
    result = {"mergeSchema": "true"} if read.unified else {}
    if read.recursive:
        result[RECURSIVE] = "true"
    if read.name_pattern:
        result["pathGlobFilter"] = read.name_pattern
    return result


def frames(
    session: Any, read: TableRead, format: str, folders: list[str], options: dict[str, str] | None = None
) -> list[Any]:
    """Return the frame of each folder, read with options; raises Unsupported.

    Files that the read removes are removed from the folders, which are copies then.
    """
    from pyspark.sql.types import StructType

    names = {"session": session, "StructType": StructType, "json": json}
    source = text(read, format, options)
    result = [evaluate(source, {**names, "FOLDER": folder}) for folder in folders]
    for folder in folders:
        for path in read.removed:
            os.unlink(os.path.join(folder, path))
    return result


def _struct(
    fields: tuple[Field, ...], format: str, ids: dict[tuple[str, ...], int], path: tuple[str, ...]
) -> dict[str, Any]:
    listed = []
    for field in fields:
        below = (*path, field.name)
        metadata = {"parquet.field.id": ids[below]} if below in ids else {}
        type_ = _type(field.type, format, ids, below)
        listed.append({"name": field.name, "type": type_, "nullable": True, "metadata": metadata})
    return {"type": "struct", "fields": listed}


def _type(type_: Type, format: str, ids: dict[tuple[str, ...], int], path: tuple[str, ...]) -> Any:
    """Return Spark's JSON of a type; raises Unsupported."""
    kind = type_.kind
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind == "int":
        return _INTEGERS[type_.bits or 64] if type_.signed else _UNSIGNED[type_.bits or 64]
    if kind == "float" and type_.bits in _FLOATS:
        return _FLOATS[type_.bits]
    if kind == "decimal" and (type_.precision or 0) <= _MOST_DIGITS:
        return f"decimal({type_.precision},{type_.scale})"
    if kind == "timestamp" and type_.unit == "ns":
        return _NANOSECONDS[format]
    if kind == "time":
        return _TIMES.get(type_.unit or "us", "long")
    if kind == "int96":  # spark.sql.parquet.int96AsTimestamp
        return "timestamp"
    if kind == "timestamp" and type_.unit in {"ms", "us"}:
        if not type_.utc and not has_wall_clocks():
            raise Unsupported("Spark has timestamps without a zone since 3.4 (SPARK-35662)")
        return "timestamp" if type_.utc else "timestamp_ntz"
    if kind == "struct":
        return _struct(type_.children, format, ids, path)
    if kind == "list":
        element = _type(type_.children[0].type, format, ids, (*path, "element"))
        return {"type": "array", "elementType": element, "containsNull": True}
    if kind == "map":
        key, value = (_type(child.type, format, ids, (*path, child.name)) for child in type_.children)
        return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}
    raise Unsupported(f"Spark has no type {type_}")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
