"""The shredding of a VARIANT group: its columns as a `Level`.

Columns are accessed "by name, not by position". The types of a `typed_value` column are in the
table "Shredded Value Types" of VariantShredding.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, LeafColumn, ListColumn, StructColumn
from reference_impl.errors import Malformed, Unsupported, located, raise_first
from reference_impl.variant.shredding import DRAFT, RESIDUAL, V1, Leaf, Level
from reference_impl.variant.values import MAX_SCALE

METADATA = "metadata"
_PLAIN = {
    "BOOLEAN": "boolean",
    "INT32": "int32",
    "INT64": "int64",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BYTE_ARRAY": "binary",
}
_DECIMALS = {
    "INT32": "decimal4",
    "INT64": "decimal8",
    "BYTE_ARRAY": "decimal16",
    "FIXED_LEN_BYTE_ARRAY": "decimal16",
}
_TIMES = {
    ("TIME", "us", False): "time",
    ("TIMESTAMP", "us", True): "timestamp",
    ("TIMESTAMP", "us", False): "timestamp_ntz",
    ("TIMESTAMP", "ns", True): "timestamp_nanos",
    ("TIMESTAMP", "ns", False): "timestamp_ntz_nanos",
}
_NAMED = {"DATE": "date", "STRING": "string", "UUID": "uuid"}


def is_variant(column: Column) -> TypeGuard[StructColumn]:
    """Return whether a column is annotated as VARIANT."""
    return (
        isinstance(column, StructColumn) and column.logical is not None and column.logical.name == "VARIANT"
    )


def layout_of(names: Iterable[str]) -> str:
    """Return the layout of a group with fields of these names."""
    return DRAFT if {RESIDUAL[DRAFT], "object", "array"} & set(names) else V1


def group_errors(fields: Iterable[tuple[str, bool]]) -> Iterator[Malformed]:
    """Yield the errors of the fields of a VARIANT group: their names, and whether each is a BYTE_ARRAY."""
    binary = dict(given := list(fields))
    values = {RESIDUAL[V1], "typed_value"} & set(binary) or layout_of(binary) == DRAFT
    if METADATA not in binary or not values or len(binary) < len(given):
        yield Malformed(f"a VARIANT of fields {sorted(binary)!r:.200}", rule="PQ-VARIANT-001")
        return
    for name in (METADATA, *RESIDUAL.values()):
        yield from residual_errors(name, is_binary=binary.get(name, True))


def residual_errors(name: str, *, is_binary: bool) -> Iterator[Malformed]:
    """Yield the error of a field that holds bytes of Variants, but is no BYTE_ARRAY."""
    if not is_binary:
        yield Malformed(f"{name} is no BYTE_ARRAY", rule="PQ-VARIANT-002")


def column_errors(column: StructColumn) -> Iterator[Malformed]:
    """Yield the errors of the fields of a VARIANT group."""
    return group_errors((field.name, _is_binary(field)) for field in column.fields)


def level_of(column: StructColumn) -> Level:
    """Return how a VARIANT group is shredded.

    Raises Malformed (PQ-VARIANT-001, -002, -011) for a group that holds no Variant, Unsupported for columns
    of a later revision.
    """
    raise_first(column_errors(column))
    fields = {field.name: field for field in column.fields if field.name != METADATA}
    return _level(fields, layout_of(fields))


def _is_binary(column: Column) -> bool:
    return isinstance(column, LeafColumn) and isinstance(column.values, ByteArrays)


def _level(fields: dict[str, Column], layout: str) -> Level:
    residual, typed = fields.pop(RESIDUAL[layout], None), fields.pop("typed_value", None)
    nested = {"object": typed, "array": typed}
    if layout == DRAFT:
        nested = {"object": fields.pop("object", None), "array": fields.pop("array", None)}
    # "Any fields … that start with `_` (underscore) can be ignored"; "readers should fail" for others.
    if unknown := [name for name in fields if layout == V1 or not name.startswith("_")]:
        raise Unsupported(f"fields {unknown!r:.200} beside a shredded value")
    if residual is not None:
        raise_first(residual_errors(residual.name, is_binary=_is_binary(residual)))
    inner, items = nested["object"], nested["array"]
    level = Level(
        layout,
        residual is not None,
        leaf_of(typed.node) if isinstance(typed, LeafColumn) else None,
        _fields(inner, layout) if isinstance(inner, StructColumn) else None,
        _inner(items.element, layout) if isinstance(items, ListColumn) else None,
    )
    columns = [typed, *nested.values()] if layout == DRAFT else [typed]
    column_count = sum(column is not None for column in columns)
    if column_count != sum(part is not None for part in (level.leaf, level.fields, level.element)):
        raise Malformed("typed_value, object or array has a type that it may not have", rule="PQ-VARIANT-011")
    if not column_count and residual is None:
        raise Malformed("a shredded value without columns", rule="PQ-VARIANT-001")
    return level


def _inner(column: Column, layout: str) -> Level:
    """Return the level of an element or a field: a group."""
    names = [field.name for field in column.fields] if isinstance(column, StructColumn) else []
    if not isinstance(column, StructColumn) or column.logical is not None or len(set(names)) < len(names):
        raise Malformed(f"{column.name!r:.60} is no group of value and typed_value", rule="PQ-VARIANT-011")
    with located(column.name):
        return _level({field.name: field for field in column.fields}, layout)


def _fields(column: StructColumn, layout: str) -> tuple[tuple[str, Level], ...]:
    names = [field.name for field in column.fields]
    if len(set(names)) < len(names) or column.logical is not None:
        raise Malformed("a shredded object has one field twice, or is annotated", rule="PQ-VARIANT-011")
    return tuple((field.name, _inner(field, layout)) for field in column.fields)


def leaf_of(node: Any) -> Leaf:
    """Return the type of a `typed_value` column, by its field in the schema of a Parquet file.

    Raises Malformed (PQ-VARIANT-011) for a type that the table does not have, Unsupported for an unknown
    annotation.
    """
    logical, name = node.logical, str(node.physical.type.name)
    kind, precision, scale = None, 0, 0
    if logical is None:
        kind = _PLAIN.get(name)
    elif logical.name == "INTEGER":
        kind = f"int{logical.bits}" if logical.signed else None
    elif logical.name == "DECIMAL":
        kind, precision, scale = _DECIMALS[name], logical.precision, logical.scale
    elif logical.name in ("TIME", "TIMESTAMP"):
        kind = _TIMES.get((logical.name, logical.unit, logical.utc))
    elif logical.name == "NEW":
        raise Unsupported("typed_value has an annotation that is not known")
    else:
        kind = _NAMED.get(logical.name)
    if kind is None or scale > MAX_SCALE:
        what = f"{name} as {logical.name}" if logical else name
        raise Malformed(f"typed_value is {what}, which no Variant is shredded as", rule="PQ-VARIANT-011")
    return Leaf(kind, precision, scale)
