"""Options of pyarrow's ORC writer, and the source that writes with them."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.tagged import Table, Type, Value
from harness.engines import arrow_forms
from harness.engines.orc_columns import in_nanoseconds, numbers_of
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    any_type,
    by_column,
    chunked,
    only_kinds,
    paths,
    plain,
    sizes,
    some_columns,
)

_PAGE = "https://arrow.apache.org/docs/python/generated/pyarrow.orc.ORCWriter.html"
_TYPES = "https://arrow.apache.org/docs/cpp/orc.html"
CALLS = "calls"
# "Unknown or unsupported Arrow type", in 26.0: dictionaries, views of bytes and lists, and run ends.
_NO_FORMS = (
    *(arrow_forms.TWICE, arrow_forms.WITH_NULL, arrow_forms.PARTS, arrow_forms.INNER),
    *(arrow_forms.VIEW, arrow_forms.LIST_VIEW, arrow_forms.RUN_ENDS),
)
BESIDE = (*arrow_forms.NAMES, "forms", "chunks", CALLS)
_LONG = 1 << 63
_HALF = 16


def _forms(name: str, table: Table) -> Sequence[str]:
    kind = next(field.type.kind for field in table.columns if field.name == name)
    return {
        "string": ("large_string",),
        "bytes": ("large_binary",),
        "list": ("large_list",),
    }.get(kind, ())


def holds(type_: Type, values: Sequence[Value]) -> bool:
    """Return whether Arrow has the values: its timestamps of nanoseconds are integers of 64 bits."""
    if type_.kind == "timestamp":
        return all(value is None or -_LONG <= int(str(value)) < _LONG for value in values)
    return True


def lacks(type_: Type) -> bool:
    """Return whether ORC has no such type."""
    return type_.signed is False or (type_.kind, type_.bits) == ("float", _HALF)


OPTIONS = {
    "orc": WriterOptions(
        (
            Option("file_version", among("0.11"), _PAGE),
            Option("batch_size", among(1, 7, 100, 5_000), _PAGE),
            Option("stripe_size", among(1, 1_000, 20_000), _PAGE),
            Option("compression", among("zlib", "snappy", "lz4", "zstd"), _PAGE),
            # The last is no multiple of 64 KiB, in which the library takes memory: a writer may refuse it.
            Option("compression_block_size", among(1 << 17, 1 << 18, 100_000), _PAGE),
            Option("compression_strategy", among("compression"), _PAGE),
            Option("row_index_stride", among(0, 1, 8, 100, 513), _PAGE),
            Option("padding_tolerance", among(0.05, 1.0), _PAGE),
            Option("dictionary_key_size_threshold", among(0.1, 0.5, 1.0), _PAGE),
            Option("bloom_filter_columns", some_columns(paths(any_type)), _PAGE),
            Option("bloom_filter_fpp", among(0.5, 0.001), _PAGE),
            Option("forms", by_column(paths(any_type), _forms), _TYPES),
            Option("chunks", sizes(), _TYPES),
            Option(CALLS, sizes(), _PAGE),
            *arrow_forms.options(without=_NO_FORMS),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=lacks,
        ),
        stored=lambda table, _: in_nanoseconds(table),
        holds=holds,
    )
}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa` and `orc`."""
    lines = arrow_forms.statements(table, chosen)
    for name, form in arrow_forms.own_forms(plain(chosen.get("forms", {})), chosen).items():
        (at,) = [at for at, field in enumerate(table.columns) if field.name == name]
        formed = {
            "large_list": "column.cast(pa.large_list(column.type.value_field))",
        }.get(form, f"column.cast(pa.{form}())")
        lines += [f"column = table.column({at})", f"table = table.set_column({at}, {name!a}, {formed})"]
    lines += chunked(chosen)
    options = {name: value for name, value in chosen.items() if name not in BESIDE}
    if "bloom_filter_columns" in options:
        options["bloom_filter_columns"] = numbers_of(table.columns, plain(options["bloom_filter_columns"]))
    text = "".join(f", {name}={value!a}" for name, value in options.items())
    if CALLS not in chosen:
        return [*lines, f"orc.write_table(table, FILE{text})"]
    return [
        *lines,
        f"with orc.ORCWriter(FILE{text}) as writer:",
        "    at = 0",
        f"    for rows in {chosen[CALLS]}:",
        "        writer.write(table.slice(at, rows))",
        "        at += rows",
    ]
