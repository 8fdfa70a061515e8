"""Options of pyarrow's Parquet writer, and the source that writes with them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from corpora.tagged import INT96, NANOSECONDS, Table, Type, Value, integer, time, timestamp
from harness.engines import arrow_forms
from harness.engines.partitioned import partitions_of
from harness.engines.pyarrow import write_encrypted
from harness.engines.writer_options import (
    Change,
    Chosen,
    Draw,
    Option,
    WriterOptions,
    among,
    any_type,
    by_column,
    changed,
    chunked,
    either,
    leaves,
    only_kinds,
    paths,
    plain,
    scalars,
    sizes,
    some_columns,
)

_PAGE = "https://arrow.apache.org/docs/python/generated/pyarrow.parquet.ParquetWriter.html"
_TYPES = "https://arrow.apache.org/docs/cpp/parquet.html#types"
_SIZES = (1, 2, 7, 64, 333, 1_000, 10_000)
_JULIAN_0 = -2_440_588 * 86_400 * 10**9  # nanoseconds
_DIGITS = {"decimal32": 9, "decimal64": 18, "decimal256": 76}
_NO_BLOOM = ("bool", "null")
# What is done to the table before it is written: not an option of the writer.
_NO_FORMS = (arrow_forms.WITH_NULL, arrow_forms.VIEW, arrow_forms.RUN_ENDS)
_BEFORE = (*arrow_forms.NAMES, "forms", "required", "chunks")
BATCHES = "batches"
_CALLS = ("calls", BATCHES, "row_group_size")
# No option, but what releases before 22.0 do: TIME is always adjusted to UTC (apache/arrow#47316).
UTC_TIMES, _LOCAL_TIMES_SINCE = "utc_times", 22
_NEWEST = "2.6"  # the version of the format that is the default since 13.0
BESIDE = (*_BEFORE, *_CALLS)
_NO_ARGUMENTS = (*BESIDE, UTC_TIMES, *write_encrypted.NAMES)
_REPLACED = " ,;{}()\n\t="  # in the names of columns, by flavor="spark"


def _forms(name: str, table: Table) -> Sequence[str]:
    """Return the Arrow types, beside the usual one, that a column may have."""
    (at,) = [at for at, field in enumerate(table.columns) if field.name == name][:1]
    type_ = table.columns[at].type
    if type_.kind == "string":
        return ("dictionary", "dictionary", "large_string", "string_view")
    if type_.kind == "bytes":
        widths = {len(str(value)) // 2 for value in table.column(at) if value is not None}
        fixed = [f"binary({width})" for width in widths if len(widths) == 1 and width]
        return ("dictionary", "large_binary", "binary_view", *fixed)
    if type_.kind == "list":
        return ("large_list",)
    if type_.kind == "decimal":
        return [form for form, digits in _DIGITS.items() if (type_.precision or 0) <= digits]
    return ("dictionary",) if type_.kind in {"int", "float", "date", "timestamp"} else ()


def _encodings(path: str, table: Table) -> Sequence[str]:
    """Return the encodings that a leaf may have (Encodings.md, Supported Encodings)."""
    types = dict(leaf for field in table.columns for leaf in leaves(field.name, field.type))
    type_ = types[path]
    if type_.kind in {"string", "bytes", "json"}:
        return ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")
    if type_.kind in {"int", "date", "time", "timestamp"}:
        return ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")
    if type_.kind in {"float", "uuid", "decimal"}:
        return ("PLAIN", "BYTE_STREAM_SPLIT", *(["DELTA_BYTE_ARRAY"] * (type_.kind != "float")))
    return ("PLAIN",)


def _draw_encoding(source: Any, table: Table) -> Any:
    """Draw encodings, of columns that then have no dictionary (`use_dictionary`)."""
    return by_column(paths(any_type, inner=True), _encodings)(source, table)


def _is_required(name: str, table: Table) -> Sequence[bool]:
    return (
        [True]
        if any(field.name == name and None not in table.column(at) for at, field in enumerate(table.columns))
        else []
    )


def _int96(_: Any, table: Table) -> Any:
    """Return True if INT96 has all moments: no specification defines Julian days before 0, -4713-11-24."""
    moments = (
        int(str(value)) * NANOSECONDS[str(type_.unit)]
        for at, field in enumerate(table.columns)
        for type_, value in scalars(field.type, table.column(at))
        if type_.kind == "timestamp"
    )
    return True if all(moment >= _JULIAN_0 for moment in moments) else None


def _bloom() -> Draw:
    each = ({"ndv": 1, "fpp": 0.5}, {"ndv": 100, "fpp": 0.01}, {"ndv": 5_000, "fpp": 0.05})
    listed = paths(lambda type_: type_.kind not in _NO_BLOOM, inner=True)
    return by_column(listed, lambda *_: each)


def defaults(release: str, parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Return what a release does by itself, as options, where that changes types otherwise than the newest.

    `parameters` are those of its writer.
    """
    local = int(release.partition(".")[0]) >= _LOCAL_TIMES_SINCE
    version = parameters["version"].default
    result = {} if version == _NEWEST else {"version": version}
    return result if local else {**result, UTC_TIMES: True}


def stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a file holds: options and versions of the format change types, as documented."""
    if chosen.get("flavor") == "spark":
        spaces = str.maketrans(_REPLACED, "_" * len(_REPLACED))
        fields = [(field.name.translate(spaces), field.type) for field in table.columns]
        table = Table.of(fields, [table.column(at) for at in range(len(fields))], table.num_rows)
    return changed(table, _change(chosen))


def _change(chosen: Chosen) -> Change:
    version, coerced = chosen.get("version", _NEWEST), chosen.get("coerce_timestamps")
    utc_times = chosen.get("write_time_adjusted_to_utc") or chosen.get(UTC_TIMES)
    int96 = chosen.get("use_deprecated_int96_timestamps", chosen.get("flavor") == "spark")

    def change(type_: Type) -> Any:
        if type_.kind == "timestamp":
            scale = NANOSECONDS[str(type_.unit)]
            if int96:
                return INT96, lambda value: str(int(value) * scale)
            unit = str(coerced or ("us" if type_.unit == "ns" and version != _NEWEST else type_.unit))
            target = NANOSECONDS[unit]
            return timestamp(unit, utc=bool(type_.utc)), lambda value: str(int(value) * scale // target)
        if type_.kind == "time" and utc_times:
            return time(str(type_.unit), utc=True), _same
        if type_ == integer(32, signed=False) and version == "1.0":
            return integer(64), _same
        return None

    return change


def _same(value: Value) -> Value:
    return value


_CODECS = ("NONE", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4")

OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("forms", by_column(paths(any_type), _forms), _TYPES),
            Option("required", by_column(paths(any_type), _is_required), _TYPES),
            Option("chunks", sizes(), _TYPES),
            # Not implemented, it says: a null in a dictionary, and runs. Views are among its own forms.
            *arrow_forms.options(without=_NO_FORMS),
            Option("calls", sizes(), _PAGE),
            Option(BATCHES, among(True), _PAGE),
            Option("row_group_size", among(*_SIZES), _PAGE),
            Option("version", among("1.0", "2.4"), _PAGE),
            Option("data_page_version", among("2.0"), _PAGE),
            Option(
                "compression",
                either(among(*_CODECS), by_column(paths(any_type, inner=True), lambda *_: _CODECS)),
                _PAGE,
            ),
            Option("use_dictionary", either(among(False), some_columns(paths(any_type, inner=True))), _PAGE),
            Option("column_encoding", _draw_encoding, _PAGE),
            Option(
                "write_statistics", either(among(False), some_columns(paths(any_type, inner=True))), _PAGE
            ),
            Option("use_deprecated_int96_timestamps", _int96, _PAGE),
            Option("coerce_timestamps", among("ms", "us"), _PAGE),
            Option("data_page_size", among(1, 64, 1_000, 10_000), _PAGE),
            Option("max_rows_per_page", among(1, 3, 20, 100), _PAGE),
            Option("write_batch_size", among(1, 5, 64, 10_000), _PAGE),
            Option("dictionary_pagesize_limit", among(1, 32, 256, 2_000), _PAGE),
            Option("use_compliant_nested_type", among(False), _PAGE),
            Option("store_schema", among(False), _PAGE),
            Option("write_page_index", among(True), _PAGE),
            Option("write_page_checksum", among(True), _PAGE),
            Option("sorting_columns", among(0), _PAGE),
            Option("store_decimal_as_integer", among(True), _PAGE),
            Option("write_time_adjusted_to_utc", among(True), _PAGE),
            Option("bloom_filter_options", _bloom(), _PAGE),
            Option(
                "use_content_defined_chunking",
                among(
                    True,
                    {"min_chunk_size": 16, "max_chunk_size": 64},
                    {"min_chunk_size": 256, "max_chunk_size": 1_024, "norm_level": 1},
                ),
                _PAGE,
            ),
            Option("flavor", lambda source, table: "spark" if _int96(source, table) else None, _PAGE),
            *write_encrypted.OPTIONS,
        ),
        only_kinds(
            *("null", "bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("json", "uuid", "list", "struct", "map"),
            lacks=lambda type_: arrow_forms.lacks(type_) or (type_.kind == "time" and bool(type_.utc)),
        ),
        stored,
        keys=write_encrypted.keys,
        sealed=write_encrypted.own_columns,
        partitions=True,
    )
}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa` and `pq`.

    Options that encrypt need more names (`write_encrypted.statements`), and partitioned tables
    `pyarrow.dataset` as `ds`.
    """
    if names := partitions_of(chosen):
        return _data_set(names)
    lines = [*_prepared(table, chosen)]
    options = {name: plain(value) for name, value in chosen.items() if name not in _NO_ARGUMENTS}
    encoded = options.get("column_encoding")
    if encoded:  # "Can only be used when use_dictionary is set to False": of these columns, or of all
        others = [path for path in options.get("use_dictionary") or [] if path not in encoded]
        options["use_dictionary"] = others or False
    text = "".join(f", {name}={value!a}" for name, value in options.items() if name != "sorting_columns")
    if "sorting_columns" in options:
        text += f", sorting_columns=[pq.SortingColumn({options['sorting_columns']})]"
    if write_encrypted.is_encrypted(chosen):
        lines += write_encrypted.statements(chosen)
        text += ", encryption_properties=sealed"
    rows = f", row_group_size={chosen['row_group_size']}" if "row_group_size" in chosen else ""
    if "calls" not in chosen and BATCHES not in chosen:
        return [*lines, f"pq.write_table(table, FILE{rows}{text})"]
    lines.append(f"with pq.ParquetWriter(FILE, table.schema{text}) as writer:")
    if "calls" in chosen:
        lines += ["    at = 0", f"    for rows in {chosen['calls']}:", "        part = table.slice(at, rows)"]
    else:
        lines += ["    for part in [table]:"]
    if BATCHES in chosen:
        lines += ["        for batch in part.to_batches():", f"            writer.write_batch(batch{rows})"]
    else:
        lines += [f"        writer.write_table(part{rows})"]
    return [*lines, *(["        at += rows"] if "calls" in chosen else [])]


def _data_set(names: Sequence[str]) -> list[str]:
    """Return the source that writes `table` into the folder `FILE`, partitioned by columns as Hive does."""
    return [
        f"by = pa.schema([table.schema.field(name) for name in {names!a}])",
        "by = ds.partitioning(by, flavor='hive')",
        "ds.write_dataset(table, FILE, format='parquet', partitioning=by)",
    ]


def _prepared(table: Table, chosen: Chosen) -> list[str]:
    lines = arrow_forms.statements(table, chosen)
    for name, form in arrow_forms.own_forms(plain(chosen.get("forms", {})), chosen).items():
        (at,) = [at for at, field in enumerate(table.columns) if field.name == name][:1]
        lines.append(f"column = table.column({at})")
        lines.append(f"table = table.set_column({at}, {name!a}, {_formed(form, table.columns[at].type)})")
    if "required" in chosen:
        names = list(plain(chosen["required"]))
        fields = f"[field.with_nullable(field.name not in {names!a}) for field in table.schema]"
        lines.append(f"table = pa.Table.from_arrays(table.columns, schema=pa.schema({fields}))")
    lines += chunked(chosen)
    return lines


def _formed(form: str, type_: Type) -> str:
    if form == "dictionary":
        return "column.dictionary_encode()"
    if form == "large_list":
        return "column.cast(pa.large_list(column.type.value_field))"
    if form in _DIGITS:
        return f"column.cast(pa.{form}({type_.precision}, {type_.scale}))"
    return f"column.cast(pa.{form if '(' in form else form + '()'})"
