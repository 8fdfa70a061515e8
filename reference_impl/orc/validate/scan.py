"""Reading a column of a stripe as far as possible, with the values that the rules need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, ReferenceError_, located
from reference_impl.limits import Limits
from reference_impl.orc.column_encodings import DICTIONARY_KINDS
from reference_impl.orc.encodings import byte_rle
from reference_impl.orc.encodings.string import check_ids
from reference_impl.orc.readers import leaves, nested
from reference_impl.orc.readers.source import WORDS, Source, surplus
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.types import STRINGS, TypeNode
from reference_impl.orc.validate.opened import LenientStripe, Opened
from reference_impl.validation import Report

Decode = Callable[[Cursor, int, int], NDArray[Any]]  # cursor, count, values to skip

CUTS = ("ORC-BYTE-001", "ORC-RLE1-001", "ORC-RLE2-001")
LEFT, BYTES_LEFT = "ORC-INT-003", "ORC-STR-009"


class InspectingSource(Source):
    """Reads streams from the stripe's beginning, and stores their values.

    `runs`: the values of each stream of runs. `cursors`: where reading of each stream ended, `raws`: of those
    of bytes.
    """

    def __init__(self, stripe: LenientStripe, node: TypeNode, limits: Limits, report: Report) -> None:
        super().__init__(stripe, node, limits, None)
        self.report = report
        self.runs: dict[StreamKind, NDArray[Any]] = {}
        self.raws: dict[StreamKind, Cursor] = {}
        self.cursors: dict[StreamKind, Cursor | None] = {}

    def decoder(self, *, signed: bool) -> Decode:
        """Return the decoder of integers."""
        rle = self._rle
        return lambda cursor, count, skip: rle.decode(cursor, count, skip=skip, signed=signed)

    @contextmanager
    def _reading(
        self, kind: StreamKind, count: int, extras: int | None, *, optional: bool = False
    ) -> Iterator[tuple[Cursor | None, tuple[int, ...]]]:
        with super()._reading(kind, count, extras, optional=optional) as (cursor, skips):
            self.cursors[kind] = cursor
            yield cursor, skips

    def bits(self, kind: StreamKind, count: int) -> NDArray[np.bool_]:
        """Return `count` booleans."""
        self.runs[kind] = bits = super().bits(kind, count)
        self._left(kind, (count + 7) // 8, _octets, LEFT)
        return bits

    def octets(self, kind: StreamKind, count: int) -> NDArray[np.uint8]:
        """Return `count` bytes of a run-length encoded stream."""
        self.runs[kind] = values = super().octets(kind, count)
        self._left(kind, count, _octets, LEFT)
        return values

    def integers(self, kind: StreamKind, count: int, *, signed: bool) -> NDArray[np.int64]:
        """Return `count` integers, in the version of runs of the column's encoding."""
        self.notes = []
        self.runs[kind] = values = super().integers(kind, count, signed=signed)
        stream = self.stripe.stream(self.node.id, kind)
        for note in self.notes[:1]:
            offset = None if stream is None else stream.base
            self.report.add(note.rule or LEFT, (*self.where, kind.name), offset, note.message)
        self._left(kind, count, self.decoder(signed=signed), LEFT)
        return values

    def dictionary_lengths(self, size: int) -> NDArray[np.int64]:
        """Return the lengths of a dictionary's words."""
        lengths = super().dictionary_lengths(size)
        self._left(StreamKind.LENGTH, size, self.decoder(signed=False), WORDS)
        return lengths

    def raw(self, kind: StreamKind, count: int, *, optional: bool = False, positioned: bool = True) -> Cursor:
        """Return a cursor over the bytes of a stream; `finish` checks where it ends."""
        cursor = super().raw(kind, count, optional=optional, positioned=positioned)
        if positioned:
            self.raws[kind] = cursor
        return cursor

    def finish(self) -> None:
        """Report bytes behind the last value."""
        for kind, cursor in self.raws.items():
            stream = self.stripe.stream(self.node.id, kind)
            if stream is not None and len(stream.data) > cursor.pos:
                message = f"{len(stream.data) - cursor.pos} bytes behind those of the last value"
                self.report.add(BYTES_LEFT, (*self.where, kind.name), stream.base, message)

    def ends_whole(self, kind: StreamKind, rule: str) -> bool:
        """Return whether a stream of runs with too few values ends with a whole run."""
        stream = self.stripe.stream(self.node.id, kind)
        assert stream is not None
        decode = self.decoder(signed=True) if "RLE" in rule else _octets
        low, high = 0, 512 * (len(stream.data) + 1)  # numbers of values that can and cannot be decoded
        while high - low > 1:
            middle = (low + high) // 2
            try:
                decode(Cursor(stream.data), middle, 0)
            except Malformed as error:
                if error.rule not in CUTS:
                    return False
                high = middle
            else:
                low = middle
        cursor = Cursor(stream.data)
        decode(cursor, low, 0)
        return not cursor.remaining

    def _left(self, kind: StreamKind, count: int, decode: Decode, rule: str) -> None:
        """Report values behind the last value: in the last run, or in superfluous runs."""
        stream = self.stripe.stream(self.node.id, kind)
        if stream is None or not len(stream.data):
            return
        cursor = self.cursors[kind]
        left = cursor is None or cursor.remaining > 0
        if not left:
            try:
                left = len(decode(Cursor(stream.data), 1, count)) > 0
            except Malformed:
                return
        if left:
            self.report.add(rule, (*self.where, kind.name), stream.base, surplus(count))


def _octets(cursor: Cursor, count: int, skip: int) -> NDArray[np.uint8]:
    return byte_rle.decode(cursor, count, skip=skip)


Mask = NDArray[np.bool_] | None
Starts = NDArray[np.int64]

_REPEATED = (TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
_CUT = ("ORC-BOOL-001", "ORC-BYTE-001", "ORC-RLE1-001", "ORC-RLE2-001", "ORC-FLOAT-001", "ORC-DEC-004")
SHORT = "ORC-NEST-001"


@dataclass
class Scanned:
    """A readable column of a stripe.

    `slots` is the number of slots; those outside of `mask` have a parent that is null, those in `valid` are
    not null. `starts`: the first slot of each row group, and the end of the last. `values` are those of a
    leaf, a list's or map's lengths, or a union's tags; a dictionary has `ids` and `words` instead.
    """

    file: Opened
    stripe: LenientStripe
    node: TypeNode
    source: InspectingSource
    slots: int
    mask: Mask
    valid: Mask
    starts: Starts
    values: Any = None
    ids: NDArray[np.int64] | None = None
    words: ByteArrays | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The fields that lead to the column."""
        return self.source.where

    @property
    def at(self) -> int:
        """The offset of its values, or of its stripe if it has none."""
        places = (self.stripe.places.get((self.node.id, kind)) for kind in StreamKind)
        return next(
            (place.offset for place in places if place is not None and not place.index), self.stripe.offset
        )

    @cached_property
    def existing(self) -> Starts:
        """The number of slots with parents before each row group, and in all."""
        return self.starts if self.mask is None else before(self.mask, self.starts)

    @cached_property
    def present(self) -> Starts:
        """The number of values (not null) before each row group, and in all."""
        return self.starts if self.valid is None else before(self.valid, self.starts)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The beginning of the entries of each slot of a list or map, and the end of the last."""
        out = np.zeros(self.slots + 1, np.int64)
        each = self.values
        if self.valid is not None:
            each = np.zeros(self.slots, np.int64)
            each[self.valid] = self.values
        np.cumsum(each, out=out[1:])
        return out


def before(mask: NDArray[np.bool_], starts: Starts) -> Starts:
    """Return how many elements are true before each start; starts begin with 0 and ascend."""
    counts = np.zeros(len(starts), np.int64)
    parts = [np.count_nonzero(mask[begin:end]) for begin, end in pairwise(starts.tolist())]
    np.cumsum(parts, out=counts[1:])
    return counts


class Slots(NamedTuple):
    """The slots of a column: see `Scanned`."""

    slots: int
    mask: Mask
    starts: Starts


def scan(file: Opened, stripe: LenientStripe, node: TypeNode, all_slots: Slots) -> Scanned | None:
    """Read a column without the columns below it; return None, and report why, if it cannot be read."""
    source = InspectingSource(stripe, node, file.limits, file.report)
    slots, mask, starts = all_slots
    try:
        source.check(slots)
        valid = nested.present(source, slots, mask)
        column = Scanned(file, stripe, node, source, slots, mask, valid, starts)
        _read(column, slots if valid is None else int(np.count_nonzero(valid)))
        source.finish()
    except ReferenceError_ as error:
        _explain(error, source, file.report)
        return None
    return column


def _read(column: Scanned, count: int) -> None:
    source, kind = column.source, column.node.kind
    if kind == TypeKind.STRUCT:
        return
    if kind in (TypeKind.LIST, TypeKind.MAP):
        column.values = nested.entry_counts(source, count)
    elif kind == TypeKind.UNION:
        with _located(column):
            column.values = nested.union_tags(source, count)
    elif kind in STRINGS and source.encoding in DICTIONARY_KINDS:
        column.ids = source.integers(StreamKind.DATA, count, signed=False)
        with _located(column):
            size = leaves.dictionary_size(source, count)
        column.words = source.words(size)
        with located(*source.where):
            check_ids(column.ids, size, column.at)
    else:
        column.values = leaves.read(source, count, column.file.zone)


@contextmanager
def _located(column: Scanned) -> Iterator[None]:
    """Give an error of the whole column (not of a stream) the offset of its values."""
    try:
        yield
    except Malformed as error:
        if error.path == column.source.where:
            error.offset = column.at
        raise


def _explain(error: ReferenceError_, source: InspectingSource, report: Report) -> None:
    """Report why a column cannot be read; below a list, map or union it may have too few values."""
    if not error.path:
        error.path = source.where
    nested_below = any(above.kind in _REPEATED for above in source.node.lineage()[1:])
    if error.rule in _CUT and nested_below and _ends_between(error, source):
        error.message = f"fewer values than the parent column requires: {error.message}"
        error.rule = SHORT
    report.note(error)


def _ends_between(error: ReferenceError_, source: InspectingSource) -> bool:
    """Return whether the stream that was cut short ends with a whole run or value."""
    kind = next((stream_kind for stream_kind in StreamKind if stream_kind.name == error.path[-1]), None)
    stream = None if kind is None else source.stripe.stream(source.node.id, kind)
    if stream is None or kind is None:
        return False
    data = stream.data
    if error.rule == "ORC-FLOAT-001":
        return len(data) % (4 if source.node.kind == TypeKind.FLOAT else 8) == 0
    if error.rule == "ORC-DEC-004":
        return not len(data) or data[-1] < 0x80
    return source.ends_whole(kind, error.rule or "")
