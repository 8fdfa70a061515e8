"""Reading a column of a stripe as far as possible, with the values that the rules need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import Malformed, ReferenceError_, located
from reference_impl.orc.encodings.string import check_ids
from reference_impl.orc.readers import leaves, nested
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.stripe import DICTIONARY_KINDS
from reference_impl.orc.types import STRINGS, TypeNode
from reference_impl.orc.validate.opened import LenientStripe, Opened
from reference_impl.orc.validate.source import InspectingSource
from reference_impl.validation import Report

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
        error.message = f"fewer values than what is above says: {error.message}"
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
