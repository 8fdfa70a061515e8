"""Options of DuckDB's `COPY … TO`, and the source that writes with them."""

from __future__ import annotations

from typing import Any

from corpora.tagged import Table, Type
from harness.engines.writer_options import Chosen, Option, WriterOptions, among, chunked, only_kinds, sizes

_PAGE = "https://duckdb.org/docs/stable/sql/statements/copy#parquet-options"
BESIDE = ("chunks",)  # of the relation that is copied
_DIGITS = 38


def _lacks(type_: Type) -> bool:
    """Return whether DuckDB would write another type: it has no milliseconds of time, nor of instants."""
    if type_.kind == "time":
        return type_.unit not in {"us", "ns"} or bool(type_.utc)
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS
    is_half = (type_.kind, type_.bits) == ("float", 16)
    return is_half or (type_.kind == "timestamp" and bool(type_.utc) and type_.unit != "us")


OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("COMPRESSION", among("uncompressed", "gzip", "zstd", "brotli", "lz4_raw"), _PAGE),
            Option("ROW_GROUP_SIZE", among(1, 7, 100, 2_048, 5_000), _PAGE),
            Option("PARQUET_VERSION", among("V2"), _PAGE),
            Option("DICTIONARY_SIZE_LIMIT", among(0, 1, 2, 10, 1_000), _PAGE),
            Option("STRING_DICTIONARY_PAGE_SIZE_LIMIT", among(16, 100, 1_000), _PAGE),
            Option("BLOOM_FILTER_FALSE_POSITIVE_RATIO", among(0.5, 0.1, 0.001), _PAGE),
            Option("WRITE_BLOOM_FILTER", among(False), _PAGE),
            Option("chunks", sizes(), _PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("uuid", "list", "struct", "map"),
            lacks=_lacks,
        ),
    )
}


def statements(_: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with a `connection` of DuckDB, and `pa`."""
    settings = "".join(f", {name} {_sql(value)}" for name, value in chosen.items() if name not in BESIDE)
    copy = f"COPY t TO '{{quoted}}' (FORMAT parquet{settings})"
    return [
        *chunked(chosen),
        'quoted = FILE.replace("\'", "\'\'")',
        f'connection.from_arrow(table).query("t", f"{copy}")',
    ]


def _sql(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value).lower()
