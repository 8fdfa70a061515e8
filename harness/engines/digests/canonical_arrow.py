"""Pieces of Arrow's buffers: the bytes that `canonical_bytes.of` makes of tagged values, without those.

What has no short way here (dictionaries, unions, intervals, lists whose nulls hide elements, decimals of
another width than their type's, …) takes the long one, through tagged values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from corpora.tagged import BIG, Value
from harness.engines.arrow import values as arrow_values
from harness.engines.arrow.buffers import ArrowError, CArray, view
from harness.engines.arrow.types import Node
from harness.engines.digests import bigint_lanes, canonical_bytes
from harness.engines.digests.canonical_bytes import BINARIES, TEXTS, Piece

_VIEW = struct.Struct("=iiii")
_SHORT = 12  # a view holds so many bytes itself


class Slots(NamedTuple):
    """A range of slots: `size` slots of an array from `first`, its offset included, and which are valid."""

    node: Node
    source: CArray
    first: int
    size: int
    valid: bytes | None
    dictionaries: dict[int, list[Value]]

    def raw(self, width: int, buffer: int = 1, more: int = 0) -> memoryview:
        """View values of `width` bytes, and `more` after them."""
        return view(self.source.buffers[buffer], self.first * width, (self.size + more) * width)

    def child(self, at: int, first: int, count: int, wanted: bytes | None = None) -> Piece:
        """Return the piece of some slots of a child; `wanted` marks the slots whose parent is not null."""
        source = self.source.children[at].contents
        if first < 0 or first + count > source.length:
            raise ArrowError(f"{self.node.name!r}: slots to {first + count} of {source.length} in a child")
        return piece(self.node.children[at], source, first, count, self.dictionaries, wanted=wanted)


def piece(
    node: Node,
    source: CArray,
    start: int,
    count: int,
    dictionaries: dict[int, list[Value]],
    *,
    wanted: bytes | None = None,
) -> Piece:
    """Return the piece of the slots `start:start + count`, null where `wanted`, a byte for each, is 0.

    Raises ArrowError and bigint_lanes.LanesError.
    """
    short = _LAYOUTS.get(node.layout) if count else None
    if short:
        valid = _validity(source, start, count)
        if wanted is not None:
            valid = wanted if valid is None else bigint_lanes.both(valid, wanted)
        if valid is not None and 0 not in valid:
            valid = None
        result = short(Slots(node, source, source.offset + start, count, valid, dictionaries))
        if result is not None:
            return result._replace(valid=valid)
    chosen = None if wanted is None else list(map(bool, wanted))
    return canonical_bytes.of(
        node.type, arrow_values.read(node, source, start, count, dictionaries, wanted=chosen)
    )


def fields(
    node: Node, source: CArray, start: int, count: int, dictionaries: dict[int, list[Value]]
) -> list[Piece]:
    """Return the piece of each field of a struct array."""
    slots = Slots(node, source, source.offset + start, count, None, dictionaries)
    return [slots.child(at, slots.first, count) for at in range(len(node.children))]


def _validity(source: CArray, start: int, count: int) -> bytes | None:
    if source.null_count == 0 or not source.n_buffers or not source.buffers[0]:
        return None
    first = source.offset + start
    return bigint_lanes.bits(
        view(source.buffers[0], first // 8, (first % 8 + count + 7) // 8), first % 8, count
    )


def _bools(slots: Slots) -> Piece | None:
    first, size = slots.first, slots.size
    raw = view(slots.source.buffers[1], first // 8, (first % 8 + size + 7) // 8)
    return Piece(size, None, 1, bigint_lanes.zeroed(bigint_lanes.bits(raw, first % 8, size), 1, slots.valid))


def _numbers(slots: Slots) -> Piece | None:
    """Take the bytes of numbers unchanged, if they are as wide as those of their type."""
    width = slots.node.width or struct.calcsize(slots.node.code)
    if width != canonical_bytes.width(slots.node.type):
        return None
    return Piece(slots.size, None, width, bigint_lanes.zeroed(slots.raw(width).tobytes(), width, slots.valid))


def _floats(slots: Slots) -> Piece | None:
    result = _numbers(slots)
    return result and result._replace(data=bigint_lanes.one_nan(result.data, result.form))


def _strings(slots: Slots) -> Piece | None:
    """Take bytes with offsets in one piece, if nulls are empty."""
    if slots.node.type.kind not in TEXTS | BINARIES:
        return None
    lengths, begin, end = _cut(slots)
    if bigint_lanes.zeroed(lengths, 4, slots.valid) != lengths:
        return None
    raw = view(slots.source.buffers[2], begin, end - begin)
    return Piece(slots.size, None, data=_stored(slots, lengths, raw), lengths=lengths)


def _stored(slots: Slots, lengths: bytes, raw: memoryview) -> bytes:
    """Return the bytes of values that follow one another; of a long one, its digest."""
    sizes = memoryview(lengths).cast("I")
    if len(raw) <= BIG or max(sizes) <= BIG:
        return raw.tobytes()
    cut, at = [], 0
    for size in sizes:
        cut.append(raw[at : at + size])
        at += size
    return b"".join(canonical_bytes.stored(slots.node.type.kind, cut))


def _cut(slots: Slots) -> tuple[bytes, int, int]:
    """Return the lengths that offsets tell, and where the first value begins and the last one ends."""
    width = struct.calcsize(slots.node.code)
    offsets = slots.raw(width, more=1)
    begin = int.from_bytes(offsets[:width], "little", signed=True)
    return (
        bigint_lanes.lengths(offsets, width),
        begin,
        int.from_bytes(offsets[-width:], "little", signed=True),
    )


def _fixed(slots: Slots) -> Piece | None:
    """Take bytes of one size, if none is null."""
    width = slots.node.width
    if slots.valid is not None or width > BIG or slots.node.type.kind not in BINARIES:
        return None
    lengths = width.to_bytes(4, "little") * slots.size
    return Piece(slots.size, None, data=slots.raw(width).tobytes(), lengths=lengths)


def _views(slots: Slots) -> Piece | None:
    """Follow views that are short, or in buffers; what they say is checked as `arrow_values` does."""
    if slots.node.type.kind not in TEXTS | BINARIES:
        return None
    raw = bigint_lanes.zeroed(slots.raw(16).tobytes(), 16, slots.valid)
    lengths = memoryview(raw).cast("I")[::4].tobytes()
    if max(memoryview(lengths).cast("i"), default=0) > BIG or min(memoryview(lengths).cast("i")) < 0:
        return None
    source = slots.source
    sizes = source.n_buffers - 3
    held = view(source.buffers[source.n_buffers - 1], 0, 8 * sizes).cast("q")
    buffers = [view(source.buffers[2 + at], 0, size) for at, size in enumerate(held)]
    result = []
    for at, (length, _, buffer, offset) in enumerate(_VIEW.iter_unpack(raw)):
        if length <= _SHORT:
            result.append(raw[16 * at + 4 : 16 * at + 4 + length])
        elif not 0 <= buffer < sizes or not 0 <= offset <= held[buffer] - length:
            raise ArrowError(f"{slots.node.name!r}: a view of {length} bytes outside its buffers")
        else:
            result.append(buffers[buffer][offset : offset + length])
    return Piece(slots.size, None, data=b"".join(result), lengths=lengths)


def _list(slots: Slots) -> Piece | None:
    """Take lists and maps with offsets, if nulls are empty."""
    lengths, begin, end = _cut(slots)
    if slots.node.type.kind not in ("list", "map") or bigint_lanes.zeroed(lengths, 4, slots.valid) != lengths:
        return None
    return Piece(slots.size, None, lengths=lengths, children=(slots.child(0, begin, end - begin),))


def _fixed_list(slots: Slots) -> Piece | None:
    if slots.valid is not None:
        return None
    size = slots.node.width
    lengths = size.to_bytes(4, "little") * slots.size
    return Piece(
        slots.size, None, lengths=lengths, children=(slots.child(0, slots.first * size, slots.size * size),)
    )


def _struct(slots: Slots) -> Piece | None:
    if slots.node.type.kind != "struct":
        return None
    count = len(slots.node.children)
    below = tuple(slots.child(at, slots.first, slots.size, slots.valid) for at in range(count))
    return Piece(slots.size, None, children=below)


_LAYOUTS: dict[str, Callable[[Slots], Piece | None]] = {
    "bools": _bools,
    "integers": _numbers,
    "floats": _floats,
    "wide_integers": _numbers,
    "fixed": _fixed,
    "text": _strings,
    "binary": _strings,
    "text_view": _views,
    "binary_view": _views,
    "list": _list,
    "fixed_list": _fixed_list,
    "struct": _struct,
}
