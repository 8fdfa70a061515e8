"""The type tree (ORCv1.md, "Type Information"): a list in preorder; the id of a type is its index.

In struct<a: int, b: map<string, double>> the struct is 0, a 1, b 2, its key 3 and its value 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from reference_impl.errors import BreachHandler, ErrorHandler, LimitExceeded, Malformed, refuse
from reference_impl.orc.schema import Type, TypeKind

MAX_DEPTH = 200  # types within types; legal files have a few, and reading recurses once per type
MAX_PRECISION = 38
MAX_DECIMAL64 = 18  # digits: all decimals of at most so many fit into 64 bits
_LONGEST = (1 << 31) - 1  # replaces a missing maximum length
_MOST_TAGS = 256
HIVE11_SCALE = 10  # of a decimal without a precision (Hive 0.11), as Java reads it
CHILDREN = {TypeKind.LIST: ("element",), TypeKind.MAP: ("key", "value")}
INTEGERS = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64}  # with their bits
STRINGS = (TypeKind.STRING, TypeKind.CHAR, TypeKind.VARCHAR)
BINARIES = (TypeKind.BINARY, TypeKind.GEOMETRY, TypeKind.GEOGRAPHY)
TIMES = (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT)
# Kinds without children or parameters: there is nothing to check.
_PLAIN = frozenset(TypeKind) - {*CHILDREN, TypeKind.STRUCT, TypeKind.UNION, TypeKind.DECIMAL, *STRINGS[1:]}


@dataclass(eq=False, slots=True)
class TypeNode:
    """A type, which is also a column: `id` is its column in streams, encodings and statistics.

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
        """The names from below the root down to this type."""
        return tuple(node.name for node in self.lineage()[-2::-1])

    @property
    def precision(self) -> int:
        """The digits of a DECIMAL; a type without a precision (Hive 0.11) has the most possible."""
        return self.type.precision or MAX_PRECISION

    @property
    def scale(self) -> int:
        """The digits behind the point of a DECIMAL."""
        if not self.type.precision:
            return self.type.scale or HIVE11_SCALE
        return self.type.scale or 0

    def lineage(self) -> list[TypeNode]:
        """Return this type and the types above it, up to the root."""
        out = [self]
        while out[-1].parent is not None:
            out.append(out[-1].parent)
        return out

    def walk(self) -> Iterator[TypeNode]:
        """Yield this type and all types below it, by id."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def build(types: Sequence[Type], handle: ErrorHandler = refuse, breach: BreachHandler = refuse) -> TypeNode:
    """Build the tree; return the root. Raises Malformed (ORC-TYPE-*) and LimitExceeded.

    Wrong field names, precisions and scales go to `handle`, and are corrected if that does not raise; wrong
    lengths, which no value is decoded by, go to `breach`.
    """
    if not types:
        raise Malformed("there are no types", rule="ORC-TYPE-001")
    root = _node(types[0], 0, "", handle, breach)
    open_: list[tuple[TypeNode, list[TypeNode], list[str]]] = [(root, [], _names(root, handle))]
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
            raise Malformed(message, offset=node.type.begin, rule="ORC-TYPE-002")
        if len(open_) > MAX_DEPTH:
            raise LimitExceeded(f"types nested deeper than {MAX_DEPTH}", offset=node.type.begin)
        type_, name = types[next_id], names[len(children)]
        if type_.kind in _PLAIN and not type_.subtypes:
            children.append(TypeNode(next_id, type_.kind, name, type_, node, (), next_id))
            next_id += 1
            continue
        child = _node(type_, next_id, name, handle, breach)
        child.parent = node
        children.append(child)
        if below := _names(child, handle):
            open_.append((child, [], below))
        else:
            child.max_id = next_id
        next_id += 1
    if next_id != len(types):
        message = f"{len(types) - next_id} types belong to no other type"
        raise Malformed(message, offset=types[next_id].begin, rule="ORC-TYPE-002")
    return root


def _broken(type_: Type, index: int, message: str, rule: str) -> Malformed:
    return Malformed(message, offset=type_.begin, rule=rule, path=(f"types[{index}]",))


def _node(type_: Type, index: int, name: str, handle: ErrorHandler, breach: BreachHandler) -> TypeNode:
    """Return a type without its children, its own fields checked."""
    kind = type_.kind
    if kind is None:
        raise _broken(type_, index, "a type without a kind, or of one unknown", "ORC-TYPE-005")
    if kind in (TypeKind.CHAR, TypeKind.VARCHAR) and not type_.maximum_length:
        message = f"{kind.name} with a maximum length of {type_.maximum_length}"
        breach(_broken(type_, index, message, "ORC-TYPE-006"))
        type_ = replace(type_, maximum_length=_LONGEST)
    if kind == TypeKind.DECIMAL:
        type_ = _decimal(type_, index, handle)
    return TypeNode(index, kind, name, type_)


def _decimal(type_: Type, index: int, handle: ErrorHandler) -> Type:
    """Check precision and scale; the decimals of Hive 0.11 have no precision, and any scale."""
    precision, scale = type_.precision or MAX_PRECISION, type_.scale or 0
    if precision > MAX_PRECISION:
        handle(
            _broken(
                type_, index, f"DECIMAL of {precision} digits; {MAX_PRECISION} are the most", "ORC-TYPE-007"
            )
        )
    elif scale > precision:
        message = f"DECIMAL with {scale} of {precision} digits behind the point"
        handle(_broken(type_, index, message, "ORC-TYPE-008"))
    else:
        return type_
    return replace(type_, precision=MAX_PRECISION, scale=min(scale, MAX_PRECISION))


def _names(node: TypeNode, handle: ErrorHandler) -> list[str]:
    """Return the names of a type's children, whose number is checked."""
    count, fields = len(node.type.subtypes), list(node.type.field_names)
    numbered = [str(number) for number in range(count)]
    if node.kind == TypeKind.STRUCT:
        if len(fields) == count:
            return fields
        handle(_broken(node.type, node.id, f"{len(fields)} field names for {count} fields", "ORC-TYPE-004"))
        return numbered
    if node.kind == TypeKind.UNION:
        if not count:
            raise _broken(node.type, node.id, "a UNION of no types", "ORC-TYPE-003")
        if count > _MOST_TAGS:
            raise _broken(node.type, node.id, f"a UNION of {count} types; its tags are bytes", "ORC-TYPE-009")
        return numbered
    names = list(CHILDREN.get(node.kind, ()))
    if count != len(names):
        raise _broken(
            node.type, node.id, f"{node.kind.name} of {count} types instead of {len(names)}", "ORC-TYPE-003"
        )
    return names
