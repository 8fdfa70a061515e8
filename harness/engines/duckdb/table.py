"""A folder as one table, read with a schema: the text of SQL.

By name, files are united and then cast (https://duckdb.org/docs/stable/data/multiple_files/combining_schemas);
by field id, `read_parquet` has a schema (https://duckdb.org/docs/stable/data/parquet/overview, `schema`).
"""

from __future__ import annotations

from collections.abc import Sequence

from corpora.table_reads import BY_ID, BY_POSITION, METADATA_PREFIX, TableRead
from corpora.tagged import Field, Type, Value
from harness.engines import special_reads
from harness.engines.duckdb.query import NUMBER
from harness.engines.errors import Unsupported

# The names of the columns of all files, inner ones as well.
NAMES = "SELECT DISTINCT name FROM parquet_schema($pattern)"
OPTIONS = "SELECT unnest(parameters) FROM duckdb_functions() WHERE function_name = 'read_parquet'"
COLUMNS = "DESCRIBE SELECT * FROM read_parquet($pattern, union_by_name = true, hive_partitioning = false)"
_SCALARS = {
    "bool": "BOOLEAN",
    "string": "VARCHAR",
    "bytes": "BLOB",
    "date": "DATE",
    "int96": "TIMESTAMP",
}
# https://duckdb.org/docs/stable/data/parquet/overview: the expression of a column, and its option.
_METADATA = {
    "file_name": ("parse_filename(filename)", "filename"),
    "row_index": ("file_row_number", "file_row_number"),
}
_INTEGERS = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}
_TIMES = {"ns": "TIME_NS"}  # since 1.5
_MOMENTS = {"s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "us": "TIMESTAMP", "ns": "TIMESTAMP_NS"}


def text(read: TableRead) -> str:
    """Return the text of a query with the parameter `$pattern`; raises Unsupported."""
    if read.split_bytes is not None:
        raise Unsupported("DuckDB takes no size of splits")
    special_reads.check(read, "DuckDB", *_SERVED, *(["defaults"] if read.matching == BY_ID else []))
    if not read.answer:
        raise Unsupported("SQL selects one column or more")
    if read.matching == BY_POSITION or set(read.metadata) - _METADATA.keys():
        raise Unsupported("DuckDB finds columns by name or field id, and has no sizes and blocks of files")
    hive = _hive(read.partitions)
    if read.matching == BY_ID:
        options = f"schema = {_schema(read)}, hive_partitioning = {str(bool(read.partitions)).lower()}{hive}"
        columns = ", ".join(_quoted(field.name) for field in read.schema)
    else:
        options = f"union_by_name = true, hive_partitioning = {str(bool(read.partitions)).lower()}{hive}"
        columns = ", ".join(
            _quoted(field.name)
            if read.unified
            else f"CAST({_quoted(field.name)} AS {type_text(field.type)}) AS {_quoted(field.name)}"
            for field in read.schema
        )
    for name in read.metadata:
        column, option = _METADATA[name]
        columns += f"{', ' * bool(columns)}{column} AS {_quoted(METADATA_PREFIX + name)}"
        options += f", {option} = true"
    return f"SELECT {columns} FROM read_parquet($pattern, {options})"  # noqa: S608 - names are quoted


_SERVED = ("unified", "recursive", "name_pattern")


def files_of(folder: str, read: TableRead) -> str:
    """Return the pattern of the files that a read of a folder has.

    https://duckdb.org/docs/stable/data/multiple_files/overview#glob-syntax.
    """
    return f"{folder}/**/{read.name_pattern or '*.parquet'}"


def sources(read: TableRead) -> tuple[str, str]:
    """Return the table that a query is asked of; also with a number of its rows, which have no order."""
    source = f"({text(read)})"
    return source, f"(SELECT *, 0 AS {NUMBER} FROM {source})"  # noqa: S608 - names are quoted


def _schema(read: TableRead) -> str:
    """Return the option `schema`: a map from field ids to columns, whose types have no ids inside."""
    ids = dict(read.ids)
    if any(len(path) > 1 for path in ids):
        raise Unsupported("DuckDB's schemas have no field ids inside of types")
    defaults = dict(read.defaults)
    entries = [
        f"{ids[(field.name,)]}: {{name: {_literal(field.name)}, type: {_literal(type_text(field.type))}, "
        f"default_value: {_default(defaults.get(field.name), field.type)}}}"
        for field in read.columns
    ]
    return f"MAP {{{', '.join(entries)}}}"


def _default(value: Value, type_: Type) -> str:
    """Return the default of a column as SQL, text that is cast to its type; raises Unsupported."""
    return "NULL" if value is None else _literal(special_reads.default_text(value, type_))


def _hive(partitions: Sequence[Field]) -> str:
    types = ", ".join(f"{_literal(field.name)}: {type_text(field.type)}" for field in partitions)
    return f", hive_types = {{{types}}}" if partitions else ""


def type_text(type_: Type) -> str:
    """Return a type as SQL; raises Unsupported."""
    kind = type_.kind
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind == "int":
        return f"{'' if type_.signed else 'U'}{_INTEGERS[type_.bits or 64]}"
    if kind == "float" and type_.bits in (32, 64):
        return "FLOAT" if type_.bits == 32 else "DOUBLE"
    if kind == "decimal" and (type_.precision or 0) <= 38:
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if kind == "time":
        return "TIME WITH TIME ZONE" if type_.utc else _TIMES.get(type_.unit or "us", "TIME")
    if kind == "timestamp" and not type_.utc:
        return _MOMENTS[type_.unit or "us"]
    if kind == "timestamp" and type_.unit in {"ms", "us"}:
        return "TIMESTAMP WITH TIME ZONE"
    if kind == "list":
        return f"{type_text(type_.children[0].type)}[]"
    if kind == "struct":
        fields = ", ".join(f"{_quoted(child.name)} {type_text(child.type)}" for child in type_.children)
        return f"STRUCT({fields})"
    if kind == "map":
        key, value = (type_text(child.type) for child in type_.children)
        return f"MAP({key}, {value})"
    raise Unsupported(f"DuckDB has no type {type_}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
