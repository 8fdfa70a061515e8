"""Tagged tables as plain Python values, for people who compare them with what their own reader returns.

| kind                                   | Python                                                          |
|----------------------------------------|-----------------------------------------------------------------|
| null                                   | None, whatever the kind                                         |
| `bool`                                 | bool                                                            |
| `int`                                  | int                                                             |
| `float`                                | float; a NaN loses its payload                                  |
| `decimal`                              | decimal.Decimal, exactly, with the scale of the type            |
| `date`                                 | int: days since 1970-01-01                                      |
| `time`, `timestamp`, `duration`        | int: units of the type (since midnight, since 1970-01-01)       |
| `int96`                                | int: nanoseconds since 1970-01-01                               |
| `interval`                             | tuple of months, days and nanoseconds                           |
| `string`, `json`, `enum`               | str; bytes that are not UTF-8 as lone surrogates                |
| `bytes`, `uuid`, `bson`, `geometry`, … | bytes                                                           |
| `variant`                              | tuple of metadata and value, both bytes                         |
| `list`                                 | list                                                            |
| `struct`                               | list of the fields' values, in order: names may occur twice     |
| `map`                                  | list of (key, value), in stored order: keys may occur twice     |
| `union`                                | tuple of the tag and the value                                  |

Counts of days and units stay numbers: Python's own dates end with the year 9999, and have no nanoseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Context, Decimal
from functools import cache
from typing import Any

from corpora.constants import FLOATS
from corpora.tagged import Table, Type, Value

_TEXTS = ("string", "json", "enum", "bool", "null")
_COUNTS = ("int", "date", "time", "timestamp", "duration", "int96")
_EXACT = Context(prec=1_000)  # more digits than any decimal of the formats has

Convert = Callable[[Any], Any]


def column(table: Table, name: str) -> list[Any]:
    """Return the values of the first top-level column of a name; raises KeyError if there is none."""
    for index, field in enumerate(table.columns):
        if field.name == name:
            return list(map(converter(field.type), table.column(index)))
    raise KeyError(name)


def rows(table: Table) -> list[tuple[Any, ...]]:
    """Return the rows of a table, each with the values of its columns in order."""
    if not table.columns:
        return [()] * table.num_rows
    columns = [
        map(converter(field.type), values)
        for field, values in zip(table.columns, table.all_columns(), strict=True)
    ]
    return list(zip(*columns, strict=True))


def same(first: Any, second: Any) -> bool:
    """Return whether two values are the same: NaN is NaN, 0.0 is not -0.0, and a tuple is as a list."""
    if isinstance(first, float) and isinstance(second, float):
        return repr(first) == repr(second)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return type(first) is type(second) and bool(first == second)


@cache
def converter(type_: Type) -> Convert:
    """Return the function that converts a tagged value of a type, or null.

    Text and bytes longer than `corpora.tagged.BIG` are represented by their digest, and stay as they are.
    """
    convert = _of_kind(type_)
    return lambda value: value if value is None or isinstance(value, dict) else convert(value)


def _of_kind(type_: Type) -> Convert:
    kind = type_.kind
    if kind in _TEXTS:
        return _same
    if kind in _COUNTS:
        return int
    if kind == "float":
        form = FLOATS[type_.bits or 64]
        return lambda bits: struct.unpack(form, bytes.fromhex(bits))[0]
    if kind == "decimal":
        return lambda digits: Decimal(digits).scaleb(-(type_.scale or 0), _EXACT)
    if kind in ("interval", "variant"):
        part: Convert = int if kind == "interval" else bytes.fromhex
        return lambda parts: tuple(map(part, parts))
    if type_.children:
        return _nested(type_)
    return list if kind in ("list", "struct", "map") else bytes.fromhex


def _nested(type_: Type) -> Convert:
    """Return the function for a type with children."""
    each = [converter(child.type) for child in type_.children]
    if type_.kind == "list":
        return lambda values: list(map(each[0], values))
    if type_.kind == "map":
        return lambda pairs: [(each[0](key), each[1](value)) for key, value in pairs]
    if type_.kind == "union":
        return lambda pair: (int(pair[0]), each[int(pair[0])](pair[1]))
    return lambda values: [convert(value) for convert, value in zip(each, values, strict=True)]


def _same(value: Value) -> Value:
    return value
