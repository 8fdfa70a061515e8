"""Options of Spark's Parquet writer: those of parquet-java, and settings of the session (`spark.…`)."""

from __future__ import annotations

from corpora.tagged import Type
from harness.engines.writer_options import Chosen, Option, WriterOptions, among, only_kinds

_PAGE = "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/README.md"
_SQL = "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#configuration"
SETTING = "spark."
_HALF, _DIGITS = 16, 38


def _lacks(type_: Type) -> bool:
    if type_.kind == "decimal":
        return (type_.precision or 0) > _DIGITS
    is_half = (type_.kind, type_.bits) == ("float", _HALF)
    return is_half or type_.signed is False or (type_.kind == "timestamp" and type_.unit != "us")


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
        ),
        only_kinds(
            *("bool", "int", "float", "decimal", "date", "timestamp", "string", "bytes"),
            *("list", "struct", "map"),
            lacks=_lacks,
        ),
    )
}


def split(chosen: Chosen) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the writer, and the settings of the session."""
    options = {name: value for name, value in chosen.items() if not name.startswith(SETTING)}
    return options, {name: value for name, value in chosen.items() if name.startswith(SETTING)}
