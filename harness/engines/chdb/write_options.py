"""Options of ClickHouse's writers of Parquet and ORC in chDB, and the source that writes with them.

The Parquet writer is ClickHouse's own; the ORC writer is that of ORC C++. A table is handed over as a stream
of Arrow IPC in a file, which `INSERT INTO FUNCTION file(…)` reads. The file format of IPC would not do: it
has no more than one dictionary of a column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from corpora.tagged import BYTES, Table, Type, Value, timestamp
from harness.engines import arrow_forms
from harness.engines.orc_columns import in_nanoseconds
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    any_type,
    by_column,
    changed,
    chunked,
    leaves,
    only_kinds,
    paths,
    plain,
    scalars,
    sizes,
)
from harness.engines.zones import UTC, wall_clock_nanos

_PAGE = "https://clickhouse.com/docs/reference/settings/formats"
_BLOCKS = "https://clickhouse.com/docs/operations/settings/settings#min_insert_block_size_rows"
_TYPES = "https://clickhouse.com/docs/sql-reference/data-types/lowcardinality"
# Before anything is written, its reader of Arrow refuses them in 26.9: "Arrow dictionary contains duplicate
# values", and the types of list views and run ends.
_NO_FORMS = (arrow_forms.TWICE, arrow_forms.LIST_VIEW, arrow_forms.RUN_ENDS)
BESIDE = (*arrow_forms.NAMES, "forms", "chunks")
# No option, but what releases do whose reader of Arrow makes a Tuple that is never null: 26.1, 26.3, 26.7.
FIELDS_OF_NULL = "null_tuple_as_its_fields"
FORMATS = {"parquet": "Parquet", "orc": "ORC"}
# One setting is for all columns of String, which may hold any bytes: text, unless the table has a column of
# bytes (Data types matching, https://clickhouse.com/docs/interfaces/formats/Parquet).
_TEXT = {
    "parquet": "output_format_parquet_string_as_string",
    "orc": "output_format_orc_string_as_string",
}
_ZONE = "output_format_orc_writer_time_zone_name"
_DIGITS = 76
_DIGITS_OF_ORC = 38
_HALF = 16
# What the reader of Arrow says that Date32 has: the years 0 to 9999.
_FIRST_DAY, _LAST_DAY = -719_528, 2_932_896


def _forms(name: str, table: Table) -> Sequence[str]:
    kind = next(field.type.kind for field in table.columns if field.name == name)
    return ("dictionary",) if kind in {"string", "bytes"} else ()


def _lacks(type_: Type) -> bool:
    """Return whether ClickHouse would write another type: it has no floats of 16 bits."""
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS or (type_.scale or 0) < 0
    return (type_.kind, type_.bits) == ("float", _HALF)


def _orc_lacks(type_: Type) -> bool:
    """Return whether ORC has no such type."""
    is_wide = type_.kind == "decimal" and (type_.precision or 0) > _DIGITS_OF_ORC
    return is_wide or type_.signed is False or _lacks(type_)


def _is_text(table: Table) -> bool:
    kinds = {type_.kind for field in table.columns for _, type_ in leaves(field.name, field.type)}
    return "bytes" not in kinds


def _holds(type_: Type, values: Sequence[Value]) -> bool:
    """Return whether Date32 has the dates of a column, at any depth."""
    dates = (int(str(value)) for leaf, value in scalars(type_, values) if leaf.kind == "date")
    return all(_FIRST_DAY <= day <= _LAST_DAY for day in dates)


def _bytes_of(value: Any) -> Value:
    """Return a text as bytes; a long one stands as its digest, which is that of its bytes."""
    return value if isinstance(value, dict) else str(value).encode("utf-8", "surrogateescape").hex()


def _stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a Parquet file holds; DateTime64 is an instant, and Parquet has no seconds."""

    def change(type_: Type) -> Any:
        if type_.kind != "timestamp":
            return None
        if type_.unit == "s":
            return timestamp("ms", utc=True), lambda value: str(int(str(value)) * 1_000)
        return timestamp(type_.unit or "", utc=True), lambda value: value

    return changed(_held(table, chosen), change)


def _stored_in_orc(table: Table, chosen: Chosen) -> Table:
    """Return the table that an ORC file holds: TIMESTAMP is the wall clock of the writer's zone."""
    zone = str(chosen.get(_ZONE, UTC))

    def change(type_: Type) -> Any:
        if type_.kind != "timestamp":
            return None
        return timestamp("ns", utc=False), lambda value: str(wall_clock_nanos(zone, int(str(value))))

    return changed(in_nanoseconds(_held(table, chosen)), change)


def _held(table: Table, chosen: Chosen) -> Table:
    """Return the table that ClickHouse makes of one of Arrow.

    Its reader of Arrow drops a column without a name, which no page says: the writer never gets one. No Array
    and no Map is Nullable, a null one is empty (https://clickhouse.com/docs/sql-reference/data-types/nullable).
    Texts are bytes in a table that has bytes.
    """
    as_bytes = not _is_text(table)

    def change(type_: Type) -> Any:
        return (BYTES, _bytes_of) if type_.kind == "string" and as_bytes else None

    return changed(_named(table, _Nulls(FIELDS_OF_NULL in chosen)), change)


def _named(table: Table, nulls: _Nulls) -> Table:
    named = [(at, field) for at, field in enumerate(table.columns) if field.name]
    columns = [[nulls.held(field.type, value) for value in table.column(at)] for at, field in named]
    return Table.of([(field.name, field.type) for _, field in named], columns, table.num_rows)


class _Nulls(NamedTuple):
    """What a release makes of null lists, maps and tuples; `fields`: each field of a null tuple is null."""

    fields: bool

    def held(self, type_: Type, value: Any) -> Any:
        """Return a value as it is in ClickHouse."""
        types = [child.type for child in type_.children]
        if type_.kind == "list":
            return [self.held(types[0], item) for item in value or []]
        if type_.kind == "map":
            return [[self.held(each, item) for each, item in zip(types, pair)] for pair in value or []]
        if type_.kind == "struct" and (value is not None or self.fields):
            return [self.held(each, item) for each, item in zip(types, value or [None] * len(types))]
        return value


_KINDS = (
    *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
    *("list", "struct", "map"),
)
_BOTH = (
    Option("min_insert_block_size_rows", among(0, 1, 100), _BLOCKS),
    Option("max_block_size", among(1, 7, 100), _BLOCKS),
    Option("forms", by_column(paths(any_type), _forms), _TYPES),
    Option("chunks", sizes(), _BLOCKS),
    *arrow_forms.options(without=_NO_FORMS),
)
OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("output_format_parquet_row_group_size", among(1, 7, 100, 1_000), _PAGE),
            Option("output_format_parquet_row_group_size_bytes", among(1, 1_000, 100_000), _PAGE),
            Option(
                "output_format_parquet_compression_method",
                among("none", "snappy", "lz4", "brotli", "gzip", "zstd"),
                _PAGE,
            ),
            Option("output_format_parquet_parallel_encoding", among(0), _PAGE),
            Option("output_format_parquet_data_page_size", among(1, 64, 1_000, 10_000), _PAGE),
            Option("output_format_parquet_batch_size", among(1, 7, 100), _PAGE),
            Option("output_format_parquet_write_page_index", among(0), _PAGE),
            Option("output_format_parquet_write_bloom_filter", among(0), _PAGE),
            Option("output_format_parquet_bloom_filter_bits_per_value", among(0.5, 6.0, 41.0), _PAGE),
            Option("output_format_parquet_bloom_filter_flush_threshold_bytes", among(0, 1, 1_000), _PAGE),
            Option("output_format_parquet_max_dictionary_size", among(0, 1, 32, 300), _PAGE),
            Option("output_format_parquet_write_checksums", among(0), _PAGE),
            *_BOTH,
        ),
        only_kinds(*_KINDS, lacks=_lacks),
        _stored,
        _holds,
    ),
    "orc": WriterOptions(
        (
            Option(
                "output_format_orc_compression_method",
                among("none", "snappy", "lz4", "zlib", "zstd"),
                _PAGE,
            ),
            Option("output_format_orc_row_index_stride", among(0, 1, 8, 100, 513), _PAGE),
            Option("output_format_orc_dictionary_key_size_threshold", among(0.1, 0.5, 1.0), _PAGE),
            Option("output_format_orc_compression_block_size", among(1 << 16, 1 << 17), _PAGE),
            Option(_ZONE, among("America/New_York", "Asia/Kolkata", "Europe/Berlin"), _PAGE),
            *_BOTH,
        ),
        only_kinds(*_KINDS, lacks=_orc_lacks),
        _stored_in_orc,
        _holds,
    ),
}


def statements(table: Table, chosen: Chosen, format: str) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa` and a `connection`.

    `ARROW` is the name of a file between.
    """
    lines = arrow_forms.statements(table, chosen)
    for name in arrow_forms.own_forms(plain(chosen.get("forms", {})), chosen):
        (at,) = [at for at, field in enumerate(table.columns) if field.name == name]
        encoded = f"table.column({at}).dictionary_encode()"
        lines.append(f"table = table.set_column({at}, {name!a}, {encoded})")
    given = {name: value for name, value in chosen.items() if name not in {*BESIDE, FIELDS_OF_NULL}}
    return [*lines, *chunked(chosen), *insert(table, given, format)]


def insert(table: Table, settings: Mapping[str, Any], format: str) -> list[str]:
    """Return the source that writes `table` under settings of ClickHouse."""
    fixed = {"max_threads": 1, "engine_file_truncate_on_insert": 1}
    given = {**fixed, **({} if _is_text(table) else {_TEXT[format]: 0}), **settings}
    listed = ", ".join(f"{name} = {value!r}" for name, value in given.items())
    target, rows = f"file({{target}}, {FORMATS[format]})", "SELECT * FROM file({source}, ArrowStream)"
    return [
        "with pa.ipc.new_stream(ARROW, table.schema) as sink:",
        "    sink.write_table(table)",
        "escaped = [name.replace('\\\\', '\\\\\\\\').replace(\"'\", \"\\\\'\") for name in (ARROW, FILE)]",
        "source, target = (f\"'{name}'\" for name in escaped)",
        f'connection.query(f"INSERT INTO FUNCTION {target} {rows} SETTINGS {listed}")',
    ]
