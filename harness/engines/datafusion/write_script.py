"""Writing with DataFusion: the options that its adapter passes and scripts print."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines import arrow_forms
from harness.engines.datafusion.versions import session_of_any
from harness.engines.datafusion.write_options import PLAIN, frame_of, statements
from harness.engines.errors import Unsupported
from harness.engines.scripts.writing import SMALL, Options, Written, arguments, imports_of, table_source
from harness.engines.writer_options import CHOSEN

CODECS = {
    "UNCOMPRESSED": "uncompressed",
    "SNAPPY": "snappy",
    "GZIP": "gzip(6)",
    "BROTLI": "brotli(5)",
    "ZSTD": "zstd(3)",
    "LZ4_RAW": "lz4_raw",
}

# As the adapter does: old releases write a folder with one part.
_ONE_FILE = [
    "if os.path.isdir(FILE):",
    '    (part,) = glob.glob(os.path.join(glob.escape(FILE), "*.parquet"))',
    '    shutil.move(part, FILE + ".part")',
    "    shutil.rmtree(FILE)",
    '    shutil.move(FILE + ".part", FILE)',
]


def call_options(options: Options) -> Options:
    """Return the `ParquetWriterOptions`, the others at their defaults; raises Unsupported."""
    codec = options.get("codec", "SNAPPY")
    if codec not in CODECS:
        raise Unsupported(f"DataFusion does not write codec {codec}")
    result: Options = {
        "compression": CODECS[codec],
        "writer_version": f"{options.get('page_version', 1)}.0",
        "dictionary_enabled": options.get("dictionary", True),
        "max_row_group_size": options.get("row_group_rows") or 1 << 20,
    }
    if options.get("indexed"):
        result.update(data_page_row_count_limit=SMALL, write_batch_size=SMALL, bloom_filter_on_write=True)
    return result


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes with DataFusion."""
    opened = [
        "config = datafusion.SessionConfig().with_target_partitions(1)",
        f"frame = {frame_of(options.get(CHOSEN, {}), session_of_any('config'))}",
    ]
    if CHOSEN in options:
        formed = arrow_forms.statements(table, options[CHOSEN])
        body = [*table_source(table), *formed, *opened, *statements(table, options[CHOSEN])]
        imports = ["import datafusion", "import pyarrow as pa"]
        if options[CHOSEN].get(PLAIN):
            body += _ONE_FILE
            imports += ["import glob", "import shutil"]
        return Written(imports_of(table, *imports), "", body)
    body = [
        *table_source(table),
        f"options = datafusion.ParquetWriterOptions({arguments(call_options(options))[2:]})",
        *opened,
        "frame.write_parquet_with_options(FILE, options)",
    ]
    return Written(imports_of(table, "import datafusion", "import pyarrow as pa"), "", body)
