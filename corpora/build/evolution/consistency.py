"""Contradictions between files of one table: notes, as neither format says how files are read together.

Each kind of note has the text by which readers of tables come to different answers. Files are compared by
their schemas; of values only those of columns that the names of folders hold, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.build.evolution.own import becomes, columns_of, is_integer
from corpora.build.field_ids import field_ids, required
from corpora.build.reading import open_file
from corpora.build.tagged_columns import tagged_table
from corpora.evolution import typed
from corpora.keys import Keys
from corpora.table_files import Undefined, partition_doubt, partition_values
from corpora.tagged import Field, Type

KINDS = {
    "table-types": "Spark SQL, Parquet Files, Schema Merging; Iceberg, Table Spec, Schema Evolution",
    "table-case": "Spark SQL, spark.sql.caseSensitive",
    "table-nulls": "Spark SQL, Parquet Files (columns are nullable); Iceberg, Table Spec, Schema Evolution",
    "table-name-twice": "Spark SQL, COLUMN_ALREADY_EXISTS; Iceberg, Table Spec, Schemas",
    "table-id-names": "Iceberg, Table Spec, Column Projection",
    "table-name-ids": "Iceberg, Table Spec, Column Projection",
    "table-id-twice": "Iceberg, Table Spec, Schemas: field ids are unique in a table",
    "table-id-some": "Iceberg, Table Spec, Column Projection",
    "table-partition-columns": "Spark SQL, Parquet Files, Partition Discovery",
    "table-partition-names": "Spark SQL, Parquet Files, Partition Discovery",
    "table-partition-types": "Spark SQL, Parquet Files, Partition Discovery",
    "table-partition-values": "Spark SQL, Parquet Files, Partition Discovery",
}
_COMPARED = {"string", "int", "date"}  # types that a text says the names of folders become
ColumnPath = tuple[str, ...]


class Note(NamedTuple):
    """A contradiction: a key of KINDS, the path of its column, () for none, and the files."""

    kind: str
    path: ColumnPath
    message: str
    files: tuple[str, ...]


class Contradiction(NamedTuple):
    """A column of a file with another value than the name of the file's folder."""

    column: str
    folder: str | None
    value: str | None


class FileSchema(NamedTuple):
    """The compared parts of a file: its path in the folder, columns, field ids by path, and partitions.

    `required` says of the fields of Parquet whether they are.
    """

    path: str
    columns: tuple[Field, ...]
    ids: tuple[tuple[ColumnPath, int], ...]
    contradictions: tuple[Contradiction, ...] = ()
    required: tuple[tuple[ColumnPath, bool], ...] = ()


def schema_of(path: Path, folder: Path, format_: str, keys: Keys | None = None) -> FileSchema:
    """Return the properties of a file in a folder that are compared; raises as `open_file` does."""
    opened = open_file(str(path), format_, keys)
    name = path.relative_to(folder).as_posix()
    columns = columns_of(opened)
    wrong: list[Contradiction] = []
    for column, text in partition_values(name).items():
        field = next((field for field in columns if field.name == column), None)
        if field is not None and field.type.kind in _COMPARED:
            held = tagged_table(opened.read([column])).column(0)
            wrong += _contradictions(field, text, held)
    ids, needed = tuple(field_ids(opened).items()), tuple(required(opened).items())
    return FileSchema(name, columns, ids, tuple(wrong), needed)


def _contradictions(field: Field, text: str | None, held: Iterable[object]) -> Iterator[Contradiction]:
    """Yield the first value of a column that is not that of the file's folder."""
    try:
        value = None if text is None else typed(text, field.type)
    except Undefined:
        yield Contradiction(field.name, text, f"of type {field.type}")
        return
    other = next((each for each in held if each != value), value)
    if other != value:
        yield Contradiction(field.name, text, None if other is None else str(other))


def notes(files: Sequence[FileSchema]) -> list[Note]:
    """Return what files of one table disagree about."""
    return [note for check in _CHECKS for note in check(files)]


def _walk(fields: Iterable[Field], path: ColumnPath = ()) -> Iterator[tuple[ColumnPath, Type]]:
    for field in fields:
        yield (*path, field.name), field.type
        yield from _walk(field.type.children, (*path, field.name))


class _Groups(dict[object, list[str]]):
    """Files grouped by a property, in the order of the files."""

    def put(self, key: object, file: str) -> None:
        """Note that a file has a key."""
        there = self.setdefault(key, [])
        if not there or there[-1] != file:
            there.append(file)

    def __str__(self) -> str:
        """Return what files have, with the first file of each and the number of the others."""
        return ", ".join(f"{key} in {_among(files)}" for key, files in self.items())

    @property
    def firsts(self) -> tuple[str, ...]:
        """Return the first file of each."""
        return tuple(files[0] for files in self.values())


def _among(files: Collection[str]) -> str:
    first = next(iter(files))
    return first if len(files) == 1 else f"{first} and {len(files) - 1} more"


def _types(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield columns whose types documented conversions cannot bring to one of these types."""
    shapes: dict[ColumnPath, _Groups] = defaultdict(_Groups)
    for file in files:
        for path, type_ in _walk(file.columns):
            shapes[path].put(type_.kind if type_.children else type_, file.path)
    for path, groups in shapes.items():
        if not any(all(becomes(before, after) for before in groups) for after in groups):
            message = f"{groups}: no specification says how one becomes the other"
            yield Note("table-types", path, message, groups.firsts)


def _case(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield names of fields of one group that differ only in case."""
    names: dict[ColumnPath, _Groups] = defaultdict(_Groups)
    for file in files:
        partitions = [((key,), None) for key in partition_values(file.path)]
        for path, _ in (*_walk(file.columns), *partitions):
            names[(*path[:-1], path[-1].lower())].put(path[-1], file.path)
    for path, groups in names.items():
        if len(groups) > 1:
            message = f"{groups}: names that differ in case alone are one column to some readers"
            yield Note("table-case", (*path[:-1], str(next(iter(groups)))), message, groups.firsts)


def _nulls(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield fields that some files require and others do not."""
    fields: dict[ColumnPath, _Groups] = defaultdict(_Groups)
    for file in files:
        for path, is_required in file.required:
            fields[path].put("required" if is_required else "nullable", file.path)
    for path, groups in fields.items():
        if len(groups) > 1:
            message = f"{groups}: a reader with the first schema refuses nulls, or finds none"
            yield Note("table-nulls", path, message, groups.firsts)


def _names(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield names that two fields beside each other have."""
    names: dict[ColumnPath, list[str]] = defaultdict(list)
    for file in files:
        counts = Counter(path for path, _ in _walk(file.columns))
        twice = [path for path, count in counts.items() if count > 1]
        for path in twice:
            if not any(path[:depth] in twice for depth in range(1, len(path))):  # else it is there as often
                names[path].append(file.path)
    for path, among in names.items():
        message = f"{path[-1]} is the name of two fields in {_among(among)}"
        yield Note("table-name-twice", path, message, (among[0],))


def _ids(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield field ids with several names, names with several ids, and ids that are missing or used twice."""
    names: dict[int, _Groups] = defaultdict(_Groups)
    ids: dict[ColumnPath, _Groups] = defaultdict(_Groups)
    some = _Groups()
    for file in files:
        some.put("field ids" if file.ids else "no field ids", file.path)
        for path, number in file.ids:
            names[number].put(path[-1], file.path)
            ids[path].put(f"field id {number}", file.path)
    yield from _twice(files)
    for number, groups in names.items():
        if len(groups) > 1:
            message = f"field id {number} is {groups}: two columns to readers that match names"
            yield Note("table-id-names", (str(next(iter(groups))),), message, groups.firsts)
    for path, groups in ids.items():
        if len(groups) > 1:
            message = f"{groups}: two columns to readers that match ids"
            yield Note("table-name-ids", path, message, groups.firsts)
    if len(some) > 1:
        yield Note("table-id-some", (), f"{some}: readers that match ids lack columns", some.firsts)


def _twice(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield field ids that two columns of a file have."""
    columns: dict[tuple[int, tuple[ColumnPath, ...]], list[str]] = defaultdict(list)
    for file in files:
        there: dict[int, list[ColumnPath]] = defaultdict(list)
        for path, number in file.ids:
            there[number].append(path)
        for number, paths in there.items():
            if len(paths) > 1:
                columns[number, tuple(paths)].append(file.path)
    for (number, shared), among in columns.items():
        listed = " and ".join(".".join(path) for path in shared)
        message = f"field id {number} is {listed} in {_among(among)}"
        yield Note("table-id-twice", shared[0], message, (among[0],))


def _partition_columns(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield that files lie in folders of other partition columns, or of values that have no type."""
    doubts: dict[str, str] = {}
    keys = _Groups()
    values: dict[str, _Groups] = defaultdict(_Groups)
    for file in files:
        partitions = partition_values(file.path)
        if doubt := partition_doubt(file.path):
            doubts.setdefault(doubt, file.path)
        keys.put(", ".join(partitions) or "no partition columns", file.path)
        for name, text in partitions.items():
            if text is not None:
                values[name].put("integers" if is_integer(text) else "others", file.path)
    yield from (Note("table-partition-names", (), doubt, (path,)) for doubt, path in doubts.items())
    if len(keys) > 1:
        yield Note("table-partition-columns", (), f"folders have {keys}", keys.firsts)
    yield from _held(files)
    for name, groups in values.items():
        if len(groups) > 1:
            message = f"folders have values that are {groups}: readers infer another type from other files"
            yield Note("table-partition-types", (name,), message, groups.firsts)


def _held(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield partition columns that some files have as columns, too, and others do not."""
    for name in dict.fromkeys(name for file in files for name in partition_values(file.path)):
        groups = _Groups()
        for file in files:
            is_held = any(field.name == name for field in file.columns)
            groups.put(f"{name}{'' if is_held else ' in the folder alone'}", file.path)
        if len(groups) > 1:
            message = f"{groups}: the columns of files have another order or type to some readers"
            yield Note("table-partition-columns", (name,), message, groups.firsts)


def _partition_values(files: Sequence[FileSchema]) -> Iterator[Note]:
    """Yield columns of files with other values than their folders."""
    wrong: dict[str, list[tuple[str, Contradiction]]] = defaultdict(list)
    for file in files:
        for each in file.contradictions:
            wrong[each.column].append((file.path, each))
    for name, places in wrong.items():
        path, first = places[0]
        folder = "null" if first.folder is None else repr(first.folder)
        value = "null" if first.value is None else first.value
        message = f"the folder says {folder}, the column is {value} in {_among([file for file, _ in places])}"
        yield Note("table-partition-values", (name,), message, (path,))


_CHECKS: tuple[Callable[[Sequence[FileSchema]], Iterator[Note]], ...] = (
    _types,
    _case,
    _nulls,
    _names,
    _ids,
    _partition_columns,
    _partition_values,
)


def roots(paths: Iterable[Path], base: Path) -> Mapping[Path, list[Path]]:
    """Return files below a folder by the folder of their table: that above all folders called `key=value`.

    Names that begin with `_` or `.` belong to no table.
    """
    tables: dict[Path, list[Path]] = defaultdict(list)
    for path in paths:
        if any(part[0] in "_." for part in path.relative_to(base).parts):
            continue
        root = path.parent
        while "=" in root.name and root != base:
            root = root.parent
        tables[root].append(path)
    return tables
