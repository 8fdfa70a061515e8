"""Options of Spark's writers: those of parquet-java and of ORC's Java writer, and settings of the session."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from corpora.keys import Keys
from corpora.tagged import NANOSECONDS, Table, Type, Value
from harness.engines.orc_columns import in_nanoseconds
from harness.engines.partitioned import PARTITION_BY, partitions_of
from harness.engines.spark import stored_times
from harness.engines.spark.orc_maps import in_order
from harness.engines.spark.stored_times import LEGACY, REBASE, REBASE_INT96, TIMESTAMP_TYPE, ZONE
from harness.engines.writer_keys import FOOTER, MASTERS, SHARE, columns_by_key, draw_own_keys
from harness.engines.writer_options import (
    Chosen,
    Draw,
    Option,
    WriterOptions,
    among,
    only_kinds,
    paths,
    plain,
    scalars,
    some_columns,
)
from harness.engines.zones import UTC

_PAGE = "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/README.md"
_SQL_ORC = "https://spark.apache.org/docs/latest/sql-data-sources-orc.html#data-source-option"
_SQL = "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#configuration"
_ZONE_PAGE = "https://spark.apache.org/docs/latest/configuration.html#runtime-sql-configuration"
_ENCRYPTED = "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#columnar-encryption"
SETTING = "spark."
_CRYPTO = "parquet.encryption."
COLUMN_KEYS, UNIFORM_KEY = f"{_CRYPTO}column.keys", f"{_CRYPTO}uniform.key"
_BLOOM, _BLOOM_BYTES = "parquet.bloom.filter.enabled", "parquet.bloom.filter.max.bytes"
_ROWS_OF_GROUP, _FEW = "parquet.block.row.count.limit", ("1", "7")
_ORC = "https://orc.apache.org/docs/core-java-config.html"
_HALF, _DIGITS = 16, 38
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800  # seconds: what Spark's timestamps have
_ZONES = ("America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/Berlin")
_COLUMN_LISTS = ("orc.bloom.filter.columns", "orc.column.encoding.direct")


def _lacks(type_: Type) -> bool:
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS
    is_half = (type_.kind, type_.bits) == ("float", _HALF)
    return is_half or type_.signed is False or (type_.kind == "timestamp" and type_.unit != "us")


def _lacks_in_orc(type_: Type) -> bool:
    """Return whether Spark has no such type: its TIMESTAMP is ORC's wall clock, of any unit.

    Maps are left out whose keys have children: in which order they are stored, is not known here.
    """
    if type_.kind == "map" and type_.children[0].type.children:
        return True
    return (_lacks(type_) and type_.kind != "timestamp") or bool(type_.utc)


def _is_in_years(type_: Type, values: Sequence[Value]) -> bool:
    """Return whether Spark's microseconds of the years 1 to 9999 have all moments of a column."""
    for inner, value in scalars(type_, values):
        if inner.kind == "timestamp":
            seconds, rest = divmod(int(str(value)), NANOSECONDS["s"] // NANOSECONDS[str(inner.unit)])
            if (
                rest * NANOSECONDS[str(inner.unit)] % NANOSECONDS["us"]
                or not _YEAR_1 <= seconds < _YEAR_10000
            ):
                return False
    return True


def _is_flat(type_: Type) -> bool:
    return not type_.children


def _in_parquet(table: Table, chosen: Chosen) -> Table:
    return _with_partitions(table, stored_times.in_parquet(table, chosen), chosen)


def _in_orc(table: Table, chosen: Chosen) -> Table:
    stored = in_nanoseconds(in_order(table))
    return _with_partitions(table, stored_times.on_the_wall(stored, chosen.get(ZONE, UTC)), chosen)


def _with_partitions(table: Table, stored: Table, chosen: Chosen) -> Table:
    """Return what is stored, with the partition columns as given: an empty text is null (SPARK-19887)."""
    names = partitions_of(chosen)
    if not names:
        return stored
    columns = [
        [value or None for value in table.column(at)] if field.name in names else stored.column(at)
        for at, field in enumerate(table.columns)
    ]
    return Table.of([(field.name, field.type) for field in stored.columns], columns, table.num_rows)


def _of_era(name: str, *others: str) -> Draw:
    """Draw a name; the first only if all moments are in the years that Spark's timestamps have."""

    def draw(source: random.Random, table: Table) -> Any:
        fits = all(_is_in_years(field.type, table.column(at)) for at, field in enumerate(table.columns))
        return source.choice((name, *others) if fits else others)

    return draw


def _uniform_key(source: random.Random, _: Table) -> Any:
    return FOOTER if source.random() < SHARE else None


OPTIONS = {
    "parquet": WriterOptions(
        (
            Option("compression", among("none", "gzip", "zstd", "lz4_raw"), _SQL),
            Option("parquet.writer.version", among("v2"), _PAGE),
            Option("parquet.enable.dictionary", among("false"), _PAGE),
            Option("parquet.page.size", among("64", "1000"), _PAGE),
            Option("parquet.dictionary.page.size", among("16", "200"), _PAGE),
            Option("parquet.page.row.count.limit", among("1", "7", "100"), _PAGE),
            Option("parquet.page.size.row.check.min", among("1", "10"), _PAGE),
            Option("parquet.page.size.row.check.max", among("1", "50"), _PAGE),
            Option("parquet.page.size.check.estimate", among("false"), _PAGE),
            Option("parquet.page.value.count.threshold", among("1", "20"), _PAGE),
            Option("parquet.block.size", among("1", "2000"), _PAGE),
            Option("parquet.writer.max-padding", among("0"), _PAGE),
            Option(_ROWS_OF_GROUP, among("1", "7", "100"), _PAGE),
            Option(_BLOOM, among("true"), _PAGE),
            Option(_BLOOM_BYTES, among("32", "1024"), _PAGE),
            Option("parquet.bloom.filter.adaptive.enabled", among("true"), _PAGE),
            Option("parquet.bloom.filter.candidates.number", among("1", "10"), _PAGE),
            Option("parquet.page.write-checksum.enabled", among("false"), _PAGE),
            Option("parquet.columnindex.truncate.length", among("1", "3"), _PAGE),
            Option("parquet.statistics.truncate.length", among("1", "3"), _PAGE),
            Option("spark.sql.parquet.writeLegacyFormat", among("true"), _SQL),
            Option(TIMESTAMP_TYPE, _of_era("INT96", "TIMESTAMP_MILLIS"), _SQL),
            Option(REBASE, _of_era(LEGACY, "CORRECTED", "EXCEPTION"), _SQL),
            Option(REBASE_INT96, _of_era(LEGACY, "CORRECTED", "EXCEPTION"), _SQL),
            Option(COLUMN_KEYS, draw_own_keys, _ENCRYPTED),
            Option(UNIFORM_KEY, _uniform_key, _ENCRYPTED),
            # These are of no account in a file that is not encrypted.
            Option(f"{_CRYPTO}plaintext.footer", among("true"), _ENCRYPTED),
            Option(f"{_CRYPTO}algorithm", among("AES_GCM_CTR_V1"), _ENCRYPTED),
            Option(f"{_CRYPTO}double.wrapping", among("false"), _ENCRYPTED),
            Option(f"{_CRYPTO}data.key.length.bits", among("256"), _ENCRYPTED),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=_lacks,
        ),
        stored=_in_parquet,
        keys=lambda chosen: Keys(master_keys=MASTERS) if is_encrypted(chosen) else None,
        sealed=lambda chosen: plain(chosen.get(COLUMN_KEYS, {})),
        partitions=True,
    ),
    "orc": WriterOptions(
        (
            Option("compression", among("none", "zlib", "zstd", "lz4", "brotli"), _SQL_ORC),
            Option("orc.stripe.size", among("1", "1000", "20000"), _ORC),
            Option("orc.stripe.row.count", among("1", "7", "100", "1024"), _ORC),
            Option("orc.row.index.stride", among("1000", "5000"), _ORC),
            Option("orc.create.index", among("false"), _ORC),
            Option("orc.block.padding", among("false"), _ORC),
            Option("orc.block.padding.tolerance", among("1.0"), _ORC),
            Option("orc.compress.size", among("256", "1024", "10000"), _ORC),
            Option("orc.write.format", among("0.11"), _ORC),
            Option("orc.write.variable.length.blocks", among("true"), _ORC),
            Option("orc.encoding.strategy", among("COMPRESSION"), _ORC),
            Option("orc.compression.strategy", among("COMPRESSION"), _ORC),
            Option("orc.dictionary.key.threshold", among("0", "0.1", "1.0"), _ORC),
            Option("orc.dictionary.early.check", among("false"), _ORC),
            Option("orc.dictionary.implementation", among("hash"), _ORC),
            Option("orc.rows.between.memory.checks", among("1", "10"), _ORC),
            Option("orc.bloom.filter.columns", some_columns(paths(_is_flat)), _ORC),
            Option("orc.bloom.filter.fpp", among("0.5", "0.001"), _ORC),
            Option("orc.bloom.filter.write.version", among("original"), _ORC),
            Option("orc.column.encoding.direct", some_columns(paths(_is_flat)), _ORC),
            Option(ZONE, among(*_ZONES), _ZONE_PAGE),
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=_lacks_in_orc,
        ),
        stored=_in_orc,
        holds=_is_in_years,
        partitions=True,
    ),
}


def is_encrypted(chosen: Chosen) -> bool:
    """Return whether drawn options encrypt a file."""
    return COLUMN_KEYS in chosen or UNIFORM_KEY in chosen


def split(chosen: Chosen) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the writer, and the settings of the session."""
    options = {
        name: value for name, value in chosen.items() if not name.startswith(SETTING) and name != PARTITION_BY
    }
    if COLUMN_KEYS in chosen:
        listed = columns_by_key(chosen, COLUMN_KEYS).items()
        options[COLUMN_KEYS] = ";".join(f"{name}:{','.join(columns)}" for name, columns in listed)
        options[f"{_CRYPTO}footer.key"] = FOOTER
        options.pop(UNIFORM_KEY, None)  # there is one or the other
    if _BLOOM in options and options.get(_ROWS_OF_GROUP) in _FEW:
        # All filters are held until the end of the file, and each has 1 MiB if nothing else is chosen: those
        # of a row group for each row would take gigabytes.
        options.setdefault(_BLOOM_BYTES, "1024")
    for name in set(_COLUMN_LISTS) & set(options):
        options[name] = ",".join(plain(chosen[name]))
    return options, {name: value for name, value in chosen.items() if name.startswith(SETTING)}
