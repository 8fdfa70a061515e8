"""Reading the values (without nulls) of columns without children ("Column Encodings")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.errors import Unsupported
from reference_impl.orc import zones
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, is_decimal64
from reference_impl.orc.encodings import decimal, string, timestamp
from reference_impl.orc.readers.source import Source
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.types import BINARIES, MAX_PRECISION, STRINGS

TIMESTAMPS = np.dtype([("seconds", "<i8"), ("nanos", "<i4")])
_INTS: dict[TypeKind, np.dtype[Any]] = {
    TypeKind.SHORT: np.dtype(np.int16),
    TypeKind.INT: np.dtype(np.int32),
    TypeKind.LONG: np.dtype(np.int64),
    TypeKind.DATE: np.dtype(np.int32),
}
_FLOATS: dict[TypeKind, np.dtype[Any]] = {TypeKind.FLOAT: np.dtype("<f4"), TypeKind.DOUBLE: np.dtype("<f8")}
_OTHERS: dict[TypeKind, np.dtype[Any]] = {
    TypeKind.BOOLEAN: np.dtype(np.bool_),
    TypeKind.BYTE: np.dtype(np.int8),
    TypeKind.DECIMAL: np.dtype(np.int64),
}
_FARTHEST = 1 << 62  # limit of seconds from 2015: the epoch can be added within 64 bits


def read(source: Source, count: int, zone: str) -> Values:
    """Return the `count` values of a column, in the types of `reference_impl.columns`.

    `zone` is the time zone of timestamps in stripes that name none.
    """
    kind = source.node.kind
    if kind == TypeKind.TIMESTAMP:
        return _timestamps(source, count, zone)
    if kind in STRINGS and source.encoding in DICTIONARY_KINDS:
        return _dictionary(source, count)
    return _READERS[kind](source, count)


def none(kind: TypeKind) -> Values:
    """Return an empty array of the type that `read` returns."""
    if kind in (*STRINGS, *BINARIES):
        return ByteArrays.of(())
    if kind in (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT):
        return np.zeros(0, TIMESTAMPS)
    return np.zeros(0, {**_INTS, **_FLOATS, **_OTHERS}[kind])


def _booleans(source: Source, count: int) -> NDArray[np.bool_]:
    return source.bits(StreamKind.DATA, count)


def _bytes(source: Source, count: int) -> NDArray[np.int8]:
    return source.octets(StreamKind.DATA, count).view(np.int8)


def _integers(source: Source, count: int) -> NDArray[Any]:
    """Return integers or days; a value that the type cannot hold is an error (ORC-INT-001)."""
    values = source.integers(StreamKind.DATA, count, signed=True)
    kind = source.node.kind
    dtype = _INTS[kind]
    if dtype.itemsize == values.itemsize:
        return values
    narrow = values.astype(dtype)
    wrong = np.flatnonzero(narrow != values)
    if len(wrong):
        rule = "ORC-TIME-002" if kind == TypeKind.DATE else "ORC-INT-001"
        raise source.fail(f"value {wrong[0]} is {values[wrong[0]]}, beyond {kind.name}", rule)
    return narrow


def _floats(source: Source, count: int) -> NDArray[Any]:
    dtype = _FLOATS[source.node.kind]
    cursor = source.raw(StreamKind.DATA, count)
    with source.locating(StreamKind.DATA), cursor.obeying("ORC-FLOAT-001"):
        return np.frombuffer(cursor.take(dtype.itemsize * count, f"{count} values"), dtype)


def _strings(source: Source, count: int) -> ByteArrays:
    """Return byte strings that follow each other in DATA; their lengths are in LENGTH."""
    cursor = source.raw(StreamKind.DATA, count, optional=True)
    lengths = source.integers(StreamKind.LENGTH, count, signed=False)
    if lengths.any():
        source.require(StreamKind.DATA, count)
    with source.locating(StreamKind.DATA):
        return string.cut(lengths, cursor)


def _dictionary(source: Source, count: int) -> ByteArrays:
    """Return strings of a dictionary, which belongs to the stripe and has no positions."""
    ids = source.integers(StreamKind.DATA, count, signed=False)
    if not count:
        return ByteArrays.of(())
    words = source.words(dictionary_size(source, count))
    if source.surplus_lengths is not None and int(ids.max()) >= len(words):
        raise source.surplus_lengths  # not the id is wrong: dictionarySize is too small
    with source.locating(StreamKind.DATA):
        return string.look_up(words, ids, source.limits.page_bytes, source.start(StreamKind.DATA))


def dictionary_size(source: Source, count: int) -> int:
    """Return how many entries the dictionary of `count` values has (ORC-STRIPE-016)."""
    size = source.message.dictionary_size
    if size is None and count:
        raise source.fail("a dictionary without dictionarySize", "ORC-STRIPE-016")
    return size or 0


def _decimals(source: Source, count: int) -> NDArray[Any]:
    """Return unscaled values at the type's scale.

    Each value has its own scale; only files of version 1.9999 store short decimals as plain integers.
    """
    node = source.node
    if is_decimal64(node.kind, node.precision, source.stripe.tail.version):
        return _within(source, source.integers(StreamKind.DATA, count, signed=True))
    cursor = source.raw(StreamKind.DATA, count)
    with source.locating(StreamKind.DATA):
        unscaled = decimal.decode(cursor, count)
    scales = source.integers(StreamKind.SECONDARY, count, signed=True)
    return _within(source, _rescaled(source, unscaled, scales))


def _rescaled(source: Source, unscaled: NDArray[Any], scales: NDArray[np.int64]) -> NDArray[Any]:
    """Bring values to the scale of the type, exactly (ORC-DEC-003)."""
    node = source.node
    values = unscaled
    for own in np.unique(scales[scales != node.scale]).tolist():
        if not 0 <= own <= MAX_PRECISION:
            raise source.fail(f"a decimal of {own} digits behind the point", "ORC-DEC-003")
        at = scales == own
        factor = int(10 ** abs(node.scale - own))
        grows = own < node.scale
        if values.dtype != object and _largest(values[at]) * (factor if grows else 1) >= 1 << 62:
            values = values.astype(object)
        if factor >= 1 << 62:
            values = values.astype(object)
        part = values[at] * factor if grows else values[at] // factor
        if not grows and (part * factor != values[at]).any():
            message = f"a decimal of {own} digits behind the point, where the type has {node.scale}"
            if not node.type.precision:  # of Hive 0.11, "with infinite precision"
                raise Unsupported(message, offset=source.stripe.offset)
            raise source.fail(message, "ORC-DEC-003")
        values = values.copy() if values is unscaled else values
        values[at] = part
    return values


def _largest(values: NDArray[Any]) -> int:
    """Return the largest absolute value; in int64, that of -2^63 would be negative."""
    return max(int(values.max()), -int(values.min()))


def _within(source: Source, values: NDArray[Any]) -> NDArray[Any]:
    """Return values if all have no more digits than the type (ORC-DEC-002), as int64 where all fit."""
    precision = source.node.precision
    largest = _largest(values) if len(values) else 0
    if largest >= 10**precision:
        raise source.fail(f"a value of more than {precision} digits", "ORC-DEC-002")
    return values.astype(np.int64) if values.dtype == object and largest < 1 << 63 else values


def _timestamps(source: Source, count: int, zone: str) -> Values:
    """Return timestamps of the writer's wall clock."""
    if not count:
        return _moments(source, count, 0)
    name = source.stripe.footer.writer_timezone
    loaded = zones.load(name or zone)
    if loaded is None:
        raise source.fail(f"time zone {name or zone!r} is not known", "ORC-STRIPE-015")
    moments = _moments(source, count, loaded.epoch)
    moments["seconds"] += loaded.offsets(moments["seconds"])
    return moments


def _instants(source: Source, count: int) -> Values:
    return _moments(source, count, timestamp.EPOCH)


def _moments(source: Source, count: int, epoch: int) -> NDArray[np.void]:
    """Return instants: DATA counts seconds from `epoch`, SECONDARY holds the nanoseconds."""
    seconds = source.integers(StreamKind.DATA, count, signed=True)
    packed = source.integers(StreamKind.SECONDARY, count, signed=False)
    if count and not -_FARTHEST < int(seconds.min()) <= int(seconds.max()) < _FARTHEST:
        raise source.fail("seconds that 64 bits cannot count from 1970 on", "ORC-INT-001")
    with source.locating(StreamKind.SECONDARY):
        nanos = timestamp.unpack(packed, source.start(StreamKind.SECONDARY))
    out = np.empty(count, TIMESTAMPS)
    out["seconds"] = timestamp.seconds(seconds + epoch, nanos)  # before a time zone is applied
    out["nanos"] = nanos
    return out


_READERS: dict[TypeKind, Callable[[Source, int], Values]] = {
    TypeKind.BOOLEAN: _booleans,
    TypeKind.BYTE: _bytes,
    TypeKind.DECIMAL: _decimals,
    TypeKind.TIMESTAMP_INSTANT: _instants,
    **dict.fromkeys(_INTS, _integers),
    **dict.fromkeys(_FLOATS, _floats),
    **dict.fromkeys((*STRINGS, *BINARIES), _strings),
}
