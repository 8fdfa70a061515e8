"""The values of Variants, with their physical types in the encoding.

Examples: `Primitive("decimal4", 1234, scale=2)`, `Primitive("double", 0x3FF0000000000000)`,
`Array((Primitive("null"),))`, `Object((("a", Primitive("string", "b")),))`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from reference_impl.errors import LimitExceeded, UsageError

MAX_DEPTH = 200  # values within values; the specification has no limit, but recursion has
MAX_SCALE = 38  # "1-byte scale in range [0, 38]"


class Type(NamedTuple):
    """A row of the table "Variant primitive types" (VariantEncoding.md, "Encoding types").

    `id` is the type id (for "boolean", that of true), `width` the bytes of the value, 0 for none, -1 if a
    4-byte size precedes them; `digits` the most decimal digits of the unscaled value.
    """

    kind: str
    equivalence: str
    id: int
    width: int
    digits: int = 0


TYPES = (
    Type("null", "null", 0, 0),
    Type("boolean", "boolean", 1, 0),
    Type("int8", "exact", 3, 1),
    Type("int16", "exact", 4, 2),
    Type("int32", "exact", 5, 4),
    Type("int64", "exact", 6, 8),
    Type("double", "double", 7, 8),
    Type("decimal4", "exact", 8, 4, 9),
    Type("decimal8", "exact", 9, 8, 18),
    Type("decimal16", "exact", 10, 16, 38),
    Type("date", "date", 11, 4),
    Type("timestamp", "timestamp", 12, 8),
    Type("timestamp_ntz", "timestamp_ntz", 13, 8),
    Type("float", "float", 14, 4),
    Type("binary", "binary", 15, -1),
    Type("string", "string", 16, -1),
    Type("time", "time", 17, 8),
    Type("timestamp_nanos", "timestamp", 18, 8),
    Type("timestamp_ntz_nanos", "timestamp_ntz", 19, 8),
    Type("uuid", "uuid", 20, 16),
)
BY_KIND = {type_.kind: type_ for type_ in TYPES}
INTEGERS = ("int8", "int16", "int32", "int64")
DECIMALS = ("decimal4", "decimal8", "decimal16")
# Kinds whose bytes are a signed number, little-endian.
TIMESTAMPS = ("timestamp", "timestamp_ntz", "timestamp_nanos", "timestamp_ntz_nanos")
COUNTS = (*INTEGERS, *DECIMALS, "date", "time", *TIMESTAMPS)
_MICRO = 1_000


@dataclass(frozen=True, slots=True)
class Primitive:
    """A value that is no array or object; `kind` is a `Type.kind`, `scale` that of a decimal.

    `value`: None, bool, str (string), bytes (binary, and the 16 of a uuid), int for the rest: integers,
    unscaled decimals, days, microseconds or nanoseconds since 1970 or midnight, and the IEEE 754 bits of
    float and double, which distinguish NaNs.
    """

    kind: str
    value: Any = None
    scale: int = 0


@dataclass(frozen=True, slots=True)
class Array:
    """Values in order."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Object:
    """Values by name, in the order of the names' UTF-8 bytes; `object_of` sorts them."""

    fields: tuple[tuple[str, Value], ...]

    @property
    def names(self) -> frozenset[str]:
        """The names."""
        return frozenset(name for name, _ in self.fields)


Value = Primitive | Array | Object
NULL = Primitive("null")


def object_of(fields: Iterable[tuple[str, Value]]) -> Object:
    """Return an object of fields in any order; raises UsageError if two have one name."""
    ordered = sorted(fields, key=lambda field: sort_key(field[0]))
    if len({name for name, _ in ordered}) < len(ordered):
        raise UsageError("an object has one name twice")
    return Object(tuple(ordered))


def sort_key(name: str) -> bytes:
    """Return the sorting key of a name: "using unsigned byte ordering for UTF-8"."""
    return name.encode("utf-8", "surrogatepass")


def double(number: float) -> Primitive:
    """Return a double."""
    return Primitive("double", int.from_bytes(struct.pack("<d", number), "little"))


def float_(number: float) -> Primitive:
    """Return a float; raises OverflowError for a number out of its range."""
    return Primitive("float", int.from_bytes(struct.pack("<f", number), "little"))


def number_of(value: Primitive) -> float:
    """Return the number of a float or double."""
    form, width = ("<f", 4) if value.kind == "float" else ("<d", 8)
    (number,) = struct.unpack(form, value.value.to_bytes(width, "little"))
    return float(number)


def integer(number: int) -> Primitive:
    """Return the narrowest integer that holds a number, or else a decimal; raises UsageError if none does."""
    for kind in INTEGERS:
        if -(1 << 8 * BY_KIND[kind].width - 1) <= number < 1 << 8 * BY_KIND[kind].width - 1:
            return Primitive(kind, number)
    return decimal(number, 0)


def decimal(unscaled: int, scale: int) -> Primitive:
    """Return the narrowest decimal that holds a value ("Decimal table"); raises UsageError if none does."""
    if 0 <= scale <= MAX_SCALE:
        for kind in DECIMALS:
            if abs(unscaled) < 10 ** BY_KIND[kind].digits:
                return Primitive(kind, unscaled, scale)
    raise UsageError(f"no decimal of 38 digits: {unscaled!r:.60} with scale {scale}")


def canonical(value: Value, depth: int = 0) -> list[Any]:
    """Return a value as lists of strings, which are equal for logically equal values ("Equivalence Class").

    123 is the decimal 123.00, and microseconds are nanoseconds. Float and double are classes of their own; a
    zero has its sign; every NaN is the same. Raises LimitExceeded below `MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
    if isinstance(value, Array):
        return ["array", *(canonical(item, depth + 1) for item in value.items)]
    if isinstance(value, Object):
        return ["object", *([name, canonical(field, depth + 1)] for name, field in value.fields)]
    kind = BY_KIND[value.kind].equivalence
    if kind in ("null", "boolean"):
        return [kind] if kind == "null" else [kind, str(value.value).lower()]
    if kind == "exact":
        return [kind, *map(str, normal(value.value, value.scale))]
    if kind in ("float", "double"):
        number = number_of(value)
        return [kind, "nan" if number != number else number.hex()]  # noqa: PLR0124 - NaN
    if kind in ("timestamp", "timestamp_ntz"):
        return [kind, str(value.value * (1 if value.kind.endswith("_nanos") else _MICRO))]
    return [kind, value.value.hex() if isinstance(value.value, bytes) else str(value.value)]


def normal(unscaled: int, scale: int) -> tuple[int, int]:
    """Return a decimal without the zeros at the end of its fraction."""
    while scale and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    return unscaled, scale


def equal(first: Value, other: Value) -> bool:
    """Return whether two values are logically equal, even with different physical types."""
    return canonical(first) == canonical(other)
