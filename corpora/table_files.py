"""The files of a folder that is read as a table, their partitions, and reads whose result is not defined."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from corpora.conversions import NULL_PARTITION
from corpora.table_reads import TableRead
from corpora.tagged import Field, Table, Type

Path = tuple[str, ...]


class Undefined(Exception):  # noqa: N818 - a result, not an error of the program
    """No text says what this read returns."""


class TableFile(NamedTuple):
    """A file of a folder: its path within it, its values, its field ids by path, and its bytes."""

    path: str
    table: Table
    ids: Mapping[Path, int] = {}
    size: int = 0


def check_unified(files: Sequence[TableFile], read: TableRead) -> None:
    """Raise Undefined unless the columns of a read are those of the schema of all files together.

    Files may lack columns, and the last fields of structs: which file comes first is a matter of the engine.
    """
    for field in read.columns:
        types = [each.type for file in files for each in file.table.columns if each.name == field.name]
        if field.type not in types:
            raise Undefined(f"no file has the column {field.name} as {field.type}")
        if not all(_begins(type_, field.type) for type_ in types):
            raise Undefined(f"no specification says what type {field.name} has in the schema of all files")
    for field in read.partitions:
        texts = [folder_values(file.path, read).get(field.name) for file in files]
        check_inferred(field, [text for text in texts if text is not None], read)


def _begins(before: Type, after: Type) -> bool:
    """Return whether a type is another one, apart from the last fields of structs."""
    if (before.kind, after.kind) not in {(kind, kind) for kind in ("struct", "list", "map")}:
        return before == after
    names = [child.name for child in before.children]
    nested = zip(before.children, after.children, strict=False)
    return names == [child.name for child in after.children][: len(names)] and all(
        _begins(left.type, right.type) for left, right in nested
    )


_OF_LETTERS = re.compile("%[89A-Fa-f][0-9A-Fa-f]")  # bytes beyond ASCII
_TYPED_TEXT = re.compile(r"[-+.:0-9eETZ ]*")


def check_inferred(field: Field, texts: Sequence[str], read: TableRead) -> None:
    """Raise Undefined unless the names of folders have the type of a partition column in any engine."""
    if all(other.type.kind == "string" for other in read.partitions):
        return  # the types are not found out
    is_text = any(_TYPED_TEXT.fullmatch(text) is None for text in texts)
    is_int = field.type.kind == "int" and (field.type.bits, field.type.signed) == (32, True)
    if (
        not texts
        or is_text != (field.type.kind == "string")
        or not (is_text or is_int or field.type.kind == "date")
    ):
        raise Undefined(f"no specification says what type the partition column {field.name} is found to have")


def folder_values(path: str, read: TableRead) -> dict[str, str | None]:
    """Return the text of each partition column in the names of the folders that a file is in."""
    if not read.keyless:
        return partition_values(path)
    folders = path.split("/")[:-1]
    return {field.name: unquote(text) for field, text in zip(read.partitions, folders, strict=False)}


def partition_doubt(path: str) -> str:
    """Return why readers find other partition columns or values in a path of folders, "" if they do not."""
    parts = [part.partition("=") for part in path.split("/")[:-1] if "=" in part]
    keys = [unquote(key).lower() for key, _, _ in parts]
    if any("\udc80" <= sign <= "\udcff" for sign in path):
        return "the name of a folder is no UTF-8"
    for (key, _, text), name in zip(parts, keys, strict=True):
        if not name:
            return f"={text} names no column"
        if keys.count(name) > 1:
            return f"the folders name {name} twice: some readers take the first, others the last"
        if unquote(key) != key:
            return f"{key}=: some readers decode the names of columns, others do not"
        if "=" in text:
            return f"{key}={text}: some readers take the first = for the end of the name, others take none"
        if not text:
            return f"{key}= is an empty text to some readers, and null to others"
        try:
            unquote(f"{key}={text}", errors="strict")
        except UnicodeDecodeError:
            return f"{key}={text} is no UTF-8 after the percent signs"
        if _OF_LETTERS.search(f"{key}={text}"):
            return f"{key}={text}: Hive and Spark take each byte behind % for a letter, others take UTF-8"
    return ""


def partition_values(path: str) -> dict[str, str | None]:
    """Return the partition columns of a path of folders, with their values as text, None for null."""
    parts = (part.partition("=") for part in path.split("/")[:-1] if "=" in part)
    return {unquote(key): None if text == NULL_PARTITION else unquote(text) for key, _, text in parts}
