"""Variant columns in plans: schemas of shreddings, rows of values, and the values of rows.

The value of a row follows the algorithm of VariantShredding.md, "Reconstructing a Shredded Variant", and that
of the draft, word for word. It uses no columns or levels, so that this module and the reader check each
other.
"""

from __future__ import annotations

import struct
from typing import Any

from corpora.build.recipe import OPTIONAL, REPEATED, REQUIRED, Elements, group, leaf, list_group
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    FieldRepetitionType,
    IntType,
    LogicalType,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
    VariantType,
)
from reference_impl.parquet.tree import Node
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.encoding import decode
from reference_impl.variant.forms import SMALLEST, Form, encode, metadata_of, names_of
from reference_impl.variant.metadata import Metadata
from reference_impl.variant.schema import leaf_of
from reference_impl.variant.shredder import row as stored
from reference_impl.variant.shredder import shred
from reference_impl.variant.shredding import DRAFT, RESIDUAL, V1, Leaf, Level
from reference_impl.variant.values import NULL, Array, Object, Primitive, Value, object_of

_MICROS, _NANOS = TimeUnit(MICROS=Empty()), TimeUnit(NANOS=Empty())
_C = ConvertedType
_SHREDDED = ("typed_value", "object", "array")


def _timestamp(utc: bool, unit: TimeUnit) -> LogicalType:
    return LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=utc, unit=unit))


# The table "Shredded Value Types": the storage of a kind, and its annotation before LogicalType.
_TYPES: dict[str, tuple[Type, LogicalType | None, ConvertedType | None]] = {
    "boolean": (Type.BOOLEAN, None, None),
    "int8": (Type.INT32, LogicalType(INTEGER=IntType(bitWidth=8, isSigned=True)), _C.INT_8),
    "int16": (Type.INT32, LogicalType(INTEGER=IntType(bitWidth=16, isSigned=True)), _C.INT_16),
    "int32": (Type.INT32, None, None),
    "int64": (Type.INT64, None, None),
    "float": (Type.FLOAT, None, None),
    "double": (Type.DOUBLE, None, None),
    "decimal4": (Type.INT32, None, _C.DECIMAL),
    "decimal8": (Type.INT64, None, _C.DECIMAL),
    "decimal16": (Type.FIXED_LEN_BYTE_ARRAY, None, _C.DECIMAL),
    "date": (Type.INT32, LogicalType(DATE=Empty()), _C.DATE),
    "time": (Type.INT64, LogicalType(TIME=TimeType(isAdjustedToUTC=False, unit=_MICROS)), _C.TIME_MICROS),
    "timestamp": (Type.INT64, _timestamp(True, _MICROS), _C.TIMESTAMP_MICROS),
    "timestamp_nanos": (Type.INT64, _timestamp(True, _NANOS), None),
    "timestamp_ntz": (Type.INT64, _timestamp(False, _MICROS), _C.TIMESTAMP_MICROS),
    "timestamp_ntz_nanos": (Type.INT64, _timestamp(False, _NANOS), None),
    "binary": (Type.BYTE_ARRAY, None, None),
    "string": (Type.BYTE_ARRAY, LogicalType(STRING=Empty()), _C.UTF8),
    "uuid": (Type.FIXED_LEN_BYTE_ARRAY, LogicalType(UUID=Empty()), None),
}


def elements(name: str, repetition: FieldRepetitionType | int, level: Level) -> Elements:
    """Return the VARIANT group of a shredding; without shredding its value is required."""
    variant = LogicalType(VARIANT=VariantType(specification_version=1))
    columns = _columns(level)
    if level == Level(V1):
        columns = [leaf("value", Type.BYTE_ARRAY)]
    return group(name, repetition, leaf("metadata", Type.BYTE_ARRAY), *columns, logicalType=variant)


def _columns(level: Level) -> list[Elements]:
    columns = [leaf(RESIDUAL[level.layout], Type.BYTE_ARRAY, OPTIONAL)] if level.residual else []
    object_, array = ("object", "array") if level.layout == DRAFT else ("typed_value", "typed_value")
    if level.leaf is not None:
        columns.append(_typed(level.leaf))
    # "The group for each named field must use repetition level `required`"; in the draft, it is optional.
    repetition = REQUIRED if level.layout == V1 else OPTIONAL
    if level.fields is not None:
        fields = [group(name, repetition, *_columns(inner)) for name, inner in level.fields]
        columns.append(group(object_, OPTIONAL, *fields))
    if level.element is not None:
        element = group("element", repetition, *_columns(level.element))
        columns.append(list_group(array, OPTIONAL, group("list", REPEATED, element)))
    return columns


def _typed(typed: Leaf) -> Elements:
    physical, logical, converted = _TYPES[typed.kind]
    more: dict[str, Any] = {"converted_type": converted, "logicalType": logical}
    if converted == ConvertedType.DECIMAL:
        more |= {"precision": typed.precision, "scale": typed.scale}
        more["logicalType"] = LogicalType(DECIMAL=DecimalType(scale=typed.scale, precision=typed.precision))
    if physical == Type.FIXED_LEN_BYTE_ARRAY:
        more["type_length"] = 16
    return leaf("typed_value", physical, OPTIONAL, **more)


def row(level: Level, value: Value, form: Form = SMALLEST, *, exact: bool = True) -> dict[str, Any]:
    """Return the row of a value in a plan; raises ValueError if the level cannot hold the value."""
    metadata = metadata_of(names_of(value), form.names)
    slot = shred(level, value, metadata, form.nodes, exact=exact)
    if slot is None:
        raise ValueError(f"{level} holds no {value}")
    return {"metadata": metadata.raw, **stored(level, slot)}


def is_variant(node: Node) -> bool:
    """Return whether a node of a plan's schema is a Variant that can be reconstructed."""
    if node.logical is None or node.logical.name != "VARIANT":
        return False
    binaries = {"metadata", *RESIDUAL.values()} & {child.name for child in node.children}
    leaves = {
        child.name for child in node.children if child.physical and child.physical.type == Type.BYTE_ARRAY
    }
    others = {child.name for child in node.children} - {"metadata"}
    return "metadata" in binaries <= leaves and bool(others) and others <= {*RESIDUAL.values(), *_SHREDDED}


def level_of(node: Node) -> Level:
    """Return the shredding of a VARIANT group of `elements`."""
    fields = {child.name: child for child in node.children}
    layout = DRAFT if {"variant_value", "object", "array"} & set(fields) else V1
    typed = fields.get("typed_value")
    leaf_ = leaf_of(typed) if typed is not None and typed.physical is not None else None
    inner = fields.get("object") if layout == DRAFT else typed
    items = fields.get("array") if layout == DRAFT else typed
    is_list = items is not None and items.logical is not None and items.logical.name == "LIST"
    return Level(
        layout,
        RESIDUAL[layout] in fields,
        leaf_,
        tuple((child.name, level_of(child)) for child in inner.children)
        if inner is not None and inner.physical is None and inner.logical is None
        else None,
        level_of(items.children[0].children[0]) if items is not None and is_list else None,
    )


def meaning(node: Node, given: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return the metadata and the value of a row of a VARIANT group; a shredded value is reconstructed."""
    children = {child.name: child for child in node.children}
    is_draft = bool({"variant_value", "object", "array"} & set(children))
    whole = given.get(RESIDUAL[DRAFT if is_draft else V1])
    if whole is not None and all(given.get(name) is None for name in _SHREDDED):
        return given["metadata"], whole
    metadata = dictionary.read(given["metadata"])
    value = (_draft if is_draft else _construct)(node, given, metadata)
    return metadata.raw, encode(NULL if value is None else value, metadata)


def _construct(node: Node, given: dict[str, Any] | None, metadata: Metadata) -> Value | None:
    """Follow `construct_variant`; a null group, which is not legal, has no value."""
    given = given or {}
    raw, typed = given.get("value"), given.get("typed_value")
    value = None if raw is None else decode(raw, metadata)
    if typed is None:
        return value
    below = next(child for child in node.children if child.name == "typed_value")
    if below.physical is not None:
        return _primitive(below, typed)
    if below.logical is not None:
        element = below.children[0].children[0]
        items = [_construct(element, item[element.name], metadata) for item in typed[below.children[0].name]]
        return Array(tuple(NULL if item is None else item for item in items))
    fields = {child.name: _construct(child, typed[child.name], metadata) for child in below.children}
    # Where a field is in both, "the `typed_value` column must be used", also if it is null.
    rest = [field for field in value.fields if field[0] not in fields] if isinstance(value, Object) else []
    return object_of([*rest, *((name, field) for name, field in fields.items() if field is not None)])


def _draft(node: Node, given: dict[str, Any], metadata: Metadata) -> Value:
    """Follow `ConstructVariant` of the draft."""
    children = {child.name: child for child in node.children}
    raw = given.get("variant_value")
    value = None if raw is None else decode(raw, metadata)
    if given.get("object") is not None:
        below = {child.name: child for child in children["object"].children}
        held = {name: field for name, field in given["object"].items() if field is not None}
        rest = dict(value.fields) if isinstance(value, Object) else {}
        fields = {name: _draft(below[name], field, metadata) for name, field in held.items()}
        return object_of((rest | fields).items())
    if given.get("array") is not None:
        middle = children["array"].children[0]
        element = middle.children[0]
        items = [item[element.name] for item in given["array"][middle.name]]
        return Array(tuple(_draft(element, item, metadata) for item in items))
    if given.get("typed_value") is not None:
        return _primitive(children["typed_value"], given["typed_value"])
    return NULL if value is None else value


def _primitive(node: Node, typed: Any) -> Primitive:
    """Follow `primitive_to_variant`."""
    shredded = leaf_of(node)
    if shredded.kind == "string":
        typed = typed.decode("utf-8")
    elif shredded.kind in ("float", "double"):
        typed = typed if isinstance(typed, bytes) else _bits(shredded.kind, typed)
        typed = int.from_bytes(typed, "little")
    elif isinstance(typed, bytes) and shredded.kind == "decimal16":
        typed = int.from_bytes(typed, "big", signed=True)
    return Primitive(shredded.kind, typed, shredded.scale)


def _bits(kind: str, number: float) -> bytes:
    return struct.pack("<f" if kind == "float" else "<d", number)
