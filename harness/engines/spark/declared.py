"""A folder as a table of the catalog, whose columns have defaults or lengths: the source text.

https://spark.apache.org/docs/latest/sql-ref-syntax-ddl-alter-table.html (ADD COLUMNS, SPARK-38334) and
https://spark.apache.org/docs/latest/sql-ref-datatypes.html (CharType and VarcharType).
"""

from __future__ import annotations

from typing import Any

from corpora.table_reads import BY_ID, TableRead
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.spark.versions import has_defaults
from harness.engines.special_reads import default_text

_PREFIX = "colconf_declared_"
# A name for each folder: what a frame reads of a partitioned table is looked up by its name, and late.
_NAME = f"{_PREFIX!a} + FOLDER.encode('utf-8', 'surrogateescape').hex()"
_PLACE = "chr(39) + FOLDER.replace(chr(92), chr(92) * 2).replace(chr(39), chr(92) + chr(39)) + chr(39)"
_WORDS = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}


def is_declared(read: TableRead) -> bool:
    """Return whether a read has columns that only a table of the catalog declares."""
    return bool(read.defaults or read.lengths)


def text(read: TableRead, format: str, struct: dict[str, Any], options: dict[str, str] | None) -> str:
    """Return an expression of `session` and FOLDER: the frame of a table; raises Unsupported.

    `struct` is Spark's JSON of the columns, those of partitions behind the others.
    """
    if read.matching == BY_ID:
        raise Unsupported("columns that SQL declares have no field ids")
    if read.defaults and not has_defaults():
        raise Unsupported("Spark has defaults of columns since 3.4 (SPARK-38334)")
    given, lengths = dict(read.defaults), {name: (word, count) for name, word, count in read.lengths}
    fields = {field["name"]: _sql(field["type"]) for field in struct["fields"]}
    for name, (word, count) in lengths.items():
        fields[name] = f"{word.upper()}({count})"
    kinds = {field.name: field.type for field in read.columns}
    added = [
        f"{_quoted(name)} {fields[name]} DEFAULT {_literal(given[name], kinds[name], fields[name])}"
        for name in kinds
        if name in given
    ]
    columns = [f"{_quoted(name)} {type_}" for name, type_ in fields.items() if name not in given]
    split = ", ".join(_quoted(field.name) for field in read.partitions)
    set_ = ", ".join(f"{_string(name)} = {_string(value)}" for name, value in (options or {}).items())
    columns_of = f" ({', '.join(columns)}) USING {format}"
    columns_of += f" OPTIONS ({set_})" * bool(set_) + f" PARTITIONED BY ({split})" * bool(split)
    columns_of += " LOCATION "
    statements = [
        f"{'DROP TABLE IF EXISTS '!a} + table",
        f"{'CREATE TABLE '!a} + table + {columns_of!a} + place",
    ]
    more = f" ADD COLUMNS ({', '.join(added)})"
    statements += [f"{'ALTER TABLE '!a} + table + {more!a}"] * bool(added)
    statements += [f"{'MSCK REPAIR TABLE '!a} + table"] * bool(split)
    run = f"[session.sql(line) for line in ({', '.join(statements)})] and session.table(table)"
    return f"(lambda table, place: {run})({_NAME}, {_PLACE})"


def drop(session: Any) -> None:
    """Drop the tables that expressions of `text` have created; frames of them can be read no more."""
    for table in session.catalog.listTables():
        if table.name.startswith(_PREFIX):
            session.sql(f"DROP TABLE {table.name}")


def _sql(type_: Any) -> str:
    """Return a type of Spark's JSON as SQL."""
    if isinstance(type_, str):
        return _WORDS.get(type_, type_.upper())
    if type_["type"] == "array":
        return f"ARRAY<{_sql(type_['elementType'])}>"
    if type_["type"] == "map":
        return f"MAP<{_sql(type_['keyType'])}, {_sql(type_['valueType'])}>"
    fields = [f"{_quoted(field['name'])}: {_sql(field['type'])}" for field in type_["fields"]]
    return f"STRUCT<{', '.join(fields)}>"


def _literal(value: Value, type_: Type, name: str) -> str:
    """Return the default of a column as SQL; raises Unsupported."""
    text = _string(default_text(value, type_))
    return text if type_.kind == "string" else f"CAST({text} AS {name})"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
