"""A folder as one table, read with a schema: columns and fields of structs that pyorc selects by name.

https://pyorc.readthedocs.io/en/stable/api_reference.html, Reader, `column_names`. pyorc reads one file at a
time, with the types that it has: files are read one after the other, and other reads are Unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corpora.table_reads import EXACT, TableRead
from corpora.tagged import Field
from harness.engines import special_reads
from harness.engines.errors import Unsupported
from harness.engines.pyorc.rendering import PYORC, options_of
from harness.engines.pyorc.values import type_of
from harness.engines.scripts.request import Code, ScriptRequest


def names(read: TableRead) -> list[str]:
    """Return the names of the columns and fields to select; raises Unsupported."""
    if read.matching != EXACT:
        raise Unsupported("pyorc finds columns by their exact names")
    if read.partitions or read.metadata or read.split_bytes is not None:
        raise Unsupported("pyorc knows no partition columns, names of files or splits")
    special_reads.check(read, "pyorc", "recursive")
    if not read.columns:
        raise Unsupported("pyorc reads all columns if none is selected")
    return [name for field in read.columns for name in _leaves(field, "")]


def _leaves(field: Field, above: str) -> Iterator[str]:
    name = above + field.name
    if "." in field.name:
        raise Unsupported("a dot in a name is taken for the one between a struct and its field")
    if field.type.kind != "struct":
        yield name
    for child in field.type.children if field.type.kind == "struct" else ():
        yield from _leaves(child, f"{name}.")


def check(read: TableRead, schema: Any) -> None:
    """Raise Unsupported unless a file, of which this is the schema, has all that is read, as it is read."""
    there = dict(schema.fields.items()) if schema.name == "struct" else {}
    for field in read.columns:
        if field.name not in there:
            raise Unsupported("pyorc adds no columns that a file lacks")
        _check_type(field, there[field.name])


def _check_type(field: Field, described: Any) -> None:
    if field.type.kind == described.name == "struct":
        names = [name for name in described.fields if name in {child.name for child in field.type.children}]
        if names != [child.name for child in field.type.children]:
            raise Unsupported("pyorc reads the fields of a struct in the order of the file, and adds none")
        for child in field.type.children:
            _check_type(child, described.fields[child.name])
    elif type_of(described) != field.type:
        raise Unsupported("pyorc reads columns with the types of the file")


def code(request: ScriptRequest, read: TableRead) -> Code:
    """Return the source of a script that reads the folder FILE; raises Unsupported."""
    if request.query is not None:
        raise Unsupported("pyorc answers no queries of folders")
    columns: Sequence[str] = [field.name for field in read.columns]
    options = options_of(request)
    body = [
        f"names, lines = {list(columns)!a}, []",
        'for path in sorted(glob.glob(f"{glob.escape(FILE)}/**/*.orc", recursive=True)):',
        "    with open(path, 'rb') as file:",
        f"        reader = pyorc.Reader(file, {options}, column_names={names(read)!a})",
        "        places = [list(reader.selected_schema.fields).index(name) for name in names]",
        "        *head, more = told(reader, reader.selected_schema, columns=places)",
        "        lines += more",
        "return *head, lines",
    ]
    return Code(PYORC, body, ["import glob", "from zoneinfo import ZoneInfo"])
