"""A folder as one table, read with a schema: the source text.

https://datafusion.apache.org/python/user-guide/data-sources.html: a listing table has one schema, to which a
schema adapter casts what files hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpora.table_reads import EXACT, TableRead
from corpora.tagged import STRING, Type, integer
from harness.engines import special_reads
from harness.engines.datafusion.query import settings
from harness.engines.datafusion.versions import helpers_of, imported, session
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import arrow_schema, arrow_type
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest, is_before

_TYPED = 48  # the first release whose partition columns have types of Arrow, not names of types
_BELOW = "datafusion.execution.listing_table_ignore_subdirectory"
_NAMED = {STRING: ("string", 0), integer(32): ("int", 40)}  # these names, with the first release of each


def text(read: TableRead, *, pruning: bool = True, version: str = "") -> str:
    """Return an expression of `pa`, `session` and FOLDER that is a frame; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("DataFusion finds columns by their exact names")
    if read.split_bytes is not None:
        raise Unsupported("DataFusion takes no size of splits")
    if read.metadata:
        raise Unsupported("no page of DataFusion documents a column of the names of files or numbers of rows")
    special_reads.check(read, "DataFusion", "unified", "recursive")
    types = (f"({field.name!a}, {_partition_type(field.type, version)})" for field in read.partitions)
    partitions = ", ".join(types)
    names = [f'"{field.name.replace(QUOTE, QUOTE * 2)}"' for field in read.schema]
    options = "" if pruning else "parquet_pruning=False, "
    return (
        f'session.read_parquet(FOLDER, table_partition_cols=[{partitions}], file_extension=".parquet", '
        f"{options}schema={None if read.unified else arrow_schema(read.columns)}).select(*{names!a})"
    )


QUOTE = '"'


def options(read: TableRead) -> dict[str, str]:
    """Return the options of the session that reads a folder: by default, no files of folders below it.

    https://datafusion.apache.org/user-guide/configs.html; folders of partition columns are always read.
    """
    return {_BELOW: "false"} if read.recursive else {}


def _partition_type(type_: Type, version: str) -> str:
    if not is_before(version, _TYPED):
        return arrow_type(type_)
    name, since = _NAMED.get(type_, ("", 0))
    if not name or is_before(version, since):
        raise Unsupported(f"DataFusion {version} has no partition columns of type {type_}")
    return ascii(name)


def code(request: ScriptRequest, read: TableRead, asking: Sequence[str]) -> Code:
    """Return the source of a script that reads the folder FILE, and asks for `frame` what is in `asking`."""
    given = {**options(read), **(settings(request.pushdown, request.version) if asking else {})}
    config = f"datafusion.SessionConfig({given or ''}).with_target_partitions(1)"
    frame = text(read, pruning=not asking or request.pushdown != "off", version=request.version)
    body = [
        'FOLDER = FILE + "/"',
        f"session = {session(config, request.version)}",
        f"frame = {frame}",
        *asking,
        "return told(frame.to_arrow_table())",
    ]
    imports = [imported(request.version), *(["import decimal"] if asking else [])]
    return Code(ARROW, body, imports, helpers_of(body, request.version))
