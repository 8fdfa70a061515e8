"""Options of Spark's Parquet writer: those of parquet-java, and settings of the session (`spark.…`)."""

from __future__ import annotations

import random
from typing import Any

from corpora.keys import Keys
from corpora.tagged import Table, Type
from harness.engines.writer_keys import FOOTER, MASTERS, SHARE, columns_by_key, draw_own_keys
from harness.engines.writer_options import Chosen, Option, WriterOptions, among, only_kinds

_PAGE = "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/README.md"
_SQL = "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#configuration"
_ENCRYPTED = "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#columnar-encryption"
SETTING = "spark."
_CRYPTO = "parquet.encryption."
COLUMN_KEYS, UNIFORM_KEY = f"{_CRYPTO}column.keys", f"{_CRYPTO}uniform.key"
_HALF, _DIGITS = 16, 38


def _lacks(type_: Type) -> bool:
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS
    is_half = (type_.kind, type_.bits) == ("float", _HALF)
    return is_half or type_.signed is False or (type_.kind == "timestamp" and type_.unit != "us")


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
            Option("parquet.block.row.count.limit", among("1", "7", "100"), _PAGE),
            Option("parquet.bloom.filter.enabled", among("true"), _PAGE),
            Option("parquet.bloom.filter.max.bytes", among("32", "1024"), _PAGE),
            Option("parquet.bloom.filter.adaptive.enabled", among("true"), _PAGE),
            Option("parquet.page.write-checksum.enabled", among("false"), _PAGE),
            Option("parquet.columnindex.truncate.length", among("1", "3"), _PAGE),
            Option("parquet.statistics.truncate.length", among("1", "3"), _PAGE),
            Option("spark.sql.parquet.writeLegacyFormat", among("true"), _SQL),
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
        keys=lambda chosen: Keys(master_keys=MASTERS) if is_encrypted(chosen) else None,
    )
}


def is_encrypted(chosen: Chosen) -> bool:
    """Return whether drawn options encrypt a file."""
    return COLUMN_KEYS in chosen or UNIFORM_KEY in chosen


def split(chosen: Chosen) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the writer, and the settings of the session."""
    options = {name: value for name, value in chosen.items() if not name.startswith(SETTING)}
    if COLUMN_KEYS in chosen:
        listed = columns_by_key(chosen, COLUMN_KEYS).items()
        options[COLUMN_KEYS] = ";".join(f"{name}:{','.join(columns)}" for name, columns in listed)
        options[f"{_CRYPTO}footer.key"] = FOOTER
        options.pop(UNIFORM_KEY, None)  # there is one or the other
    return options, {name: value for name, value in chosen.items() if name.startswith(SETTING)}
