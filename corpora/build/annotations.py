"""Annotations: the legal combinations of logical type, storage and form, according to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from corpora.build.recipe import slug
from reference_impl.errors import Malformed
from reference_impl.parquet.logical import Logical, group_annotation, leaf_annotation
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    IntType,
    LogicalType,
    SchemaElement,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
)
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical
from reference_impl.wire.table import table_of

_LENGTHS = (2, 4, 12, 16)  # of FIXED_LEN_BYTE_ARRAY: the lengths that annotations require, and another


def required() -> Iterator[str]:
    """Yield an item for each legal logical type, storage, and form (converted, logical, both)."""
    storages = [Physical(kind) for kind in Type if kind != Type.FIXED_LEN_BYTE_ARRAY]
    storages += [Physical(Type.FIXED_LEN_BYTE_ARRAY, length) for length in _LENGTHS]
    for storage in storages:
        old = [logical for given in _converted() if (logical := _leaf(given, storage))]
        new = [logical for given in _logical() if (logical := _leaf(given, storage))]
        both = [logical for logical in new if any(_says_the_same(logical, other) for other in old)]
        yield from _items(storage.type.name, old, new, both)
    old = [logical for given in _converted() if (logical := _group(given))]
    new = [logical for given in _logical() if (logical := _group(given))]
    yield from _items("group", old, new, [logical for logical in new if logical in old])


def _items(storage: str, *by_form: Sequence[Logical]) -> Iterator[str]:
    for form, types in zip(("converted", "logical", "both"), by_form, strict=True):
        yield from (_item(logical, storage, form) for logical in types)


def reached(node: Node) -> Iterator[str]:
    """Yield the item of a field's annotation, if the field has a known annotation."""
    element, logical = node.element, node.logical
    has_new, has_old = element.logicalType is not None, element.converted_type is not None
    if logical is None or logical.name == "NEW" or not (has_new or has_old):
        return
    form = "both" if has_new and has_old else "logical" if has_new else "converted"
    yield _item(logical, node.physical.type.name if node.physical else "group", form)


def _item(logical: Logical, storage: str, form: str) -> str:
    details = [str(logical.bits)] * bool(logical.bits) + ["unsigned"] * (not logical.signed)
    details += [logical.unit, "utc" if logical.utc else "local"] * bool(logical.unit)
    return f"logical/{'-'.join((slug(logical.name), *details))}/{storage}/{form}"


def _says_the_same(logical: Logical, other: Logical) -> bool:
    """Return whether two types are equal except for UTC, which a ConvertedType cannot negate."""
    return logical._replace(utc=True) == other._replace(utc=True)


def _converted() -> Iterator[SchemaElement]:
    for kind in ConvertedType:
        yield SchemaElement(name="x", converted_type=kind, precision=1, scale=0)


def _logical() -> Iterator[SchemaElement]:
    for row in table_of(LogicalType).rows:
        for value in _values(row.wire):
            yield SchemaElement(name="x", logicalType=LogicalType(**{row.name: value}))


def _values(wire: Any) -> Iterator[Any]:
    """Yield the values of a member of LogicalType that differ in the legal storage."""
    units = [_unit(row.name) for row in table_of(TimeUnit).rows]
    if wire in (TimeType, TimestampType):
        yield from (wire(isAdjustedToUTC=utc, unit=unit) for utc, unit in product((True, False), units))
    elif wire is IntType:
        for bits, signed in product((8, 16, 32, 64), (True, False)):
            yield IntType(bitWidth=bits, isSigned=signed)
    else:
        yield DecimalType(scale=0, precision=1) if wire is DecimalType else wire()


def _unit(name: str) -> TimeUnit:
    unit = TimeUnit()
    setattr(unit, name, Empty())
    return unit


def _leaf(given: SchemaElement, storage: Physical) -> Logical | None:
    try:
        return leaf_annotation(given, storage)
    except Malformed:
        return None


def _group(given: SchemaElement) -> Logical | None:
    try:
        return group_annotation(given)
    except Malformed:
        return None
