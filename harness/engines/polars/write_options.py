"""Options of Polars' Parquet writer, and the source that writes with them."""

from __future__ import annotations

import struct
from typing import Any

from corpora.tagged import Table, Type, Value, floating
from harness.engines import arrow_forms
from harness.engines.partitioned import partitions_of
from harness.engines.polars import write_encrypted
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    changed,
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
BESIDE = (*arrow_forms.NAMES, "categorical", "chunks", "sink")
# No options, but what releases without a type do with columns of Arrow that have it: Float16 is of 1.36, and
# https://docs.pola.rs/py-polars/html/reference/config.html had activate_decimals before 1.0.
HALVES, DECIMALS = "halves_as_floats", "decimals_as_floats"
_NO_ARGUMENTS = (*BESIDE, HALVES, DECIMALS, *write_encrypted.NAMES)


def _lacks(type_: Type) -> bool:
    return arrow_forms.lacks(type_) or (type_.kind == "time" and (type_.unit != "ns" or bool(type_.utc)))


def defaults(pl: Any) -> dict[str, Any]:
    """Return what a release does by itself with types that it lacks, as options."""
    lacking = {HALVES: not hasattr(pl, "Float16"), DECIMALS: int(pl.__version__.partition(".")[0]) < 1}
    return {name: True for name, is_lacking in lacking.items() if is_lacking}


def stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a file holds: columns of types that a release lacks are those of wider floats."""

    def change(type_: Type) -> Any:
        if chosen.get(HALVES) and type_ == floating(16):
            return floating(32), _as_single
        if chosen.get(DECIMALS) and type_.kind == "decimal":
            return floating(64), lambda value: struct.pack(
                ">d", int(value) / 10.0 ** (type_.scale or 0)
            ).hex()
        return None

    return changed(table, change)


def _as_single(value: Value) -> Value:
    if value == "NaN":
        return value
    (number,) = struct.unpack(">e", bytes.fromhex(str(value)))
    return struct.pack(">f", number).hex()


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
            # "not supported in Rust implementation"
            *arrow_forms.options(without=(arrow_forms.LIST_VIEW, arrow_forms.RUN_ENDS)),
            Option("sink", among(True), _SINK),
            *write_encrypted.OPTIONS,
        ),
        only_kinds(
            *("null", "bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("list", "struct"),
            lacks=_lacks,
        ),
        stored,
        keys=write_encrypted.keys,
        sealed=write_encrypted.own_columns,
        partitions=True,
    )
}


def arguments(chosen: Chosen) -> dict[str, Any]:
    """Return the drawn options that are arguments of a writing function."""
    return {name: value for name, value in chosen.items() if name not in _NO_ARGUMENTS}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa` and `pl`."""
    lines = [*arrow_forms.statements(table, chosen), *chunked(chosen)]
    lines.append(f"frame = pl.from_arrow(table, rechunk={'chunks' not in chosen})")
    if not all(field.name for field in table.columns):
        lines.append("frame.columns = table.column_names  # from_arrow names the columns that have no name")
    if "categorical" in chosen:
        names = plain(chosen["categorical"])
        lines.append(f"frame = frame.with_columns(pl.col({names!a}).cast(pl.Categorical))")
    options = "".join(f", {name}={value!a}" for name, value in arguments(chosen).items())
    if write_encrypted.is_encrypted(chosen):
        lines += write_encrypted.statements(chosen)
        options += ", encryption=sealed"
    if names := partitions_of(chosen):
        options = f", partition_by={names!a}"
    call = "frame.lazy().sink_parquet" if "sink" in chosen else "frame.write_parquet"
    return [*lines, f"{call}(FILE{options})"]
