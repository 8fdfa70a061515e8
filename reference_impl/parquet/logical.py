"""Logical types: the interpretation of stored values (LogicalTypes.md of parquet-format).

`LogicalType` has priority; `ConvertedType` counts only in its absence ("Compatibility"). An
unknown annotation falls back to the physical value; an annotation on a physical type that the
specification does not allow is Malformed.
"""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.errors import Malformed
from reference_impl.parquet.schema import (
    ConvertedType,
    Empty,
    IntType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.types import Physical
from reference_impl.wire.table import Struct


class Logical(NamedTuple):
    """An interpretation: `name` is the member of the LogicalType union, or INTERVAL, INT96, NEW.

    bits and signed: INTEGER · precision and scale: DECIMAL · unit ("ms", "us", "ns") and utc: TIME,
    TIMESTAMP · crs and algorithm: GEOMETRY, GEOGRAPHY. NEW is an unknown annotation; the value is then
    the physical one.
    """

    name: str
    bits: int = 0
    signed: bool = True
    precision: int = 0
    scale: int = 0
    unit: str = ""
    utc: bool = False
    crs: str | None = None
    algorithm: int | None = None


_UNITS = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
_C = ConvertedType
_CONVERTED: dict[int, Logical] = {
    _C.UTF8: Logical("STRING"),
    _C.ENUM: Logical("ENUM"),
    _C.JSON: Logical("JSON"),
    _C.BSON: Logical("BSON"),
    _C.DATE: Logical("DATE"),
    _C.INTERVAL: Logical("INTERVAL"),
    # "UTC normalized", says LogicalTypes.md of all four.
    _C.TIME_MILLIS: Logical("TIME", unit="ms", utc=True),
    _C.TIME_MICROS: Logical("TIME", unit="us", utc=True),
    _C.TIMESTAMP_MILLIS: Logical("TIMESTAMP", unit="ms", utc=True),
    _C.TIMESTAMP_MICROS: Logical("TIMESTAMP", unit="us", utc=True),
    _C.UINT_8: Logical("INTEGER", 8, signed=False),
    _C.UINT_16: Logical("INTEGER", 16, signed=False),
    _C.UINT_32: Logical("INTEGER", 32, signed=False),
    _C.UINT_64: Logical("INTEGER", 64, signed=False),
    _C.INT_8: Logical("INTEGER", 8),
    _C.INT_16: Logical("INTEGER", 16),
    _C.INT_32: Logical("INTEGER", 32),
    _C.INT_64: Logical("INTEGER", 64),
}
_GROUPS = {_C.MAP: "MAP", _C.MAP_KEY_VALUE: "MAP_KEY_VALUE", _C.LIST: "LIST"}
_WITHOUT_LOGICAL_TYPE = (_C.INTERVAL, _C.MAP_KEY_VALUE)
_GROUP_TYPES = ("MAP", "LIST", "VARIANT", "FILE")
_ALLOWED: dict[str, tuple[Type, ...]] = {
    "STRING": (Type.BYTE_ARRAY,),
    "ENUM": (Type.BYTE_ARRAY,),
    "JSON": (Type.BYTE_ARRAY,),
    "BSON": (Type.BYTE_ARRAY,),
    "GEOMETRY": (Type.BYTE_ARRAY,),
    "GEOGRAPHY": (Type.BYTE_ARRAY,),
    "DATE": (Type.INT32,),
    "TIMESTAMP": (Type.INT64,),
    "DECIMAL": (Type.INT32, Type.INT64, Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
    "UNKNOWN": tuple(Type),
    "NEW": tuple(Type),
}
_FIXED = {"UUID": 16, "FLOAT16": 2, "INTERVAL": 12}


def leaf_annotation(element: SchemaElement, physical: Physical) -> Logical | None:
    """Return the interpretation of a leaf column, None if it is not annotated.

    Raises Malformed (PQ-LOGICAL-*) for an annotation that LogicalTypes.md does not allow here.
    """
    logical = _from_logical_type(element) if _is_logical(element) else _from_converted_type(element)
    if logical is None:
        return Logical("INT96") if physical.type == Type.INT96 else None
    _check_physical(logical, physical, element)
    if logical.name == "DECIMAL":
        _check_decimal(logical, physical, element)
    return logical


def group_annotation(element: SchemaElement) -> Logical | None:
    """Return LIST, MAP, MAP_KEY_VALUE, VARIANT, FILE or NEW for a group, None if it is not annotated.

    Raises Malformed (PQ-LOGICAL-002) for an annotation of columns on a group.
    """
    if element.logicalType is not None and _is_logical(element):
        name = element.logicalType.which() or "NEW"
        # UNKNOWN may annotate "any physical type"; a group has none.
        if name not in (*_GROUP_TYPES, "NEW"):
            raise _problem(element, "PQ-LOGICAL-002", f"{name} cannot annotate a group")
        return Logical(name)
    if element.converted_type is None:
        return None
    if not isinstance(element.converted_type, ConvertedType):
        return Logical("NEW")
    if element.converted_type not in _GROUPS:
        name = element.converted_type.name
        raise _problem(element, "PQ-LOGICAL-002", f"{name} cannot annotate a group")
    return Logical(_GROUPS[element.converted_type])


def _is_logical(element: SchemaElement) -> bool:
    """Return whether the LogicalType counts, and not the ConvertedType.

    UNKNOWN beside a ConvertedType is what parquet-java writes where it has no LogicalType: for INTERVAL, and
    for the group of a map's entries, MAP_KEY_VALUE. It says less than the ConvertedType, which then counts;
    `validate` names the contradiction (PQ-LOGICAL-003).
    """
    if element.logicalType is None:
        return False
    return element.logicalType.UNKNOWN is None or element.converted_type not in _WITHOUT_LOGICAL_TYPE


def _problem(element: SchemaElement, rule: str, message: str) -> Malformed:
    return Malformed(message, offset=element.begin, rule=rule)


def _from_converted_type(element: SchemaElement) -> Logical | None:
    converted = element.converted_type
    if converted is None:
        return None
    if not isinstance(converted, ConvertedType):
        return Logical("NEW")
    if converted == ConvertedType.DECIMAL:
        if element.precision is None:
            raise _problem(element, "PQ-LOGICAL-004", "DECIMAL without a precision")
        return Logical("DECIMAL", precision=element.precision, scale=element.scale or 0)
    if converted in _GROUPS:
        raise _problem(element, "PQ-LOGICAL-002", f"{converted.name} cannot annotate a column")
    return _CONVERTED[converted]


def _from_logical_type(element: SchemaElement) -> Logical:
    union = element.logicalType
    assert isinstance(union, LogicalType)
    name = union.which()
    value: Struct | None = union.value()
    if name is None or value is None:
        return Logical("NEW")
    if name in _GROUP_TYPES:
        raise _problem(element, "PQ-LOGICAL-002", f"{name} cannot annotate a column")
    if isinstance(value, Empty):
        return Logical(name)
    if isinstance(value, IntType):
        return Logical(name, value.bitWidth, value.isSigned)
    if union.DECIMAL:
        return Logical(name, precision=union.DECIMAL.precision, scale=union.DECIMAL.scale)
    if union.GEOMETRY:
        return Logical(name, crs=union.GEOMETRY.crs)
    if union.GEOGRAPHY:
        return Logical(name, crs=union.GEOGRAPHY.crs, algorithm=union.GEOGRAPHY.algorithm)
    moment = union.TIME or union.TIMESTAMP
    assert moment is not None
    # "Unknown units must be handled as unsupported features (rather than as errors in the data files)":
    # as for any annotation from the future, the physical value is returned.
    unit = moment.unit.which()
    return Logical(name, unit=_UNITS[unit], utc=moment.isAdjustedToUTC) if unit else Logical("NEW")


def _check_physical(logical: Logical, physical: Physical, element: SchemaElement) -> None:
    name = logical.name
    if name in _FIXED:
        good = physical.type == Type.FIXED_LEN_BYTE_ARRAY and physical.length == _FIXED[name]
    elif name == "INTEGER":
        good = logical.bits in (8, 16, 32, 64) and physical.type == (
            Type.INT64 if logical.bits == 64 else Type.INT32
        )
    elif name == "TIME":
        good = physical.type == (Type.INT32 if logical.unit == "ms" else Type.INT64)
    else:
        good = physical.type in _ALLOWED[name]
    if not good:
        detail = f"({logical.bits})" if logical.bits else ""
        raise _problem(element, "PQ-LOGICAL-001", f"{name}{detail} cannot annotate {physical}")


def _check_decimal(logical: Logical, physical: Physical, element: SchemaElement) -> None:
    if logical.precision <= 0 or not 0 <= logical.scale <= logical.precision:
        message = f"DECIMAL with precision {logical.precision} and scale {logical.scale}"
        raise _problem(element, "PQ-LOGICAL-005", message)
    if physical.type == Type.BYTE_ARRAY:
        return
    # "A precision too large for the underlying type is an error": floor(log10(2^(8n - 1) - 1)) digits fit.
    bits = 8 * physical.width
    most = len(str((1 << bits - 1) - 1)) - 1 if bits else 0
    if logical.precision > most:
        message = f"DECIMAL precision {logical.precision} does not fit {physical} (at most {most} digits)"
        raise _problem(element, "PQ-LOGICAL-006", message)
