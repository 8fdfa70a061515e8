"""Options of pyorc's writer."""

from __future__ import annotations

from typing import Any

from corpora.tagged import Table, Type
from harness.engines.orc_columns import in_nanoseconds, numbers_of
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    only_kinds,
    paths,
    plain,
    sizes,
    some_columns,
)

_PAGE = "https://pyorc.readthedocs.io/en/stable/api_reference.html#writer"
BESIDE = ("compression", "compression_strategy", "calls", "blocks")
_BLOCKS = (64, 256, 1_024, 10_240)
_HALF = 16


def _any(_: Type) -> bool:
    return True


OPTIONS = {
    "orc": WriterOptions(
        (
            Option("batch_size", among(1, 7, 100, 5_000), _PAGE),
            Option("stripe_size", among(1, 1_000, 20_000), _PAGE),
            Option("row_index_stride", among(0, 1, 8, 100, 513), _PAGE),
            Option("compression", among("NONE", "SNAPPY", "LZ4", "ZSTD"), _PAGE),
            Option("compression_strategy", among("COMPRESSION"), _PAGE),
            # Sizes of compression blocks and of the memory blocks that they are a multiple of.
            Option(
                "blocks", among(*({"compression": 64 * of, "memory": 64} for of in (1, 4, 16, 160))), _PAGE
            ),
            Option("bloom_filter_columns", some_columns(paths(_any)), _PAGE),
            Option("bloom_filter_fpp", among(0.5, 0.001), _PAGE),
            Option("padding_tolerance", among(0.05, 1.0), _PAGE),
            Option("dict_key_size_threshold", among(0.1, 0.5, 1.0), _PAGE),
            Option("calls", sizes(), _PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct"),
            lacks=lambda type_: type_.signed is False or (type_.kind, type_.bits) == ("float", _HALF),
        ),
        stored=lambda table, _: in_nanoseconds(table),
    )
}


def writer_options(table: Table, chosen: Chosen) -> dict[str, Any]:
    """Return the options of `pyorc.Writer` that are not members of its enumerations."""
    options = {name: value for name, value in chosen.items() if name not in BESIDE}
    if "bloom_filter_columns" in options:
        options["bloom_filter_columns"] = numbers_of(table.columns, plain(options["bloom_filter_columns"]))
    if "blocks" in chosen:
        options["compression_block_size"] = chosen["blocks"]["compression"]
        options["memory_block_size"] = chosen["blocks"]["memory"]
    return options
