"""Writing ORC with pyarrow: the options that its adapter passes and scripts print."""

from __future__ import annotations

from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.orc_columns import orc_options
from harness.engines.pyarrow_orc.write_options import statements
from harness.engines.scripts.writing import Options, Written, arguments, imports_of, table_source
from harness.engines.writer_options import CHOSEN

CODECS = ("UNCOMPRESSED", "SNAPPY", "ZLIB", "LZ4", "ZSTD")


def call_options(table: Table, options: Options) -> Options:
    """Return the options of `write_table`, the others at their defaults; raises Unsupported."""
    codec = options.get("codec", "UNCOMPRESSED")
    if codec not in CODECS:
        raise Unsupported(f"pyarrow.orc does not write codec {codec}")
    dictionary = float(bool(options.get("dictionary", True)))
    return {
        "compression": codec.lower(),
        "dictionary_key_size_threshold": dictionary,
        **orc_options(table, options),
    }


def written(table: Table, options: Options, _: str) -> Written:
    """Return the source that writes ORC with pyarrow."""
    if CHOSEN in options:
        body = [*table_source(table), *statements(table, options[CHOSEN])]
        return Written(imports_of(table, "import pyarrow as pa", "from pyarrow import orc"), "", body)
    body = [*table_source(table), f"orc.write_table(table, FILE{arguments(call_options(table, options))})"]
    return Written(imports_of(table, "import pyarrow as pa", "from pyarrow import orc"), "", body)
