"""Kinds of leaf columns: each physical type × each logical type, annotated in every legal way.

The clauses are those of LogicalTypes.md. Not among them: a LogicalType alone where a ConvertedType means the
same (writers "must also write the corresponding ConvertedType"), and so DECIMAL without precision and scale
in the SchemaElement; local TIME and TIMESTAMP in milli- and microseconds without a ConvertedType, because
"writer implementations must annotate local time with legacy annotations too".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from properties.strategies.chances import choice, one_in
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
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

INT64_DIGITS = 18  # "int64: for 1 <= precision <= 18"
_LENGTHS = (16, 1, 2, 4, 5, 8, 9, 12, 13, 17, 20)  # of decimals in FIXED_LEN_BYTE_ARRAY


class LeafKind(NamedTuple):
    """The fields of a leaf's SchemaElement other than its name and repetition."""

    type: Type
    type_length: int | None = None
    converted_type: ConvertedType | None = None
    logicalType: LogicalType | None = None  # noqa: N815 - the name in parquet.thrift
    precision: int | None = None
    scale: int | None = None


def _ways(type_: Type, converted: ConvertedType, logical: LogicalType) -> list[LeafKind]:
    """Return the ways to annotate a type that both annotations can express: today's, and the old one."""
    return [
        LeafKind(type_, None, converted, logical),
        LeafKind(type_, None, converted, logical),
        LeafKind(type_, None, converted),
    ]


def _integers() -> list[LeafKind]:
    out: list[LeafKind] = []
    for bits in (8, 16, 32, 64):
        for signed in (True, False):
            converted = ConvertedType[f"{'' if signed else 'U'}INT_{bits}"]
            logical = LogicalType(INTEGER=IntType(bitWidth=bits, isSigned=signed))
            out += _ways(Type.INT64 if bits == 64 else Type.INT32, converted, logical)
    return out


_UNITS = {
    "MILLIS": TimeUnit(MILLIS=Empty()),
    "MICROS": TimeUnit(MICROS=Empty()),
    "NANOS": TimeUnit(NANOS=Empty()),
}


def _moments() -> list[LeafKind]:
    out: list[LeafKind] = []
    for name, unit in _UNITS.items():
        for utc in (True, False):
            time = LogicalType(TIME=TimeType(isAdjustedToUTC=utc, unit=unit))
            stamp = LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=utc, unit=unit))
            time_type = Type.INT32 if name == "MILLIS" else Type.INT64
            if name == "NANOS":
                out += [LeafKind(time_type, None, None, time), LeafKind(Type.INT64, None, None, stamp)]
                continue
            ways = 3 if utc else 1
            out += _ways(time_type, ConvertedType[f"TIME_{name}"], time)[:ways]
            out += _ways(Type.INT64, ConvertedType[f"TIMESTAMP_{name}"], stamp)[:ways]
    return out


def _is_of_milliseconds(kind: LeafKind) -> bool:
    """Return whether a type is TIMESTAMP(MILLIS)."""
    stamp = kind.logicalType.TIMESTAMP if kind.logicalType else None
    return kind.converted_type == ConvertedType.TIMESTAMP_MILLIS or (
        stamp is not None and stamp.unit == _UNITS["MILLIS"]
    )


_BINARY = Type.BYTE_ARRAY
_FIXED = Type.FIXED_LEN_BYTE_ARRAY
_NUMBERS = (Type.INT32, Type.INT64, Type.DOUBLE, Type.FLOAT, Type.BOOLEAN, Type.INT64)
PLAIN = [*map(LeafKind, _NUMBERS), LeafKind(_BINARY), LeafKind(_BINARY)]
FIXED = [LeafKind(_FIXED, length) for length in (1, 2, 3, 4, 8, 12, 16, 17, 33, 64, 255)]
_FLOAT16 = LeafKind(_FIXED, 2, None, LogicalType(FLOAT16=Empty()))
FLOATS = [LeafKind(Type.DOUBLE), LeafKind(Type.FLOAT), LeafKind(Type.DOUBLE), _FLOAT16]
STRINGS = [*_ways(_BINARY, ConvertedType.UTF8, LogicalType(STRING=Empty()))] * 3
STRINGS += _ways(_BINARY, ConvertedType.ENUM, LogicalType(ENUM=Empty()))
INTEGERS = _integers()
DATES = _ways(Type.INT32, ConvertedType.DATE, LogicalType(DATE=Empty()))
MOMENTS = [*DATES, *_moments()]
MILLISECONDS = [kind for kind in MOMENTS if _is_of_milliseconds(kind)]
EMBEDDED = [
    *_ways(_BINARY, ConvertedType.JSON, LogicalType(JSON=Empty())),
    *_ways(_BINARY, ConvertedType.BSON, LogicalType(BSON=Empty())),
]
LOCATIONS = [
    LeafKind(_BINARY, None, None, LogicalType(GEOMETRY=GeometryType())),
    LeafKind(_BINARY, None, None, LogicalType(GEOMETRY=GeometryType(crs="EPSG:3857"))),
    LeafKind(_BINARY, None, None, LogicalType(GEOGRAPHY=GeographyType())),
]
OTHERS = [
    _FLOAT16,
    LeafKind(_FIXED, 16, None, LogicalType(UUID=Empty())),
    LeafKind(_FIXED, 12, ConvertedType.INTERVAL),
    LeafKind(Type.INT96),
]
UNKNOWN = [
    LeafKind(type_, 5 if type_ == _FIXED else None, None, LogicalType(UNKNOWN=Empty()))
    for type_ in (Type.INT32, _BINARY, Type.BOOLEAN, _FIXED, Type.DOUBLE)
]
# LogicalTypes.md, "Maps", restricts the repetition of a key alone.
KEYS = [STRINGS[0], LeafKind(Type.INT32), LeafKind(Type.INT64), STRINGS[2], LeafKind(_BINARY), INTEGERS[3]]
KEYS += [*KEYS, *FLOATS, *DATES, *MOMENTS[-4:], FIXED[3], OTHERS[1], LeafKind(Type.BOOLEAN), *INTEGERS[-3:]]


_CLOCKS = (ConvertedType.TIME_MILLIS, ConvertedType.TIME_MICROS)
_TIMES = [
    kind
    for kind in MOMENTS
    if kind.converted_type in _CLOCKS or (kind.logicalType is not None and kind.logicalType.TIME is not None)
]
_STAMPS = [kind for kind in MOMENTS if kind not in DATES and kind not in _TIMES]
_WIDE = 19  # digits of a decimal that 64 bits may not hold
# Keys of each type alike often; a number stands for `decimals` of so many digits or more.
RARE_KEYS: tuple[Sequence[LeafKind] | int, ...] = (
    *(FLOATS, DATES, _TIMES, _STAMPS, [LeafKind(Type.BOOLEAN)], [LeafKind(_BINARY)], FIXED, [OTHERS[1]]),
    *([kind for kind in INTEGERS if kind.type == type_] for type_ in (Type.INT32, Type.INT64)),
    *(1, _WIDE, [*OTHERS[2:], *STRINGS[-3:], *EMBEDDED]),
)

_BEYOND = (39, 50, 76, 77, 100)  # digits of decimals that 128 bits, or 256, do not hold
_BEYOND_IN = 24  # one decimal in so many has them
# Digits of other decimals at most; those of FIXED_LEN_BYTE_ARRAY depend on its length.
_MOST_DIGITS = {Type.INT32: 9, Type.INT64: INT64_DIGITS, _FIXED: 38, _BINARY: 38}


@st.composite
def decimals(draw: st.DrawFn, least: int = 1) -> LeafKind:
    """Return a DECIMAL in one of its four physical types, often of more bytes than the precision needs.

    `least`: its digits at least. One in a few has more digits than 128 bits hold, which may be refused with
    its whole file.
    """
    if one_in(draw, _BEYOND_IN):
        return _wide_decimal(draw)
    type_ = choice(draw, [_FIXED, _BINARY] if least > INT64_DIGITS else [*_MOST_DIGITS])
    lengths = [each for each in _LENGTHS if digits(each) >= least]
    length = choice(draw, lengths) if type_ == _FIXED else None
    most = _MOST_DIGITS[type_] if length is None else digits(length)
    options = {p for p in (most, 1, 2, 5, 9, 10, 18, 19, 38) if least <= p <= min(most, 38)}
    precision = choice(draw, sorted(options))
    scale = choice(draw, sorted({0, min(2, precision), precision}))
    logical = LogicalType(DECIMAL=DecimalType(scale=scale, precision=precision))
    if draw(st.booleans()):
        return LeafKind(type_, length, ConvertedType.DECIMAL, logical, precision, scale)
    # "If not specified, the scale is 0."
    stated = scale if scale or draw(st.booleans()) else None
    return LeafKind(type_, length, ConvertedType.DECIMAL, None, precision, stated)


def _wide_decimal(draw: st.DrawFn) -> LeafKind:
    """Return a DECIMAL of more than 38 digits; LogicalTypes.md, DECIMAL: byte arrays have no limit."""
    precision = choice(draw, _BEYOND)
    least = next(length for length in range(17, 1 << 8) if digits(length) >= precision)
    type_ = choice(draw, [_FIXED, _BINARY])
    length = choice(draw, (least, least + 1)) if type_ == _FIXED else None
    scale = choice(draw, (0, 2, precision))
    logical = LogicalType(DECIMAL=DecimalType(scale=scale, precision=precision))
    return LeafKind(type_, length, ConvertedType.DECIMAL, logical, precision, scale)


@st.composite
def keys(draw: st.DrawFn, *, rare: bool = False) -> LeafKind:
    """Return kinds of the keys of maps; `rare`: each type alike often."""
    if not rare:
        return draw(decimals()) if one_in(draw, 8) else choice(draw, KEYS)
    family = choice(draw, RARE_KEYS)
    return draw(decimals(family)) if isinstance(family, int) else choice(draw, family)


def digits(length: int) -> int:
    """Return the decimal digits that `length` bytes hold: floor(log10(2^(8n - 1) - 1))."""
    return len(str((1 << (8 * length - 1)) - 1)) - 1


@st.composite
def kinds(draw: st.DrawFn) -> LeafKind:
    """Return kinds of leaves; kinds that writers keep statistics of are more frequent."""
    family = choice(draw, _FAMILIES)
    return choice(draw, family) if family else draw(decimals())


# An empty family stands for `decimals`.
_FAMILIES: list[list[LeafKind]] = [
    PLAIN,
    FLOATS,
    STRINGS,
    INTEGERS,
    INTEGERS,
    [],
    MOMENTS,
    PLAIN,
    STRINGS,
    OTHERS,
]
_FAMILIES += [*_FAMILIES, FIXED, DATES, EMBEDDED, LOCATIONS, UNKNOWN]
