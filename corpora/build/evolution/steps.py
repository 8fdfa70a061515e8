"""Steps of evolution: what people change in the schema of a table between two files.

Each step returns another schema, or None where the schema has nothing that it could change. A field that is
added has a new id; a name or an id is never used again for another field.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count

from corpora import tagged
from corpora.build.evolution.members import Member, Schema
from corpora.tagged import Type, decimal, floating, integer, time, timestamp

Step = Callable[[Schema, random.Random, "Names"], Schema | None]

SCALARS: tuple[Type, ...] = (
    tagged.BOOL,
    integer(8),
    integer(16),
    integer(32),
    integer(64),
    floating(32),
    floating(64),
    decimal(5, 2),
    decimal(12, 3),
    decimal(30, 10),
    tagged.DATE,
    tagged.STRING,
    tagged.BYTES,
)
# Moments have one unit in ORC, which has nanoseconds; other types are of Parquet alone.
MOMENTS = {"parquet": "us", "orc": "ns"}
_MORE: dict[str, tuple[Type, ...]] = {
    "parquet": (
        integer(8, signed=False),
        integer(16, signed=False),
        integer(32, signed=False),
        integer(64, signed=False),
        time("ms", utc=False),
        time("us", utc=True),
        timestamp("ms", utc=True),
        timestamp("ns", utc=False),
    ),
    "orc": (),
}
# The types that values of a type go into without a loss, as `corpora/evolution.py` defines them.
WIDER: dict[Type, tuple[Type, ...]] = {
    integer(8): (integer(16), integer(32), integer(64)),
    integer(8, signed=False): (integer(16), integer(32, signed=False)),
    integer(32, signed=False): (integer(64),),
    integer(16): (integer(32), integer(64), floating(64)),
    integer(32): (integer(64), floating(64), decimal(12, 2)),
    floating(32): (floating(64),),
    decimal(5, 2): (decimal(9, 2), decimal(12, 2), decimal(20, 2), decimal(8, 4)),
    decimal(12, 3): (decimal(18, 3), decimal(25, 3), decimal(15, 5)),
}


def wider(type_: Type, unit: str) -> tuple[Type, ...]:
    """Return the types to which a type can be widened; timestamps are in `unit`."""
    return (timestamp(unit, utc=False),) if type_ == tagged.DATE else WIDER.get(type_, ())


class Names:
    """New ids and names of fields, each used once, for tables of a format with timestamps in `unit`."""

    def __init__(self, format_: str) -> None:
        self.unit = unit = MOMENTS[format_]
        self.has_forms = format_ not in UNCHANGED["reform"]
        self._numbers: Iterator[int] = count(1)
        moments = timestamp(unit, utc=True), timestamp(unit, utc=False)
        self._scalars = (*SCALARS, *moments, *_MORE[format_])

    def field(self, rng: random.Random, depth: int = 0) -> Member:
        """Return a new field, nested two levels deep at most."""
        number = next(self._numbers)
        name = f"{'abcdefghij'[number % 10]}{number}"
        required = rng.random() < 0.25
        shape = rng.choice(["scalar", "scalar", "struct", "list", "map"]) if depth < 2 else "scalar"
        if shape == "scalar":
            return Member(number, name, rng.choice(self._scalars), required=required)
        if shape == "struct":
            inside = tuple(self.field(rng, depth + 1) for _ in range(rng.randrange(1, 4)))
        elif shape == "list":
            inside = (replace(self.field(rng, depth + 1), name="element"),)
        else:
            key = Member(next(self._numbers), "key", rng.choice([integer(32), tagged.STRING]), required=True)
            inside = (key, replace(self.field(rng, depth + 1), name="value"))
        return Member(number, name, shape=shape, members=inside, required=required)

    def number(self) -> int:
        """Return a new id."""
        return next(self._numbers)


def base(rng: random.Random, names: Names) -> Schema:
    """Return the first schema of a table."""
    return tuple(names.field(rng) for _ in range(rng.randrange(2, 5)))


def add(schema: Schema, rng: random.Random, names: Names) -> Schema:
    """Add a column at any place; the older files do not have it, so it is optional."""
    at = rng.randrange(len(schema) + 1)
    return (*schema[:at], replace(names.field(rng), required=False), *schema[at:])


def drop(schema: Schema, rng: random.Random, names: Names) -> Schema | None:  # noqa: ARG001 - a step's form
    """Leave a column out."""
    at = rng.randrange(len(schema))
    return (*schema[:at], *schema[at + 1 :]) if len(schema) > 1 else None


def reorder(schema: Schema, rng: random.Random, names: Names) -> Schema | None:  # noqa: ARG001 - a step's form
    """Put the columns into another order."""
    order = rng.sample(schema, len(schema))
    return tuple(order) if tuple(order) != schema else None


def rename(schema: Schema, rng: random.Random, names: Names) -> Schema:
    """Give a column another name; its id stays."""
    at = rng.randrange(len(schema))
    return _replaced(schema, at, replace(schema[at], name=f"r{names.number()}"))


def recase(schema: Schema, rng: random.Random, names: Names) -> Schema:  # noqa: ARG001 - a step's form
    """Write the name of a column in other letters, upper or lower case."""
    at = rng.randrange(len(schema))
    return _replaced(schema, at, replace(schema[at], name=schema[at].name.swapcase()))


def relax(schema: Schema, rng: random.Random, names: Names) -> Schema:  # noqa: ARG001 - a step's form
    """Make a column optional, or required."""
    at = rng.randrange(len(schema))
    return _replaced(schema, at, replace(schema[at], required=not schema[at].required))


def widen(schema: Schema, rng: random.Random, names: Names) -> Schema | None:
    """Widen the type of a field at any depth; keys of maps stay."""

    def widened(member: Member, rng: random.Random) -> Member:
        return replace(member, type=rng.choice(wider(member.type, names.unit)))

    return _inside(schema, rng, lambda member: can_widen(member, names.unit), widened)


def add_inside(schema: Schema, rng: random.Random, names: Names) -> Schema | None:
    """Add a field to a struct at any depth."""

    def added(member: Member, rng: random.Random) -> Member:
        at = rng.randrange(len(member.members) + 1)
        field = replace(names.field(rng, 2), required=False)
        return member.with_members([*member.members[:at], field, *member.members[at:]])

    return _inside(schema, rng, lambda member: member.shape == "struct", added)


def drop_inside(schema: Schema, rng: random.Random, names: Names) -> Schema | None:  # noqa: ARG001 - a step's form
    """Leave a field of a struct out."""

    def without(member: Member, rng: random.Random) -> Member:
        at = rng.randrange(len(member.members))
        return member.with_members([*member.members[:at], *member.members[at + 1 :]])

    return _inside(schema, rng, lambda member: member.shape == "struct" and len(member.members) > 1, without)


def reform(schema: Schema, rng: random.Random, names: Names) -> Schema | None:
    """Write a list or map at any depth in another form; ORC has one form only."""

    def reformed(member: Member, rng: random.Random) -> Member:  # noqa: ARG001 - a change's form
        return replace(member, legacy=not member.legacy)

    if not names.has_forms:
        return None
    return _inside(schema, rng, lambda member: member.shape in {"list", "map"}, reformed)


STEPS: dict[str, Step] = {
    "add": add,
    "drop": drop,
    "reorder": reorder,
    "rename": rename,
    "recase": recase,
    "relax": relax,
    "widen": widen,
    "add-inside": add_inside,
    "drop-inside": drop_inside,
    "reform": reform,
}


UNCHANGED = {"reform": ("orc",)}  # formats in which a step changes nothing


def can_widen(member: Member, unit: str) -> bool:
    """Return whether a field can have a wider type; a key of a map keeps its own."""
    return bool(wider(member.type, unit)) and member.name != "key"


def _replaced(schema: Schema, at: int, member: Member) -> Schema:
    return (*schema[:at], member, *schema[at + 1 :])


def _inside(
    schema: Schema,
    rng: random.Random,
    fits: Callable[[Member], bool],
    change: Callable[[Member, random.Random], Member],
) -> Schema | None:
    """Change one field that fits, at any depth; None if there is none."""
    paths = [path for field in schema for path, member in field.walk() if fits(member)]
    if not paths:
        return None
    path = rng.choice(paths)
    return tuple(_changed(field, path, rng, change) for field in schema)


def _changed(
    member: Member,
    path: tuple[str, ...],
    rng: random.Random,
    change: Callable[[Member, random.Random], Member],
) -> Member:
    if not path or member.name != path[0]:
        return member
    if len(path) == 1:
        return change(member, rng)
    return member.with_members([_changed(each, path[1:], rng, change) for each in member.members])
