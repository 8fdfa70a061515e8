"""Tagged tables: typed values that pipes, JSON and files preserve exactly.

A `Table` has typed columns and blocks of `BLOCK_ROWS` rows, so that colconf can write, send and compare a
table of any size in constant memory. A block has a list of values per column. Each kind of type has its form
of a value in JSON (null is always `null`):

| kind                            | a value                                           |
| ------------------------------- | ------------------------------------------------- |
| `null`                          | `null`                                            |
| `bool`                          | `true`, `false`                                   |
| `int` (bits, signed)            | decimal string                                    |
| `float` (bits 16, 32, 64)       | its IEEE bits, big-endian lowercase hex           |
| `decimal` (precision, scale)    | the unscaled integer, decimal string              |
| `date`                          | days since 1970-01-01, decimal string             |
| `time`, `timestamp` (unit, utc) | count of units, decimal string                    |
| `duration` (unit)               | count of units, decimal string                    |
| `int96`                         | nanoseconds since 1970-01-01, decimal string      |
| `interval`                      | `[months, days, nanoseconds]`, decimal strings    |
| `string`, `json`, `enum`        | text; bytes that are not UTF-8 as lone surrogates |
| `bytes`, `uuid`, `bson`         | lowercase hex                                     |
| `geometry`, `geography`         | lowercase hex (the WKB)                           |
| `list` (element)                | list                                              |
| `struct` (fields)               | list, in the order of the fields                  |
| `map` (key, value)              | list of `[key, value]` in stored order            |
| `union` (children)              | `[tag, value]`, the tag a decimal string          |
| `variant`                       | `[metadata, value]`, lowercase hex                |

Text or bytes longer than `BIG` bytes become `{"sha256": …, "bytes": n}`, which bounds the size of a message
and preserves equality. Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

from corpora.tagged_text import block_text

BLOCK_ROWS = 16_384
BIG = 1 << 20
NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # of a unit of time
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
UNITS = tuple(NANOSECONDS)

Value = Union[None, bool, str, "list[Any]", "dict[str, Any]"]


class TaggedError(ValueError):
    """A type, value or table does not have the form that this module documents."""


@dataclass(frozen=True)
class Type:
    """The type of a column or of a nested value; only the parameters of the kind are set."""

    kind: str
    bits: int | None = None
    signed: bool | None = None
    precision: int | None = None
    scale: int | None = None
    unit: str | None = None
    utc: bool | None = None
    children: tuple[Field, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: the kind and the parameters that are set."""
        out: dict[str, Any] = {"kind": self.kind}
        for name in _PARAMETERS.get(self.kind, ()):
            out[name] = getattr(self, name)
        if self.kind in _NESTED:
            out["children"] = [child.to_json() for child in self.children]
        return out

    @staticmethod
    def from_json(data: Any) -> Type:
        """Read the JSON form; raises TaggedError for anything else."""
        kind = data.get("kind") if isinstance(data, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            raise TaggedError(f"not a type: {data!r:.80}")
        wanted = {"kind", *_PARAMETERS.get(kind, ())} | ({"children"} if kind in _NESTED else set())
        if set(data) != wanted:
            raise TaggedError(f"type {kind} has fields {sorted(data)}, not {sorted(wanted)}")
        for name in _PARAMETERS.get(kind, ()):
            if not _is_parameter(kind, name, data[name]):
                raise TaggedError(f"type {kind} has {name} {data[name]!r:.40}")
        if not isinstance(data.get("children", []), list):
            raise TaggedError(f"children is {data['children']!r:.40}, not a list")
        children = tuple(Field.from_json(child) for child in data.get("children", ()))
        if kind in _NESTED and _NESTED[kind] is not None and len(children) != _NESTED[kind]:
            raise TaggedError(f"type {kind} has {len(children)} children, not {_NESTED[kind]}")
        return Type(kind, children=children, **{name: data[name] for name in _PARAMETERS.get(kind, ())})

    def __str__(self) -> str:
        """Return a short form for people, such as `list<element: int(32, signed)>`."""
        if self.kind == "int":
            return f"int({self.bits}, {'signed' if self.signed else 'unsigned'})"
        if self.kind in _NESTED:
            return f"{self.kind}<{', '.join(f'{c.name}: {c.type}' for c in self.children)}>"
        given = [_show(name, getattr(self, name)) for name in _PARAMETERS.get(self.kind, ())]
        return f"{self.kind}({', '.join(given)})" if given else self.kind


class Field(NamedTuple):
    """A named column, struct field, list element, map key or map value."""

    name: str
    type: Type

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "type": self.type.to_json()}

    @staticmethod
    def from_json(data: Any) -> Field:
        """Read the JSON form; raises TaggedError for anything else."""
        if not isinstance(data, dict) or set(data) != {"name", "type"} or not isinstance(data["name"], str):
            raise TaggedError(f"not a field: {data!r:.80}")
        return Field(data["name"], Type.from_json(data["type"]))


_PARAMETERS: dict[str, tuple[str, ...]] = {
    "int": ("bits", "signed"),
    "float": ("bits",),
    "decimal": ("precision", "scale"),
    "time": ("unit", "utc"),
    "timestamp": ("unit", "utc"),
    "duration": ("unit",),
}
_BITS = {"int": (8, 16, 32, 64), "float": (16, 32, 64)}
_NESTED: dict[str, int | None] = {"list": 1, "struct": None, "map": 2, "union": None}
_SCALARS = ("null", "bool", "date", "int96", "interval", "string", "json", "enum")
_BYTES = ("bytes", "uuid", "bson", "geometry", "geography", "variant")
_TABLE_FORMS = ({"columns", "rows", "blocks"}, {"columns", "rows", "spill"})
KINDS = frozenset((*_SCALARS, *_BYTES, *_PARAMETERS, *_NESTED))

NULL = Type("null")
BOOL = Type("bool")
DATE = Type("date")
INT96 = Type("int96")
INTERVAL = Type("interval")
STRING = Type("string")
BYTES = Type("bytes")


def integer(bits: int, *, signed: bool = True) -> Type:
    """Return the type of integers of `bits` bits."""
    return Type("int", bits=bits, signed=signed)


def floating(bits: int) -> Type:
    """Return the type of IEEE 754 floats of 16, 32 or 64 bits."""
    return Type("float", bits=bits)


def decimal(precision: int, scale: int) -> Type:
    """Return the type of decimals with `precision` digits, `scale` of them after the point."""
    return Type("decimal", precision=precision, scale=scale)


def time(unit: str, *, utc: bool) -> Type:
    """Return the type of times of day counted in `unit` (one of UNITS)."""
    return Type("time", unit=unit, utc=utc)


def timestamp(unit: str, *, utc: bool) -> Type:
    """Return the type of timestamps in `unit` since 1970-01-01; `utc`: an instant, not a wall clock."""
    return Type("timestamp", unit=unit, utc=utc)


def duration(unit: str) -> Type:
    """Return the type of elapsed times counted in `unit`."""
    return Type("duration", unit=unit)


def list_of(element: Type) -> Type:
    """Return the type of lists; the element's name is always `element`: formats disagree on it."""
    return Type("list", children=(Field("element", element),))


def struct_of(fields: Iterable[tuple[str, Type]]) -> Type:
    """Return the type of structs."""
    return Type("struct", children=tuple(Field(name, type_) for name, type_ in fields))


def map_of(key: Type, value: Type) -> Type:
    """Return the type of maps; the children's names are always `key` and `value`."""
    return Type("map", children=(Field("key", key), Field("value", value)))


def union_of(types: Iterable[Type]) -> Type:
    """Return the type of unions; a child's name is always its tag, in decimal: formats disagree on names."""
    return Type("union", children=tuple(Field(str(tag), type_) for tag, type_ in enumerate(types)))


def _is_parameter(kind: str, name: str, value: Any) -> bool:
    if name == "unit":
        return isinstance(value, str) and value in UNITS
    if name == "bits":
        return type(value) is int and value in _BITS[kind]
    return type(value) is (bool if name in {"signed", "utc"} else int)


def _show(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name if value else f"not {name}"
    return str(value)


def text(raw: bytes) -> Value:
    """Tag the bytes of a string; bytes that are not UTF-8 survive as lone surrogates."""
    return raw.decode("utf-8", "surrogateescape") if len(raw) <= BIG else big(raw)


def binary(raw: bytes) -> Value:
    """Tag a byte string."""
    return raw.hex() if len(raw) <= BIG else big(raw)


def big(raw: bytes | memoryview) -> dict[str, Any]:
    """Tag bytes that are too long for a message, by digest and length."""
    return {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}


@dataclass
class Table:
    """Typed columns, and rows in blocks of exactly BLOCK_ROWS rows (fewer in the last)."""

    columns: tuple[Field, ...]
    num_rows: int
    _blocks: Sequence[list[list[Value]]] = field(default_factory=tuple, repr=False)
    spill: str | None = None
    _digest: bytes | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(
        columns: Iterable[tuple[str, Type]], values: Sequence[Sequence[Value]], num_rows: int | None = None
    ) -> Table:
        """Build a table from whole columns; `num_rows` is needed only when there is no column."""
        fields = tuple(Field(name, type_) for name, type_ in columns)
        count = len(values[0]) if values else (num_rows or 0)
        if len(values) != len(fields) or any(len(column) != count for column in values):
            raise TaggedError(f"{len(fields)} columns of {[len(column) for column in values]} values")
        cuts = range(0, count, BLOCK_ROWS) if fields else ()
        blocks = [[list(column[cut : cut + BLOCK_ROWS]) for column in values] for cut in cuts]
        return Table(fields, count, blocks)

    def blocks(self) -> Iterator[list[list[Value]]]:
        """Yield the blocks in order, from memory or from the spill file."""
        if self.spill is None:
            yield from self._blocks
            return
        with open(self.spill, encoding="utf-8") as lines:  # noqa: PTH123 - 3.9 child, plain path
            for line in lines:
                yield json.loads(line)

    @property
    def in_memory(self) -> Sequence[list[list[Value]]]:
        """Return the blocks of a table that is not spilled, made as they are asked for."""
        return self._blocks

    def column(self, index: int) -> list[Value]:
        """Return one whole column (for small tables and tests)."""
        return [value for block in self.blocks() for value in block[index]]

    def all_columns(self) -> list[list[Value]]:
        """Return all columns, whole; each block is converted or parsed only once."""
        columns: list[list[Value]] = [[] for _ in self.columns]
        for block in self.blocks():
            for column, part in zip(columns, block):
                column.extend(part)
        return columns

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; a spilled table names its file instead of carrying blocks."""
        body: dict[str, Any] = {"spill": self.spill} if self.spill else {"blocks": list(self._blocks)}
        return {"columns": [column.to_json() for column in self.columns], "rows": self.num_rows, **body}

    @staticmethod
    def from_json(data: Any) -> Table:
        """Read the JSON form; raises TaggedError for anything else, also for ragged blocks."""
        if not isinstance(data, dict):
            raise TaggedError(f"not a table: {data!r:.80}")
        if set(data) not in _TABLE_FORMS:
            members = ", ".join(map(str, data))
            raise TaggedError(
                f"the members are {members:.80}, not columns, rows, and one of values, blocks and spill"
            )
        if not is_count(data["rows"]):
            raise TaggedError(f"rows is {data['rows']!r:.40}, not a count")
        if not isinstance(data["columns"], list):
            raise TaggedError(f"columns is {data['columns']!r:.40}, not a list")
        fields = tuple(Field.from_json(column) for column in data["columns"])
        if "spill" in data:
            return Table(fields, data["rows"], spill=str(data["spill"]))
        blocks = data["blocks"]
        check_blocks(blocks, len(fields), data["rows"])
        return Table(fields, data["rows"], blocks)

    def spilled(self, path: str | os.PathLike[str]) -> Table:
        """Write the blocks to `path`, one JSON line each, and return a table that reads them from there."""
        with open(path, "w", encoding="utf-8") as out:  # noqa: PTH123 - 3.9 child, plain path
            out.writelines(self._lines())
        return Table(self.columns, self.num_rows, spill=str(path))

    def _lines(self) -> Iterator[str]:
        return (block_text(block) + "\n" for block in self.blocks())

    def has_text_of(self, other: Table) -> bool:
        """Return whether both have types, rows and text in a file alike, so that all values are equal.

        False says nothing: another writer spills equal values as another text. It is False, too, if both
        tables are in memory, where values cost less to compare than text. A table is read once for all calls.
        """
        if (self.spill is None and other.spill is None) or self.num_rows != other.num_rows:
            return False
        if self.columns != other.columns:
            return False
        if self.spill and other.spill and os.path.samefile(self.spill, other.spill):  # noqa: PTH121 - 3.9 child
            return True
        return self._text_digest() == other._text_digest()

    def _text_digest(self) -> bytes:
        if self._digest is None:
            held = hashlib.sha256()
            if self.spill is None:
                for line in self._lines():
                    held.update(line.encode("ascii"))
            else:
                with open(self.spill, "rb") as file:  # noqa: PTH123 - 3.9 child, plain path
                    while chunk := file.read(1 << 20):
                        held.update(chunk)
            self._digest = held.digest()
        return self._digest


def is_count(rows: Any) -> bool:
    """Return whether a value of JSON is a number of rows."""
    return isinstance(rows, int) and not isinstance(rows, bool) and rows >= 0


def check_blocks(blocks: Any, columns: int, rows: int) -> None:
    """Raise TaggedError unless `blocks` has the shape that `columns` and `rows` demand."""
    expected = -(-rows // BLOCK_ROWS) if columns else 0
    if not isinstance(blocks, (list, tuple)) or len(blocks) != expected:
        raise TaggedError(f"the blocks of {rows} rows are not {expected}: {blocks!r:.80}")
    for number, block in enumerate(blocks):
        size = min(BLOCK_ROWS, rows - number * BLOCK_ROWS)
        if not isinstance(block, list) or len(block) != columns:
            raise TaggedError(f"a block is not {columns} columns")
        if any(not isinstance(column, list) or len(column) != size for column in block):
            raise TaggedError(f"a column of a block is not {size} values")
