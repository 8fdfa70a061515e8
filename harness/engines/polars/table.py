"""A folder as one table, read with a schema: the source text.

https://docs.pola.rs/api/python/stable/reference/api/polars.scan_parquet.html: `schema`, `missing_columns`,
`extra_columns`, `cast_options`, `hive_schema` and `glob`. Columns have the types of ARROW:schema where a file
has it.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from typing import Any

from corpora.table_reads import EXACT, TableRead
from corpora.tagged import Field, Type
from harness.engines import special_reads
from harness.engines.errors import Unsupported
from harness.engines.polars.query import literal
from harness.engines.polars.versions import parameters
from harness.engines.scripts.literals import evaluate
from harness.engines.scripts.rendering import ARROW
from harness.engines.scripts.request import Code, ScriptRequest

# How the helpers of scripts open the file for its types.
_PATHS = "colconf_paths"
_CASTS = (
    'pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast", '
    'datetime_cast="convert-timezone", missing_struct_fields="insert", extra_struct_fields="ignore"'
)
CATEGORIES = "categorical_to_string"  # an option of `pl.ScanCastOptions`
_SCALARS = {
    "bool": "pl.Boolean",
    "string": "pl.String",
    "bytes": "pl.Binary",
    "date": "pl.Date",
    "time": "pl.Time",
    "null": "pl.Null",
}


def text(read: TableRead, *, statistics: bool = True, categories: bool = True) -> str:
    """Return an expression of `pl`, `glob` and FOLDER that is a lazy frame; raises Unsupported.

    `categories`: this Polars has the option that reads categories, of ARROW:schema, as text.
    """
    if read.matching != EXACT:
        raise Unsupported("Polars finds columns by their exact names")
    if set(read.metadata) - {"file_name"}:
        raise Unsupported("Polars has file paths only; its row index counts the rows of all files")
    if not read.answer:
        raise Unsupported("a frame of Polars without columns has no rows")
    if read.split_bytes is not None:
        raise Unsupported("Polars takes no size of splits")
    special_reads.check(read, "Polars", "recursive", "name_pattern")
    files = f"glob.escape(FOLDER) + {'/**/' + read.name_pattern!a}" if read.name_pattern else "FOLDER"
    hive = f", hive_schema={_schema(read.partitions)}" if read.partitions else ""
    columns = ", ".join(ascii(literal(field.name)) for field in read.schema)
    if read.metadata:
        hive += f", include_file_paths={_PATHS!a}"
        columns += f'{", " * bool(columns)}pl.col({_PATHS!a}).str.split("/").list.last().alias("_file_name")'
    hive += "" if statistics else ", use_statistics=False"
    casts = _CASTS + (f', {CATEGORIES}="allow")' if categories else ")")
    return (
        f'pl.scan_parquet({files}, schema={_schema(read.columns)}, missing_columns="insert", '
        f'extra_columns="ignore", cast_options={casts}, hive_partitioning={bool(read.partitions)}{hive})'
        f".select([{columns}])"
    )


def scan(pl: Any, folder: str, read: TableRead, *, statistics: bool = True) -> Any:
    """Return the lazy frame of a folder; raises Unsupported where this version lacks an option or a type."""
    lacking = {"missing_columns", "extra_columns", "cast_options"} - parameters(pl.scan_parquet)
    if lacking:
        raise Unsupported(f"this Polars scans folders without the option {min(lacking)}")
    casts = parameters(pl.ScanCastOptions.__init__)
    source = text(read, statistics=statistics, categories=CATEGORIES in casts)
    if "pl.Map(" in source and not hasattr(pl, "Map"):
        raise Unsupported("this Polars has no type of maps")
    if "pl.Float16" in source and not hasattr(pl, "Float16"):
        raise Unsupported("this Polars has no type of 16-bit floats")
    return evaluate(source, {"pl": pl, "glob": glob, "FOLDER": folder})


def _schema(fields: Iterable[Field]) -> str:
    return f"{{{', '.join(f'{field.name!a}: {type_text(field.type)}' for field in fields)}}}"


def type_text(type_: Type) -> str:
    """Return a type as an expression of `pl`; raises Unsupported."""
    kind = type_.kind
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind == "int":
        return f"pl.{'' if type_.signed else 'U'}Int{type_.bits}"
    if kind == "float":
        return f"pl.Float{type_.bits}"
    if kind == "decimal":
        return f"pl.Decimal({type_.precision}, {type_.scale})"
    if kind == "int96":
        return 'pl.Datetime("ns")'
    if kind == "timestamp" and type_.unit != "s":
        return f'pl.Datetime("{type_.unit}", {"UTC" if type_.utc else None!a})'
    if kind == "list":
        return f"pl.List({type_text(type_.children[0].type)})"
    if kind == "map":
        key, value = (type_text(child.type) for child in type_.children)
        return f"pl.Map({key}, {value})"
    if kind == "struct":
        return f"pl.Struct({_schema(type_.children)})"
    raise Unsupported(f"Polars reads no table with a column of type {type_}")


def scan_of(request: ScriptRequest, read: TableRead) -> str:
    """Return the expression of a lazy frame of the folder FILE."""
    statistics = request.switches.get("api") != "lazy" or request.pushdown != "off"
    return text(read, statistics=statistics).replace("FOLDER", "FILE")


def code(request: ScriptRequest, read: TableRead, asking: Sequence[str], helpers: str) -> Code:
    """Return the source of a script that reads the folder FILE, and asks for `frame` what is in `asking`."""
    lazy, off = request.switches.get("api") == "lazy", request.pushdown == "off"
    source = scan_of(request, read)
    flags = f", optimizations=pl.QueryOptFlags(predicate_pushdown={not off})" if asking else ""
    engine = "streaming" if lazy else "in-memory"
    body = [
        f"frame = {source}",
        *(["frame = frame.collect()"] if asking and off and not lazy else []),
        *asking,
        f'return told(frame.lazy().collect(engine="{engine}"{flags}).to_arrow())',
    ]
    imports = ["import decimal", *(["import glob"] if read.name_pattern else [])]
    imports += ["from typing import Any", "import polars as pl"]
    return Code(ARROW, body, imports, helpers)
