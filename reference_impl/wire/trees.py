"""Trees of fields as on the wire, without interpretation.

Reading by a table (`wire/table.py`) refuses wrong fields. A tree stores all of them, in order:
unknown fields, duplicate fields, values of another type than declared. Mutations change trees,
and writing a tree checks nothing. `thrift_tree` and `protobuf_tree` read and write trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from reference_impl.bits import uleb128
from reference_impl.wire.table import Struct, Wire


@dataclass(slots=True)
class Leaf:
    """A scalar, by wire type code; `size`, if set, is written instead of the true length of bytes."""

    code: int
    value: int | float | bool | bytes
    size: int | None = None


@dataclass(slots=True)
class Group:
    """A struct (Thrift) or message (Protocol Buffers): fields in their order on the wire, with duplicates.

    `cls` is the struct whose table gave the fields their names. `size` is written instead of the true length
    of a message; Thrift's structs have no length.
    """

    fields: list[Field] = field(default_factory=list)
    cls: type[Struct] | None = None
    size: int | None = None


@dataclass(slots=True)
class Items:
    """Values behind one header: a list, set or map of Thrift, a packed list of Protocol Buffers.

    `kind` is the wire type code of the list, `code` that of the elements. Keys and values of a map
    alternate, and `code` is key code << 4 | value code. `size`, if set, is written instead of the true count
    (of a packed list: length in bytes).
    """

    kind: int
    code: int
    items: list[Item] = field(default_factory=list)
    size: int | None = None


@dataclass(slots=True)
class Raw:
    """Bytes that are written instead of a value of this wire type code."""

    code: int
    data: bytes


Item = Leaf | Group | Items | Raw


@dataclass(slots=True)
class Field:
    """A field: its id, its value, and its name and declared type if the table has the id.

    `code`, if set, is written into the header instead of the value's own wire type. `long`: Thrift's
    header is in the long form though the short form suffices.
    """

    id: int
    item: Item
    name: str = ""
    wire: Wire | None = None
    code: int | None = None
    long: bool = False


def groups(item: Item) -> Iterator[Group]:
    """Yield all groups of a tree, outer before inner, in the order of the wire."""
    pending = [item]
    while pending:
        node = pending.pop()
        if isinstance(node, Group):
            yield node
            pending.extend(each.item for each in reversed(node.fields))
        elif isinstance(node, Items):
            pending.extend(reversed(node.items))


def copy(item: Item) -> Item:
    """Return a deep copy of a tree."""
    if isinstance(item, Group):
        fields = [Field(f.id, copy(f.item), f.name, f.wire, f.code, f.long) for f in item.fields]
        return Group(fields, item.cls, item.size)
    if isinstance(item, Items):
        return Items(item.kind, item.code, [copy(each) for each in item.items], item.size)
    return Leaf(item.code, item.value, item.size) if isinstance(item, Leaf) else Raw(item.code, item.data)


def varint_of(number: int) -> bytes:
    """Return a varint; a negative number as the 64 bits of its two's complement, a huge one whole."""
    return uleb128(number & (1 << 64) - 1 if number < 0 else number)
