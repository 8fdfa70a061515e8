"""A folder as one table, read with a schema.

https://docs.daft.ai/en/stable/api/io/, `read_parquet`: a schema is definitive where none is inferred, columns
are found by name, and folders called `key=value` are columns with `hive_partitioning`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from corpora.table_reads import EXACT, TableRead
from corpora.tagged import Field, Type
from harness.engines import special_reads
from harness.engines.errors import Unsupported

_SCALARS = {"bool": "bool", "string": "string", "bytes": "binary", "date": "date", "null": "null"}
_SERVED = ("recursive", "name_pattern", "skips_corrupt")


def frame(daft: Any, folder: str, read: TableRead) -> Any:
    """Return the lazy frame of a folder; raises Unsupported."""
    _check(read)
    option = "ignore_corrupt_files"
    if read.skips_corrupt and option not in inspect.signature(daft.read_parquet).parameters:
        raise Unsupported(f"this Daft reads folders without the option {option}")
    files = f"{folder}/**/{read.name_pattern or '*.parquet'}"
    result = daft.read_parquet(
        files,
        infer_schema=False,
        schema=_schema(daft, read.schema),
        hive_partitioning=bool(read.partitions),
        **({option: True} if read.skips_corrupt else {}),
    )
    return result.select(*(daft.col(field.name) for field in read.schema))


def _check(read: TableRead) -> None:
    special_reads.check(read, "Daft", *_SERVED)
    if read.matching != EXACT:
        raise Unsupported("Daft finds columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("Daft takes no size of splits")
    if read.metadata:
        raise Unsupported("Daft has a column of paths, and none of file names, sizes or numbers of rows")
    if not read.schema:
        raise Unsupported("a frame of Daft without columns has no rows")


def _schema(daft: Any, fields: Iterable[Field]) -> dict[str, Any]:
    return {field.name: data_type(daft, field.type) for field in fields}


def data_type(daft: Any, type_: Type) -> Any:
    """Return a type of Daft; raises Unsupported."""
    types, kind = daft.DataType, type_.kind
    if kind in _SCALARS:
        return getattr(types, _SCALARS[kind])()
    if kind == "int":
        return getattr(types, f"{'' if type_.signed else 'u'}int{type_.bits}")()
    if kind == "float" and type_.bits in (32, 64):
        return getattr(types, f"float{type_.bits}")()
    if kind == "decimal" and (type_.precision or 0) <= 38:
        return types.decimal128(type_.precision, type_.scale)
    if kind == "int96":
        return types.timestamp("ns")
    if kind == "timestamp":
        return types.timestamp(type_.unit, "UTC" if type_.utc else None)
    if kind == "time" and type_.unit in ("us", "ns"):
        return types.time(type_.unit)
    if kind == "list":
        return types.list(data_type(daft, type_.children[0].type))
    if kind == "map":
        return types.map(*(data_type(daft, child.type) for child in type_.children))
    if kind == "struct":
        return types.struct(_schema(daft, type_.children))
    raise Unsupported(f"Daft reads no table with a column of type {type_}")
