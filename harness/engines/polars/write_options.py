"""Options of Polars' Parquet writer, and the source that writes with them."""

from __future__ import annotations

from corpora.tagged import Table, Type
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    chunked,
    only_kinds,
    paths,
    plain,
    sizes,
    some_columns,
)

_PAGE = "https://docs.pola.rs/api/python/stable/reference/api/polars.DataFrame.write_parquet.html"
_SINK = "https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.sink_parquet.html"
_TYPES = "https://docs.pola.rs/user-guide/concepts/data-types-and-structures"
BESIDE = ("categorical", "chunks", "sink")


def _lacks(type_: Type) -> bool:
    return type_.kind == "time" and (type_.unit != "ns" or bool(type_.utc))


OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("compression", among("uncompressed", "snappy", "gzip", "brotli", "lz4"), _PAGE),
            Option(
                "statistics",
                among(
                    False,
                    "full",
                    {"min": True, "max": False},
                    {"min": False, "distinct_count": True},
                    {"null_count": False},
                ),
                _PAGE,
            ),
            Option("row_group_size", among(1, 2, 10, 100, 333), _PAGE),
            Option("data_page_size", among(1, 16, 256, 4_096), _PAGE),
            Option("metadata", among({"colconf": "é", "": ""}), _PAGE),
            Option("categorical", some_columns(paths(lambda type_: type_.kind == "string")), _TYPES),
            Option("chunks", sizes(), _TYPES),
            Option("sink", among(True), _SINK),
        ),
        only_kinds(
            *("null", "bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("list", "struct"),
            lacks=_lacks,
        ),
    )
}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa` and `pl`."""
    lines = chunked(chosen)
    lines.append(f"frame = pl.from_arrow(table, rechunk={'chunks' not in chosen})")
    if not all(field.name for field in table.columns):
        lines.append("frame.columns = table.column_names  # from_arrow names the columns that have no name")
    if "categorical" in chosen:
        names = plain(chosen["categorical"])
        lines.append(f"frame = frame.with_columns(pl.col({names!a}).cast(pl.Categorical))")
    options = "".join(f", {name}={value!a}" for name, value in chosen.items() if name not in BESIDE)
    call = "frame.lazy().sink_parquet" if "sink" in chosen else "frame.write_parquet"
    return [*lines, f"{call}(FILE{options})"]
