"""The tables of structs: one declaration per struct drives reading and writing.

A struct of an interface description is a dataclass whose annotations carry the field id and the wire type:

    @dataclass(slots=True, kw_only=True, repr=False, eq=False)
    class KeyValue(Struct):
        key: Annotated[str, 1, STRING]                    # 1: required string key
        value: Annotated[str | None, 2, STRING] = None    # 2: optional string value

A field without a default is required. A wire type is one of the scalars below, an IntEnum, another Struct, or
a `ListOf` one of these. An enum is an i32 on the wire of Thrift, where unknown numbers stay
plain ints; on that of Protocol Buffers it is a varint, and an unknown number counts as an unknown
field. Lists are `list[T]` in Thrift, `tuple[T, ...]` with the default () in Protocol Buffers, where
an absent list is an empty list.

All structs share `==` and `repr`: to compile those of each struct would take a tenth of the time in which an
engine process starts. They are as those of dataclasses.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, IntEnum
from typing import Any, get_type_hints


class Scalar(Enum):
    """The scalar wire types."""

    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    DOUBLE = "double"
    STRING = "string"
    BINARY = "binary"
    # Protocol Buffers only, which has I32, I64, DOUBLE, BOOL, STRING and BINARY (its `bytes`) as well.
    U32 = "uint32"
    U64 = "uint64"
    S32 = "sint32"
    S64 = "sint64"
    FIXED64 = "fixed64"


BOOL, I8, I16, I32 = Scalar.BOOL, Scalar.I8, Scalar.I16, Scalar.I32
I64, DOUBLE, STRING, BINARY = Scalar.I64, Scalar.DOUBLE, Scalar.STRING, Scalar.BINARY
U32, U64, S32, S64, FIXED64 = Scalar.U32, Scalar.U64, Scalar.S32, Scalar.S64, Scalar.FIXED64
INT_BITS = {I8: 8, I16: 16, I32: 32, I64: 64}


@dataclass(frozen=True)
class ListOf:
    """A list whose elements have one wire type; `packed`: Protocol Buffers writes its scalars packed."""

    element: Wire
    packed: bool = False


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Struct:
    """Base of all structs.

    `span` is the half-open byte range (absolute) the struct was read from. `field_spans` does the same
    per field name if the reader was asked to keep them. `unknown` keeps fields the table does not
    know as (id, wire type code, raw bytes), so that they are counted and survive rewriting.
    """

    span: tuple[int, int] | None = field(default=None, compare=False, repr=False)
    field_spans: dict[str, tuple[int, int]] | None = field(default=None, compare=False, repr=False)
    unknown: tuple[tuple[int, int, bytes], ...] = field(default=(), repr=False)

    def __init_subclass__(cls) -> None:
        """Give a struct without a docstring its name: `dataclass` would work out its signature."""
        cls.__doc__ = cls.__doc__ or cls.__name__

    def __repr__(self) -> str:
        """Return the source of the struct, with the fields that the table knows."""
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _repr_names(self.__class__))
        return f"{self.__class__.__qualname__}({values})"

    def __eq__(self, other: object) -> bool:
        """Return whether both are of one struct, and hold the same, whatever bytes they were read from."""
        if other.__class__ is not self.__class__:
            return NotImplemented
        names = _compared(self.__class__)
        return [getattr(self, name) for name in names] == [getattr(other, name) for name in names]

    __hash__ = None  # type: ignore[assignment]  # fields can change

    @property
    def begin(self) -> int | None:
        """The offset of the struct, None if it was not read from bytes."""
        return self.span[0] if self.span else None

    def has_unknown(self, field_id: int) -> bool:
        """Return whether there was a field that the table does not know, or an unknown number of an enum."""
        return any(number == field_id for number, _, _ in self.unknown)


_COMPARED: dict[type[Struct], tuple[str, ...]] = {}


def _repr_names(cls: type[Struct]) -> tuple[str, ...]:
    return tuple(item.name for item in fields(cls) if item.repr)


def _compared(cls: type[Struct]) -> tuple[str, ...]:
    names = _COMPARED.get(cls)
    if names is None:
        names = _COMPARED[cls] = tuple(item.name for item in fields(cls) if item.compare)
    return names


@dataclass(slots=True, kw_only=True, repr=False, eq=False)
class Union(Struct):
    """A struct of which exactly one field is set (possibly a field unknown to the table)."""

    def which(self) -> str | None:
        """Return the name of the field that is set, None for a field unknown to the table."""
        rows = table_of(self.__class__).rows
        return next((row.name for row in rows if getattr(self, row.name) is not None), None)

    def value(self) -> Any:
        """Return the value of the field that is set, None for a field unknown to the table."""
        name = self.which()
        return None if name is None else getattr(self, name)


Wire = Scalar | ListOf | type[IntEnum] | type[Struct]


@dataclass(frozen=True)
class Row:
    """A field of a struct: its id on the wire, name, wire type, and whether it is required."""

    id: int
    name: str
    wire: Wire
    required: bool


@dataclass(frozen=True)
class Table:
    """The fields of a struct, in the order of the interface description."""

    cls: type[Struct]
    rows: tuple[Row, ...]
    by_id: dict[int, Row]
    required: frozenset[str]
    is_union: bool


_TABLES: dict[type[Struct], Table] = {}


def table_of(cls: type[Struct]) -> Table:
    """Return the table of a struct, built from its annotations at first use."""
    table = _TABLES.get(cls)
    if table is None:
        table = _TABLES[cls] = _read_table(cls)
    return table


def _read_table(cls: type[Struct]) -> Table:
    hints = get_type_hints(cls, include_extras=True)
    rows = []
    for item in fields(cls):
        meta = getattr(hints[item.name], "__metadata__", None)
        if meta is None:  # span, field_spans, unknown
            continue
        field_id, wire = meta
        rows.append(Row(field_id, item.name, wire, required=item.default is MISSING))
    by_id = {row.id: row for row in rows}
    if len(by_id) != len(rows):
        raise TypeError(f"{cls.__name__} declares a field id twice")
    required = frozenset(row.name for row in rows if row.required)
    return Table(cls, tuple(rows), by_id, required, issubclass(cls, Union))
