"""Constants of queries: values of the tables, mostly the minimum or maximum, and values near them.

With such constants a reader that skips too much loses rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from corpora.build.questions.columns import is_constant
from corpora.constants import TEXT
from corpora.tagged import Type, Value
from properties.strategies.chances import choice, one_in

_SPECIAL = {  # NaN of both signs, zeros, infinities, one, and a NaN with a payload
    16: ("7e00", "fe00", "0000", "8000", "7c00", "fc00", "3c00", "7d01"),
    32: ("7fc00000", "ffc00000", "00000000", "80000000", "7f800000", "ff800000", "3f800000", "7f800001"),
    64: (
        *("7ff8000000000000", "fff8000000000000", "0000000000000000", "8000000000000000", "7ff0000000000000"),
        *("fff0000000000000", "3ff0000000000000", "7ff0000000000001"),
    ),
}
_TEXTS = ("", "a", "é", "\x00", "\U0010ffff", "z" * 64, "ÿ")
_DRAWN = 4  # of a list: the others are values in a row, which shrink as one
_COUNTS = ("int", "decimal", "date", "time", "timestamp", "duration", "int96")


@dataclass(frozen=True)
class Target:
    """A column or a field of structs that a predicate can test; its `values` are distinct and sorted."""

    path: tuple[str, ...]
    type: Type
    values: tuple[Value, ...]


def constant(draw: st.DrawFn, target: Target) -> Any:
    """Return a constant for a column: one of its values or a value near it."""
    special = _special(target.type)
    if not target.values or (special and one_in(draw, 6)):
        return choice(draw, special)
    where = choice(draw, ["least", "greatest", "any"])
    value = target.values[0 if where == "least" else -1]
    if where == "any":
        value = choice(draw, target.values)
    near = [value, value, value, *_near(target.type, value)]
    # Timestamps of ORC can exceed 64 bits of nanoseconds, the limit of constants.
    return choice(draw, [candidate for candidate in near if is_constant(target.type, candidate)] or special)


def several(draw: st.DrawFn, target: Target, count: int) -> list[Any]:
    """Return the given number of constants for a column, or all candidates near its values.

    Most constants of a long list are consecutive values of the column from a drawn one on, or values near
    these.
    """
    drawn = [constant(draw, target) for _ in range(min(count, _DRAWN))]
    if count <= _DRAWN:
        return drawn
    type_, values = target.type, target.values
    first = draw(st.integers(0, max(0, len(values) - 1)))
    held = [*values[first:], *values[:first]][:count]
    near = [candidate for value in held for candidate in _near(type_, value)]
    pool = (*near, *held) if draw(st.booleans()) else (*held, *near)
    fitting = (value for value in (*drawn, *pool, *_special(type_)) if is_constant(type_, value))
    return list(dict.fromkeys(fitting))[:count]


def _special(type_: Type) -> tuple[Value, ...]:
    """Return the special constants of a type."""
    kind = type_.kind
    if kind == "float":
        return _SPECIAL[type_.bits or 64]
    if kind in TEXT:
        return _TEXTS
    if kind == "bool":
        return (False, True)
    if kind == "uuid":
        return ("00" * 16, "ff" * 16, "80" + "00" * 15)
    if kind in _COUNTS:
        ends = [0, 1, -1]
        for bits in sorted({type_.bits or 32, 32, 64}):
            ends += [1 << (bits - 1), (1 << (bits - 1)) - 1, -1 << (bits - 1), (1 << bits) - 1]
        ends += [sign * (10 ** (type_.precision or 1) - 1) for sign in (1, -1)]
        return tuple(str(number) for number in dict.fromkeys(ends) if is_constant(type_, str(number)))
    return ("", "00", "80", "ff")


def _near(type_: Type, value: Value) -> Iterator[Value]:
    """Yield the neighbours of a value, and the value with the other sign; not all of them fit the type."""
    if isinstance(value, bool):
        yield not value
        return
    text, kind = str(value), type_.kind
    if kind in _COUNTS:
        yield from (str(int(text) + 1), str(int(text) - 1))
        bits = type_.bits or (32 if kind == "date" else 64)
        yield from (str(int(text) + (1 << bits - 1)), str(int(text) - (1 << bits - 1)), str(-int(text)))
    elif kind == "float":
        width, number = len(text), int(text, 16)
        for neighbour in (number + 1, number - 1, number ^ (1 << 4 * width - 1)):
            yield f"{neighbour % (1 << 4 * width):0{width}x}"
    elif kind in TEXT:
        yield from (text + "\x00", text + "z", text[:-1], text[:64], text + "é")
    elif kind == "uuid":
        yield from (f"{(int(text, 16) + step) % (1 << 128):032x}" for step in (1, -1, 1 << 127))
    else:
        yield from (text + "00", text[:-2], text[:128], text + "ff")
        if text:  # of the same width, for FIXED_LEN_BYTE_ARRAY
            yield from (f"{(int(text, 16) + step) % (1 << 4 * len(text)):0{len(text)}x}" for step in (1, -1))
