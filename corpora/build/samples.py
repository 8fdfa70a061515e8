"""Edge values of physical types, the legal encodings of each, and nestings with nulls and empty lists."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    group,
    leaf,
    list_group,
    map_group,
    schema,
    text,
)
from reference_impl.parquet.encodings.dispatch import ENCODINGS as SUPPORTED
from reference_impl.parquet.plan import Column, FilePlan, Row
from reference_impl.parquet.schema import Encoding, Type

FIXED_LENGTH = 3
# NaN, positive and negative, quiet and signalling, with a payload: as bytes, so that nothing is lost.
FLOAT_NANS = tuple(struct.pack("<I", bits) for bits in (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF))
DOUBLE_NANS = tuple(struct.pack("<Q", bits) for bits in (0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1))
INFINITY = float("inf")
# Geometries, as WKB.
POINT = bytes.fromhex("0101000000000000000000f03f0000000000000040")
LINE = bytes.fromhex("01020000000200000000000000000000000000000000000000000000000000f03f000000000000f03f")
VALUES: dict[Type, tuple[Any, ...]] = {
    Type.BOOLEAN: (True, False, False, True, True, True, True, True, True, True, True, False),
    Type.INT32: (0, -1, 2**31 - 1, -(2**31), 7, 7, 7, 7, 7, 7, 7, 7, 7, 8),
    Type.INT64: (0, -1, 2**63 - 1, -(2**63), 2**32, 5, 5, 6, -(2**31)),
    Type.INT96: (
        struct.pack("<qi", 0, 2_440_588),
        struct.pack("<qi", 86_399_999_999_999, 2_440_587),
        struct.pack("<qi", 1, 2_341_973),
        struct.pack("<qi", 3_600_000_000_000, 2_458_850),
    ),
    Type.FLOAT: (0.0, -0.0, 1.5, -1.5, 2.0**-149, 2.0**-126, INFINITY, -INFINITY, *FLOAT_NANS),
    Type.DOUBLE: (0.0, -0.0, 0.1, -0.1, 2.0**-1074, 2.0**-1022, INFINITY, -INFINITY, *DOUBLE_NANS),
    Type.BYTE_ARRAY: (b"", b"a", b"ab", b"abc", b"abd", b"\x00", b"\x80", b"\xff\xff", b"abd" * 12, b"b"),
    Type.FIXED_LEN_BYTE_ARRAY: (b"abc", b"abd", b"\xff\xff\xff", bytes(3), b"\x80ab", b"abd"),
}
DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
# A dictionary may have values of any type.
ENCODINGS: dict[Encoding, tuple[Type, ...]] = {
    **{Encoding(encoding): kinds for encoding, kinds in SUPPORTED.items()},
    **dict.fromkeys(DICTIONARIES, tuple(Type)),
}
CLAUSES: dict[Encoding, str] = {
    Encoding.PLAIN: "Encodings.md, Plain",
    Encoding.PLAIN_DICTIONARY: "Encodings.md, Dictionary Encoding",
    Encoding.RLE_DICTIONARY: "Encodings.md, Dictionary Encoding",
    Encoding.RLE: "Encodings.md, Run Length Encoding / Bit-Packing Hybrid",
    Encoding.DELTA_BINARY_PACKED: "Encodings.md, Delta Encoding",
    Encoding.DELTA_LENGTH_BYTE_ARRAY: "Encodings.md, Delta-length byte array",
    Encoding.DELTA_BYTE_ARRAY: "Encodings.md, Delta Strings",
    Encoding.BYTE_STREAM_SPLIT: "Encodings.md, Byte Stream Split",
    Encoding.ALP: "AlpEncoding.md, Page Layout",
}


def fields(kind: Type, length: int = FIXED_LENGTH) -> dict[str, Any]:
    """Return the fields of a SchemaElement for a column of this type."""
    return {"kind": kind, **({"type_length": length} if kind == Type.FIXED_LEN_BYTE_ARRAY else {})}


Wrap = Callable[[dict[str, Any]], Elements]
Spread = Callable[[list[Any]], list[Any]]


class Nesting(NamedTuple):
    """A nesting of a column: functions for its field `a`, given a leaf, and for the field's values.

    `before`: the number of columns of the field in front of the leaf.
    """

    name: str
    field: Wrap
    values: Spread
    before: int = 0


def plan(nesting: Nesting, leaf_fields: dict[str, Any], values: Sequence[Any], layout: Column) -> FilePlan:
    """Return a plan of a row number `id` and the field `a` with the values in the layout `layout`."""
    column = nesting.values(list(values))
    rows: tuple[Row, ...] = tuple({"id": number, "a": value} for number, value in enumerate(column))
    columns = (Column(),) * (1 + nesting.before) + (layout,)
    return FilePlan(schema(leaf("id", Type.INT32), nesting.field(leaf_fields)), rows, columns)


def _leaf(name: str, repetition: int, fields: dict[str, Any]) -> Elements:
    return leaf(name, repetition=repetition, **fields)


def sprinkled(values: list[Any], nulls: Sequence[int] = (1, 2, 0, 1, 0, 3)) -> list[Any]:
    """Put nulls between values, and one null after the last."""
    out: list[Any] = []
    for value, count in zip(values, cycle(nulls), strict=False):
        out += [*[None] * count, value]
    return [*out, None]


def _cut(values: list[Any], sizes: Sequence[int] = (3, 1, 0, 2, 5)) -> Iterator[list[Any]]:
    left = list(values)
    for size in cycle(sizes):
        if not left:
            return
        yield left[:size]
        left = left[size:]


def _lists(values: list[Any]) -> list[Any]:
    wrapped = [
        {"list": [{"element": value} for value in part]} for part in _cut(sprinkled(values, (0, 1, 0, 0)))
    ]
    return [None, {"list": []}, *wrapped, None]


def _repeated(values: list[Any]) -> list[Any]:
    return [[], *_cut(values), []]


def _structs(values: list[Any]) -> list[Any]:
    return [None, *({"x": value} for value in sprinkled(values)), None]


def _maps(values: list[Any]) -> list[Any]:
    parts = _cut(sprinkled(values, (0, 0, 1)))
    entries = [
        {"key_value": [{"key": b"k%d" % number, "value": value} for number, value in enumerate(part)]}
        for part in parts
    ]
    return [None, {"key_value": []}, *entries]


def _deep(values: list[Any]) -> list[Any]:
    inner = _cut(sprinkled(values, (0, 1, 0)))
    elements: list[Any] = [None, {"b": None}, {"b": {"list": []}}]
    elements += [{"b": {"list": [{"element": value} for value in part]}} for part in inner]
    outer = [{"list": [{"element": element} for element in part]} for part in _cut(elements, (1, 2, 0, 3))]
    return [None, {"list": []}, *outer]


def _deep_field(fields: dict[str, Any]) -> Elements:
    inner = list_group("b", OPTIONAL, group("list", REPEATED, _leaf("element", OPTIONAL, fields)))
    element = group("element", OPTIONAL, inner)
    return list_group("a", OPTIONAL, group("list", REPEATED, element))


def _map_field(fields: dict[str, Any]) -> Elements:
    value = _leaf("value", OPTIONAL, fields)
    return map_group("a", OPTIONAL, group("key_value", REPEATED, text("key"), value))


def _list_field(fields: dict[str, Any]) -> Elements:
    return list_group("a", OPTIONAL, group("list", REPEATED, _leaf("element", OPTIONAL, fields)))


NESTINGS = (
    Nesting("required", lambda fields: _leaf("a", REQUIRED, fields), list),
    Nesting("optional", lambda fields: _leaf("a", OPTIONAL, fields), sprinkled),
    Nesting("repeated", lambda fields: _leaf("a", REPEATED, fields), _repeated),
    Nesting("list", _list_field, _lists),
    Nesting("struct", lambda fields: group("a", OPTIONAL, _leaf("x", OPTIONAL, fields)), _structs),
    Nesting("map", _map_field, _maps, 1),
    Nesting("deep", _deep_field, _deep),
)
BY_NAME = {nesting.name: nesting for nesting in NESTINGS}
