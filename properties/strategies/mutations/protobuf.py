"""The dialect of Protocol Buffers for the mutation of fields, and mutation of messages as bytes."""

from __future__ import annotations

from enum import IntEnum
from random import Random

from properties.strategies.mutations import fields, scalars
from properties.strategies.mutations.tree import Dialect
from reference_impl.errors import ReferenceError_
from reference_impl.wire import protobuf_tree
from reference_impl.wire.protobuf_records import EGROUP, I32, I64, LEN, SGROUP, VARINT
from reference_impl.wire.table import ListOf, Scalar, Struct, Wire, table_of
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw

_DEEPEST = 3  # messages within the value of a known field
_DEEPEST_MESSAGE = 1000  # beyond, groups are nested instead: a length per level would make many bytes
_LARGEST_ID = (1 << 29) - 1


def known(wire: Wire, random: Random, depth: int = 0) -> Item:
    """Return a value of a declared type; of a list that is packed all of it, of others one element."""
    if isinstance(wire, ListOf):
        if not wire.packed:
            return known(wire.element, random, depth)
        leaves = [known(wire.element, random) for _ in range(random.randrange(4))]
        return Items(LEN, leaves[0].code if leaves and isinstance(leaves[0], Leaf) else VARINT, leaves)
    if isinstance(wire, Scalar):
        return _scalar(wire, random)
    if issubclass(wire, IntEnum):
        return Leaf(VARINT, int(random.choice(list(wire))))
    rows = [row for row in table_of(wire).rows if depth < _DEEPEST and not random.randrange(2)]
    members = [Field(row.id, known(row.wire, random, depth + 1), row.name, row.wire) for row in rows]
    return Group(members, wire)


def _scalar(wire: Scalar, random: Random) -> Leaf:
    if wire is Scalar.BOOL:
        return Leaf(VARINT, random.randrange(2))
    if wire is Scalar.DOUBLE:
        return Leaf(I64, scalars.double(random))
    if wire in (Scalar.STRING, Scalar.BINARY):
        return Leaf(LEN, scalars.some_bytes(random))
    return protobuf_tree.leaf(wire, scalars.number(random, random.choice((0, 4, 100))))


def foreign(random: Random) -> Item:
    """Return a value of any wire type, a group among them."""
    kind = random.randrange(6)
    if kind == 0:
        return Raw(SGROUP, b"\x08\x01\x0c")
    if kind == 1:
        return Items(LEN, VARINT, [Leaf(VARINT, 1)] * random.randrange(20))
    if kind == 2:
        return Group([Field(1, Leaf(VARINT, 1))][: random.randrange(2)])
    if kind == 3:
        return Raw(VARINT, b"\x80" * random.choice((1, 4, 9, 10, 20)) + b"\x01")
    code = random.choice((VARINT, I64, I32, LEN))
    value = scalars.some_bytes(random) if code == LEN else scalars.number(random)
    return Leaf(code, value)


def nested(depth: int) -> Item:
    """Return nested messages or, if `depth` is large, nested groups."""
    if depth > _DEEPEST_MESSAGE:
        return Raw(SGROUP, b"\x0b" * depth + b"\x0c" * (depth + 1))
    data = b""
    for _ in range(depth):
        data = protobuf_tree.build(Group([Field(1, Leaf(LEN, data))]))
    return Leaf(LEN, data)


PROTOBUF = Dialect(
    build=protobuf_tree.build,
    codes=(VARINT, I64, LEN, SGROUP, EGROUP, I32, 6, 7),
    known=known,
    foreign=foreign,
    nested=nested,
    ids=_LARGEST_ID,
)


def mutate(data: bytes, cls: type[Struct], random: Random, *, others: tuple[bytes, ...] = ()) -> bytes:
    """Return a mutated message: its fields are changed if it can be read, else its bytes."""
    return mutate_named(data, cls, random, others=others)[0]


def mutate_named(
    data: bytes, cls: type[Struct], random: Random, *, others: tuple[bytes, ...] = ()
) -> tuple[bytes, list[str]]:
    """Return a mutated message and the names of the operations; `others` are messages to splice from."""
    donors = _trees(others, cls) if not random.randrange(4) else ()
    try:
        group, _ = protobuf_tree.parse(data, cls)
    except ReferenceError_:
        return scalars.mutated(random, data), ["bytes"]
    done = fields.mutate(group, PROTOBUF, random, others=donors) if random.randrange(20) else []
    return (protobuf_tree.build(group), done) if done else (scalars.mutated(random, data), ["bytes"])


def _trees(others: tuple[bytes, ...], cls: type[Struct]) -> tuple[Group, ...]:
    trees = []
    for data in others:
        try:
            trees.append(protobuf_tree.parse(data, cls)[0])
        except ReferenceError_:
            continue
    return tuple(trees)
