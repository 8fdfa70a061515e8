"""The control files of Parquet: each type, each codec, nested types, row groups, and no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corpora.build.kinds import KINDS
from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    Recipe,
    group,
    leaf,
    list_group,
    map_group,
    schema,
    text,
)
from corpora.queries import Aggregate, Batches, Project, RowGroup
from reference_impl.parquet.plan import Column, FilePlan
from reference_impl.parquet.schema import CompressionCodec, Type

X = "x"  # the column in question
_SPEC = "control set"
_DAY = 18_321  # 2020-02-29
_MILLIS = _DAY * 86_400_000
_JULIAN = 2_440_588  # the Julian day of 1970-01-01
_CODECS = ("SNAPPY", "GZIP", "BROTLI", "LZ4_RAW", "ZSTD")
# Values of a column of each kind, in rising order: kinds of `KINDS` by their names.
_VALUES: dict[str, Sequence[Any]] = {
    "boolean": (False, True),
    **dict.fromkeys(("int32", "int64", "int-8", "int-16", "uint-8", "uint-16", "uint-32"), (1, 2, 3)),
    "uint-64": (1, 2, 3),
    "float": (-1.5, 0.5, 2.0),
    "double": (-1.5, 0.5, 2.0),
    "byte-array": (b"a", b"b", b"c"),
    "fixed": (b"abcd", b"abce", b"abcf"),
    "string": (b"apple", b"banana", b"cherry"),
    "decimal-5-2/int32": (100, 250, 999),
    "decimal-10-3/int64": (100, 250, 999),
    "decimal-38-10/fixed-16": tuple(number.to_bytes(16, "big") for number in (100, 250, 999)),
    "date": (0, 1, _DAY),
    "time-millis-utc": (0, 1_000, 3_600_000),
    "time-micros-utc": (0, 1_000, 3_600_000_000),
    "timestamp-millis-utc": (0, 1_000, _MILLIS),
    "timestamp-micros-utc": (0, 1_000, _MILLIS * 1_000),
    "timestamp-micros-local": (0, 1_000, _MILLIS * 1_000),
    "timestamp-nanos-utc": (0, 1_000, _MILLIS * 1_000_000),
    "int96": tuple(
        nanos.to_bytes(8, "little") + _JULIAN.to_bytes(4, "little") for nanos in (0, 1_000, 2_000)
    ),
    "uuid": (bytes(range(16)), bytes(range(1, 17))),
    "float16": (b"\x00\x38", b"\x00\x3c", b"\x00\x40"),
}


def recipes() -> Iterator[Recipe]:
    """Yield the recipes; the first shows nothing but what any file has."""
    integers = leaf(X, Type.INT32, OPTIONAL)
    first = _plan(integers, (1, 2, 3))
    yield Recipe("plain", first, _SPEC, queries=(Project((X,)), Batches(2)))
    groups = FilePlan(first.schema, first.rows, row_groups=(2, 2))
    yield Recipe("row-groups", groups, _SPEC, queries=(RowGroup(1), Aggregate((X,))))
    yield Recipe("empty", FilePlan(first.schema), _SPEC, queries=(Project((X,)),))
    for codec in _CODECS:
        layout = Column(codec=CompressionCodec[codec])
        yield Recipe(f"codec-{codec.lower()}", FilePlan(first.schema, first.rows, (layout,) * 2), _SPEC)
    kinds = {kind.name: kind for kind in reversed(KINDS)}
    for name, values in _VALUES.items():
        plan = _plan(leaf(X, repetition=OPTIONAL, **kinds[name].fields), values)
        yield Recipe(name.replace("/", "-"), plan, _SPEC, probed=(X,))
    yield from _nested()


def _nested() -> Iterator[Recipe]:
    """Yield a list, a map and a struct."""
    item = leaf("element", Type.INT32, OPTIONAL)
    lists = list_group(X, OPTIONAL, group("list", REPEATED, item))
    elements = [{"list": [{"element": 1}, {"element": 2}]}, {"list": []}]
    yield Recipe("list", _plan(lists, elements), _SPEC, queries=(Project((X,)),))
    entry = group("key_value", REPEATED, text("key"), leaf("value", Type.INT32, OPTIONAL))
    entries = [{"key_value": [{"key": b"a", "value": 1}, {"key": b"b", "value": 2}]}, {"key_value": []}]
    yield Recipe("map", _plan(map_group(X, OPTIONAL, entry), entries), _SPEC, queries=(Project((X,)),))
    struct = group(X, OPTIONAL, leaf("a", Type.INT32, OPTIONAL), text("b", OPTIONAL))
    rows = [{"a": 1, "b": b"x"}, {"a": 2, "b": None}]
    yield Recipe("struct", _plan(struct, rows), _SPEC, queries=(Project((X,)),))


def _plan(field: Elements, values: Sequence[Any]) -> FilePlan:
    """Return the plan of a file of a row number and a column, with a null at the end."""
    rows = tuple({"id": number, X: value} for number, value in enumerate((*values, None)))
    return FilePlan(schema(leaf("id", Type.INT32, REQUIRED), field), rows)
