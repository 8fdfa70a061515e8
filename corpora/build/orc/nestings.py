"""Nestings of a column: at the top, with nulls, or inside of each kind of nested type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from corpora.build.orc.schemas import INT, Types, list_of, map_of, struct_of, union_of

# The nestings for columns of integers in version 1, whose runs do not depend on the types above.
OLD = ("required", "nullable", "list")


class Nesting(NamedTuple):
    """A nesting: functions for the type of the column `x` around a type, and for its values.

    Every level above the type has nulls, and some of the type's values are null.
    """

    name: str
    type: Callable[[Types], Types]
    values: Callable[[Sequence[Any]], list[Any]]


def _nullable(values: Sequence[Any]) -> list[Any]:
    """Put nulls before, after and between values."""
    out: list[Any] = [None]
    for number, value in enumerate(values):
        out += [value, None] if number % 3 == 1 else [value]
    return [*out, None, None]


def _parts(values: Sequence[Any]) -> list[list[Any] | None]:
    """Cut values, some of them null, into lists of 2, 0 and more."""
    given = _nullable(values)
    return [None, given[:2], [], given[2:3], None, given[3:], []]


def _maps(values: Sequence[Any]) -> list[Any]:
    parts = _parts(values)
    return [part if part is None else list(enumerate(part)) for part in parts]


def _deep(values: Sequence[Any]) -> list[Any]:
    """Return lists of maps of structs."""
    maps = [
        part if part is None else [(key, None if key == 1 else (value,)) for key, value in part]
        for part in _maps(values)
    ]
    return [maps[:3], None, [], maps[3:]]


NESTINGS = (
    Nesting("required", lambda type_: type_, list),
    Nesting("nullable", lambda type_: type_, _nullable),
    Nesting(
        "struct",
        lambda type_: struct_of(y=type_),
        lambda values: [None, *((value,) for value in _nullable(values)), None],
    ),
    Nesting("list", list_of, _parts),
    Nesting("map", lambda type_: map_of(INT, type_), _maps),
    Nesting(
        "union",
        lambda type_: union_of(INT, type_),
        lambda values: [None, (0, 5), *((1, value) for value in _nullable(values)), (0, None), (0, 7)],
    ),
    Nesting("deep", lambda type_: list_of(map_of(INT, struct_of(y=type_))), _deep),
)
