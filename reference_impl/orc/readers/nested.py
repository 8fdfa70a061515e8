"""Reading the columns of a stripe with all columns below them.

PRESENT has a bit for each slot whose ancestors are not null: children of a list or map have a slot per entry,
children of a union a slot per tag. The other streams hold values that are not null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn, UnionColumn
from reference_impl.errors import LimitExceeded
from reference_impl.limits import Limits
from reference_impl.orc import calendars
from reference_impl.orc.index import Positions
from reference_impl.orc.readers import leaves
from reference_impl.orc.readers.source import Source
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.types import TypeNode

Mask = NDArray[np.bool_] | None


@dataclass(frozen=True)
class Reader:
    """Reads columns of a stripe from its beginning or, with `positions` by column, from that of a row group.

    `wanted` are the ids of the types to read, with all types above them. `zone` is the zone of writers that
    store none. `hybrid`: days are those of the hybrid calendar.
    """

    stripe: Stripe
    limits: Limits
    wanted: frozenset[int]
    zone: str
    hybrid: bool = False
    positions: Mapping[int, tuple[int, ...]] | None = None
    offset: int = 0

    def column(self, node: TypeNode, slots: int, mask: Mask = None) -> Column:
        """Read `slots` slots of a column; slots outside of `mask` have a parent that is null.

        Raises Malformed (the rules of streams and encodings, ORC-NEST-*), Unsupported and LimitExceeded.
        """
        source = Source(self.stripe, node, self.limits, self._positions(node))
        valid = present(source, slots, mask)
        count = slots if valid is None else int(np.count_nonzero(valid))
        if node.kind == TypeKind.STRUCT:
            source.finish()
            fields = [self.column(child, slots, valid) for child in node.children if child.id in self.wanted]
            return StructColumn(node.name, slots, valid, tuple(fields))
        if node.kind in (TypeKind.LIST, TypeKind.MAP):
            return self._entries(source, slots, valid, count)
        if node.kind == TypeKind.UNION:
            return self._union(source, slots, valid, count)
        values = leaves.read(source, count, self.zone)
        source.finish()
        if self.hybrid:
            values = calendars.read(node.kind, values)
        return LeafColumn(node.name, slots, valid, values, node)

    def _positions(self, node: TypeNode) -> Positions | None:
        if self.positions is None:
            return None
        return Positions(self.positions[node.id], f"positions of column {node.id}", self.offset)

    def _entries(self, source: Source, slots: int, valid: Mask, count: int) -> Column:
        """Read a list or map; LENGTH has the number of entries of each value."""
        node = source.node
        lengths = entry_counts(source, count)
        source.finish()
        per_slot = lengths
        if valid is not None:
            per_slot = np.zeros(slots, np.int64)
            per_slot[valid] = lengths
        offsets = np.zeros(source.check(slots) + 1, np.int64)
        np.cumsum(per_slot, out=offsets[1:])
        total = int(offsets[-1])
        children = [self.column(child, total) if child.id in self.wanted else None for child in node.children]
        first = children[0]
        assert first is not None
        if node.kind == TypeKind.LIST:
            return ListColumn(node.name, slots, valid, offsets, first)
        return MapColumn(node.name, slots, valid, offsets, first, children[1])

    def _union(self, source: Source, slots: int, valid: Mask, count: int) -> Column:
        """Read a union; DATA has the tag of each value."""
        node = source.node
        tags = union_tags(source, count)
        source.finish()
        each = np.bincount(tags, minlength=len(node.children)).tolist()
        variants = [self.column(child, n) for child, n in zip(node.children, each, strict=True)]
        return UnionColumn(node.name, slots, valid, tags, tuple(variants))


def entry_counts(source: Source, count: int) -> NDArray[np.int64]:
    """Return how many entries each of `count` lists or maps has. Raises LimitExceeded for too many."""
    lengths = source.integers(StreamKind.LENGTH, count, signed=False)
    limit = source.limits.values
    most = int(lengths.max()) if count else 0
    total = int(lengths.sum()) if most <= limit else most
    if total > limit:
        message = f"lists of {total} entries; the limit is {limit}"
        raise LimitExceeded(message, offset=source.stripe.offset)
    return lengths


def union_tags(source: Source, count: int) -> NDArray[np.uint8]:
    """Return the tags of `count` values of a union. Raises Malformed (ORC-NEST-004)."""
    tags = source.octets(StreamKind.DATA, count)
    most, types = int(tags.max()) if count else 0, len(source.node.children)
    if most >= types:
        raise source.fail(f"tag {most} of a union of {types} types", "ORC-NEST-004")
    return tags


def present(source: Source, slots: int, mask: Mask) -> Mask:
    """Return which slots are not null, None if no slot is null."""
    if not source.has(StreamKind.PRESENT):
        return mask
    count = slots if mask is None else int(np.count_nonzero(mask))
    bits = source.bits(StreamKind.PRESENT, count)
    if bits.all():
        return mask
    if mask is None:
        return bits
    valid = mask.copy()
    valid[mask] = bits
    return valid


def select(root: TypeNode, nodes: list[TypeNode]) -> frozenset[int]:
    """Return the ids to read for some types: all types below and above them, and keys of maps.

    A union is read whole, because its values are counted by tag.
    """
    wanted = {root.id}
    for node in nodes:
        wanted.update(range(node.id, node.max_id + 1))
        for above in node.lineage()[1:]:
            wanted.add(above.id)
            if above.kind == TypeKind.UNION:
                wanted.update(range(above.id, above.max_id + 1))
            elif above.kind == TypeKind.MAP:
                key = above.children[0]
                wanted.update(range(key.id, key.max_id + 1))
    return frozenset(wanted)


def empty(node: TypeNode, wanted: frozenset[int]) -> Column:
    """Return a column without slots, as `Reader.column` returns it."""
    children = [empty(child, wanted) for child in node.children if child.id in wanted]
    if node.kind == TypeKind.STRUCT:
        return StructColumn(node.name, 0, None, tuple(children))
    if node.kind == TypeKind.UNION:
        return UnionColumn(node.name, 0, None, np.zeros(0, np.uint8), tuple(children))
    offsets = np.zeros(1, np.int64)
    if node.kind == TypeKind.LIST:
        return ListColumn(node.name, 0, None, offsets, children[0])
    if node.kind == TypeKind.MAP:
        return MapColumn(node.name, 0, None, offsets, children[0], children[1] if children[1:] else None)
    return LeafColumn(node.name, 0, None, leaves.none(node.kind), node)
