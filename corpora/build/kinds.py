"""Kinds of columns: every logical type on every storage, in every form of annotation, with edge values."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from corpora.build import samples
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    EdgeInterpolationAlgorithm,
    Empty,
    GeographyType,
    GeometryType,
    IntType,
    LogicalType,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
)


class ColumnKind(NamedTuple):
    """A kind of column: the fields of its SchemaElement, and values, sorted if the kind has an order.

    `form` is the annotation: `none`, `converted`, `logical` or `both`.
    """

    name: str
    form: str
    fields: dict[str, Any]
    values: tuple[Any, ...]
    ordered: bool = True

    @property
    def type(self) -> Type:
        """Return the physical type."""
        kind: Type = self.fields["kind"]
        return kind


_I32 = (-(2**31), -(2**31) + 1, -129, -128, -1, 0, 1, 127, 128, 255, 256, 2**31 - 2, 2**31 - 1)
_I64 = (-(2**63), -(2**63) + 1, -(2**31) - 1, -1, 0, 1, 2**31, 2**32 - 1, 2**32, 2**63 - 2, 2**63 - 1)
_BYTES = (b"", b"\x00", b"\x00\x00", b"a", b"aa", b"ab", b"b", b"\x7f", b"\x80", b"\xff", b"\xff\xff")
_TEXTS = (
    *("", " ", "A", "a", "aa", "ab", "abcdefghijklmnopqrstuvwxyz", "b", "z", "é", "éé", "ÿ", "日本語", "𝄞"),
)
_FLOATS = (-samples.INFINITY, -1e30, -1.5, -(2.0**-126), -0.0, 0.0, 2.0**-126, 1.5, 1e30, samples.INFINITY)
_JSONS = (b'""', b'"a"', b"0", b"[]", b"null", b'{"a": 1}')
_BSONS = (b"\x05\x00\x00\x00\x00", b"\x0c\x00\x00\x00\x10a\x00\x01\x00\x00\x00\x00")
# Julian days of 0001-01-01, 1582-10-15, 2262-04-12 and 9999-12-31: nanoseconds since 1970 exceed 64 bits.
_FAR_DAYS = (1_721_426, 2_299_161, 2_547_339, 5_373_484)
_UNITS = {
    "MILLIS": TimeUnit(MILLIS=Empty()),
    "MICROS": TimeUnit(MICROS=Empty()),
    "NANOS": TimeUnit(NANOS=Empty()),
}
_DAY = {"MILLIS": 86_400_000, "MICROS": 86_400_000_000, "NANOS": 86_400_000_000_000}
# 0001-01-01, the last day of the Julian calendar in Rome, 1969-12-31, and 9999-12-31 and the day after.
_DATES = (-(2**31), -719_163, -719_162, -141_428, -141_427, -1, 0, 1, 18_321, 2_932_896, 2_932_897, 2**31 - 1)


def _unsigned(bits: int) -> tuple[int, ...]:
    """Return unsigned integers in the form of the signed integers that store them."""
    width = 64 if bits == 64 else 32
    top, half = (1 << bits) - 1, 1 << (bits - 1)
    wanted = sorted({0, 1, 2, 9, 10, half - 1, half, half + 1, top - 1, top})
    return tuple(number - (number >> (width - 1) << width) for number in wanted)


def _signed(bits: int) -> tuple[int, ...]:
    half = 1 << (bits - 1)
    return (-half, 1 - half, -10, -1, 0, 1, 9, 10, half - 2, half - 1)


def _annotated(
    name: str,
    kind: Type,
    values: tuple[Any, ...],
    converted: ConvertedType | None = None,
    logical: LogicalType | None = None,
    *,
    ordered: bool = True,
    **more: Any,
) -> Iterator[ColumnKind]:
    """Yield a kind in each of its forms; `more` belongs to the ConvertedType, except `type_length`."""
    base = {"kind": kind, **({"type_length": more.pop("type_length")} if "type_length" in more else {})}
    if converted is not None and logical is not None:
        both = {**base, **more, "converted_type": converted, "logicalType": logical}
        yield ColumnKind(name, "both", both, values, ordered)
    if logical is not None:
        yield ColumnKind(name, "logical", {**base, "logicalType": logical}, values, ordered)
    if converted is not None:
        yield ColumnKind(name, "converted", {**base, **more, "converted_type": converted}, values, ordered)


def _plain() -> Iterator[ColumnKind]:
    yield ColumnKind("boolean", "none", {"kind": Type.BOOLEAN}, (False, False, True, True))
    yield ColumnKind("int32", "none", {"kind": Type.INT32}, _I32)
    yield ColumnKind("int64", "none", {"kind": Type.INT64}, _I64)
    yield ColumnKind("float", "none", {"kind": Type.FLOAT}, _FLOATS)
    yield ColumnKind("double", "none", {"kind": Type.DOUBLE}, _FLOATS)
    yield ColumnKind("byte-array", "none", {"kind": Type.BYTE_ARRAY}, _BYTES)
    values = (bytes(4), b"\x00\x00\x00\x01", b"abcd", b"abce", b"\x7f\xff\xff\xff", b"\x80abc", b"\xff" * 4)
    fixed = {"kind": Type.FIXED_LEN_BYTE_ARRAY, "type_length": 4}
    yield ColumnKind("fixed", "none", fixed, values)


def _text() -> Iterator[ColumnKind]:
    values = tuple(text.encode() for text in _TEXTS)
    binary, c = Type.BYTE_ARRAY, ConvertedType
    yield from _annotated("string", binary, values, c.UTF8, LogicalType(STRING=Empty()))
    yield from _annotated("enum", binary, values[1:], c.ENUM, LogicalType(ENUM=Empty()))
    yield from _annotated("json", binary, _JSONS, c.JSON, LogicalType(JSON=Empty()))
    yield from _annotated("bson", binary, _BSONS, c.BSON, LogicalType(BSON=Empty()))


def _integers() -> Iterator[ColumnKind]:
    for bits in (8, 16, 32, 64):
        kind = Type.INT64 if bits == 64 else Type.INT32
        for signed in (True, False):
            name = f"{'' if signed else 'u'}int-{bits}"
            values = _signed(bits) if signed else _unsigned(bits)
            converted = ConvertedType[name.upper().replace("-", "_")]
            logical = LogicalType(INTEGER=IntType(bitWidth=bits, isSigned=signed))
            yield from _annotated(name, kind, values, converted, logical)


def _decimals() -> Iterator[ColumnKind]:
    """Yield decimals of few and of all digits, in each storage, also with more bytes than needed."""
    for kind, precision, scale in (
        (Type.INT32, 1, 0),
        (Type.INT32, 5, 2),
        (Type.INT32, 9, 9),
        (Type.INT64, 10, 3),
        (Type.INT64, 5, 2),
        (Type.INT64, 18, 0),
    ):
        name = f"decimal-{precision}-{scale}/{kind.name.lower()}"
        yield from _decimal(name, kind, precision, scale, _unscaled(precision))
    for length, precision, scale in (
        (1, 2, 1),
        (2, 4, 0),
        (4, 5, 2),
        (5, 11, 4),
        (8, 18, 18),
        (9, 20, 0),
        (12, 5, 2),
        (16, 38, 10),
        (17, 38, 38),
    ):
        values = tuple(number.to_bytes(length, "big", signed=True) for number in _unscaled(precision))
        name = f"decimal-{precision}-{scale}/fixed-{length}"
        yield from _decimal(name, Type.FIXED_LEN_BYTE_ARRAY, precision, scale, values, type_length=length)
    for precision, scale in ((1, 1), (9, 2), (18, 3), (38, 6)):
        minimal = tuple(map(_shortest, _unscaled(precision)))
        name = f"decimal-{precision}-{scale}/byte-array"
        yield from _decimal(name, Type.BYTE_ARRAY, precision, scale, minimal)
    padded = tuple(number.to_bytes(4 + at % 3, "big", signed=True) for at, number in enumerate(_unscaled(5)))
    name = "decimal-5-2/byte-array-with-more-bytes"
    yield from _decimal(name, Type.BYTE_ARRAY, 5, 2, padded)


def _decimal(
    name: str, kind: Type, precision: int, scale: int, values: tuple[Any, ...], **more: int
) -> Iterator[ColumnKind]:
    logical = LogicalType(DECIMAL=DecimalType(scale=scale, precision=precision))
    given: dict[str, Any] = {**more, "precision": precision, "scale": scale}
    yield from _annotated(name, kind, values, ConvertedType.DECIMAL, logical, **given)


def _unscaled(precision: int) -> tuple[int, ...]:
    top = 10**precision - 1
    return tuple(sorted({-top, 1 - top, -(top // 2), -1, 0, 1, 5, top // 2, top - 1, top}))


def _shortest(number: int) -> bytes:
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, "big", signed=True)


def _moments() -> Iterator[ColumnKind]:
    yield from _annotated("date", Type.INT32, _DATES, ConvertedType.DATE, LogicalType(DATE=Empty()))
    for unit, day in _DAY.items():
        of_unit = _UNITS[unit]
        for utc in (True, False):
            name = f"{unit.lower()}-{'utc' if utc else 'local'}"
            time = LogicalType(TIME=TimeType(isAdjustedToUTC=utc, unit=of_unit))
            stamp = LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=utc, unit=of_unit))
            physical = Type.INT32 if unit == "MILLIS" else Type.INT64
            times = (0, 1, day // 24, day // 2 - 1, day // 2, day - 1)
            # "writer implementations must annotate local time with legacy annotations too".
            old = None if unit == "NANOS" else ConvertedType[f"TIME_{unit}"]
            old_stamp = None if unit == "NANOS" else ConvertedType[f"TIMESTAMP_{unit}"]
            kinds = [*_annotated(f"time-{name}", physical, times, old, time)]
            kinds += _annotated(f"timestamp-{name}", Type.INT64, _stamps(day), old_stamp, stamp)
            yield from (kind for kind in kinds if utc or old is None or kind.form == "both")


def _stamps(day: int) -> tuple[int, ...]:
    """Return timestamps at the edges of calendars, within the range of the unit."""
    days = (-719_163, -719_162, -141_428, -1, 0, 2_932_896, 2_932_897)
    inside = [number * day for number in days if -(2**63) <= number * day < 2**63]
    return tuple(sorted({-(2**63), *inside, -1, 1, day - 1, 18_321 * day, 2**63 - 1}))


def _others() -> Iterator[ColumnKind]:
    fixed = Type.FIXED_LEN_BYTE_ARRAY
    uuids = (bytes(16), bytes(range(16)), b"\x7f" + b"\xff" * 15, b"\x80" + bytes(15), b"\xff" * 16)
    yield from _annotated("uuid", fixed, uuids, logical=LogicalType(UUID=Empty()), type_length=16)
    halves = tuple(
        struct.pack("<e", half) for half in (-samples.INFINITY, -65504.0, -1.5, -0.0, 0.0, 2.0**-24)
    )
    halves += tuple(struct.pack("<e", half) for half in (1.0, 1.5, 65504.0, samples.INFINITY))
    yield from _annotated("float16", fixed, halves, logical=LogicalType(FLOAT16=Empty()), type_length=2)
    intervals = ((0, 0, 0), (1, 0, 0), (0, 31, 0), (12, 30, 86_400_000), (2**32 - 1,) * 3)
    raw = tuple(struct.pack("<III", *interval) for interval in intervals)
    yield from _annotated("interval", fixed, raw, ConvertedType.INTERVAL, ordered=False, type_length=12)
    yield ColumnKind("int96", "none", {"kind": Type.INT96}, samples.VALUES[Type.INT96], ordered=False)
    far = tuple(struct.pack("<qi", nanos, day) for day in _FAR_DAYS for nanos in (0, 86_399_999_999_999))
    yield ColumnKind("int96-far", "none", {"kind": Type.INT96}, far, ordered=False)
    points = (samples.POINT, samples.LINE)
    shapes = {
        "geometry": LogicalType(GEOMETRY=GeometryType()),
        "geometry-crs": LogicalType(GEOMETRY=GeometryType(crs="EPSG:3857")),
        "geography": LogicalType(GEOGRAPHY=GeographyType()),
    }
    for algorithm in EdgeInterpolationAlgorithm:
        geography = GeographyType(crs="OGC:CRS84", algorithm=algorithm)
        shapes[f"geography-{algorithm.name.lower()}"] = LogicalType(GEOGRAPHY=geography)
    for name, logical in shapes.items():
        yield from _annotated(name, Type.BYTE_ARRAY, points, logical=logical, ordered=False)


def _nulls() -> Iterator[ColumnKind]:
    for kind in Type:
        more: dict[str, Any] = {"type_length": 4} if kind == Type.FIXED_LEN_BYTE_ARRAY else {}
        name = f"unknown/{kind.name.lower().replace('_', '-')}"
        yield from _annotated(name, kind, (), logical=LogicalType(UNKNOWN=Empty()), ordered=False, **more)


KINDS: tuple[ColumnKind, ...] = (
    *_plain(),
    *_text(),
    *_integers(),
    *_decimals(),
    *_moments(),
    *_others(),
    *_nulls(),
)
# One form of each kind, and some decimals: the kinds for statistics, indexes and filters.
_LEFT_OUT = frozenset(
    (
        *("json", "bson", "decimal-1-0/int32", "decimal-5-2/int64", "decimal-2-1/fixed-1"),
        *("decimal-4-0/fixed-2", "decimal-11-4/fixed-5", "decimal-18-18/fixed-8"),
        *("decimal-20-0/fixed-9", "decimal-38-38/fixed-17", "decimal-1-1/byte-array"),
        *("decimal-9-2/byte-array", "decimal-18-3/byte-array"),
    )
)
ORDERED: tuple[ColumnKind, ...] = tuple(
    {kind.name: kind for kind in reversed(KINDS) if kind.ordered and kind.name not in _LEFT_OUT}.values()
)[::-1]
