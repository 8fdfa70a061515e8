"""Options of DataFusion's Parquet writer, and the source that writes with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpora.tagged import Table
from harness.engines import arrow_forms
from harness.engines.partitioned import partitions_of
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    any_type,
    by_column,
    leaves,
    only_kinds,
    paths,
    plain,
)

_PAGE = "https://datafusion.apache.org/python/autoapi/datafusion/dataframe/index.html"
_CODECS = ("uncompressed", "snappy", "gzip(6)", "brotli(5)", "lz4_raw", "zstd(3)")
_STATISTICS = ("none", "chunk", "page")


def _column_options(path: str, table: Table) -> Sequence[dict[str, Any]]:
    types = dict(leaf for field in table.columns for leaf in leaves(field.name, field.type))
    kind = types[path].kind
    encodings = {
        **dict.fromkeys(("string", "bytes"), ("delta_byte_array", "delta_length_byte_array")),
        **dict.fromkeys(("int", "date", "time", "timestamp"), ("delta_binary_packed", "byte_stream_split")),
        "float": ("byte_stream_split",),
        "bool": ("rle",),
    }
    return [
        *({"encoding": name, "dictionary_enabled": False} for name in ("plain", *encodings.get(kind, ()))),
        *({"compression": name} for name in _CODECS),
        *({"statistics_enabled": name} for name in _STATISTICS),
        {"bloom_filter_enabled": True, "bloom_filter_fpp": 0.1, "bloom_filter_ndv": 10},
        {"dictionary_enabled": False},
    ]


PLAIN = "without_options"
_NO_ARGUMENTS = (*arrow_forms.NAMES, "column_specific_options")
OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("data_pagesize_limit", among(1, 64, 1_000), _PAGE),
            Option("write_batch_size", among(1, 7, 100), _PAGE),
            Option("writer_version", among("2.0"), _PAGE),
            Option("skip_arrow_metadata", among(True), _PAGE),
            Option("compression", among(*_CODECS), _PAGE),
            Option("dictionary_enabled", among(False), _PAGE),
            Option("dictionary_page_size_limit", among(1, 32, 300), _PAGE),
            Option("statistics_enabled", among("none", "chunk"), _PAGE),
            Option("max_row_group_size", among(1, 7, 100), _PAGE),
            Option("column_index_truncate_length", among(1, 3, 8), _PAGE),
            Option("statistics_truncate_length", among(1, 3, 8), _PAGE),
            Option("data_page_row_count_limit", among(1, 3, 20, 100), _PAGE),
            Option("bloom_filter_on_write", among(True), _PAGE),
            Option("bloom_filter_fpp", among(0.5, 0.01), _PAGE),
            Option("bloom_filter_ndv", among(1, 100), _PAGE),
            *arrow_forms.options(),
            Option("allow_single_file_parallelism", among(False), _PAGE),
            Option("maximum_parallel_row_group_writers", among(2), _PAGE),
            Option("column_specific_options", by_column(paths(any_type, inner=True), _column_options), _PAGE),
        ),
        only_kinds(
            *("null", "bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=lambda type_: arrow_forms.lacks(type_) or (type_.kind == "time" and bool(type_.utc)),
        ),
        partitions=True,
    )
}


def defaults(datafusion: Any) -> dict[str, Any]:
    """Return the options that a release has: before 48, only a codec."""
    return {} if hasattr(datafusion, "ParquetWriterOptions") else {PLAIN: True}


def frame_of(chosen: Chosen, session: str) -> str:
    """Return an expression of `table` that is a frame; `from_arrow` is of 42."""
    return f"{session}.from_arrow{'_table' if chosen.get(PLAIN) else ''}(table)"


def statements(_: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes a `frame` to `FILE`, with `datafusion`."""
    if names := partitions_of(chosen):
        return [
            f"options = datafusion.DataFrameWriteOptions(partition_by={names!a})",
            "frame.write_parquet(FILE, write_options=options)",
        ]
    if chosen.get(PLAIN):
        return ["frame.write_parquet(FILE, compression='snappy')"]
    options = [f"{name}={value!a}" for name, value in chosen.items() if name not in _NO_ARGUMENTS]
    own = plain(chosen.get("column_specific_options", {}))
    if own:
        each = (
            f"{path!a}: datafusion.ParquetColumnOptions({', '.join(f'{n}={v!a}' for n, v in given.items())})"
            for path, given in own.items()
        )
        options.append(f"column_specific_options={{{', '.join(each)}}}")
    return [
        f"options = datafusion.ParquetWriterOptions({', '.join(options)})",
        "frame.write_parquet_with_options(FILE, options)",
    ]
