"""Lists, maps and structs of the schema: the rules of LogicalTypes.md, "Nested Types".

A shape determines how levels become nested values. `defined` of a shape is the definition level from which it
is not null (the level of its parent if it cannot be null).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference_impl.errors import Malformed, located
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.schema import FieldRepetitionType
from reference_impl.parquet.tree import Node

REPEATED = FieldRepetitionType.REPEATED
_MAPS = ("MAP", "MAP_KEY_VALUE")


@dataclass(frozen=True)
class LeafShape:
    """A column of values."""

    name: str
    defined: int
    leaf: Node


@dataclass(frozen=True)
class StructShape:
    """A group; `logical` distinguishes VARIANT and FILE from plain structs."""

    name: str
    defined: int
    fields: tuple[Shape, ...]
    logical: Logical | None = None


@dataclass(frozen=True)
class ListShape:
    """A list.

    An element exists where the definition level is at least `element_defined`, and begins where the
    repetition level is at most `repetition`.
    """

    name: str
    defined: int
    element_defined: int
    repetition: int
    element: Shape


@dataclass(frozen=True)
class MapShape:
    """A map, stored as a list of entries; `value` is None for a map that is a set of keys."""

    name: str
    defined: int
    element_defined: int
    repetition: int
    key: Shape
    value: Shape | None


Shape = LeafShape | StructShape | ListShape | MapShape


def shape_of(node: Node) -> Shape:
    """Return the shape of a field; raises Malformed (PQ-LIST-*, PQ-MAP-*) for a wrong annotation."""
    if node.repetition == REPEATED:
        # "A repeated field that is neither contained by a LIST- or MAP-annotated group nor annotated by
        # LIST or MAP should be interpreted as a required list of required elements". An annotated repeated
        # field is not a legal list of lists outside a list; its own annotation then shapes the element.
        return ListShape(
            node.name,
            node.definition_level - 1,
            node.definition_level,
            node.repetition_level,
            _unrepeated(node),
        )
    return _unrepeated(node)


def _unrepeated(node: Node) -> Shape:
    """Return the shape of a value of the field, without its repetition."""
    with located(node.name):
        if node.physical is not None:
            return LeafShape(node.name, node.definition_level, node)
        annotation = node.logical.name if node.logical else ""
        if annotation == "LIST":
            return _list(node)
        if annotation in _MAPS:
            return _map(node)
        return _struct(node)


def _struct(node: Node) -> StructShape:
    return StructShape(node.name, node.definition_level, tuple(map(shape_of, node.children)), node.logical)


def _fail(node: Node, rule: str, message: str) -> Malformed:
    return Malformed(message, offset=node.element.begin, rule=rule)


def _list(node: Node) -> ListShape:
    if len(node.children) != 1 or node.children[0].repetition != REPEATED:
        raise _fail(node, "PQ-LIST-001", "a LIST group must contain exactly one field, and that repeated")
    repeated = node.children[0]
    return ListShape(
        node.name,
        node.definition_level,
        repeated.definition_level,
        repeated.repetition_level,
        _element(node, repeated),
    )


def _element(outer: Node, repeated: Node) -> Shape:
    """Apply the five backward-compatibility rules of "Lists" in their order."""
    if repeated.physical is not None:  # rule 1
        return _unrepeated(repeated)
    is_element = (
        len(repeated.children) > 1  # rule 2
        or repeated.children[0].repetition == REPEATED  # rule 3
        or repeated.name in ("array", outer.name + "_tuple")  # rule 4
    )
    return _unrepeated(repeated) if is_element else shape_of(repeated.children[0])  # rule 5


def _map(node: Node) -> MapShape:
    """Return the shape of a map; key and value are identified by position, as old data has other names."""
    if len(node.children) != 1 or node.children[0].repetition != REPEATED:
        raise _fail(node, "PQ-MAP-001", "a MAP group must contain exactly one field, and that repeated")
    entry = node.children[0]
    if len(entry.children) not in (1, 2):
        message = f"entries of a MAP have a key and at most a value, not {len(entry.children)} fields"
        raise _fail(entry, "PQ-MAP-002", message)
    if entry.children[0].repetition == REPEATED:
        raise _fail(entry, "PQ-MAP-003", "the key of a MAP must not be repeated")
    shapes = [shape_of(child) for child in entry.children]
    return MapShape(
        node.name,
        node.definition_level,
        entry.definition_level,
        entry.repetition_level,
        shapes[0],
        shapes[1] if len(shapes) > 1 else None,
    )


def prune(shape: Shape, wanted: set[int]) -> Shape | None:
    """Return the shape without fields that lead to none of the wanted leaves, None if no field remains.

    A map with a wanted leaf keeps both key and value.
    """
    if isinstance(shape, LeafShape):
        return shape if shape.leaf.index in wanted else None
    if isinstance(shape, StructShape):
        fields = tuple(pruned for field in shape.fields if (pruned := prune(field, wanted)) is not None)
        return replace(shape, fields=fields) if fields else None
    if isinstance(shape, ListShape):
        element = prune(shape.element, wanted)
        return replace(shape, element=element) if element is not None else None
    return shape if any(leaf.index in wanted for leaf in leaves(shape)) else None


def leaves(shape: Shape) -> list[Node]:
    """Return the leaf columns that a shape is assembled from."""
    if isinstance(shape, LeafShape):
        return [shape.leaf]
    if isinstance(shape, StructShape):
        return [leaf for field in shape.fields for leaf in leaves(field)]
    if isinstance(shape, ListShape):
        return leaves(shape.element)
    return leaves(shape.key) + (leaves(shape.value) if shape.value else [])
