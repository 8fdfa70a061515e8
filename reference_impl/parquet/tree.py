"""The schema as a tree: levels, paths, and leaf columns (README.md of parquet-format, "Nested Encoding")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from reference_impl.errors import LimitExceeded, Malformed, located
from reference_impl.parquet.logical import Logical, group_annotation, leaf_annotation
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.types import Physical

MAX_DEPTH = 200  # groups within groups; legal files have a few, and assembly recurses once per group
REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType


@dataclass(frozen=True)
class Node:
    """A field of the schema.

    `definition_level` and `repetition_level` are the maxima for an entry of this field: how many fields
    on the path from the root, this one included, are not required, respectively are repeated.
    `logical` is the interpretation, None for a plain group or an unannotated column.
    `index` is the position among the leaf columns, -1 for a group; `physical` is set for leaves only.
    """

    element: SchemaElement
    path: tuple[str, ...]
    repetition: FieldRepetitionType
    definition_level: int
    repetition_level: int
    logical: Logical | None = None
    physical: Physical | None = None
    index: int = -1
    children: tuple[Node, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path[-1] if self.path else ""

    def differ_in_case(self) -> bool:
        """Return whether names of fields of one group, this one or one below it, differ in case only."""
        names = {child.name for child in self.children}
        is_alike = len({name.casefold() for name in names}) < len(names)
        return is_alike or any(child.differ_in_case() for child in self.children)

    def has_names_twice(self) -> bool:
        """Return whether two fields of one group, this one or one below it, have the same name."""
        names = {child.name for child in self.children}
        return len(names) < len(self.children) or any(child.has_names_twice() for child in self.children)

    def has_no_name(self) -> bool:
        """Return whether the name of a field below the node is empty."""
        return any(not child.name or child.has_no_name() for child in self.children)

    def leaves(self) -> Iterator[Node]:
        """Yield the leaf columns below the node (or the node itself), in schema order."""
        if self.physical is not None:
            yield self
        for child in self.children:
            yield from child.leaves()


def build(elements: list[SchemaElement]) -> Node:
    """Build the tree from the flattened list; return the root.

    Raises Malformed (PQ-SCHEMA-*, PQ-LOGICAL-*) and LimitExceeded.
    """
    builder = _Builder(elements)
    if not elements:
        raise Malformed("the schema has no root", rule="PQ-SCHEMA-001")
    root = elements[0]
    if root.type is not None and root.num_children:
        raise Malformed("the root is a column and a group at once", offset=root.begin, rule="PQ-SCHEMA-003")
    children = builder.children(root, (), 0, 0)
    if builder.next != len(elements):
        left = len(elements) - builder.next
        raise Malformed(f"{left} elements belong to no group", rule="PQ-SCHEMA-002")
    return Node(root, (), REQUIRED, 0, 0, children=children)


class _Builder:
    def __init__(self, elements: list[SchemaElement]) -> None:
        self.elements = elements
        self.next = 1
        self.leaf_count = 0

    def children(self, parent: SchemaElement, path: tuple[str, ...], dl: int, rl: int) -> tuple[Node, ...]:
        count = parent.num_children or 0
        if not 0 <= count <= len(self.elements) - self.next:
            left = len(self.elements) - self.next
            message = f"num_children is {count}, but {left} elements follow"
            raise Malformed(message, offset=parent.begin, rule="PQ-SCHEMA-002")
        if len(path) > MAX_DEPTH:
            raise LimitExceeded(f"the schema is nested deeper than {MAX_DEPTH}", offset=parent.begin)
        return tuple(self.node(path, dl, rl) for _ in range(count))

    def node(self, parent_path: tuple[str, ...], dl: int, rl: int) -> Node:
        if self.next >= len(self.elements):
            raise Malformed("a group has more children than elements follow", rule="PQ-SCHEMA-002")
        element = self.elements[self.next]
        self.next += 1
        repetition = element.repetition_type
        with located(f"schema[{self.next - 1}]"):
            if not isinstance(repetition, FieldRepetitionType):
                message = f"repetition_type is {repetition}; every field but the root must have one"
                raise Malformed(message, offset=element.begin, rule="PQ-SCHEMA-004")
            path = (*parent_path, element.name)
            dl += repetition != REQUIRED
            rl += repetition == REPEATED
            if element.type is None:
                return self.group(element, path, repetition, dl, rl)
            if element.num_children:
                message = "a field has a type and children"
                raise Malformed(message, offset=element.begin, rule="PQ-SCHEMA-003")
            physical = physical_type(element)
            logical = leaf_annotation(element, physical)
            self.leaf_count += 1
            return Node(element, path, repetition, dl, rl, logical, physical, self.leaf_count - 1)

    def group(
        self, element: SchemaElement, path: tuple[str, ...], repetition: FieldRepetitionType, dl: int, rl: int
    ) -> Node:
        if not element.num_children:
            message = "a group without children has no column that could store its levels"
            raise Malformed(message, offset=element.begin, rule="PQ-SCHEMA-005")
        children = self.children(element, path, dl, rl)
        return Node(element, path, repetition, dl, rl, group_annotation(element), children=children)


def physical_type(element: SchemaElement) -> Physical:
    """Return the physical type of a leaf; raises Malformed (PQ-SCHEMA-006, -007)."""
    if not isinstance(element.type, Type):
        message = f"physical type {element.type} does not exist"
        raise Malformed(message, offset=element.begin, rule="PQ-SCHEMA-006")
    if element.type != Type.FIXED_LEN_BYTE_ARRAY:
        return Physical(element.type)
    if element.type_length is None or element.type_length < 0:
        message = f"FIXED_LEN_BYTE_ARRAY with type_length {element.type_length}"
        raise Malformed(message, offset=element.begin, rule="PQ-SCHEMA-007")
    return Physical(element.type, element.type_length)
