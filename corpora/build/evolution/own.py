"""Reads of a folder: with a declared schema, with each that a file has, and with all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from corpora.build.opening import File
from corpora.build.reading import open_file
from corpora.build.tagged_columns import tagged_table
from corpora.conversions import why_refused
from corpora.evolution import read_as
from corpora.folders import files_of
from corpora.table_files import TableFile, Undefined, partition_doubt, partition_values
from corpora.table_reads import CASELESS, EXACT, TableRead
from corpora.tagged import DATE, STRING, Field, Table, Type, integer
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile

_DECLARED, _UNIFIED, _CASELESS = "declared", "unified", "caseless"
SCHEMAS = 4  # of a folder's files, asked with each of the first of them


class OwnRead(NamedTuple):
    """A read of a folder, and its name.

    `undefined` is why it has no defined result, "" if it has; `optional` then why a reader may refuse it, "".
    """

    name: str
    read: TableRead
    undefined: str = ""
    optional: str = ""


def doubts(folder: Path, format_: str) -> str:
    """Return why no specification says which files of a folder are the table, "" if all readers agree.

    Readers go by the suffix of names, or take all files; some take hidden ones, some none in other folders
    than `key=value`, some pass over empty files.
    """
    paths = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    first = next(filter(None, (_doubt(path, folder, format_) for path in paths)), "")
    keys: dict[tuple[str, ...], str] = {}
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        keys.setdefault(tuple(partition_values(name)), name)
    if first or len(keys) < 2:
        return first
    before, after, *_ = keys.values()
    why = "no specification says which the table has"
    return f"{before} and {after} lie in folders of other partition columns: {why}"


def refusal(folder: Path) -> str:
    """Return why a reader may refuse a folder: hidden files, or files in hidden folders. "" without these.

    Some readers read every file of a folder, and refuse files without the suffix of the format, such as
    `_SUCCESS` or checksum files, which other readers use for comparison.
    """
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and any(part[0] in "_." for part in parts):
            return f"{'/'.join(parts)}: some readers look at hidden files and folders"
    return ""


def _doubt(path: Path, folder: Path, format_: str) -> str:
    """Return why readers differ in whether a file is of the table of a folder, "" if they do not."""
    *folders, file = path.relative_to(folder).parts
    name, is_named_so = "/".join((*folders, file)), path.suffix == f".{format_}"
    if path.is_dir():
        why = "is a link to a folder: some readers follow it, others do not; move it away"
        return "" if any(part[0] in "_." for part in (*folders, file)) else f"{name} {why}"
    if any(part[0] in "_." for part in folders):
        why = "lies in a hidden folder: some readers read it, others do not; move it away"
        return f"{name} {why}" if is_named_so else ""
    if file[0] in "_.":
        return f"{name} is hidden: some readers read it, others do not; move it away" if is_named_so else ""
    if not is_named_so:
        return f"{name} is not called *.{format_}: some readers read it, others do not; move it away"
    if not path.is_file():
        return f"{name} is no regular file, or a link to none: some readers pass over it; move it away"
    if not path.stat().st_size:
        return f"{name} is empty: some readers pass over it, others refuse it; move it away"
    if len({"=" in part for part in folders}) > 1:
        why = "no specification says which are partitions"
        return f"{name} lies in folders with and without `key=value`: {why}"
    why = partition_doubt(name)
    return f"{name}: {why}" if why else ""


def reads(folder: Path, format_: str, declared: Sequence[Field] = ()) -> Iterator[OwnRead]:
    """Yield reads of a folder; nothing if the reference can open none of its files.

    `declared` are the columns of a schema that the user declares, partition columns among them, () for none:
    the read with it comes first, and no other that is the same.

    The columns are those of each schema that files have, in the order of their paths, of all files by name,
    and by name without case where names differ in it alone, of the schema that the reader makes of those of
    all files and of the names of folders, none, and, unless another read has them, all that have a defined
    result alone. A column that the names of folders hold is a partition column, also where files have one of
    that name. Files in folders of other names are read by readers that are told to.
    """
    files = [path for path in files_of(folder) if path.suffix == f".{format_}"]
    paths = [path.relative_to(folder).as_posix() for path in files]
    partitions = _partitions(paths)
    recursive = not partitions and any("/" in path for path in paths)
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
    listed = {_DECLARED: tuple(field for field in declared if field.name not in names)} if declared else {}
    listed |= {f"schema-{number}": schema for number, schema in enumerate(list(schemas)[:SCHEMAS])}
    if len(schemas) > 1:
        listed["all"] = _united(schemas)
    if len(schemas) > 1 or any(field.type != STRING for field in partitions):
        listed[_UNIFIED] = _united(schemas)
    if differ_in_case(chain.from_iterable(schemas)):
        listed[_CASELESS] = _united(schemas, CASELESS)
    own: TableRead | None = None
    covered: set[str] = set()  # by a defined read
    for name, columns in {**listed, "nothing": ()}.items():
        matching = CASELESS if name == _CASELESS else EXACT
        of_folders = _typed_as(partitions, declared) if name == _DECLARED else partitions
        read = TableRead(tuple(columns), of_folders, matching, unified=name == _UNIFIED, recursive=recursive)
        if read == own:
            continue
        own = read if name == _DECLARED else own
        undefined, optional = _result(empty, read)
        covered |= set() if undefined else {field.name for field in columns}
        yield OwnRead(name, read, undefined, optional)
    if covered.issuperset(field.name for field in _united(schemas)):
        return
    alone = (TableRead((field,), partitions, recursive=recursive) for field in _united(schemas))
    some = [read.columns[0] for read in alone if not _result(empty, read)[0]]
    if not covered.issuperset(field.name for field in some):
        read = TableRead(tuple(some), partitions, recursive=recursive)
        yield OwnRead("defined", read, *_result(empty, read))


def _result(empty: Sequence[TableFile], read: TableRead) -> tuple[str, str]:
    """Return why a read of files, without their rows, has no defined result; else why it may be refused."""
    try:
        used = read_as(empty, read).conversions
    except Undefined as error:  # a schema that the other files have no defined way into
        return str(error) or "no specification says what this read returns", ""
    return "", why_refused(used)


def differ_in_case(fields: Iterable[Field]) -> bool:
    """Return whether names of fields, or of fields in columns of one name, differ only in case."""
    alike: dict[str, list[Field]] = {}
    for field in fields:
        alike.setdefault(field.name.lower(), []).append(field)
    return any(
        len({field.name for field in same}) > 1
        or differ_in_case(child for field in same for child in field.type.children)
        for same in alike.values()
    )


def _united(schemas: Iterable[tuple[Field, ...]], matching: str = EXACT) -> tuple[Field, ...]:
    """Return the columns of all schemas, each of the last type that the others become, else of the last."""
    fields: dict[str, dict[Field, None]] = {}
    for field in chain.from_iterable(schemas):
        key = field.name.lower() if matching == CASELESS else field.name
        fields.setdefault(key, {})[field] = None
    return tuple(
        next(
            (
                field
                for field in reversed(of_name)
                if all(becomes(other.type, field.type, matching) for other in of_name)
            ),
            next(reversed(of_name)),
        )
        for of_name in fields.values()
    )


@cache
def becomes(before: object, after: object, matching: str = EXACT) -> bool:
    """Return whether a text says how values of a type become others; names inside match so."""
    if before == after:
        return True
    if not (isinstance(before, Type) and isinstance(after, Type)):
        return False
    try:
        read = TableRead((Field("x", after),), (), matching)
        read_as([TableFile("", Table.of([("x", before)], [[]]))], read)
    except Undefined:
        return False
    return True


def columns_of(file: File) -> tuple[Field, ...]:
    """Return the columns of a file, by a read of none of its row groups or stripes."""
    if isinstance(file, ParquetFile):
        return tagged_table(file.read(row_groups=[])).columns
    return tagged_table(file.read(stripes=[])).columns


def _partitions(paths: Sequence[str]) -> tuple[Field, ...]:
    """Return the partition columns that all paths have: integers of 32 bits, dates, else text."""
    values = [partition_values(path) for path in paths]
    shared = [name for name in values[0] if all(name in other for other in values)] if values else []
    return tuple(Field(name, _type_of([each[name] for each in values])) for name in shared)


def _typed_as(partitions: Sequence[Field], declared: Sequence[Field]) -> tuple[Field, ...]:
    """Return the partition columns, those that are declared with their declared types."""
    types = {field.name: field.type for field in declared}
    return tuple(Field(field.name, types.get(field.name, field.type)) for field in partitions)


def _type_of(texts: Sequence[str | None]) -> Type:
    return next((type_ for type_, test in _TYPED if all(map(test, texts))), STRING)


def is_integer(text: str | None) -> bool:
    """Return whether the value of a partition is null or an integer as programs write it."""
    return text is None or (text.removeprefix("-").isdecimal() and str(int(text)) == text and len(text) <= 9)


def is_date(text: str | None) -> bool:
    """Return whether the value of a partition is null or a date as programs write it."""
    try:
        return text is None or date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_TYPED = ((integer(32), is_integer), (DATE, is_date))
