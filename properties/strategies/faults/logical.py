"""Faults of annotations of columns: illegal logical types, and contradictions of the two notations."""

from __future__ import annotations

from typing import Any

from corpora.build.recipe import group, leaf, list_group, text
from properties.strategies.faults.edits import OPTIONAL, REPEATED, REQUIRED, edit, table
from properties.strategies.faults.fault import Fault, File, fields
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

INT32, INT64 = Type.INT32, Type.INT64
C = ConvertedType
MILLIS, MICROS = TimeUnit(MILLIS=Empty()), TimeUnit(MICROS=Empty())


def column(kind: Type, *values: Any, **annotation: Any) -> File:
    """Return a file whose column `x` is annotated."""
    repetition = OPTIONAL if None in values else REQUIRED
    return File(table(leaf("x", kind, repetition, **annotation), values))


def annotated(kind: Type, *values: Any, **annotation: Any) -> File:
    """Return such a file with an annotation that the writer would refuse."""
    return File(table(leaf("x", kind), values), edit(element=fields(**annotation)))


def both(logical: LogicalType, converted: ConvertedType, **more: Any) -> dict[str, Any]:
    """Return an annotation in both notations."""
    return {"logicalType": logical, "converted_type": converted, **more}


def time(unit: TimeUnit, *, utc: bool = True) -> LogicalType:
    """Return a TIME annotation."""
    return LogicalType(TIME=TimeType(isAdjustedToUTC=utc, unit=unit))


def integer(bits: int, *, signed: bool = True) -> LogicalType:
    """Return an INTEGER annotation."""
    return LogicalType(INTEGER=IntType(bitWidth=bits, isSigned=signed))


def decimal(precision: int, scale: int) -> dict[str, Any]:
    """Return the annotation of a DECIMAL, in all its fields."""
    inner = LogicalType(DECIMAL=DecimalType(precision=precision, scale=scale))
    return both(inner, C.DECIMAL, precision=precision, scale=scale)


def _timestamp(*, utc: bool) -> LogicalType:
    return LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=utc, unit=MICROS))


_STRING = LogicalType(STRING=Empty())
_LIST_OF_INTS = list_group("x", REQUIRED, group("list", REPEATED, leaf("element", INT32)))
_IN_FULL = column(INT32, 1, 2, **decimal(5, 2))

FAULTS = (
    Fault(
        "PQ-LOGICAL-001/millis-on-int64",
        "TIME in milliseconds annotates INT64",
        annotated(INT64, 1, 2, **both(time(MILLIS), C.TIME_MILLIS)),
        "TIME in microseconds annotates INT64",
        column(INT64, 1, 2, **both(time(MICROS), C.TIME_MICROS)),
    ),
    Fault(
        "PQ-LOGICAL-002/list-on-a-column",
        "LIST annotates a repeated column",
        File(
            table(leaf("x", INT32, REPEATED), ([], [1, 2])),
            edit(element=fields(**both(LogicalType(LIST=Empty()), C.LIST))),
        ),
        "LIST annotates a group of a repeated group of a column",
        File(table(_LIST_OF_INTS, ({"list": []}, {"list": [{"element": 1}, {"element": 2}]}))),
    ),
    Fault(
        "PQ-LOGICAL-003/utf8-beside-json",
        "a column is JSON by its LogicalType, and UTF8 by its ConvertedType",
        column(Type.BYTE_ARRAY, b"1", b"2", **both(LogicalType(JSON=Empty()), C.UTF8)),
        "it is JSON by both",
        column(Type.BYTE_ARRAY, b"1", b"2", **both(LogicalType(JSON=Empty()), C.JSON)),
    ),
    Fault(
        "PQ-LOGICAL-004/decimal-without-precision",
        "a column is annotated DECIMAL with a scale, but no precision",
        annotated(INT32, 1, 2, converted_type=C.DECIMAL, scale=0),
        "it has a precision, but no scale, which is then 0",
        column(INT32, 1, 2, **decimal(5, 0) | {"scale": None}),
    ),
    Fault(
        "PQ-LOGICAL-005/scale-above-precision",
        "a DECIMAL of 4 digits has 5 of them behind the point",
        annotated(INT32, 1, 9999, **decimal(4, 5)),
        "it has all 4 behind the point",
        column(INT32, 1, 9999, **decimal(4, 4)),
    ),
    Fault(
        "PQ-LOGICAL-006/ten-digits-in-int32",
        "a DECIMAL of 10 digits is stored as INT32",
        annotated(INT32, 1, 999_999_999, **decimal(10, 2)),
        "one of 9 digits is",
        column(INT32, 1, 999_999_999, **decimal(9, 2)),
    ),
    Fault(
        "PQ-LOGICAL-007/unknown-with-a-value",
        "a column annotated UNKNOWN has one value",
        column(INT32, None, 7, None, logicalType=LogicalType(UNKNOWN=Empty())),
        "it has nulls only",
        column(INT32, None, None, None, logicalType=LogicalType(UNKNOWN=Empty())),
    ),
    Fault(
        "PQ-LOGICAL-008/logical-type-only",
        "a column is STRING by its LogicalType, and has no ConvertedType",
        column(Type.BYTE_ARRAY, b"a", b"b", logicalType=_STRING),
        "it is UTF8 by its ConvertedType, too",
        File(table(text("x"), (b"a", b"b"))),
    ),
    Fault(
        "PQ-LOGICAL-009/converted-type-only",
        "a column is UTF8 by its ConvertedType, and has no LogicalType",
        column(Type.BYTE_ARRAY, b"a", b"b", converted_type=C.UTF8),
        "it is INTERVAL, for which there is no LogicalType",
        column(
            Type.FIXED_LEN_BYTE_ARRAY, bytes(12), bytes(range(12)), type_length=12, converted_type=C.INTERVAL
        ),
    ),
    Fault(
        "PQ-LOGICAL-010/local-without-converted-type",
        "a timestamp that is not adjusted to UTC has no ConvertedType",
        column(INT64, 1, 2, logicalType=_timestamp(utc=False)),
        "it has that of one in UTC",
        column(INT64, 1, 2, **both(_timestamp(utc=False), C.TIMESTAMP_MICROS)),
    ),
    Fault(
        "PQ-LOGICAL-011/two-scales",
        "the scale of a DECIMAL is 2 in its LogicalType and 3 beside it",
        column(INT32, 1, 2, **decimal(5, 2) | {"scale": 3}),
        "it is 2 in both",
        _IN_FULL,
    ),
    Fault(
        "PQ-LOGICAL-012/precision-in-one-place",
        "precision and scale of a DECIMAL stand in its LogicalType only",
        column(INT32, 1, 2, **decimal(5, 2) | {"precision": None, "scale": None}),
        "they stand beside it, too",
        _IN_FULL,
    ),
    Fault(
        "PQ-LOGICAL-013/nine-digits-in-int64",
        "a DECIMAL of 9 digits is stored as INT64",
        column(INT64, 1, 999_999_999, **decimal(9, 2)),
        "one of 10 digits is",
        column(INT64, 1, 999_999_999, **decimal(10, 2)),
    ),
)
