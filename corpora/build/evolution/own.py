"""Reads of a folder that its own files suggest: each schema that a file has, and all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.build.opening import File
from corpora.build.reading import open_file
from corpora.build.tagged_columns import tagged_table
from corpora.conversions import why_refused
from corpora.evolution import read_as
from corpora.folders import files_of
from corpora.table_files import TableFile, Undefined, partition_values
from corpora.table_reads import TableRead
from corpora.tagged import STRING, Field, Table, integer
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile

_UNIFIED = "unified"
SCHEMAS = 4  # of a folder's files, asked with each of the first of them


class OwnRead(NamedTuple):
    """A read of a folder, and its name.

    `undefined` is why it has no defined result, "" if it has; `optional` then why a reader may refuse it, "".
    """

    name: str
    read: TableRead
    undefined: str = ""
    optional: str = ""


def reads(folder: Path, format_: str) -> Iterator[OwnRead]:
    """Yield reads of a folder; nothing if the reference can open none of its files.

    The columns are those of each schema that files have, in the order of their paths, of all files by name,
    of the schema that the reader makes of those of all files, and none. A column that the names of folders
    hold is a partition column, also where files have one of that name.
    """
    files = [path for path in files_of(folder) if path.suffix == f".{format_}"]
    paths = [path.relative_to(folder).as_posix() for path in files]
    partitions = _partitions(paths)
    names = {field.name for field in partitions}
    schemas: dict[tuple[Field, ...], None] = {}
    empty: list[TableFile] = []
    for path, name in zip(files, paths, strict=True):
        try:
            columns = columns_of(open_file(str(path), format_))
        except ReferenceError_:
            continue
        schema = tuple(field for field in columns if field.name not in names)
        schemas[schema] = None
        empty.append(TableFile(name, Table.of(schema, [[] for _ in schema])))
    if not schemas:
        return
    united: dict[str, Field] = {}
    for schema in schemas:
        united |= {field.name: field for field in schema}
    listed = {f"schema-{number}": schema for number, schema in enumerate(list(schemas)[:SCHEMAS])}
    if len(schemas) > 1:
        listed["all"] = listed[_UNIFIED] = tuple(united.values())
    for name, columns in {**listed, "nothing": ()}.items():
        read = TableRead(tuple(columns), partitions, unified=name == _UNIFIED)
        try:
            used = read_as(empty, read).conversions
        except Undefined as error:  # a schema that the other files have no defined way into
            yield OwnRead(name, read, undefined=str(error) or "no text says what this read returns")
        else:
            yield OwnRead(name, read, optional=why_refused(used))


def columns_of(file: File) -> tuple[Field, ...]:
    """Return the columns of a file, by a read of none of its row groups or stripes."""
    if isinstance(file, ParquetFile):
        return tagged_table(file.read(row_groups=[])).columns
    return tagged_table(file.read(stripes=[])).columns


def _partitions(paths: Sequence[str]) -> tuple[Field, ...]:
    """Return the partition columns that all paths have: integers of 32 bits, else text."""
    values = [partition_values(path) for path in paths]
    shared = [name for name in values[0] if all(name in other for other in values)] if values else []
    return tuple(
        Field(name, integer(32) if all(is_integer(each[name]) for each in values) else STRING)
        for name in shared
    )


def is_integer(text: str | None) -> bool:
    """Return whether the value of a partition is null or an integer as programs write it."""
    return text is None or (text.removeprefix("-").isdecimal() and str(int(text)) == text and len(text) <= 9)
