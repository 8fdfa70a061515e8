"""The streams of a column, decoded by the reader, with checks of rules for writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.limits import Limits
from reference_impl.orc.encodings import byte_rle
from reference_impl.orc.readers.source import WORDS, Source, surplus
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.opened import LenientStripe
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
