"""Options of DuckDB's `COPY … TO`, and the source that writes with them."""

from __future__ import annotations

import random
from typing import Any

from corpora.keys import KEY_SIZES, Keys, suite_key
from corpora.tagged import Table, Type, time
from harness.engines import arrow_forms
from harness.engines.duckdb.connected import CRYPTO
from harness.engines.partitioned import partitions_of
from harness.engines.writer_options import (
    Chosen,
    Option,
    WriterOptions,
    among,
    changed,
    chunked,
    only_kinds,
    sizes,
)

_PAGE = "https://duckdb.org/docs/stable/sql/statements/copy#parquet-options"
_ENCRYPTED_PAGE = "https://duckdb.org/docs/stable/data/parquet/encryption"
# Its value is the number of bytes of the key: DuckDB has one key, for the footer and all columns.
ENCRYPTED = "ENCRYPTION_CONFIG"
# Of the relation that is copied; of the connection.
BESIDE = (*arrow_forms.NAMES, "chunks", ENCRYPTED)
# No option, but what releases before 1.5 do, which have no type TIME_NS:
# https://duckdb.org/docs/stable/sql/data_types/time (TIME is of microseconds).
MICROSECONDS, _NANOSECONDS_SINCE = "times_in_microseconds", (1, 5)
_NO_SETTINGS = (*BESIDE, MICROSECONDS)
# A level in brackets is the option COMPRESSION_LEVEL, which zstd alone has.
_CODECS = ("uncompressed", "gzip", "zstd", "brotli", "lz4_raw", "zstd(1)", "zstd(22)")
_SHARE = 0.3  # of the files that encryption is drawn for: most engines cannot be given keys
_DIGITS = 38


def _lacks(type_: Type) -> bool:
    """Return whether DuckDB would write another type: it has no milliseconds of time, nor of instants."""
    if type_.kind == "time":
        return type_.unit not in {"us", "ns"} or bool(type_.utc)
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS
    is_half = (type_.kind, type_.bits) == ("float", 16)
    return is_half or (type_.kind == "timestamp" and bool(type_.utc) and type_.unit != "us")


def _encrypted(source: random.Random, _: Table) -> Any:
    return source.choice(KEY_SIZES) if source.random() < _SHARE else None


def _key(chosen: Chosen) -> bytes:
    return suite_key("footer", chosen[ENCRYPTED])


def defaults(release: str) -> dict[str, Any]:
    """Return what a release does by itself with types that it lacks, as options."""
    lacks = tuple(map(int, release.split(".")[:2])) < _NANOSECONDS_SINCE
    return {MICROSECONDS: True} if lacks else {}


def stored(table: Table, chosen: Chosen) -> Table:
    """Return the table that a file holds: its names are apart, and times are of a type of the release."""

    def change(type_: Type) -> Any:
        if chosen.get(MICROSECONDS) and type_.kind == "time" and type_.unit == "ns":
            return time("us", utc=bool(type_.utc)), lambda value: str(int(str(value)) // 1_000)
        return None

    return changed(_in_names_apart(table), change)


def _in_names_apart(table: Table) -> Table:
    """Return a table whose names differ in more than case: DuckDB's are compared without it.

    https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers#case-sensitivity-of-identifiers

    No identifier of SQL is empty: a relation of Arrow calls a column without a name v and its number.
    """
    names: dict[bytes, str] = {}  # by the name without case, of ASCII letters
    for at, field in enumerate(table.columns):
        own, number = field.name or f"v{at}", 0
        name = own
        while _folded(name) in names:
            number += 1
            name = f"{own}_{number}"
        names[_folded(name)] = name
    fields = [(name, field.type) for name, field in zip(names.values(), table.columns)]
    return Table.of(fields, [table.column(at) for at in range(len(fields))], table.num_rows)


def _folded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape").lower()


OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("COMPRESSION", among(*_CODECS), _PAGE),
            Option("ROW_GROUP_SIZE", among(1, 7, 100, 2_048, 5_000), _PAGE),
            Option("PARQUET_VERSION", among("V2"), _PAGE),
            Option("DICTIONARY_SIZE_LIMIT", among(0, 1, 2, 10, 1_000), _PAGE),
            Option("STRING_DICTIONARY_PAGE_SIZE_LIMIT", among(16, 100, 1_000), _PAGE),
            Option("BLOOM_FILTER_FALSE_POSITIVE_RATIO", among(0.5, 0.1, 0.001), _PAGE),
            Option("WRITE_BLOOM_FILTER", among(False), _PAGE),
            Option("FIELD_IDS", among("auto"), _PAGE),
            Option("chunks", sizes(), _PAGE),
            *arrow_forms.options(),
            Option(ENCRYPTED, _encrypted, _ENCRYPTED_PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "time", "timestamp", "string", "bytes"),
            *("uuid", "list", "struct", "map"),
            lacks=_lacks,
        ),
        stored,
        keys=lambda chosen: Keys(footer=_key(chosen)) if ENCRYPTED in chosen else None,
        partitions=True,
    )
}


def statements(table: Table, chosen: Chosen) -> list[str]:
    """Return the source that writes `table` of Arrow to `FILE`, with `pa`, `duckdb` and its `connection`."""
    given = {name: value for name, value in chosen.items() if name not in _NO_SETTINGS}
    codec, bracket, level = given.get("COMPRESSION", "").partition("(")
    if bracket:
        given.update({"COMPRESSION": codec, "COMPRESSION_LEVEL": int(level.rstrip(")"))})
    settings = "".join(f", {name} {_sql(value)}" for name, value in given.items())
    before = []
    if ENCRYPTED in chosen:
        key = f"PRAGMA add_parquet_key('suite', '{_key(chosen).decode()}')"
        before = [
            "try:",
            f"    connection.execute(\"SET {CRYPTO} = 'true'\")  # else it wants the extension httpfs",
            "except duckdb.CatalogException:",
            "    pass  # this DuckDB has no such setting, and no such wish",
            f"connection.execute({key!a})",
        ]
        settings += f", {ENCRYPTED} {{{{footer_key: 'suite'}}}}"
    if names := partitions_of(chosen):
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        settings = f", PARTITION_BY ({quoted})"
    copy = f"COPY t TO '{{quoted}}' (FORMAT parquet{settings})"
    return [
        *arrow_forms.statements(table, chosen),
        *chunked(chosen),
        *before,
        'quoted = FILE.replace("\'", "\'\'")',
        f'connection.from_arrow(table).query("t", f{copy!a})',
    ]


def _sql(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value).lower()
