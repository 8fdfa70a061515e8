"""Kinds of leaf columns: each physical type × each logical type, annotated in every legal way.

The clauses are those of LogicalTypes.md. What is left out: local TIME and TIMESTAMP in milli- and
microseconds without a ConvertedType, as "writer implementations must annotate local time with legacy
annotations too".
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    IntType,
    LogicalType,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
)

INT64_DIGITS = 18  # "int64: for 1 <= precision <= 18"


class Kind(NamedTuple):
    """What a SchemaElement says of a leaf beside its name and repetition."""

    type: Type
    type_length: int | None = None
    converted_type: ConvertedType | None = None
    logicalType: LogicalType | None = None  # noqa: N815 - the name in parquet.thrift
    precision: int | None = None
    scale: int | None = None


def _three(type_: Type, converted: ConvertedType, logical: LogicalType) -> list[Kind]:
    """Answer the three ways to annotate where both annotations say the same."""
    return [
        Kind(type_, None, converted, logical),
        Kind(type_, None, None, logical),
        Kind(type_, None, converted),
    ]


def _integers() -> list[Kind]:
    out: list[Kind] = []
    for bits in (8, 16, 32, 64):
        for signed in (True, False):
            converted = ConvertedType[f"{'' if signed else 'U'}INT_{bits}"]
            logical = LogicalType(INTEGER=IntType(bitWidth=bits, isSigned=signed))
            out += _three(Type.INT64 if bits == 64 else Type.INT32, converted, logical)
    return out


_UNITS = {
    "MILLIS": TimeUnit(MILLIS=Empty()),
    "MICROS": TimeUnit(MICROS=Empty()),
    "NANOS": TimeUnit(NANOS=Empty()),
}


def _moments() -> list[Kind]:
    out: list[Kind] = []
    for name, unit in _UNITS.items():
        for utc in (True, False):
            time = LogicalType(TIME=TimeType(isAdjustedToUTC=utc, unit=unit))
            stamp = LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=utc, unit=unit))
            time_type = Type.INT32 if name == "MILLIS" else Type.INT64
            if name == "NANOS":
                out += [Kind(time_type, None, None, time), Kind(Type.INT64, None, None, stamp)]
                continue
            ways = 3 if utc else 1
            out += _three(time_type, ConvertedType[f"TIME_{name}"], time)[:ways]
            out += _three(Type.INT64, ConvertedType[f"TIMESTAMP_{name}"], stamp)[:ways]
    return out


_BINARY = Type.BYTE_ARRAY
_FIXED = Type.FIXED_LEN_BYTE_ARRAY
PLAIN = [
    *(Kind(type_) for type_ in (Type.INT32, Type.INT64, Type.DOUBLE, Type.FLOAT, Type.BOOLEAN, _BINARY)),
    *(Kind(_FIXED, length) for length in (1, 2, 3, 4, 8, 12, 16, 17)),
]
_FLOAT16 = Kind(_FIXED, 2, None, LogicalType(FLOAT16=Empty()))
FLOATS = [Kind(Type.DOUBLE), Kind(Type.FLOAT), Kind(Type.DOUBLE), _FLOAT16]
STRINGS = [
    *_three(_BINARY, ConvertedType.UTF8, LogicalType(STRING=Empty())),
    *_three(_BINARY, ConvertedType.ENUM, LogicalType(ENUM=Empty())),
]
INTEGERS = _integers()
MOMENTS = [*_three(Type.INT32, ConvertedType.DATE, LogicalType(DATE=Empty())), *_moments()]
EMBEDDED = [
    *_three(_BINARY, ConvertedType.JSON, LogicalType(JSON=Empty())),
    *_three(_BINARY, ConvertedType.BSON, LogicalType(BSON=Empty())),
]
OTHERS = [
    _FLOAT16,
    Kind(_FIXED, 16, None, LogicalType(UUID=Empty())),
    Kind(_FIXED, 12, ConvertedType.INTERVAL),
    Kind(Type.INT96),
]
UNKNOWN = [
    Kind(type_, 5 if type_ == _FIXED else None, None, LogicalType(UNKNOWN=Empty()))
    for type_ in (Type.INT32, _BINARY, Type.BOOLEAN, _FIXED, Type.DOUBLE)
]
KEYS = [STRINGS[0], Kind(Type.INT32), Kind(Type.INT64), STRINGS[2], Kind(_BINARY), INTEGERS[3]]


@st.composite
def decimals(draw: st.DrawFn) -> Kind:
    """Answer DECIMAL in one of its four storages, often with more bytes than the precision needs."""
    type_ = draw(st.sampled_from([Type.INT32, Type.INT64, _FIXED, _BINARY]))
    length = draw(st.sampled_from([16, 1, 2, 4, 5, 8, 9, 12, 13, 17, 20])) if type_ == _FIXED else None
    most = {Type.INT32: 9, Type.INT64: INT64_DIGITS, _BINARY: 38}.get(type_) or digits(length or 0)
    precision = draw(
        st.sampled_from(sorted({p for p in (most, 1, 2, 5, 9, 10, 18, 19, 38) if p <= min(most, 38)}))
    )
    scale = draw(st.sampled_from(sorted({0, min(2, precision), precision})))
    logical = LogicalType(DECIMAL=DecimalType(scale=scale, precision=precision))
    way = draw(st.sampled_from(["both", "converted", "logical"]))
    if way == "logical":
        return Kind(type_, length, None, logical)
    # "If not specified, the scale is 0."
    stated = scale if scale or draw(st.booleans()) else None
    return Kind(type_, length, ConvertedType.DECIMAL, logical if way == "both" else None, precision, stated)


def digits(length: int) -> int:
    """Answer the decimal digits that `length` bytes hold: floor(log10(2^(8n - 1) - 1))."""
    return len(str((1 << (8 * length - 1)) - 1)) - 1


@st.composite
def kinds(draw: st.DrawFn) -> Kind:
    """Answer kinds of leaves; those that statistics are kept for come more often."""
    family = draw(st.sampled_from(_FAMILIES))
    return draw(st.sampled_from(family) if family else decimals())


_FAMILIES: list[list[Kind]] = [PLAIN, FLOATS, PLAIN, STRINGS, INTEGERS, INTEGERS, [], MOMENTS, [], OTHERS]
_FAMILIES += [*_FAMILIES, EMBEDDED, EMBEDDED, UNKNOWN]
