"""Values of a Parquet column as tagged values, by the column's physical and logical type."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from corpora import tagged
from corpora.build.tagged_arrays import bits, hexes, numbers, strings, texts
from corpora.tagged import Value
from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical, Values

_JULIAN_EPOCH = 2_440_588  # the Julian day number of 1970-01-01, which INT96 timestamps count days from
_DAY_NANOS = 86_400_000_000_000


def leaf(node: Node, values: Values) -> tuple[tagged.Type, list[Value]]:
    """Return the tagged type and values of a leaf column; nulls are not among them."""
    physical, logical = node.physical, node.logical
    assert physical is not None
    if logical is None or logical.name == "NEW":
        return _plain(physical, values)
    return _LOGICAL[logical.name](logical, values)


def _plain(physical: Physical, values: Values) -> tuple[tagged.Type, list[Value]]:
    if isinstance(values, ByteArrays):
        return tagged.BYTES, hexes(values)
    if physical.type == Type.BOOLEAN:
        return tagged.BOOL, values.tolist()
    if physical.type in (Type.INT32, Type.INT64):
        return tagged.integer(8 * physical.width), numbers(values)
    if physical.type in (Type.FLOAT, Type.DOUBLE):
        return tagged.floating(8 * physical.width), bits(values)
    return tagged.BYTES, list(texts(values))


def _strings(values: Values) -> ByteArrays:
    """Return byte arrays, which the rows of an (n, width) uint8 array are, too."""
    return values if isinstance(values, ByteArrays) else ByteArrays.of(_rows(values))


def _rows(values: Values) -> Iterator[bytes]:
    """Yield byte arrays, or the rows of an (n, width) uint8 array, one at a time."""
    if isinstance(values, ByteArrays):
        return iter(values)
    width, raw = values.shape[1], values.tobytes()
    return (raw[at * width : (at + 1) * width] for at in range(len(values)))


def _text(kind: str) -> Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]:
    return lambda _, values: (tagged.Type(kind), strings(_strings(values)))


def _binary(kind: str) -> Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]:
    return lambda _, values: (tagged.Type(kind), hexes(_strings(values)))


def _integer(logical: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    assert not isinstance(values, ByteArrays)
    if not logical.signed:
        values = values.view(np.dtype(f"<u{values.dtype.itemsize}"))
    return tagged.integer(logical.bits, signed=logical.signed), numbers(values)


def _decimal(logical: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    type_ = tagged.decimal(logical.precision, logical.scale)
    if not isinstance(values, ByteArrays) and values.ndim == 1:
        return type_, numbers(values)
    return type_, [str(int.from_bytes(raw, "big", signed=True)) for raw in _rows(values)]


def _count(type_: tagged.Type, values: Values) -> tuple[tagged.Type, list[Value]]:
    assert not isinstance(values, ByteArrays)
    return type_, numbers(values)


def _float16(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    return tagged.floating(16), [raw[::-1].hex() for raw in _rows(values)]


def _interval(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    parts = [[int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 8)] for raw in _rows(values)]
    return tagged.INTERVAL, [[str(m), str(d), str(ms * 1_000_000)] for m, d, ms in parts]


def _int96(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    """Write the nanoseconds of the day (first 8 bytes) and the Julian day (last 4) as one count."""
    out: list[Value] = []
    for raw in _rows(values):
        nanos = int.from_bytes(raw[:8], "little", signed=True)
        days = int.from_bytes(raw[8:], "little", signed=True) - _JULIAN_EPOCH
        out.append(str(days * _DAY_NANOS + nanos))
    return tagged.INT96, out


_LOGICAL: dict[str, Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]] = {
    "STRING": _text("string"),
    "ENUM": _text("enum"),
    "JSON": _text("json"),
    "BSON": _binary("bson"),
    "UUID": _binary("uuid"),
    "GEOMETRY": _binary("geometry"),
    "GEOGRAPHY": _binary("geography"),
    "INTEGER": _integer,
    "DECIMAL": _decimal,
    "DATE": lambda _, values: _count(tagged.DATE, values),
    "TIME": lambda kind, values: _count(tagged.time(kind.unit, utc=kind.utc), values),
    "TIMESTAMP": lambda kind, values: _count(tagged.timestamp(kind.unit, utc=kind.utc), values),
    "FLOAT16": _float16,
    "INTERVAL": _interval,
    "INT96": _int96,
    "UNKNOWN": lambda _, values: (tagged.NULL, [None] * len(values)),
}
