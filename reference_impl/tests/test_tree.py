"""The schema tree, its levels, and which annotation may stand where."""

from __future__ import annotations

import pytest

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.schema import (
    ConvertedType,
    DecimalType,
    Empty,
    GeographyType,
    GeometryType,
    IntType,
    LogicalType,
    SchemaElement,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
    VariantType,
)
from reference_impl.parquet.tree import build
from reference_impl.tests.dremel import OPTIONAL, REPEATED, REQUIRED, group, leaf, root

MILLIS, MICROS, NANOS = TimeUnit(MILLIS=Empty()), TimeUnit(MICROS=Empty()), TimeUnit(NANOS=Empty())
FUTURE_UNIT = TimeUnit(unknown=((4, 12, b"\0"),))
FUTURE_TYPE = LogicalType(unknown=((77, 12, b"\0"),))


def test_levels_count_the_path():
    """A field's maximum levels count the optional and repeated fields on its path."""
    tree = root(
        group("a", OPTIONAL, group("b", REPEATED, leaf("c", REQUIRED), leaf("d", OPTIONAL))), leaf("e")
    )
    levels = {leaf.path: (leaf.definition_level, leaf.repetition_level) for leaf in tree.leaves()}
    assert levels == {("a", "b", "c"): (2, 1), ("a", "b", "d"): (3, 1), ("e",): (0, 0)}
    assert [leaf.index for leaf in tree.leaves()] == [0, 1, 2]
    assert (tree.name, tree.children[1].name) == ("", "e")


def element(**more):
    """An element of a leaf."""
    return SchemaElement(**{"type": Type.INT32, "repetition_type": REQUIRED, "name": "x"} | more)


TOP = SchemaElement(name="schema", num_children=1)
BROKEN = [
    ([], "PQ-SCHEMA-001"),
    ([SchemaElement(name="s", num_children=2), element()], "PQ-SCHEMA-002"),
    ([SchemaElement(name="s", num_children=-1), element()], "PQ-SCHEMA-002"),
    ([TOP, element(), element()], "PQ-SCHEMA-002"),
    ([TOP, element(type=None, num_children=5), element()], "PQ-SCHEMA-002"),
    (
        [SchemaElement(name="s", num_children=2), element(type=None, num_children=1), element()],
        "PQ-SCHEMA-002",
    ),
    ([SchemaElement(name="s", num_children=1, type=Type.INT32), element()], "PQ-SCHEMA-003"),
    ([TOP, element(num_children=1), element()], "PQ-SCHEMA-003"),
    ([TOP, element(repetition_type=None)], "PQ-SCHEMA-004"),
    ([TOP, element(repetition_type=3)], "PQ-SCHEMA-004"),
    ([TOP, element(type=None)], "PQ-SCHEMA-005"),
    ([TOP, element(type=8)], "PQ-SCHEMA-006"),
    ([TOP, element(type=Type.FIXED_LEN_BYTE_ARRAY)], "PQ-SCHEMA-007"),
    ([TOP, element(type=Type.FIXED_LEN_BYTE_ARRAY, type_length=-1)], "PQ-SCHEMA-007"),
]


@pytest.mark.parametrize(("elements", "rule"), BROKEN)
def test_broken_schemas(elements, rule):
    """A flattened tree that is none is Malformed, and the rule is named."""
    with pytest.raises(Malformed) as caught:
        build(elements)
    assert caught.value.rule == rule


def test_schemas_without_columns_and_childless_leaves():
    """A root without children is a file without columns; num_children 0 on a column is harmless."""
    assert build([SchemaElement(name="s")]).children == ()
    assert build([SchemaElement(name="s", num_children=0)]).children == ()
    assert build([TOP, element(num_children=0)]).children[0].physical is not None


def test_depth_is_limited():
    """A schema nested without end is refused, not a stack overflow."""
    deep = [SchemaElement(name="g", num_children=1, repetition_type=REQUIRED) for _ in range(100_000)]
    with pytest.raises(LimitExceeded):
        build([*deep, element()])


INT, LONG, BYTES = {"type": Type.INT32}, {"type": Type.INT64}, {"type": Type.BYTE_ARRAY}


def fixed(length):
    """A fixed length byte array of so many bytes."""
    return {"type": Type.FIXED_LEN_BYTE_ARRAY, "type_length": length}


def logical(**more):
    """An element's logicalType."""
    return {"logicalType": LogicalType(**more)}


def converted(name):
    """An element's converted_type."""
    return {"converted_type": ConvertedType[name]}


GOOD = [
    (INT, None),
    ({"type": Type.INT96}, Logical("INT96")),
    (BYTES | logical(STRING=Empty()), Logical("STRING")),
    (BYTES | converted("UTF8"), Logical("STRING")),
    (BYTES | converted("ENUM"), Logical("ENUM")),
    (BYTES | converted("BSON"), Logical("BSON")),
    (fixed(16) | logical(UUID=Empty()), Logical("UUID")),
    (fixed(2) | logical(FLOAT16=Empty()), Logical("FLOAT16")),
    (fixed(12) | converted("INTERVAL"), Logical("INTERVAL")),
    (INT | converted("UINT_8"), Logical("INTEGER", 8, signed=False)),
    (LONG | logical(INTEGER=IntType(bitWidth=64, isSigned=True)), Logical("INTEGER", 64)),
    # LogicalType decides where both are there and disagree
    (INT | converted("UINT_8") | logical(DATE=Empty()), Logical("DATE")),
    (LONG | converted("TIMESTAMP_MILLIS"), Logical("TIMESTAMP", unit="ms", utc=True)),
    (
        LONG
        | converted("TIMESTAMP_MICROS")
        | logical(TIMESTAMP=TimestampType(isAdjustedToUTC=False, unit=NANOS)),
        Logical("TIMESTAMP", unit="ns", utc=False),
    ),
    (INT | logical(TIME=TimeType(isAdjustedToUTC=True, unit=MILLIS)), Logical("TIME", unit="ms", utc=True)),
    (LONG | logical(TIME=TimeType(isAdjustedToUTC=False, unit=MICROS)), Logical("TIME", unit="us")),
    (LONG | logical(TIMESTAMP=TimestampType(isAdjustedToUTC=True, unit=FUTURE_UNIT)), Logical("NEW")),
    (INT | {"logicalType": FUTURE_TYPE}, Logical("NEW")),
    (INT | {"converted_type": 99}, Logical("NEW")),
    (INT | logical(UNKNOWN=Empty()), Logical("UNKNOWN")),
    (BYTES | logical(GEOMETRY=GeometryType(crs="EPSG:4326")), Logical("GEOMETRY", crs="EPSG:4326")),
    (BYTES | logical(GEOGRAPHY=GeographyType(algorithm=2)), Logical("GEOGRAPHY", algorithm=2)),
    (INT | converted("DECIMAL") | {"precision": 9, "scale": 2}, Logical("DECIMAL", precision=9, scale=2)),
    (INT | converted("DECIMAL") | {"precision": 9}, Logical("DECIMAL", precision=9)),
    (
        fixed(16) | logical(DECIMAL=DecimalType(precision=38, scale=38)),
        Logical("DECIMAL", precision=38, scale=38),
    ),
    (BYTES | logical(DECIMAL=DecimalType(precision=500, scale=0)), Logical("DECIMAL", precision=500)),
]
BAD = [
    (INT | logical(STRING=Empty()), "PQ-LOGICAL-001"),
    (INT | converted("UTF8"), "PQ-LOGICAL-001"),
    (fixed(15) | logical(UUID=Empty()), "PQ-LOGICAL-001"),
    (BYTES | logical(FLOAT16=Empty()), "PQ-LOGICAL-001"),
    (fixed(11) | converted("INTERVAL"), "PQ-LOGICAL-001"),
    (LONG | logical(INTEGER=IntType(bitWidth=32, isSigned=True)), "PQ-LOGICAL-001"),
    (INT | logical(INTEGER=IntType(bitWidth=24, isSigned=True)), "PQ-LOGICAL-001"),
    (INT | logical(TIMESTAMP=TimestampType(isAdjustedToUTC=False, unit=MILLIS)), "PQ-LOGICAL-001"),
    (LONG | logical(TIME=TimeType(isAdjustedToUTC=False, unit=MILLIS)), "PQ-LOGICAL-001"),
    (INT | logical(LIST=Empty()), "PQ-LOGICAL-002"),
    (INT | converted("MAP"), "PQ-LOGICAL-002"),
    (INT | converted("DECIMAL"), "PQ-LOGICAL-004"),
    (INT | converted("DECIMAL") | {"precision": 0}, "PQ-LOGICAL-005"),
    (INT | converted("DECIMAL") | {"precision": 3, "scale": 4}, "PQ-LOGICAL-005"),
    (INT | converted("DECIMAL") | {"precision": 3, "scale": -1}, "PQ-LOGICAL-005"),
    (INT | converted("DECIMAL") | {"precision": 10}, "PQ-LOGICAL-006"),
    (LONG | converted("DECIMAL") | {"precision": 19}, "PQ-LOGICAL-006"),
    (fixed(4) | converted("DECIMAL") | {"precision": 10}, "PQ-LOGICAL-006"),
    (fixed(0) | converted("DECIMAL") | {"precision": 1}, "PQ-LOGICAL-006"),
    ({"type": Type.DOUBLE} | converted("DECIMAL") | {"precision": 1}, "PQ-LOGICAL-001"),
]


@pytest.mark.parametrize(("more", "expected"), GOOD)
def test_annotations(more, expected):
    """Each legal annotation is understood as LogicalTypes.md says."""
    assert build([TOP, element(**more)]).children[0].logical == expected


@pytest.mark.parametrize(("more", "rule"), BAD)
def test_wrong_annotations(more, rule):
    """An annotation on a type that it may not annotate is Malformed."""
    with pytest.raises(Malformed) as caught:
        build([TOP, element(**more)])
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({}, None),
        (converted("LIST"), "LIST"),
        (converted("MAP_KEY_VALUE"), "MAP_KEY_VALUE"),
        (converted("MAP") | logical(LIST=Empty()), "LIST"),
        (logical(VARIANT=VariantType(specification_version=1)), "VARIANT"),
        (logical(FILE=Empty()), "FILE"),
        ({"logicalType": FUTURE_TYPE}, "NEW"),
        ({"converted_type": 99}, "NEW"),
    ],
)
def test_group_annotations(more, name):
    """Annotations of groups are understood; those from the future are left alone."""
    tree = root(group("g", REQUIRED, leaf("x"), **more))
    annotation = tree.children[0].logical
    assert (annotation.name if annotation else None) == name


@pytest.mark.parametrize("more", [converted("UTF8"), logical(DATE=Empty())])
def test_wrong_group_annotations(more):
    """An annotation of columns on a group is Malformed."""
    with pytest.raises(Malformed) as caught:
        root(group("g", REQUIRED, leaf("x"), **more))
    assert caught.value.rule == "PQ-LOGICAL-002"
