"""Options of fastparquet's writer."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from typing import Any

from corpora.tagged import INT96, NANOSECONDS, Table, Type, Value
from harness.engines.partitioned import partitions_of
from harness.engines.writer_options import (
    COLUMNS,
    Chosen,
    Option,
    WriterOptions,
    among,
    any_type,
    by_column,
    changed,
    either,
    only_kinds,
    paths,
    plain,
    some_columns,
)

_PAGE = "https://fastparquet.readthedocs.io/en/latest/api.html#fastparquet.write"
_HALF, _SINGLE = 16, 32
_HALF_OF_THEM = 0.5
_NOT_A_TIME = str(-(1 << 63))  # numpy's NaT


def _width(name: str, table: Table) -> Sequence[int]:
    """Return the width that all values of a column of bytes have, which fixed text needs."""
    (at,) = [at for at, field in enumerate(table.columns) if field.name == name]
    values = table.column(at)
    widths = {len(str(value)) // 2 for value in values}
    return sorted(widths) if None not in values and len(widths) == 1 and min(widths) else ()


def _offsets(source: random.Random, table: Table) -> Any:
    """Draw the rows at which row groups begin; the first is 0."""
    count = table.num_rows
    if not count:
        return None
    return {"starts": sorted({0, *(source.randrange(count) for _ in range(source.randint(1, 5)))})}


def _nullable(source: random.Random, table: Table) -> Any:
    """Draw columns that may have nulls, or all or none: all that have some."""
    names = [field.name for field in table.columns]
    nulls = [name for at, name in enumerate(names) if None in table.column(at)]
    more = [name for name in names if name in nulls or source.random() < _HALF_OF_THEM]
    return source.choice([True, *([False] if not nulls else []), *([{COLUMNS: more}] if more else [])])


def _nan_is_null(name: str, chosen: Chosen) -> bool:
    """Return whether NaN is written as null: as in pandas, in a column that may have nulls."""
    nullable = plain(chosen.get("has_nulls", True))
    return nullable is True or (isinstance(nullable, list) and name in nullable)


def stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a file holds: nulls instead of NaN, and INT96 instead of timestamps if chosen."""
    columns = [
        [None if _is_nan(field.type, value) else value for value in table.column(at)]
        if field.type.kind == "float" and _nan_is_null(field.name, chosen)
        else table.column(at)
        for at, field in enumerate(table.columns)
    ]
    table = Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)
    if chosen.get("times") != "int96":
        return table

    def change(type_: Type) -> Any:
        if type_.kind != "timestamp":
            return None
        scale = NANOSECONDS[str(type_.unit)]
        return INT96, lambda value: str(int(value) * scale)

    return changed(table, change)


def _is_nan(type_: Type, value: Value) -> bool:
    code = ">f" if type_.bits == _SINGLE else ">d"
    return value is not None and math.isnan(struct.unpack(code, bytes.fromhex(str(value)))[0])


def _holds(type_: Type, values: Sequence[Value]) -> bool:
    """Return whether pandas can hold the values: floats have no null, and one timestamp (NaT) is the null."""
    if type_.kind == "timestamp":
        return _NOT_A_TIME not in values
    return type_.kind != "float" or None not in values


OPTIONS = {
    "parquet": WriterOptions(
        (
            Option(
                "compression",
                either(
                    among("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW"),
                    by_column(paths(any_type), lambda *_: ("SNAPPY", "GZIP", "ZSTD")),
                ),
                _PAGE,
            ),
            Option("row_group_offsets", either(among(1, 7, 100, 1_000), _offsets), _PAGE),
            Option("has_nulls", _nullable, _PAGE),
            Option("stats", either(among(True, False), some_columns(paths(any_type))), _PAGE),
            Option("times", among("int96"), _PAGE),
            Option("fixed_text", by_column(paths(lambda type_: type_.kind == "bytes"), _width), _PAGE),
            Option("custom_metadata", among({"colconf": "é"}), _PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "timestamp", "string", "bytes"),
            lacks=lambda type_: (type_.kind, type_.bits) == ("float", _HALF),
        ),
        stored,
        _holds,
        partitions=True,
    )
}


def call_options(chosen: Chosen) -> dict[str, Any]:
    """Return the options of `fastparquet.write`."""
    if names := partitions_of(chosen):
        return {"file_scheme": "hive", "partition_on": names}
    options = {name: plain(value) for name, value in chosen.items()}
    starts = options.get("row_group_offsets")
    if isinstance(starts, dict):
        options["row_group_offsets"] = starts["starts"]
    return options
