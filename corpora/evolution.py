"""The rows that a read of a folder must return: the oracle of table cases.

Each step from the values of a file to those of the read is one of `corpora/conversions.py`; a step that no
text defines raises `Undefined`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from typing import NamedTuple

from corpora.table_files import Path, TableFile, Undefined, check_unified, folder_values
from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, CHAR, TableRead, in_order
from corpora.tagged import PER_SECOND, Field, Table, Type, Value

Convert = Callable[[Value], Value]


_MOMENTS = 1 << 63  # counts of a timestamp's unit, on either side of 1970
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}  # of the integers of so many bits, as Spark counts them


class Evolved(NamedTuple):
    """The table that a read must return, rows in the order of values, and the conversions that it took."""

    table: Table
    conversions: frozenset[str]


def read_as(files: Sequence[TableFile], read: TableRead) -> Evolved:
    """Return the expected table of a read of files; raises Undefined."""
    used: set[str] = set()
    wanted = dict(read.ids)
    columns: list[list[Value]] = [[] for _ in read.answer]
    files = [file for file in files if file.path not in read.removed]
    files = [file for file in files if _is_named(file.path, read.name_pattern)]
    if read.unified:
        check_unified(files, read)
    used.update(["removed"] * bool(read.removed), ["corrupt"] * read.skips_corrupt)
    if read.recursive and read.partitions:
        raise Undefined("the names of folders have no meaning, so that there are no partition columns")
    used.update(["unified"] * read.unified, ["recursive"] * read.recursive)
    used.update(["name-pattern"] * bool(read.name_pattern))
    for file in files:
        matcher = _Matcher(read.matching, wanted, file.ids, used, dict(read.defaults))
        values = [*matcher.columns(file.table, read.columns), *_partitions(file, read, used)]
        values += _metadata(file, read, used)
        for column, field, more in zip(columns, read.answer, values, strict=True):
            column.extend(_declared(field.name, more, read, used))
    count = sum(file.table.num_rows for file in files)
    fields = [(field.name, field.type) for field in read.answer]
    return Evolved(in_order(Table.of(fields, columns, count)), frozenset(used))


def _is_named(path: str, pattern: str) -> bool:
    return not pattern or fnmatchcase(path.rpartition("/")[2], pattern)


class _Matcher(NamedTuple):
    """How the fields of a read find those of a file; notes the conversions that it takes in `used`."""

    matching: str
    wanted: Mapping[Path, int]
    there: Mapping[Path, int]
    used: set[str]
    defaults: Mapping[str, Value] = {}

    def columns(self, table: Table, fields: Sequence[Field]) -> Iterator[list[Value]]:
        """Yield the values of each field, all rows of a file."""
        places = self._places(table.columns, fields, (), ())
        for field, at in zip(fields, places, strict=True):
            if at is None:
                self.used.add("default" if field.name in self.defaults else "missing")
                yield [self.defaults.get(field.name)] * table.num_rows
                continue
            name = table.columns[at].name
            convert = self._convert(table.columns[at].type, field.type, (name,), (field.name,))
            yield [None if value is None else convert(value) for value in table.column(at)]

    def _places(
        self, there: Sequence[Field], fields: Sequence[Field], below: Path, path: Path
    ) -> list[int | None]:
        """Return where each field stands among those of a file; `below` and `path` are their parents."""
        places = [self._place(there, field, below, path) for field in fields]
        if self.matching == BY_POSITION and not path:
            self.used.add("position")
            places = [at if at < len(there) else None for at in range(len(fields))]
        present = [at for at in places if at is not None]
        if set(present) != set(range(len(there))):
            self.used.add("left-out-inside" if path else "left-out")
        if present != sorted(present):
            self.used.add("reordered-inside" if path else "reordered")
        return places

    def _place(self, there: Sequence[Field], field: Field, below: Path, path: Path) -> int | None:
        if self.matching == BY_ID:
            self.used.add("id")
            number = self.wanted.get((*path, field.name))
            if number is None:
                raise Undefined(f"{field.name} has no field id in the schema")
            matches = [at for at, other in enumerate(there) if self.there.get((*below, other.name)) == number]
        else:
            matches = [at for at, other in enumerate(there) if other.name == field.name]
            if self.matching == CASELESS:
                name = field.name.lower()
                matches = [at for at, other in enumerate(there) if other.name.lower() == name]
                if any(there[at].name != field.name for at in matches):
                    self.used.add("caseless")
        if len(matches) > 1:
            raise Undefined(f"{field.name} matches {len(matches)} fields of a file")
        return matches[0] if matches else None

    def _convert(self, before: Type, after: Type, below: Path, path: Path) -> Convert:
        """Return how a value that is not null becomes one of another type."""
        if before.kind == after.kind == "struct":
            return self._struct(before, after, below, path)
        if before.kind == after.kind and before.kind in {"list", "map"}:
            if len(before.children) != len(after.children):
                raise Undefined(f"no specification says how a map without values becomes {after}")
            parts = [
                self._convert(left.type, right.type, (*below, left.name), (*path, right.name))
                for left, right in zip(before.children, after.children, strict=True)
            ]
            return _each(parts, is_map=before.kind == "map")
        if before == after:
            return lambda value: value
        name, convert = _promotion(before, after)
        self.used.add(name)
        return convert

    def _struct(self, before: Type, after: Type, below: Path, path: Path) -> Convert:
        places = self._places(before.children, after.children, below, path)
        if None in places:
            self.used.add("missing-inside" if any(at is not None for at in places) else "all-missing-inside")
        parts: list[tuple[int, Convert] | None] = []
        for field, at in zip(after.children, places, strict=True):
            if at is None:
                parts.append(None)
                continue
            other = before.children[at]
            convert = self._convert(other.type, field.type, (*below, other.name), (*path, field.name))
            parts.append((at, convert))

        def fields(value: Value) -> Value:
            assert isinstance(value, list)
            return [None if part is None else _or_null(part[1], value[part[0]]) for part in parts]

        return fields


def _or_null(convert: Convert, value: Value) -> Value:
    return None if value is None else convert(value)


def _each(parts: Sequence[Convert], *, is_map: bool) -> Convert:
    """Return how the elements of a list, or the entries of a map, are converted."""

    def elements(value: Value) -> Value:
        assert isinstance(value, list)
        if not is_map:
            return [_or_null(parts[0], element) for element in value]
        return [[_or_null(part, side) for part, side in zip(parts, entry, strict=True)] for entry in value]

    return elements


def _promotion(before: Type, after: Type) -> tuple[str, Convert]:
    """Return the name of the promotion of a type, and how it converts; raises Undefined."""
    match before.kind, after.kind:
        case "int", "int" if _widens(before, after):
            return (
                "int-widened" if (before.bits, before.signed) == (32, True) else "small-int-widened"
            ), _same
        case "float", "float" if (before.bits, after.bits) == (32, 64):
            return "float-widened", lambda value: _double(_single(str(value)))
        case "int", "float" if after.bits == 64 and (before.bits or 0) <= 32:
            return "int-to-double", lambda value: _double(float(int(str(value))))
        case "decimal", "decimal" if _holds(before.precision, before.scale, after):
            more = (after.scale or 0) - (before.scale or 0)
            name = "decimal-rescaled" if more else "decimal-widened"
            return name, lambda value: str(int(str(value)) * 10**more)
        case "int", "decimal" if before.signed and _holds(_DIGITS[before.bits or 64], 0, after):
            return "int-to-decimal", lambda value: str(int(str(value)) * 10 ** (after.scale or 0))
        case "null", _:
            return "unknown-to-any", _same
        case "date", "timestamp" if after.utc is False:
            return "date-to-timestamp", lambda value: _moment(int(str(value)), after)
    raise Undefined(f"no specification says how {before} becomes {after}")


def _same(value: Value) -> Value:
    return value


def _moment(days: int, after: Type) -> str:
    """Return a date as a timestamp; raises Undefined for a date that the type does not reach."""
    count = days * 86_400 * PER_SECOND[after.unit or "us"]
    if not -_MOMENTS <= count < _MOMENTS:
        raise Undefined(f"no {after} is day {days}")
    return str(count)


def _widens(before: Type, after: Type) -> bool:
    """Return whether an integer type holds all integers of another one, and is not the same."""
    more = (after.bits or 0) > (before.bits or 0)
    return more and (after.signed == before.signed or after.signed is True)


def _holds(precision: int | None, scale: int | None, after: Type) -> bool:
    """Return whether a decimal type has at least as many digits before the point, and behind it."""
    assert None not in (precision, scale, after.precision, after.scale)
    more = (after.scale or 0) - (scale or 0)
    return more >= 0 and (after.precision or 0) - (after.scale or 0) >= (precision or 0) - (scale or 0)


def _single(bits: str) -> float:
    value: float = struct.unpack(">f", bytes.fromhex(bits))[0]
    return value


def _double(value: float) -> str:
    return struct.pack(">d", value).hex()


def _declared(name: str, values: list[Value], read: TableRead, used: set[str]) -> list[Value]:
    """Return the values of a column as its declared length makes them; raises Undefined for longer ones."""
    for column, word, length in read.lengths:
        if column == name:
            used.add(word)
            if any(value is not None and len(str(value)) > length for value in values):
                raise Undefined(f"no specification says how longer text is read as {word}({length})")
            if word == CHAR:
                return [None if value is None else str(value).ljust(length) for value in values]
    return values


def _partitions(file: TableFile, read: TableRead, used: set[str]) -> Iterator[list[Value]]:
    """Yield the values of the partition columns, all rows of a file; raises Undefined."""
    values = folder_values(file.path, read)
    for field in read.partitions:
        if field.name not in values:
            raise Undefined(f"{file.path} is in no folder of the partition column {field.name}")
        used.add("keyless" if read.keyless else "partition")
        used.update(["held-twice"] * any(column.name == field.name for column in file.table.columns))
        text = values[field.name]
        if text is None:
            used.add("null-partition")
        value = None if text is None else typed(text, field.type)
        yield [value] * file.table.num_rows


def _metadata(file: TableFile, read: TableRead, used: set[str]) -> Iterator[list[Value]]:
    """Yield the columns that say where rows come from; raises Undefined for parts of files."""
    count = file.table.num_rows
    for name in read.metadata:
        used.add("metadata")
        if name == "row_index":
            yield [str(row) for row in range(count)]
            continue
        if name.startswith("block_") and read.split_bytes is not None:
            raise Undefined("where files are split is a matter of the engine")
        value = {
            "file_name": file.path.rpartition("/")[2],
            "file_size": str(file.size),
            "block_start": "0",
            "block_length": str(file.size),
        }[name]
        yield [value] * count


def typed(text: str, type_: Type) -> Value:
    """Return the value of a partition; raises Undefined for a text that is none of the type."""
    try:
        if type_.kind == "string":
            return text
        if type_.kind == "int":
            return str(int(text))
        if type_.kind == "date":
            return str((date.fromisoformat(text) - date(1970, 1, 1)).days)
    except ValueError as error:
        raise Undefined(f"the partition {text!r} is no {type_}") from error
    raise Undefined(f"no specification says how the name of a folder becomes {type_}")
