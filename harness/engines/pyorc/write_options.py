"""Options of pyorc's writer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from corpora.tagged import Table, Type, Value
from harness.engines.orc_columns import in_nanoseconds, numbers_of
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    any_type,
    changed,
    only_kinds,
    paths,
    plain,
    sizes,
    some_columns,
)
from harness.engines.zones import UTC, ZONES, wall_clock_nanos

_PAGE = "https://pyorc.readthedocs.io/en/stable/api_reference.html#writer"
CALLS, BLOCKS = "calls", "blocks"
ZONE = "timezone"
BESIDE = ("compression", "compression_strategy", CALLS, BLOCKS, ZONE)
_HALF = 16
# Besides those that readers run in: one whose winter time is the one saved, and one that left out a day.
_MORE_ZONES = ("Europe/Dublin", "Pacific/Apia")


def holds(type_: Type, values: Iterable[Value]) -> bool:
    """Return whether Python has the values: a dict has a key once, and no list, struct or map as one."""
    present: list[Any] = [value for value in values if value is not None]
    if type_.kind == "list":
        return all(holds(type_.children[0].type, value) for value in present)
    if type_.kind == "struct":
        return all(holds(child.type, held) for child, held in zip(type_.children, zip(*present)))
    if type_.kind != "map":
        return True
    key, value = (child.type for child in type_.children)
    has_each_once = all(len({str(first) for first, _ in pairs}) == len(pairs) for pairs in present)
    return (
        not key.children and has_each_once and holds(value, [item for pairs in present for _, item in pairs])
    )


def stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a file holds: pyorc takes a TIMESTAMP as an instant, and stores the wall clock.

    ORCv1.md, Timestamp Columns: the wall clock is that of the writer's zone, which `timezone` names.
    """
    zone = chosen.get(ZONE, UTC)

    def change(type_: Type) -> Any:
        if type_.kind != "timestamp" or type_.utc:
            return None
        return type_, lambda value: str(wall_clock_nanos(zone, int(value)))

    return changed(in_nanoseconds(table), change)


OPTIONS = {
    "orc": WriterOptions(
        (
            Option("batch_size", among(1, 7, 100, 5_000), _PAGE),
            Option("stripe_size", among(1, 1_000, 20_000), _PAGE),
            Option("row_index_stride", among(0, 1, 8, 100, 513), _PAGE),
            Option("compression", among("NONE", "SNAPPY", "LZ4", "ZSTD"), _PAGE),
            Option("compression_strategy", among("COMPRESSION"), _PAGE),
            # Sizes of compression blocks and of the memory blocks that they are a multiple of.
            Option(BLOCKS, among(*({"compression": 64 * of, "memory": 64} for of in (1, 4, 16, 160))), _PAGE),
            Option("bloom_filter_columns", some_columns(paths(any_type)), _PAGE),
            Option("bloom_filter_fpp", among(0.5, 0.001), _PAGE),
            Option("padding_tolerance", among(0.05, 1.0), _PAGE),
            Option("dict_key_size_threshold", among(0.1, 0.5, 1.0), _PAGE),
            Option(ZONE, among(*ZONES.values(), *_MORE_ZONES), _PAGE),
            Option(CALLS, sizes(), _PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=lambda type_: type_.signed is False or (type_.kind, type_.bits) == ("float", _HALF),
        ),
        stored=stored,
        holds=holds,
    )
}


def writer_options(table: Table, chosen: Chosen) -> dict[str, Any]:
    """Return the options of `pyorc.Writer` that are not members of its enumerations."""
    options = {name: value for name, value in chosen.items() if name not in BESIDE}
    if "bloom_filter_columns" in options:
        options["bloom_filter_columns"] = numbers_of(table.columns, plain(options["bloom_filter_columns"]))
    if BLOCKS in chosen:
        options["compression_block_size"] = chosen[BLOCKS]["compression"]
        options["memory_block_size"] = chosen[BLOCKS]["memory"]
    return options
