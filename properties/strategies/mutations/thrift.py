"""The dialect of the Thrift compact protocol for the mutation of fields, and mutation of structs as bytes."""

from __future__ import annotations

from enum import IntEnum
from random import Random

from properties.strategies.mutations import fields, scalars
from properties.strategies.mutations.tree import Dialect
from reference_impl.errors import ReferenceError_
from reference_impl.wire import thrift, thrift_tree
from reference_impl.wire import thrift_codes as codes
from reference_impl.wire.table import ListOf, Scalar, Struct, Union, Wire, table_of
from reference_impl.wire.trees import Field, Group, Item, Items, Leaf, Raw

_INTEGERS = {Scalar.I16: codes.I16, Scalar.I32: codes.I32, Scalar.I64: codes.I64}
_BITS = {codes.BYTE: 8, codes.I16: 16, codes.I32: 32}
_DEEPEST = 3  # structs within the value of a known field


def known(wire: Wire, random: Random, depth: int = 0) -> Item:
    """Return a value of a declared type; structs have the fields that they require."""
    if isinstance(wire, ListOf):
        items = [known(wire.element, random, depth + 1) for _ in range(random.randrange(4))]
        return Items(codes.LIST, _code(wire.element), items)
    if isinstance(wire, Scalar):
        return _scalar(wire, random)
    if issubclass(wire, IntEnum):
        return Leaf(codes.I32, int(random.choice(list(wire))))
    more = depth < _DEEPEST
    rows = [row for row in table_of(wire).rows if row.required or (more and not random.randrange(4))]
    if issubclass(wire, Union):
        rows = [random.choice(table_of(wire).rows)]
    members = [Field(row.id, known(row.wire, random, depth + 1), row.name, row.wire) for row in rows]
    return Group(sorted(members, key=_id), wire)


def _id(each: Field) -> int:
    return each.id


def _scalar(wire: Scalar, random: Random) -> Leaf:
    if wire is Scalar.BOOL:
        return Leaf(codes.TRUE, bool(random.randrange(2)))
    if wire is Scalar.I8:
        return Leaf(codes.BYTE, random.choice((0, 1, 8, 16, 32, 64, -1, -128)))
    if wire is Scalar.DOUBLE:
        return Leaf(codes.DOUBLE, scalars.double(random))
    if wire in _INTEGERS:
        code = _INTEGERS[wire]
        return Leaf(code, fit(code, wire, scalars.number(random, random.choice((0, 4, 100)))))
    return Leaf(codes.BINARY, scalars.some_bytes(random))


def _code(wire: Wire) -> int:
    """Return the wire type code of an element."""
    if isinstance(wire, Scalar):
        fixed = {Scalar.BOOL: codes.TRUE, Scalar.I8: codes.BYTE, Scalar.DOUBLE: codes.DOUBLE, **_INTEGERS}
        return fixed.get(wire, codes.BINARY)
    if isinstance(wire, ListOf):
        return codes.LIST
    return codes.I32 if issubclass(wire, IntEnum) else codes.STRUCT


def foreign(random: Random) -> Item:
    """Return a value of any type."""
    kind = random.randrange(6)
    if kind == 0:
        pairs = [Leaf(codes.BINARY, b"k"), Leaf(codes.I32, 7)] * random.randrange(3)
        return Items(codes.MAP, (codes.BINARY << 4 | codes.I32) if pairs else 0, [*pairs])
    if kind == 1:
        code = random.choice((codes.I32, codes.I64))
        return Items(random.choice((codes.LIST, codes.SET)), code, [Leaf(code, 1)] * random.randrange(20))
    if kind == 2:
        return Group([Field(1, Leaf(codes.I32, 1))][: random.randrange(2)])
    if kind == 3:
        return Raw(codes.UUID, random.randbytes(16))
    return _scalar(random.choice(list(Scalar)[:8]), random)


def nested(depth: int) -> Item:
    """Return nested structs or, if `depth` is large, nested lists."""
    if depth > thrift.MAX_DEPTH * 2:
        return Raw(codes.LIST, b"\x19" * depth + b"\x05")
    return Raw(codes.STRUCT, b"\x1c" * depth + b"\0" * (depth + 1))


def fit(code: int, _wire: Wire | None, number: int) -> int:
    """Return a number cut to the bits of a wire type code, as a signed integer."""
    bits = _BITS.get(code, 64)
    return (number & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)


THRIFT = Dialect(
    build=thrift_tree.build,
    codes=tuple(range(16)),
    known=known,
    foreign=foreign,
    nested=nested,
    ids=0x7FFF,
    fit=fit,
)


def mutate(data: bytes, cls: type[Struct], random: Random, other: bytes | None = None) -> bytes:
    """Return a mutated struct of Thrift: its fields are changed if it can be read, else its bytes.

    `other` is a struct of the same kind, whose parts may be put into this one.
    """
    try:
        group, size = thrift_tree.parse(data, cls)
        others = () if other is None else (thrift_tree.parse(other, cls)[0],)
    except ReferenceError_:
        return scalars.mutated(random, data)
    if not random.randrange(20) or not fields.mutate(group, THRIFT, random, others=others):
        return scalars.mutated(random, data)
    return thrift_tree.build(group) + data[size:]
