"""Lists and maps in every form that LogicalTypes.md knows, old and new."""

from __future__ import annotations

import pytest

from reference_impl.errors import Malformed
from reference_impl.parquet.schema import ConvertedType, Empty, LogicalType
from reference_impl.parquet.shape import LeafShape, ListShape, MapShape, StructShape, prune, shape_of
from reference_impl.tests.dremel import OPTIONAL, REPEATED, REQUIRED, group, leaf, root

LIST = {"converted_type": ConvertedType.LIST}
MAP = {"converted_type": ConvertedType.MAP}
NEW_LIST = {"logicalType": LogicalType(LIST=Empty())}
NEW_MAP = {"logicalType": LogicalType(MAP=Empty())}


def show(shape):
    """Write a shape as text: `?` marks what may be null (compared with what surrounds it)."""

    def inner(one, around):
        null = "?" if one.defined > around else ""
        if isinstance(one, LeafShape):
            return "int" + null
        if isinstance(one, StructShape):
            return "{" + ", ".join(f"{f.name}: {inner(f, one.defined)}" for f in one.fields) + "}" + null
        if isinstance(one, ListShape):
            return f"[{inner(one.element, one.element_defined)}]" + null
        value = inner(one.value, one.element_defined) if one.value else "-"
        return f"<{inner(one.key, one.element_defined)}, {value}>" + null

    return inner(shape, 0)


SHAPES = [
    (leaf("a"), "int"),
    (leaf("a", OPTIONAL), "int?"),
    (leaf("a", REPEATED), "[int]"),
    (group("g", REPEATED, leaf("a"), leaf("b", OPTIONAL)), "[{a: int, b: int?}]"),
    (group("g", OPTIONAL, leaf("a", REPEATED)), "{a: [int]}?"),
    # the 3-level form
    (group("l", OPTIONAL, group("list", REPEATED, leaf("element", OPTIONAL)), **LIST), "[int?]?"),
    (group("l", REQUIRED, group("list", REPEATED, leaf("element")), **NEW_LIST), "[int]"),
    (group("l", OPTIONAL, group("bag", REPEATED, leaf("array_element", OPTIONAL)), **LIST), "[int?]?"),
    # rule 1: the repeated field is not a group
    (group("my_list", OPTIONAL, leaf("element", REPEATED), **LIST), "[int]?"),
    # rule 2: a group of several fields
    (
        group("my_list", OPTIONAL, group("element", REPEATED, leaf("str"), leaf("num")), **LIST),
        "[{str: int, num: int}]?",
    ),
    # rule 3: a group of one repeated field
    (
        group("my_list", OPTIONAL, group("array", REPEATED, leaf("array", REPEATED), **LIST), **LIST),
        "[[int]]?",
    ),
    (group("my_list", OPTIONAL, group("element", REPEATED, leaf("x", REPEATED)), **LIST), "[{x: [int]}]?"),
    # rule 4: the names that old writers used
    (group("my_list", OPTIONAL, group("array", REPEATED, leaf("str")), **LIST), "[{str: int}]?"),
    (group("my_list", OPTIONAL, group("my_list_tuple", REPEATED, leaf("str")), **LIST), "[{str: int}]?"),
    # rule 5: anything else is the 3-level form with other names
    (group("my_list", OPTIONAL, group("element", REPEATED, leaf("str", OPTIONAL)), **LIST), "[int?]?"),
    # an element that is a list of its own
    (
        group(
            "a",
            OPTIONAL,
            group("list", REPEATED, group("element", REQUIRED, group("list", REPEATED, leaf("e")), **LIST)),
            **LIST,
        ),
        "[[int]]?",
    ),
    # maps
    (
        group("m", REQUIRED, group("key_value", REPEATED, leaf("key"), leaf("value", OPTIONAL)), **NEW_MAP),
        "<int, int?>",
    ),
    (group("m", OPTIONAL, group("map", REPEATED, leaf("str"), leaf("num")), **MAP), "<int, int>?"),
    (group("m", OPTIONAL, group("key_value", REPEATED, leaf("key")), **MAP), "<int, ->?"),
    (group("m", OPTIONAL, group("map", REPEATED, leaf("key", OPTIONAL), leaf("v")), **MAP), "<int?, int>?"),
    (
        group(
            "m",
            OPTIONAL,
            group("map", REPEATED, leaf("key"), leaf("value", OPTIONAL)),
            converted_type=ConvertedType.MAP_KEY_VALUE,
        ),
        "<int, int?>?",
    ),
    (
        group(
            "m",
            OPTIONAL,
            group(
                "map",
                REPEATED,
                leaf("key"),
                leaf("value"),
                converted_type=ConvertedType.MAP_KEY_VALUE,
            ),
            **MAP,
        ),
        "<int, int>?",
    ),
]


@pytest.mark.parametrize(("elements", "text"), SHAPES)
def test_shapes(elements, text):
    """Each form has the shape that the rules of LogicalTypes.md give it."""
    assert show(shape_of(root(elements).children[0])) == text


@pytest.mark.parametrize(
    ("elements", "rule"),
    [
        (group("l", OPTIONAL, leaf("a"), **LIST), "PQ-LIST-001"),
        (group("l", OPTIONAL, leaf("a", REPEATED), leaf("b", REPEATED), **LIST), "PQ-LIST-001"),
        (group("m", OPTIONAL, leaf("a", REPEATED), **MAP), "PQ-MAP-002"),
        (group("m", OPTIONAL, group("e", OPTIONAL, leaf("k"), leaf("v")), **MAP), "PQ-MAP-001"),
        (group("m", OPTIONAL, group("e", REPEATED, leaf("k"), leaf("v"), leaf("w")), **MAP), "PQ-MAP-002"),
        (group("m", OPTIONAL, group("e", REPEATED, leaf("k", REPEATED), leaf("v")), **MAP), "PQ-MAP-003"),
    ],
)
def test_annotations_that_cannot_be_followed(elements, rule):
    """A LIST or MAP around something else is Malformed."""
    with pytest.raises(Malformed) as caught:
        shape_of(root(elements).children[0])
    assert caught.value.rule == rule


def test_prune_keeps_the_form():
    """Projection keeps lists and structs around the wanted leaves, and a map whole."""
    tree = root(
        group(
            "s",
            OPTIONAL,
            leaf("a"),
            group("l", OPTIONAL, group("list", REPEATED, leaf("element")), **LIST),
            group("m", OPTIONAL, group("map", REPEATED, leaf("key"), leaf("value")), **MAP),
        )
    )
    shape = shape_of(tree.children[0])
    assert show(prune(shape, {0})) == "{a: int}?"
    assert show(prune(shape, {1})) == "{l: [int]?}?"
    assert show(prune(shape, {3})) == "{m: <int, int>?}?"
    assert prune(shape, set()) is None
    assert isinstance(prune(shape, {2, 3}).fields[0], MapShape)
