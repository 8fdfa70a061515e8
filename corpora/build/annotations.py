"""Annotations: which logical type may stand on which storage in which form, asked from the reader."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

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
from reference_impl.parquet.types import Physical
from reference_impl.wire.table import table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reference_impl.parquet.tree import Node

_LENGTHS = (2, 4, 12, 16)  # of FIXED_LEN_BYTE_ARRAY: those that annotations ask for, and another


def required() -> Iterator[str]:
    """Yield an item for each logical type, storage, and form (converted, logical, both) that may be."""
    storages = [Physical(kind) for kind in Type if kind != Type.FIXED_LEN_BYTE_ARRAY]
    storages += [Physical(Type.FIXED_LEN_BYTE_ARRAY, length) for length in _LENGTHS]
    for storage in storages:
        old = [one for given in _converted() if (one := _leaf(given, storage))]
        new = [one for given in _logical() if (one := _leaf(given, storage))]
        both = [one for one in new if any(_says_the_same(one, other) for other in old)]
        for form, found in (("converted", old), ("logical", new), ("both", both)):
            yield from (_item(one, storage.type.name, form) for one in found)
    old = [one for given in _converted() if (one := _group(given))]
    new = [one for given in _logical() if (one := _group(given))]
    for form, found in (("converted", old), ("logical", new), ("both", [one for one in new if one in old])):
        yield from (_item(one, "group", form) for one in found)


def reached(node: Node) -> Iterator[str]:
    """Yield what the annotation of a field reaches, if it has one that is known."""
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


def _says_the_same(one: Logical, other: Logical) -> bool:
    """Compare but for UTC, which a ConvertedType cannot deny."""
    return one._replace(utc=True) == other._replace(utc=True)


def _converted() -> Iterator[SchemaElement]:
    for kind in ConvertedType:
        yield SchemaElement(name="x", converted_type=kind, precision=1, scale=0)


def _logical() -> Iterator[SchemaElement]:
    for row in table_of(LogicalType).rows:
        for value in _values(row.wire):
            yield SchemaElement(name="x", logicalType=LogicalType(**{row.name: value}))


def _values(wire: Any) -> Iterator[Any]:
    """Yield every value of a member of LogicalType, as far as it changes what may be annotated."""
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
