"""A folder as one table, read with a schema: the source text in SQL.

https://clickhouse.com/docs/sql-reference/table-functions/file: `file` takes a pattern of paths and a
structure, whose columns are found by name. It has virtual columns of the file, and columns of folders called
`key=value`.
"""

# ruff: noqa: S608 - names and texts are quoted

from __future__ import annotations

from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, METADATA_PREFIX, TableRead
from corpora.tagged import Field, Type, Value
from harness.engines import special_reads
from harness.engines.chdb.query import name, quoted
from harness.engines.errors import Unsupported

FORMATS = {"parquet": "Parquet", "orc": "ORC"}
_SCALARS = {"bool": "Bool", "string": "String", "bytes": "String", "date": "Date32"}
_DIGITS = {"ms": 3, "us": 6, "ns": 9}  # of a unit
_NESTED = ("list", "map", "struct")
_METADATA = {"file_name": "_file", "file_size": "toInt64(_size)", "row_index": "toInt64(_row_number)"}
_VIRTUAL = frozenset({"_file", "_size", "_row_number"})
_SERVED = ("defaults", "unified", "recursive", "name_pattern")


def source(folder: str, format: str, read: TableRead) -> str:
    """Return the table of a folder, a query in brackets; raises Unsupported."""
    _check(read, format)
    pattern = quoted(f"{folder}/**/{read.name_pattern or f'*.{format}'}")
    structure = "" if read.unified else f", {quoted(_structure(read))}"
    columns = [name(field.name) for field in read.columns]
    columns += [_partition(field, read) for field in read.partitions]
    columns += [f"{_METADATA[each]} AS {name(METADATA_PREFIX + each)}" for each in read.metadata]
    return f"(SELECT {', '.join(columns)} FROM file({pattern}, {FORMATS[format]}{structure}))"


def _partition(field: Field, read: TableRead) -> str:
    """Return a partition column; without a structure, ClickHouse reads its texts as types of its own."""
    column = name(field.name)
    return f"accurateCast({column}, {quoted(type_text(field.type))}) AS {column}" if read.unified else column


def settings(format: str, read: TableRead) -> dict[str, str]:
    """Return the settings of a read of a folder."""
    return {
        "use_hive_partitioning": str(int(bool(read.partitions))),
        "schema_inference_mode": "'union'" if read.unified else "'default'",
        "schema_inference_make_columns_nullable": "1",  # else a file that lacks a column has zeros in it
        f"input_format_{format}_case_insensitive_column_matching": str(int(read.matching == CASELESS)),
    }


def _check(read: TableRead, format: str) -> None:
    special_reads.check(read, "ClickHouse", *_SERVED)
    if read.matching in (BY_ID, BY_POSITION):
        raise Unsupported("ClickHouse finds columns of files by their names")
    if read.split_bytes is not None:
        raise Unsupported("ClickHouse takes no size of splits")
    if set(read.metadata) - _METADATA.keys():
        raise Unsupported("ClickHouse has no virtual column of the blocks of files")
    if "row_index" in read.metadata and format != "parquet":
        raise Unsupported("ClickHouse numbers the rows of Parquet files alone")
    if not read.schema:
        raise Unsupported("a structure of ClickHouse has one column or more")
    if {field.name for field in read.schema} & _VIRTUAL and read.metadata:
        raise Unsupported("a column of the file hides the virtual column of its name")
    if read.unified and any(field.type.kind == "string" for field in read.partitions):
        raise Unsupported("without a structure, ClickHouse finds out the types of partition columns")


def _structure(read: TableRead) -> str:
    """Return the names, types and defaults of the columns, as the argument `structure` has them."""
    defaults = dict(read.defaults)
    columns = []
    for field in read.schema:
        type_ = type_text(field.type)
        default = ""
        if defaults.get(field.name) is not None:
            default = f" DEFAULT {_default(defaults[field.name], field.type, type_)}"
        columns.append(f"{name(field.name)} {type_}{default}")
    return ", ".join(columns)


def _default(value: Value, type_: Type, text: str) -> str:
    return f"CAST({quoted(special_reads.default_text(value, type_))}, {quoted(text)})"


def type_text(type_: Type, *, nullable: bool = True) -> str:
    """Return a type of ClickHouse; raises Unsupported.

    https://clickhouse.com/docs/sql-reference/data-types/nullable: no Nullable(Array), Map or Tuple.
    """
    kind = type_.kind
    if kind not in _NESTED:
        return f"Nullable({_scalar(type_)})" if nullable else _scalar(type_)
    if kind == "list":
        return f"Array({type_text(type_.children[0].type)})"
    if kind == "map":
        key, value = (child.type for child in type_.children)
        return f"Map({type_text(key, nullable=False)}, {type_text(value)})"
    return f"Tuple({', '.join(f'{name(child.name)} {type_text(child.type)}' for child in type_.children)})"


def _scalar(type_: Type) -> str:
    kind = type_.kind
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind == "int":
        return f"{'' if type_.signed else 'U'}Int{type_.bits}"
    if kind == "float" and type_.bits in (32, 64):
        return f"Float{type_.bits}"
    if kind == "decimal":
        return f"Decimal({type_.precision}, {type_.scale})"
    if kind == "int96":
        return "DateTime64(9, 'UTC')"
    if kind in ("timestamp", "time") and type_.unit in _DIGITS:
        return f"DateTime64({_DIGITS[type_.unit]}, 'UTC')"
    raise Unsupported(f"ClickHouse reads no table with a column of type {type_}")
