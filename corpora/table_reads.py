"""How a folder of files is read as one table: the reader's schema, its partition columns, its splits.

The answer to such a read is a table whose rows have no order of their own: which file is read first is a
matter of the engine. `in_order` puts rows into an order that depends on their values alone, for answers and
for what is right. Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from corpora.tagged import STRING, Field, Table, TaggedError, Type, Value, integer

# How a field of the reader's schema finds its field in a file: by the same name, by the same name apart from
# the case of its letters, by the same field id, or (columns alone, not fields of structs) by its position.
MATCHING = (EXACT, CASELESS, BY_ID, BY_POSITION) = ("exact", "caseless", "id", "position")
# Columns of the answer that say where a row comes from: name of its file without folders, the bytes of the
# file, the number of the row in it from 0, first byte and length of the part of it that one task reads.
METADATA = {
    "file_name": STRING,
    "file_size": integer(64),
    "row_index": integer(64),
    "block_start": integer(64),
    "block_length": integer(64),
}


METADATA_PREFIX = "_"

# How a column of text is declared with a length: padded with spaces to it, or at most of that length.
DECLARED = (CHAR, VARCHAR) = ("char", "varchar")

PARTITIONS = ("colconf_part", "colconf second")  # of generated tables that are partitioned, from the first on


@dataclass(frozen=True)
class TableRead:
    """A read of a folder.

    `columns` is the reader's schema without partition columns, () for none of a file's columns. `partitions`
    are the columns that the names of folders hold (`key=value`), which stand behind the others. `ids` are the
    field ids of the schema, by path; a list's element is `element`, a map's `key` and `value`. `split_bytes`
    is the most bytes of a file that one task reads, None for an engine's default. `metadata` are names of
    METADATA, whose columns stand behind the partition columns; their names begin with METADATA_PREFIX.

    `defaults` are values by column: of the rows of files that lack the column. `lengths` are columns of text
    that are declared as DECLARED with a length in characters. With `skips_corrupt`, files that cannot be
    opened are left out. `removed` are files, by their paths in the folder, which are removed after the engine
    has listed them and before it reads them; the reader passes over them.

    With `unified`, the reader makes the schema itself, of those of all files, and finds out the types of
    partition columns, unless all of them are text; `columns` are then columns of that schema. With
    `recursive`, the files of all folders are read, whose names mean nothing. A `name_pattern` chooses files
    by name (`*` is any text, `?` any character). With `keyless`, names of folders are values of the partition
    columns, one after the other, without `key=`.
    """

    columns: tuple[Field, ...]
    partitions: tuple[Field, ...] = ()
    matching: str = EXACT
    ids: tuple[tuple[tuple[str, ...], int], ...] = ()
    split_bytes: int | None = None
    metadata: tuple[str, ...] = ()
    defaults: tuple[tuple[str, Value], ...] = ()
    lengths: tuple[tuple[str, str, int], ...] = ()
    skips_corrupt: bool = False
    removed: tuple[str, ...] = ()
    unified: bool = False
    recursive: bool = False
    name_pattern: str = ""
    keyless: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        """Return the columns of the result without the metadata columns."""
        return (*self.columns, *self.partitions)

    @property
    def answer(self) -> tuple[Field, ...]:
        """Return the columns of the result."""
        return (*self.schema, *(Field(METADATA_PREFIX + name, METADATA[name]) for name in self.metadata))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, without the members that have their default values."""
        out: dict[str, Any] = {"columns": [column.to_json() for column in self.columns]}
        if self.partitions:
            out["partitions"] = [column.to_json() for column in self.partitions]
        if self.matching != EXACT:
            out["matching"] = self.matching
        if self.ids:
            out["ids"] = [[list(path), number] for path, number in self.ids]
        if self.split_bytes is not None:
            out["split_bytes"] = self.split_bytes
        if self.metadata:
            out["metadata"] = list(self.metadata)
        if self.defaults:
            out["defaults"] = [list(default) for default in self.defaults]
        if self.lengths:
            out["lengths"] = [list(length) for length in self.lengths]
        if self.removed:
            out["removed"] = list(self.removed)
        out |= {name: True for name in _SWITCHES if getattr(self, name)}
        if self.name_pattern:
            out["name_pattern"] = self.name_pattern
        return out

    @staticmethod
    def from_json(data: Any) -> TableRead:
        """Read the JSON form; raises TaggedError for anything else."""
        if not isinstance(data, dict) or "columns" not in data or set(data) - _MEMBERS:
            raise TaggedError(f"not a read of a table: {data!r:.80}")
        matching, split = data.get("matching", EXACT), data.get("split_bytes")
        if matching not in MATCHING:
            raise TaggedError(f"matching is {matching!r:.40}, not one of {', '.join(MATCHING)}")
        if split is not None and (type(split) is not int or split < 1):
            raise TaggedError(f"split_bytes is {split!r:.40}, not a number of bytes")
        metadata = _listed("metadata", data.get("metadata", []))
        if not all(isinstance(name, str) and name in METADATA for name in metadata):
            raise TaggedError(f"metadata is {metadata!r:.80}, not of {', '.join(METADATA)}")
        switches, removed = _switches(data), _listed("removed", data.get("removed", []))
        for path in removed:
            _check_inside(path)
        return TableRead(
            _fields(data["columns"]),
            _fields(data.get("partitions", [])),
            matching,
            tuple(map(_id, _listed("ids", data.get("ids", [])))),
            split,
            tuple(metadata),
            tuple(map(_default, _listed("defaults", data.get("defaults", [])))),
            tuple(map(_length, _listed("lengths", data.get("lengths", [])))),
            removed=tuple(removed),
            name_pattern=_pattern(data.get("name_pattern", "")),
            **switches,
        )

    def __str__(self) -> str:
        """Return a short form for people."""
        parts = [f"{field.name}: {field.type}" for field in self.columns] or ["no columns"]
        parts += [f"partition {field.name}: {field.type}" for field in self.partitions]
        parts += [f"metadata {name}" for name in self.metadata]
        parts += [f"{name} by default {value}" for name, value in self.defaults]
        parts += [f"{name} {word}({length})" for name, word, length in self.lengths]
        parts += ["without corrupt files"] * self.skips_corrupt
        parts += [f"without {path}, which is removed" for path in self.removed]
        parts += ["with the schema of all files together"] * self.unified
        parts += ["from all folders, whatever their names"] * self.recursive
        parts += [f"of files named {self.name_pattern}"] * bool(self.name_pattern)
        parts += ["with values alone as names of folders"] * self.keyless
        text = f"read as {', '.join(parts)}"
        text += "" if self.matching == EXACT else f", {_MATCHED[self.matching]}"
        return text + ("" if self.split_bytes is None else f", in splits of {self.split_bytes} bytes")


_MEMBERS = {"columns", "partitions", "matching", "ids", "split_bytes", "metadata"}
_SWITCHES = ("skips_corrupt", "unified", "recursive", "keyless")
_MEMBERS |= {"defaults", "lengths", "removed", "name_pattern", *_SWITCHES}
_MATCHED = {CASELESS: "names without case", BY_ID: "by field id", BY_POSITION: "by position"}


def _listed(what: str, data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TaggedError(f"{what} is {data!r:.40}, not a list")
    return data


def _switches(data: dict[str, Any]) -> dict[str, bool]:
    switches = {name: data.get(name, False) for name in _SWITCHES}
    for name, value in switches.items():
        if type(value) is not bool:
            raise TaggedError(f"{name} is {value!r:.40}, not true or false")
    return switches


def _pattern(data: Any) -> str:
    """Return a pattern of names; the other letters of globs mean different things to different engines."""
    if not isinstance(data, str) or _NO_PATTERN.intersection(data):
        raise TaggedError(f"name_pattern is {data!r:.80}, not a name with * and ?")
    return data


_NO_PATTERN = frozenset("/\\[]{}^,\0")


def _fields(data: Any) -> tuple[Field, ...]:
    return tuple(map(Field.from_json, _listed("columns", data)))


def _id(data: Any) -> tuple[tuple[str, ...], int]:
    if not isinstance(data, list) or len(data) != 2 or type(data[1]) is not int:
        raise TaggedError(f"an id is {data!r:.40}, not a path and a number")
    path = _listed("a path of an id", data[0])
    if not all(isinstance(name, str) for name in path):
        raise TaggedError(f"an id is of {path!r:.40}, not a path of names")
    return tuple(path), data[1]


def _check_inside(path: Any) -> None:
    """Raise TaggedError for a path that may lead out of its folder: engines remove what it names."""
    inside = isinstance(path, str) and "\0" not in path and "\\" not in path
    if not inside or not path or any(part in ("", ".", "..") for part in path.split("/")):
        raise TaggedError(f"a file that is removed is {path!r:.80}, not a path inside of the folder")


def _default(data: Any) -> tuple[str, Value]:
    if not isinstance(data, list) or len(data) != 2 or not isinstance(data[0], str):
        raise TaggedError(f"a default is {data!r:.40}, not a name and a value")
    if not isinstance(data[1], (str, bool)):
        raise TaggedError(f"a default is {data[1]!r:.40}, not the value of a scalar")
    return data[0], data[1]


def _length(data: Any) -> tuple[str, str, int]:
    if not isinstance(data, list) or len(data) != 3 or not isinstance(data[0], str):
        raise TaggedError(f"a length is {data!r:.40}, not a name, a word and a number")
    name, word, length = data
    if word not in DECLARED or type(length) is not int or length < 1:
        raise TaggedError(f"a length is {data!r:.40}, not of {', '.join(DECLARED)}")
    return name, word, length


def in_order(table: Table) -> Table:
    """Return a table with its rows in the order of their values, column by column; nulls come first."""
    if not table.columns:
        return table
    keys = [_key_of(column.type) for column in table.columns]
    columns = table.all_columns()
    ranks = [list(map(key, column)) for key, column in zip(keys, columns)]
    order = sorted(range(table.num_rows), key=lambda row: [rank[row] for rank in ranks])
    values = [[column[row] for row in order] for column in columns]
    return Table.of([(column.name, column.type) for column in table.columns], values)


# Of which the JSON form is a decimal string: equal values have equal texts, but texts sort otherwise.
_NUMBERS = frozenset({"int", "decimal", "date", "time", "timestamp", "duration", "int96"})
_Key = Callable[[Value], Any]


def _key_of(type_: Type) -> _Key:
    """Return what values of a type are sorted by: a tuple, () for null."""
    if type_.kind in _NUMBERS:
        return lambda value: () if value is None else (int(str(value)),)
    if type_.kind == "struct":
        keys = [_key_of(child.type) for child in type_.children]
        return lambda value: () if value is None else tuple(key(part) for key, part in zip(keys, value))  # type: ignore[arg-type]
    if type_.kind == "list":
        (element,) = (_key_of(child.type) for child in type_.children)
        return lambda value: () if value is None else (tuple(map(element, value)),)  # type: ignore[arg-type]
    if type_.kind == "map":
        entry = _key_of(Type("struct", children=type_.children))
        return lambda value: () if value is None else (tuple(map(entry, value)),)  # type: ignore[arg-type]
    return lambda value: () if value is None else (str(value),)
