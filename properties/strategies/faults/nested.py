"""Faults of annotated groups: LIST, MAP and VARIANT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpora.build.recipe import Elements, group, leaf, list_group, map_group
from properties.strategies.faults.edits import OPTIONAL, REPEATED, REQUIRED, table
from properties.strategies.faults.fault import Fault, File
from reference_impl.parquet.schema import ConvertedType, LogicalType, Type, VariantType

INT32, BYTES = Type.INT32, Type.BYTE_ARRAY
# Metadata of no keys, and the value null (VariantEncoding.md).
METADATA, NULL = bytes.fromhex("01 00 00"), b"\0"


def _list(child: Elements, *values: Any) -> File:
    return File(table(list_group("x", REQUIRED, child), [{child[0].name: value} for value in values]))


def _map(child: Elements, *values: Any) -> File:
    return File(table(map_group("x", REQUIRED, child), [{child[0].name: value} for value in values]))


def _entry(key: Elements, *others: str, name: str = "key_value") -> Elements:
    return group(name, REPEATED, key, *(leaf(other, INT32) for other in others))


def _variant(*children: Elements, version: int | None = 1) -> File:
    """Return a file of one VARIANT, whose fields are bytes unless they are of another type."""
    stored = {"metadata": METADATA, "value": NULL}
    value = {child[0].name: stored[child[0].name] if child[0].type == BYTES else None for child in children}
    return _variants((value,), *children, version=version)


def _variants(
    values: Sequence[Any], *children: Elements, version: int | None = 1, repetition: int = REQUIRED
) -> File:
    union = LogicalType(VARIANT=VariantType(specification_version=version))
    return File(table(group("x", repetition, *children, logicalType=union), values))


def _stored(metadata: bytes, value: bytes) -> File:
    """Return a file of one VARIANT of these bytes."""
    return _variants(({"metadata": metadata, "value": value},), _VARIANT_METADATA, _VARIANT_VALUE)


_KEY, _VALUE = leaf("key", INT32), leaf("value", INT32)
_MANY_KEYS = leaf("key", INT32, REPEATED)
_ELEMENT = leaf("element", INT32)
_PAIR = [{"key": 1, "value": 2}]
_GOOD_MAP = _map(_entry(_KEY, "value"), _PAIR)
_GOOD_LIST = _list(group("list", REPEATED, _ELEMENT), [], [{"element": 1}, {"element": 2}])
_LIST_OF_LISTS = _list(
    group("list", REPEATED, list_group("element", REQUIRED, group("list", REPEATED, _ELEMENT))),
    [{"element": {"list": [{"element": 1}]}}],
)
_LIST_OF_MAPS = _list(
    group("list", REPEATED, map_group("element", REQUIRED, _entry(_KEY, "value"))),
    [{"element": {"key_value": _PAIR}}],
)
_VARIANT_METADATA, _VARIANT_VALUE = leaf("metadata", BYTES), leaf("value", BYTES)
_GOOD_VARIANT = _variant(_VARIANT_METADATA, _VARIANT_VALUE)

FAULTS = (
    Fault(
        "PQ-LIST-001/list-of-an-optional-group",
        "the group inside a LIST group is optional",
        _list(group("list", OPTIONAL, _ELEMENT), None, {"element": 1}),
        "it is repeated",
        _GOOD_LIST,
    ),
    Fault(
        "PQ-MAP-001/map-of-a-required-group",
        "the group inside a MAP group is required",
        _map(group("key_value", REQUIRED, _KEY, _VALUE), {"key": 1, "value": 2}),
        "it is repeated",
        _GOOD_MAP,
    ),
    Fault(
        "PQ-MAP-002/entry-of-three-fields",
        "the entries of a MAP have a key and two values",
        _map(_entry(_KEY, "value", "other"), [{"key": 1, "value": 2, "other": 3}]),
        "they have a key and no value",
        _map(_entry(_KEY), [{"key": 1}, {"key": 2}]),
    ),
    Fault(
        "PQ-MAP-003/repeated-key",
        "the key of a MAP is repeated",
        _map(_entry(_MANY_KEYS, "value"), [{"key": [1, 2], "value": 3}]),
        "the key is a group of a repeated field",
        _map(_entry(group("key", REQUIRED, _MANY_KEYS), "value"), [{"key": {"key": [1, 2]}, "value": 3}]),
    ),
    Fault(
        "PQ-LIST-002/repeated-list",
        "a repeated group, inside of nothing, is annotated LIST",
        File(
            table(
                list_group("x", REPEATED, group("list", REPEATED, _ELEMENT)),
                ([{"list": [{"element": 1}]}], []),
            )
        ),
        "a list of lists has groups of its own for each",
        _LIST_OF_LISTS,
    ),
    Fault(
        "PQ-LIST-003/list-of-two-levels",
        "the repeated field inside a LIST group is the element itself",
        _list(leaf("element", INT32, REPEATED), [], [1, 2]),
        "it is a group of the element",
        _GOOD_LIST,
    ),
    Fault(
        "PQ-LIST-004/list-named-bag",
        "the repeated group of a LIST is named bag",
        _list(group("bag", REPEATED, _ELEMENT), [], [{"element": 1}]),
        "it is named list",
        _GOOD_LIST,
    ),
    Fault(
        "PQ-LIST-005/element-named-item",
        "the element of a LIST is named item",
        _list(group("list", REPEATED, leaf("item", INT32)), [], [{"item": 1}]),
        "it is named element",
        _GOOD_LIST,
    ),
    Fault(
        "PQ-MAP-004/optional-key",
        "the key of a MAP is optional",
        _map(_entry(leaf("key", INT32, OPTIONAL), "value"), _PAIR),
        "the value is",
        _map(group("key_value", REPEATED, _KEY, leaf("value", INT32, OPTIONAL)), _PAIR),
    ),
    Fault(
        "PQ-MAP-005/entries-named-map",
        "the repeated group of a MAP is named map",
        _map(_entry(_KEY, "value", name="map"), _PAIR),
        "it is named key_value",
        _GOOD_MAP,
    ),
    Fault(
        "PQ-MAP-006/key-named-k",
        "the key of a MAP is named k",
        _map(_entry(leaf("k", INT32), "value"), [{"k": 1, "value": 2}]),
        "it is named key",
        _GOOD_MAP,
    ),
    Fault(
        "PQ-MAP-007/repeated-map",
        "a repeated group, inside of nothing, is annotated MAP",
        File(table(map_group("x", REPEATED, _entry(_KEY, "value")), ([{"key_value": _PAIR}], []))),
        "the MAPs are elements of a LIST",
        _LIST_OF_MAPS,
    ),
    Fault(
        "PQ-MAP-008/entries-without-a-map",
        "MAP_KEY_VALUE annotates a group that is not inside of a MAP",
        File(
            table(
                group("x", REQUIRED, _entry(_KEY, "value"), converted_type=ConvertedType.MAP_KEY_VALUE),
                ({"key_value": _PAIR},),
            )
        ),
        "it annotates the repeated group of a MAP",
        _map(group("key_value", REPEATED, _KEY, _VALUE, converted_type=ConvertedType.MAP_KEY_VALUE), _PAIR),
    ),
    Fault(
        "PQ-MAP-009/repeated-value",
        "the value of a MAP is repeated",
        _map(
            group("key_value", REPEATED, _KEY, leaf("value", INT32, REPEATED)), [{"key": 1, "value": [2, 3]}]
        ),
        "the value is a group of a repeated field",
        _map(
            group("key_value", REPEATED, _KEY, group("value", REQUIRED, leaf("y", INT32, REPEATED))),
            [{"key": 1, "value": {"y": [2, 3]}}],
        ),
    ),
    Fault(
        "PQ-VARIANT-001/variant-without-value",
        "a VARIANT group has metadata, but neither value nor typed_value",
        _variant(_VARIANT_METADATA),
        "it has a value",
        _GOOD_VARIANT,
    ),
    Fault(
        "PQ-VARIANT-002/variant-of-int32",
        "the value of a VARIANT is INT32",
        _variants(({"metadata": METADATA, "value": 0},), _VARIANT_METADATA, _VALUE),
        "it is BYTE_ARRAY",
        _GOOD_VARIANT,
    ),
    Fault(
        "PQ-VARIANT-003/optional-metadata",
        "the metadata of a VARIANT is optional",
        _variant(leaf("metadata", BYTES, OPTIONAL), _VARIANT_VALUE),
        "the VARIANT itself is",
        _variants(
            ({"metadata": METADATA, "value": NULL}, None),
            *(_VARIANT_METADATA, _VARIANT_VALUE),
            repetition=OPTIONAL,
        ),
    ),
    Fault(
        "PQ-VARIANT-004/optional-value",
        "the value of a VARIANT is optional, and there is no typed_value",
        _variant(_VARIANT_METADATA, leaf("value", BYTES, OPTIONAL)),
        "there is one",
        _variant(
            _VARIANT_METADATA, leaf("value", BYTES, OPTIONAL), leaf("typed_value", Type.INT64, OPTIONAL)
        ),
    ),
    Fault(
        "PQ-VARIANT-005/variant-without-version",
        "a VARIANT does not say its version",
        _variant(_VARIANT_METADATA, _VARIANT_VALUE, version=None),
        "it says version 1",
        _GOOD_VARIANT,
    ),
    Fault(
        "PQ-MAP-010/key-twice",
        "a MAP has one key twice",
        _map(_entry(_KEY, "value"), [{"key": 1, "value": 2}, {"key": 1, "value": 3}]),
        "it has one value under two keys",
        _map(_entry(_KEY, "value"), [{"key": 1, "value": 2}, {"key": 2, "value": 2}]),
    ),
    Fault(
        "PQ-VARIANT-006/variant-of-version-two",
        "the metadata of a VARIANT say that they are of version 2",
        _stored(bytes.fromhex("02 00 00"), NULL),
        "they say version 1",
        _stored(METADATA, NULL),
    ),
    Fault(
        "PQ-VARIANT-007/short-string-cut-off",
        "a string of 2 bytes in a VARIANT has one",
        _stored(METADATA, b"\x09a"),
        "it has two",
        _stored(METADATA, b"\x09ab"),
    ),
)
