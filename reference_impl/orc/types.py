"""The type tree (ORCv1.md, "Type Information"): a list in preorder, where a type's id is its place.

Of struct<a: int, b: map<string, double>> the struct is 0, a 1, b 2, its key 3 and its value 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference_impl.errors import LimitExceeded, Malformed, located
from reference_impl.orc.schema import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reference_impl.orc.schema import Type

MAX_DEPTH = 200  # types within types; legal files have a few, and reading recurses once per type
MAX_PRECISION = 38
MAX_DECIMAL64 = 18  # digits that surely fit into 64 bits
HIVE11_SCALE = 10  # of a decimal without a precision (Hive 0.11), as Java reads it
CHILDREN = {TypeKind.LIST: ("element",), TypeKind.MAP: ("key", "value")}
STRINGS = (TypeKind.STRING, TypeKind.CHAR, TypeKind.VARCHAR)
BINARIES = (TypeKind.BINARY, TypeKind.GEOMETRY, TypeKind.GEOGRAPHY)


@dataclass(eq=False, slots=True)
class TypeNode:
    """A type, which is a column as well: `id` is its column in streams, encodings and statistics.

    `max_id` is the largest id below it, or its own. `name` is the field's name in a struct; the children of a
    list are called `element`, of a map `key` and `value`, of a union by their tags.
    """

    id: int
    kind: TypeKind
    name: str
    type: Type = field(repr=False)
    parent: TypeNode | None = field(default=None, repr=False)
    children: tuple[TypeNode, ...] = field(default=(), repr=False)
    max_id: int = 0

    @property
    def path(self) -> tuple[str, ...]:
        """Names from below the root down to this type."""
        out = []
        node = self
        while node.parent is not None:
            out.append(node.name)
            node = node.parent
        return tuple(reversed(out))

    @property
    def precision(self) -> int:
        """Decimal digits of a DECIMAL; a type without any (Hive 0.11) has all that there can be."""
        return self.type.precision or MAX_PRECISION

    @property
    def scale(self) -> int:
        """Decimal digits behind the point of a DECIMAL."""
        if not self.type.precision:
            return self.type.scale or HIVE11_SCALE
        return self.type.scale or 0

    def walk(self) -> Iterator[TypeNode]:
        """Yield this type and all below it, by id."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def build(types: Sequence[Type]) -> TypeNode:
    """Build the tree; answer the root. Raises Malformed (ORC-TYPE-*) and LimitExceeded."""
    if not types:
        raise Malformed("there are no types", rule="ORC-TYPE-001")
    root = _node(types[0], 0, "")
    open_: list[tuple[TypeNode, list[TypeNode], list[str]]] = [(root, [], _names(root))]
    next_id = 1
    while open_:
        node, children, names = open_[-1]
        if len(children) == len(names):
            node.children = tuple(children)
            node.max_id = next_id - 1
            open_.pop()
            continue
        wanted = node.type.subtypes[len(children)]
        if wanted != next_id or next_id >= len(types):
            message = f"child {len(children)} of type {node.id} is {wanted} of {len(types)}, not {next_id}"
            raise Malformed(message, offset=_at(node.type), rule="ORC-TYPE-002")
        if len(open_) > MAX_DEPTH:
            raise LimitExceeded(f"types nested deeper than {MAX_DEPTH}", offset=_at(node.type))
        child = _node(types[next_id], next_id, names[len(children)])
        child.parent = node
        children.append(child)
        open_.append((child, [], _names(child)))
        next_id += 1
    if next_id != len(types):
        message = f"{len(types) - next_id} types belong to no other type"
        raise Malformed(message, offset=_at(types[next_id]), rule="ORC-TYPE-002")
    return root


def _at(type_: Type) -> int | None:
    return type_.span[0] if type_.span else None


def _node(type_: Type, index: int, name: str) -> TypeNode:
    """Return a type without its children, its own fields checked."""
    with located(f"types[{index}]"):
        if type_.kind is None:
            raise Malformed(
                "a type without a kind, or of one unknown", offset=_at(type_), rule="ORC-TYPE-005"
            )
        if type_.kind in (TypeKind.CHAR, TypeKind.VARCHAR) and not type_.maximum_length:
            message = f"{type_.kind.name} with a maximum length of {type_.maximum_length}"
            raise Malformed(message, offset=_at(type_), rule="ORC-TYPE-006")
        if type_.kind == TypeKind.DECIMAL:
            _check_decimal(type_)
        return TypeNode(index, type_.kind, name, type_)


def _check_decimal(type_: Type) -> None:
    """Check precision and scale; the decimals of Hive 0.11 have no precision, and any scale."""
    precision, scale = type_.precision or MAX_PRECISION, type_.scale or 0
    if precision > MAX_PRECISION:
        message = f"DECIMAL of {precision} digits; {MAX_PRECISION} are the most"
        raise Malformed(message, offset=_at(type_), rule="ORC-TYPE-007")
    if scale > precision:
        message = f"DECIMAL with {scale} of {precision} digits behind the point"
        raise Malformed(message, offset=_at(type_), rule="ORC-TYPE-008")


def _names(node: TypeNode) -> list[str]:
    """Return the names of a type's children, whose number is checked."""
    count, fields = len(node.type.subtypes), node.type.field_names
    with located(f"types[{node.id}]"):
        if node.kind == TypeKind.STRUCT:
            if len(fields) != count:
                message = f"{len(fields)} field names for {count} fields"
                raise Malformed(message, offset=_at(node.type), rule="ORC-TYPE-004")
            return list(fields)
        if node.kind == TypeKind.UNION:
            if not count:
                raise Malformed("a UNION of no types", offset=_at(node.type), rule="ORC-TYPE-003")
            if count > 256:
                message = f"a UNION of {count} types; its tags are bytes"
                raise Malformed(message, offset=_at(node.type), rule="ORC-TYPE-009")
            return [str(tag) for tag in range(count)]
        names = CHILDREN.get(node.kind, ())
        if count != len(names):
            message = f"{node.kind.name} of {count} types instead of {len(names)}"
            raise Malformed(message, offset=_at(node.type), rule="ORC-TYPE-003")
        return list(names)
