"""Faults of annotations: logical types where they may not stand, decimals, lists and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpora.build.recipe import group, leaf, list_group, map_group
from properties.strategies.faults.fault import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Fault,
    Made,
    edit,
    element,
    table,
)
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    LogicalType,
    TimeType,
    TimeUnit,
    Type,
)

if TYPE_CHECKING:
    from corpora.build.recipe import Elements

INT32 = Type.INT32


def column(kind: Type, *values: Any, **annotation: Any) -> Made:
    """Answer a file whose column `x` is annotated."""
    repetition = OPTIONAL if None in values else REQUIRED
    return Made(table(leaf("x", kind, repetition, **annotation), values))


def annotated(kind: Type, *values: Any, **annotation: Any) -> Made:
    """Answer the same, where the writer would refuse the annotation."""
    return Made(table(leaf("x", kind), values), edit(footer=element(**annotation)))


def _time(unit: TimeUnit) -> LogicalType:
    return LogicalType(TIME=TimeType(isAdjustedToUTC=True, unit=unit))


def _decimal(precision: int, scale: int) -> LogicalType:
    return LogicalType(DECIMAL=DecimalType(precision=precision, scale=scale))


def _list(child: Elements, *values: Any) -> Made:
    return Made(table(list_group("x", REQUIRED, child), [{child[0].name: value} for value in values]))


def _map(child: Elements, *values: Any) -> Made:
    return Made(table(map_group("x", REQUIRED, child), [{child[0].name: value} for value in values]))


def _entry(key: Elements, *others: str) -> Elements:
    return group("key_value", REPEATED, key, *(leaf(other, INT32) for other in others))


_KEY = leaf("key", INT32)
_MANY_KEYS = leaf("key", INT32, REPEATED)

FAULTS = (
    Fault(
        "PQ-LOGICAL-001",
        "millis-on-int64",
        "TIME in milliseconds annotates INT64",
        annotated(Type.INT64, 1, 2, logicalType=_time(TimeUnit(MILLIS=Empty()))),
        "TIME in microseconds annotates INT64",
        column(Type.INT64, 1, 2, logicalType=_time(TimeUnit(MICROS=Empty()))),
    ),
    Fault(
        "PQ-LOGICAL-002",
        "list-on-a-column",
        "LIST annotates a repeated column",
        Made(
            table(leaf("x", INT32, REPEATED), ([], [1, 2])),
            edit(footer=element(converted_type=ConvertedType.LIST)),
        ),
        "LIST annotates the group that holds a repeated column",
        _list(leaf("element", INT32, REPEATED), [], [1, 2]),
    ),
    Fault(
        "PQ-LOGICAL-004",
        "decimal-without-precision",
        "a column is annotated DECIMAL with a scale, but no precision",
        annotated(INT32, 1, 2, converted_type=ConvertedType.DECIMAL, scale=0),
        "it has a precision, but no scale, which is then 0",
        column(INT32, 1, 2, converted_type=ConvertedType.DECIMAL, precision=5),
    ),
    Fault(
        "PQ-LOGICAL-005",
        "scale-above-precision",
        "a DECIMAL of 4 digits has 5 of them behind the point",
        annotated(INT32, 1, 9999, logicalType=_decimal(4, 5)),
        "it has all 4 behind the point",
        column(INT32, 1, 9999, logicalType=_decimal(4, 4)),
    ),
    Fault(
        "PQ-LOGICAL-006",
        "ten-digits-in-int32",
        "a DECIMAL of 10 digits is stored as INT32",
        annotated(INT32, 1, 999_999_999, logicalType=_decimal(10, 2)),
        "one of 9 digits is",
        column(INT32, 1, 999_999_999, logicalType=_decimal(9, 2)),
    ),
    Fault(
        "PQ-LOGICAL-007",
        "unknown-with-a-value",
        "a column annotated UNKNOWN has one value",
        column(INT32, None, 7, None, logicalType=LogicalType(UNKNOWN=Empty())),
        "it has nulls only",
        column(INT32, None, None, None, logicalType=LogicalType(UNKNOWN=Empty())),
    ),
    Fault(
        "PQ-LIST-001",
        "list-of-an-optional-field",
        "the field inside a LIST group is optional",
        _list(leaf("element", INT32, OPTIONAL), None, 1),
        "it is repeated: the element itself, as in old files",
        _list(leaf("element", INT32, REPEATED), [], [1]),
    ),
    Fault(
        "PQ-MAP-001",
        "map-of-a-required-group",
        "the group inside a MAP group is required",
        _map(group("key_value", REQUIRED, _KEY, leaf("value", INT32)), {"key": 1, "value": 2}),
        "it is repeated",
        _map(_entry(_KEY, "value"), [{"key": 1, "value": 2}]),
    ),
    Fault(
        "PQ-MAP-002",
        "entry-of-three-fields",
        "the entries of a MAP have a key and two values",
        _map(_entry(_KEY, "value", "other"), [{"key": 1, "value": 2, "other": 3}]),
        "they have a key and no value",
        _map(_entry(_KEY), [{"key": 1}, {"key": 2}]),
    ),
    Fault(
        "PQ-MAP-003",
        "repeated-key",
        "the key of a MAP is repeated",
        _map(_entry(_MANY_KEYS, "value"), [{"key": [1, 2], "value": 3}]),
        "the key is a group of a repeated field",
        _map(_entry(group("key", REQUIRED, _MANY_KEYS), "value"), [{"key": {"key": [1, 2]}, "value": 3}]),
    ),
)
