"""Reading one column of a stripe as far as it can be read, and keeping what the rules ask about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_
from reference_impl.orc.readers import leaves
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.stripe import DICTIONARY_KINDS
from reference_impl.orc.types import STRINGS
from reference_impl.orc.validate.source import InspectingSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reference_impl.byte_arrays import ByteArrays
    from reference_impl.orc.types import TypeNode
    from reference_impl.orc.validate.opened import Opened
    from reference_impl.orc.validate.stripes import LenientStripe
    from reference_impl.validation import Report

    Mask = NDArray[np.bool_] | None
    Starts = NDArray[np.int64]

_REPEATED = (TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
_CUT = ("ORC-BOOL-001", "ORC-BYTE-001", "ORC-RLE1-001", "ORC-RLE2-001", "ORC-FLOAT-001", "ORC-DEC-004")
SHORT = "ORC-NEST-001"


@dataclass
class Scanned:
    """A column of a stripe that could be read.

    `slots` of which those outside of `mask` have a parent that is null; `valid`: which are not null.
    `starts`: the first slot of each row group, and what is behind the last. `values` are those of a leaf, a
    list's or map's lengths, or a union's tags; of a dictionary `ids` and `words` instead.
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
        """Where its values stand, or else its stripe."""
        found = (self.stripe.places.get((self.node.id, kind)) for kind in StreamKind)
        return next((one.offset for one in found if one is not None and not one.index), self.stripe.offset)

    @cached_property
    def existing(self) -> Starts:
        """How many slots with parents stand before each row group, and all together."""
        return self.starts if self.mask is None else before(self.mask, self.starts)

    @cached_property
    def present(self) -> Starts:
        """How many values that are not null stand before each row group, and all together."""
        return self.starts if self.valid is None else before(self.valid, self.starts)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the entries of each slot of a list or map begin, and the last ones end."""
        out = np.zeros(self.slots + 1, np.int64)
        each = self.values
        if self.valid is not None:
            each = np.zeros(self.slots, np.int64)
            each[self.valid] = self.values
        np.cumsum(each, out=out[1:])
        return out


def before(mask: NDArray[np.bool_], starts: Starts) -> Starts:
    """Return how many are true before each start; they begin with 0 and never go back."""
    counts = np.zeros(len(starts), np.int64)
    parts = [np.count_nonzero(mask[begin:end]) for begin, end in pairwise(starts.tolist())]
    np.cumsum(parts, out=counts[1:])
    return counts


class Slots(NamedTuple):
    """Of which slots a column is told: see `Scanned`."""

    slots: int
    mask: Mask
    starts: Starts


def scan(file: Opened, stripe: LenientStripe, node: TypeNode, given: Slots) -> Scanned | None:
    """Read a column without what is below it; answer None, and report why, where that cannot be done."""
    source = InspectingSource(stripe, node, file.limits, file.report)
    slots, mask, starts = given
    try:
        source.check(slots)
        valid = _present(source, slots if mask is None else int(np.count_nonzero(mask)), mask)
        found = Scanned(file, stripe, node, source, slots, mask, valid, starts)
        _read(found, slots if valid is None else int(np.count_nonzero(valid)))
        source.finish()
    except ReferenceError_ as error:
        _explain(error, source, file.report)
        return None
    return found


def _present(source: InspectingSource, count: int, mask: Mask) -> Mask:
    if not source.has(StreamKind.PRESENT):
        return mask
    bits = source.bits(StreamKind.PRESENT, count)
    if bits.all() or mask is None:
        return mask if bits.all() else bits
    valid = mask.copy()
    valid[mask] = bits
    return valid


def _read(found: Scanned, count: int) -> None:
    source, kind = found.source, found.node.kind
    if kind == TypeKind.STRUCT:
        return
    if kind in (TypeKind.LIST, TypeKind.MAP):
        found.values = _lengths(source, count)
    elif kind == TypeKind.UNION:
        found.values = source.octets(StreamKind.DATA, count)
        most = int(found.values.max()) if count else 0
        if most >= len(found.node.children):
            message = f"tag {most} of a union of {len(found.node.children)} types"
            raise _broken(found, message, "ORC-NEST-004")
    elif kind in STRINGS and source.encoding in DICTIONARY_KINDS:
        _read_dictionary(found, count)
    else:
        found.values = leaves.read(source, count, found.file.zone)


def _lengths(source: InspectingSource, count: int) -> NDArray[np.int64]:
    lengths = source.integers(StreamKind.LENGTH, count, signed=False)
    most = int(lengths.max()) if count else 0
    total = int(lengths.sum()) if most <= source.limits.values else most
    if total > source.limits.values:
        message = f"lists of {total} entries; the limit is {source.limits.values}"
        raise LimitExceeded(message, offset=source.stripe.offset)
    return lengths


def _read_dictionary(found: Scanned, count: int) -> None:
    source = found.source
    found.ids = source.integers(StreamKind.DATA, count, signed=False)
    size = source.message.dictionary_size
    if size is None:
        if count:
            raise _broken(found, "a dictionary without dictionarySize", "ORC-STRIPE-016")
        size = 0
    found.words = source.words(size)
    most = int(found.ids.max()) if count else -1
    if most >= size:
        raise _broken(found, f"id {most} in a dictionary of {size}", "ORC-STR-004")


def _broken(found: Scanned, message: str, rule: str) -> Malformed:
    error = Malformed(message, offset=found.at, rule=rule)
    error.path = found.source.where
    return error


def _explain(error: ReferenceError_, source: InspectingSource, report: Report) -> None:
    """Report why a column cannot be read: one below a list, map or union may have too few values."""
    if not error.path:
        error.path = source.where
    if error.rule in _CUT and _is_nested(source.node) and _ends_between(error, source):
        error.message = f"fewer values than what is above says: {error.message}"
        error.rule = SHORT
    report.note(error)


def _is_nested(node: TypeNode) -> bool:
    above = node.parent
    while above is not None and above.kind not in _REPEATED:
        above = above.parent
    return above is not None


def _ends_between(error: ReferenceError_, source: InspectingSource) -> bool:
    """Return whether the stream that was cut short ends with a whole run, or value."""
    kind = next((one for one in StreamKind if one.name == error.path[-1]), None)
    stream = None if kind is None else source.stripe.stream(source.node.id, kind)
    if stream is None or kind is None:
        return False
    data = stream.data
    if error.rule == "ORC-FLOAT-001":
        return len(data) % (4 if source.node.kind == TypeKind.FLOAT else 8) == 0
    if error.rule == "ORC-DEC-004":
        return not len(data) or data[-1] < 0x80
    return source.ends_whole(kind, error.rule or "")
