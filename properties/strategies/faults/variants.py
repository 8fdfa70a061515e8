"""Faults of Variants: of their binary encoding and of their shredding."""

from __future__ import annotations

from typing import Any

from corpora.build import variants
from corpora.build.recipe import Elements, group, leaf
from properties.strategies.faults.edits import OPTIONAL, REQUIRED, table
from properties.strategies.faults.fault import Fault, File
from reference_impl.parquet.schema import LogicalType, Type, VariantType
from reference_impl.variant.shredder import row
from reference_impl.variant.shredding import Leaf, Level, Slot

BYTES = Type.BYTE_ARRAY
# Metadata of the names a and b, in this order, and values (VariantEncoding.md).
METADATA = bytes.fromhex("01 02 00 01 02 6162")
NULL, NUMBER_ONE, TEXT = b"\0", b"\x0c\x01", b"\x05x"
EMPTY_OBJECT, EMPTY_ARRAY = bytes.fromhex("020000"), bytes.fromhex("030000")
A_IS_ONE, B_IS_ONE = bytes.fromhex("02 01 00 0002 0c01"), bytes.fromhex("02 01 01 0002 0c01")

_NUMBER = Level(leaf=Leaf("int64"))
_OBJECT = Level(fields=(("a", _NUMBER),))
_ARRAY = Level(element=_NUMBER)
_OTHER = Level(fields=(("c", _NUMBER),))
_MISSING = {"value": None, "typed_value": None}


def _whole(value: str) -> File:
    """Return a file of one unshredded Variant, whose value is given in hexadecimal."""
    return _of(Level(), {"value": bytes.fromhex(value)})


def _of(level: Level, columns: dict[str, Any]) -> File:
    stored = {"metadata": METADATA, **columns}
    return File(table(variants.elements("x", REQUIRED, level), (stored,)))


def _shredded(level: Level, slot: Slot) -> File:
    return _of(level, row(level, slot))


def _typed(*typed: Elements, stored: Any) -> File:
    """Return a file of one Variant with this `typed_value`."""
    variant = LogicalType(VARIANT=VariantType(specification_version=1))
    value = leaf("value", BYTES, OPTIONAL)
    field = group("x", REQUIRED, leaf("metadata", BYTES), value, *typed, logicalType=variant)
    return File(table(field, ({"metadata": METADATA, "value": None, "typed_value": stored},)))


def _inner(name: str, repetition: int) -> Elements:
    return group(name, repetition, leaf("value", BYTES, OPTIONAL), leaf("typed_value", Type.INT64, OPTIONAL))


FAULTS = (
    Fault(
        "PQ-VARIANT-008/fields-out-of-order",
        "an object has its fields in the order of their ids reversed",
        _whole("02 02 0100 00 02 04 0c01 0c02"),
        "ids and offsets are in the order of names, the values are not",
        _whole("02 02 0001 02 00 04 0c01 0c02"),
    ),
    Fault(
        "PQ-VARIANT-009/field-id-without-name",
        "an object has the field id 2, of two names",
        _whole("02 01 02 00 02 0c01"),
        "it has the id 1",
        _whole("02 01 01 00 02 0c01"),
    ),
    Fault(
        "PQ-VARIANT-010/decimal4-of-ten-digits",
        "a decimal4 has ten digits",
        _whole("20 00 00ca9a3b"),
        "it has nine",
        _whole("20 00 ffc99a3b"),
    ),
    Fault(
        "PQ-VARIANT-011/shredded-as-fixed-bytes",
        "typed_value is FIXED_LEN_BYTE_ARRAY, and no UUID",
        _typed(leaf("typed_value", Type.FIXED_LEN_BYTE_ARRAY, OPTIONAL, type_length=4), stored=b"abcd"),
        "it is BYTE_ARRAY",
        _typed(leaf("typed_value", BYTES, OPTIONAL), stored=b"abcd"),
    ),
    Fault(
        "PQ-VARIANT-012/value-and-typed-value",
        "value and typed_value of a number are both set",
        _shredded(_NUMBER, Slot(NUMBER_ONE, typed=1)),
        "they are of a partially shredded object",
        _shredded(_OBJECT, Slot(B_IS_ONE, fields=(Slot(typed=1),))),
    ),
    Fault(
        "PQ-VARIANT-013/object-beside-a-string",
        "an object is shredded, beside a value that is a string",
        _shredded(_OBJECT, Slot(TEXT, fields=(Slot(typed=1),))),
        "the value is an empty object",
        _shredded(_OBJECT, Slot(EMPTY_OBJECT, fields=(Slot(typed=1),))),
    ),
    Fault(
        "PQ-VARIANT-014/field-in-value-and-typed-value",
        "the value of a partially shredded object has the field that is shredded",
        _shredded(_OBJECT, Slot(A_IS_ONE, fields=(Slot(),))),
        "it has another one",
        _shredded(_OBJECT, Slot(B_IS_ONE, fields=(Slot(),))),
    ),
    Fault(
        "PQ-VARIANT-015/object-not-shredded",
        "a value is an object, where objects are shredded",
        _shredded(_OBJECT, Slot(B_IS_ONE)),
        "it is an array",
        _shredded(_OBJECT, Slot(EMPTY_ARRAY)),
    ),
    Fault(
        "PQ-VARIANT-016/element-missing",
        "an element of a shredded array has neither value nor typed_value",
        _shredded(_ARRAY, Slot(items=(Slot(), Slot(typed=1)))),
        "it has a value that is null",
        _shredded(_ARRAY, Slot(items=(Slot(NULL), Slot(typed=1)))),
    ),
    Fault(
        "PQ-VARIANT-017/shredded-field-without-name",
        "a field is shredded whose name is not in the metadata",
        _shredded(_OTHER, Slot(fields=(Slot(typed=1),))),
        "the field is missing",
        _shredded(_OTHER, Slot(fields=(Slot(),))),
    ),
    Fault(
        "PQ-VARIANT-018/shredded-field-is-null",
        "the group of a shredded field is optional, and null",
        _typed(group("typed_value", OPTIONAL, _inner("a", OPTIONAL)), stored={"a": None}),
        "it is required, and holds nulls",
        _typed(group("typed_value", OPTIONAL, _inner("a", REQUIRED)), stored={"a": _MISSING}),
    ),
)
