"""A folder as one table, read with a schema: the source text.

https://datafusion.apache.org/python/user-guide/data-sources.html: a listing table has one schema, to which a
schema adapter casts what files hold.
"""

from __future__ import annotations

from corpora.table_reads import EXACT, TableRead
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import arrow_schema, arrow_type
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest


def text(read: TableRead) -> str:
    """Return an expression of `pa`, `session` and FOLDER that is a frame; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("DataFusion finds columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("DataFusion takes no size of splits")
    partitions = ", ".join(f"({field.name!a}, {arrow_type(field.type)})" for field in read.partitions)
    names = [f'"{field.name.replace(QUOTE, QUOTE * 2)}"' for field in read.schema]
    return (
        f'session.read_parquet(FOLDER, table_partition_cols=[{partitions}], file_extension=".parquet", '
        f"schema={arrow_schema(read.columns)}).select(*{names!a})"
    )


QUOTE = '"'


def code(request: ScriptRequest, read: TableRead) -> Code:  # noqa: ARG001 - as of all engines
    """Return the source of a script that reads the folder FILE."""
    session = "session = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))"
    body = ['FOLDER = FILE + "/"', session, f"return told({text(read)}.to_arrow_table())"]
    return Code(ARROW, body, ["import datafusion"])
