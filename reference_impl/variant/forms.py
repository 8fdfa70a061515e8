"""Writing Variant values in any physical form that the specification allows.

The default form is the smallest, with names in the order in which they first appear. "It is valid for an
implementation to use a larger value than necessary for any of these fields", values of an object may lie in
any order, a dictionary may have unused names, and duplicate names if it is not sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from reference_impl.errors import LimitExceeded, UsageError
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.encoding import ARRAY, FALSE, OBJECT, PRIMITIVE, SHORT_STRING
from reference_impl.variant.metadata import Metadata, width_of
from reference_impl.variant.values import (
    BY_KIND,
    COUNTS,
    DECIMALS,
    MAX_DEPTH,
    Array,
    Object,
    Primitive,
    Value,
    sort_key,
)

_SHORT = 63  # bytes of a short string, at most
_MANY = 255  # elements beyond which is_large must be set
_WIDEST = 4


@dataclass(frozen=True)
class Names:
    """The form of metadata.

    `is_sorted`: the flag, with sorted and unique names. Else `order` is the number of a permutation (see
    `permuted`), and `doubled` adds a second copy of all names. `unused` are further names.
    `width`: the least width of offsets. `reserved`: set the bit that readers ignore.
    """

    is_sorted: bool = False
    order: int = 0
    doubled: bool = False
    unused: tuple[str, ...] = ()
    width: int = 1
    reserved: bool = False


@dataclass(frozen=True)
class Node:
    """The form of a value: least widths in bytes, and the choices of the encoding.

    `order` is the number of the permutation of an object's values; `copy` selects the id of a name
    that has several; `long` writes the size of short strings in 4 bytes, too.
    `reserved`: set the bits that readers ignore.
    """

    offset_width: int = 1
    id_width: int = 1
    large: bool = False
    order: int = 0
    copy: int = 0
    long: bool = False
    reserved: bool = False


@dataclass(frozen=True)
class Form:
    """A physical form of a Variant: `nodes` are used in turn, a value before the values inside of it."""

    names: Names = Names()
    nodes: tuple[Node, ...] = (Node(),)


SMALLEST = Form()


def write(value: Value, form: Form = SMALLEST) -> tuple[bytes, bytes]:
    """Return the metadata and the value of a Variant; raises the errors of `encode` and `metadata.of`."""
    metadata = metadata_of(names_of(value), form.names)
    return metadata.raw, encode(value, metadata, form.nodes)


def names_of(*values: Value) -> list[str]:
    """Return the distinct names of all objects, in the order of appearance."""
    return list(dict.fromkeys(name for value in values for name in _names(value, 0)))


def _names(value: Value, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
    if isinstance(value, Array):
        for item in value.items:
            yield from _names(item, depth + 1)
    elif isinstance(value, Object):
        for name, each in value.fields:
            yield name
            yield from _names(each, depth + 1)


def metadata_of(used: Sequence[str], form: Names = SMALLEST.names) -> Metadata:
    """Return metadata of these distinct names in a form; raises UsageError as `metadata.of` does."""
    names = list(dict.fromkeys((*used, *form.unused)))
    if form.is_sorted:
        names.sort(key=sort_key)
    else:
        names = [names[at] for at in permuted(len(names), form.order)] * (1 + form.doubled)
    return dictionary.of(tuple(names), is_sorted=form.is_sorted, width=form.width, reserved=form.reserved)


def permuted(count: int, number: int) -> list[int]:
    """Return the permutation of `range(count)` with this number, modulo `count!`; 0 is the identity."""
    left, out = list(range(count)), []
    while number and left:
        number, at = divmod(number, len(left))
        out.append(left.pop(at))
    return out + left


def encode(value: Value, metadata: Metadata, nodes: tuple[Node, ...] = SMALLEST.nodes) -> bytes:
    """Return the bytes of a value whose names are in the metadata.

    Raises UsageError for values that cannot be written (a missing name, a number out of range, text that is
    not Unicode) and LimitExceeded for values nested deeper than `MAX_DEPTH`.
    """
    return _Writer(metadata, nodes or SMALLEST.nodes).value(value, 0)


@dataclass
class _Writer:
    metadata: Metadata
    nodes: tuple[Node, ...]
    taken: int = field(default=0)

    def value(self, value: Value, depth: int) -> bytes:
        """Return the bytes of a value; a value takes its node before the values inside of it."""
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
        node = self.nodes[self.taken % len(self.nodes)]
        self.taken += 1
        if isinstance(value, Primitive):
            return primitive(value, node)
        if isinstance(value, Array):
            return self.array(value, node, depth)
        return self.object(value, node, depth)

    def array(self, value: Array, node: Node, depth: int) -> bytes:
        """Return an array: "`num_elements` `field_offset`* `fields`"."""
        parts = [self.value(item, depth + 1) for item in value.items]
        large = node.large or len(parts) > _MANY
        width, offsets = _offsets(list(accumulate(map(len, parts), initial=0)), node)
        header = (0x38 if node.reserved else 0) | large << 2 | width - 1
        return bytes([ARRAY | header << 2]) + _count(parts, large) + offsets + b"".join(parts)

    def object(self, value: Object, node: Node, depth: int) -> bytes:
        """Return an object: ids and offsets in the order of names, values in the order of the node."""
        parts = [self.value(each, depth + 1) for _, each in value.fields]
        order = permuted(len(parts), node.order)
        starts = dict(zip(order, accumulate((len(parts[at]) for at in order), initial=0), strict=False))
        total = sum(map(len, parts))
        width, offsets = _offsets([*(starts[at] for at in range(len(parts))), total], node)
        ids = [self.id(name, node.copy) for name, _ in value.fields]
        id_width = max(node.id_width, width_of(max(ids, default=0)))
        large = node.large or len(parts) > _MANY
        header = (0x20 if node.reserved else 0) | large << 4 | (id_width - 1) << 2 | width - 1
        packed = b"".join(id_.to_bytes(id_width, "little") for id_ in ids)
        stored = b"".join(parts[at] for at in order)
        return bytes([OBJECT | header << 2]) + _count(parts, large) + packed + offsets + stored

    def id(self, name: str, copy: int) -> int:
        """Return an id of a name."""
        ids = self.metadata.ids.get(name)
        if ids is None:
            raise UsageError(f"the metadata have no name {name!r:.60}")
        return ids[copy % len(ids)]


def _count(parts: list[bytes], large: bool) -> bytes:
    return len(parts).to_bytes(4 if large else 1, "little")


def _offsets(offsets: list[int], node: Node) -> tuple[int, bytes]:
    """Return the width of offsets, and the offsets."""
    width = max(node.offset_width, width_of(max(offsets)))
    if width > _WIDEST:
        raise UsageError("the values need offsets of more than 4 bytes")
    return width, b"".join(offset.to_bytes(width, "little") for offset in offsets)


def primitive(value: Primitive, node: Node = SMALLEST.nodes[0]) -> bytes:
    """Return the bytes of a primitive value; raises UsageError for a value out of its type's range."""
    type_ = BY_KIND[value.kind]
    if value.kind == "boolean":
        return bytes([(type_.id if value.value else FALSE) << 2])
    head = bytes([PRIMITIVE | type_.id << 2])
    if value.kind == "null":
        return head
    try:
        if value.kind == "string":
            text = value.value.encode("utf-8")
            if len(text) <= _SHORT and not node.long:
                return bytes([SHORT_STRING | len(text) << 2]) + bytes(text)
            return head + len(text).to_bytes(4, "little") + bytes(text)
        if value.kind == "binary":
            return head + len(value.value).to_bytes(4, "little") + bytes(value.value)
        if value.kind == "uuid":
            return head + bytes(value.value)
        number = value.value.to_bytes(type_.width, "little", signed=value.kind in COUNTS)
    except (OverflowError, UnicodeEncodeError) as error:
        raise UsageError(f"{value.kind} cannot hold {value.value!r:.60}") from error
    if value.kind in DECIMALS:
        return head + bytes([value.scale]) + bytes(number)
    return head + bytes(number)
