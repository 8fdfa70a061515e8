"""The schema of a table at some time: fields that keep their id whatever they are called."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpora import tagged
from corpora.constants import FLOATS
from corpora.tagged import PER_SECOND, Field, Table, Type, Value

_NULL_SHARE = 0.2
_MOST_ELEMENTS = 3
_TEXT = "aZ0 é\u6c34"
_FAR_SHARE = 0.2
# Of the years 1, 9999 and 1582, and the ends of 32 bits.
_FAR_DAYS = (-719_162, 2_932_896, -141_428, -141_427, -(1 << 31), (1 << 31) - 1)
_NAN = {16: ("7e01", "fe00"), 32: ("7fc00001", "ffc00000"), 64: ("7ff8000000000001", "fff8000000000000")}
_LONG_TEXTS = ("a" * 300, "\u6c34" * 90, "\U0010ffff" * 70, "b" * 63 + "\U00010000")


@dataclass(frozen=True)
class Member:
    """A field: a scalar of `type`, or a `struct`, `list` or `map` of further members.

    A list has one member, `element`, a map two, `key` and `value`. `required` is about the file alone: no
    value of the field is null, and a Parquet file says so. So is `legacy`: a list or map of a Parquet file
    has the names of older writers inside (LogicalTypes.md, Nested Types, Backward-compatibility rules).
    """

    id: int
    name: str
    type: Type = tagged.NULL
    shape: str = "scalar"
    members: tuple[Member, ...] = ()
    required: bool = False
    legacy: bool = False

    def tagged(self) -> Type:
        """Return the tagged type."""
        if self.shape == "scalar":
            return self.type
        return Type(self.shape, children=tuple(Field(each.name, each.tagged()) for each in self.members))

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Member]]:
        """Yield the field and those inside of it, with their paths."""
        here = (*path, self.name)
        yield here, self
        for member in self.members:
            yield from member.walk(here)

    def with_members(self, members: Sequence[Member]) -> Member:
        """Return the field with other members."""
        return replace(self, members=tuple(members))


Schema = tuple[Member, ...]


def ids_of(schema: Schema) -> dict[tuple[str, ...], int]:
    """Return the field ids of a schema, by path."""
    return {path: member.id for field in schema for path, member in field.walk()}


def fields_of(schema: Schema) -> tuple[Field, ...]:
    """Return the columns of a schema."""
    return tuple(Field(member.name, member.tagged()) for member in schema)


def table_of(schema: Schema, rows: int, rng: random.Random, *, far: bool = False) -> Table:
    """Return a table of a schema with random values; `far`: those of `far_scalar` are among them."""
    draw = far_scalar if far else scalar
    columns = [[_value(member, rng, draw) for _ in range(rows)] for member in schema]
    return Table.of([(field.name, field.type) for field in fields_of(schema)], columns, rows)


def _value(member: Member, rng: random.Random, draw: Callable[[Type, random.Random], Value]) -> Value:
    if not member.required and rng.random() < _NULL_SHARE:
        return None
    if member.shape == "scalar":
        return draw(member.type, rng)
    if member.shape == "struct":
        return [_value(inner, rng, draw) for inner in member.members]
    count = rng.randrange(_MOST_ELEMENTS + 1)
    if member.shape == "list":
        return [_value(member.members[0], rng, draw) for _ in range(count)]
    key, value = member.members
    keys = dict.fromkeys(draw(key.type, rng) for _ in range(count))
    return [[each, _value(value, rng, draw)] for each in keys]


def far_scalar(type_: Type, rng: random.Random) -> Value:
    """Return a value as `scalar` does, or one far from usual ones.

    These are dates and moments of the years 1, 1582 and 9999 and at the ends of their integers, NaN of other
    bits, and texts that writers cut for bounds.
    """
    if rng.random() >= _FAR_SHARE:
        return scalar(type_, rng)
    if type_.kind == "date":
        return str(rng.choice(_FAR_DAYS))
    if type_.kind == "timestamp":
        unit = type_.unit or "us"
        ends = [-(1 << 63), (1 << 63) - 1]
        moments = [days * 86_400 * PER_SECOND[unit] for days in _FAR_DAYS[:4]]
        return str(rng.choice([*ends, *(each for each in moments if ends[0] <= each <= ends[1])]))
    if type_.kind == "float":
        return rng.choice(_NAN[type_.bits or 64])
    if type_.kind == "string":
        return rng.choice(_LONG_TEXTS)
    if type_.kind == "bytes":
        return rng.choice(_LONG_TEXTS).encode().hex()
    return scalar(type_, rng)


def scalar(type_: Type, rng: random.Random) -> Value:
    """Return a random value of a type, its extremes among them."""
    kind = type_.kind
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "int":
        return str(_integer(type_.bits or 64, rng, signed=bool(type_.signed)))
    if kind == "float":
        special = [0.0, -0.0, float("inf"), float("nan")]
        more = [6e4, -1e-7] if type_.bits == 16 else [3e38, -1e-30]
        number = rng.choice([*special, 1.5, -2.25, *more, rng.random()])
        return struct.pack(FLOATS[type_.bits or 64], number).hex()
    if kind == "decimal":
        most = 10 ** (type_.precision or 1) - 1
        return str(rng.choice([0, 1, -1, most, -most, rng.randint(-most, most)]))
    if kind == "date":
        return str(rng.choice([0, -1, 18_000, 10_957, rng.randint(-20_000, 40_000)]))
    if kind == "time":
        return str(rng.randrange(86_400 * PER_SECOND[type_.unit or "us"]))
    if kind == "timestamp":
        scale = PER_SECOND[type_.unit or "us"]
        return str(rng.randint(-(10**9), 4 * 10**9) * scale + rng.randrange(scale))
    text = "".join(rng.choice(_TEXT) for _ in range(rng.randrange(6)))
    return text if kind == "string" else text.encode().hex()


def _integer(bits: int, rng: random.Random, *, signed: bool) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return rng.choice([0, 1, low, high, rng.randint(low, high), rng.randint(0, min(high, 9))])
