"""The streams of a column of a stripe, read from the beginning of the stripe or of a row group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, located
from reference_impl.limits import Limits
from reference_impl.orc.column_encodings import V2_KINDS, is_decimal64
from reference_impl.orc.encodings import boolean_rle, byte_rle, rle_v1, rle_v2, string
from reference_impl.orc.framing import Stream
from reference_impl.orc.index import Positions
from reference_impl.orc.schema import ColumnEncoding, CompressionKind, EncodingKind, StreamKind
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.types import TypeNode

WORDS = "ORC-STR-002"
_CUT_SHORT = ("ORC-RLE1-001", "ORC-RLE2-001")
_MOST_IN_A_BYTE = 520  # values: a byte-rle-run of two bytes repeats eight booleans 130 times


def surplus(count: int) -> str:
    """Return the message about a stream of runs with more values than are used."""
    return f"the runs hold more than {count} values"


class Source:
    """Decodes the streams of a column, each stream once, in the order of their positions.

    A stream without values may be missing. All methods raise Malformed (ORC-STRIPE-012 for a
    missing stream, and the rules of the encodings), Unsupported and LimitExceeded.
    """

    def __init__(self, stripe: Stripe, node: TypeNode, limits: Limits, positions: Positions | None) -> None:
        self.stripe = stripe
        self.node = node
        self.limits = limits
        self.positions = positions
        self.encoding: EncodingKind
        self.message: ColumnEncoding
        self.notes: list[Malformed] | None = None  # of runs that all readers accept, see `rle_v2.decode`
        self.surplus_lengths: Malformed | None = None  # of a dictionary with more lengths than entries
        self.encoding, self.message = stripe.encodings[node.id]
        self.where = (f"stripes[{stripe.number}]", f"column {node.id} ({'.'.join(node.path)})")

    @property
    def compressed(self) -> bool:
        """Whether the positions are those of compressed streams."""
        return self.stripe.tail.codec != CompressionKind.NONE

    def has(self, kind: StreamKind) -> bool:
        """Return whether the column has a stream of this kind."""
        return (self.node.id, kind) in self.stripe.places

    def bits(self, kind: StreamKind, count: int) -> NDArray[np.bool_]:
        """Return `count` booleans."""
        with self._reading(kind, count, 2) as (cursor, (skip, bits)):
            if cursor is None:
                return np.zeros(0, np.bool_)
            return boolean_rle.decode(cursor, count, skip=skip, bits=bits)

    def octets(self, kind: StreamKind, count: int) -> NDArray[np.uint8]:
        """Return `count` bytes of a run-length encoded stream."""
        with self._reading(kind, count, 1) as (cursor, (skip,)):
            return np.zeros(0, np.uint8) if cursor is None else byte_rle.decode(cursor, count, skip=skip)

    def integers(self, kind: StreamKind, count: int, *, signed: bool) -> NDArray[np.int64]:
        """Return `count` integers, in the version of runs of the column's encoding."""
        with self._reading(kind, count, 1) as (cursor, skips):
            if cursor is None:
                return np.zeros(0, np.int64)
            values: NDArray[np.int64] = self._rle.decode(
                cursor, count, skip=sum(skips), signed=signed, notes=self.notes
            )
            return values

    def dictionary_lengths(self, size: int) -> NDArray[np.int64]:
        """Return the lengths of a dictionary's words, which fill all of LENGTH (ORC-STR-002).

        More lengths are noted: which of them count is known by the size.
        """
        with self._reading(StreamKind.LENGTH, size, None) as (cursor, _):
            if cursor is None:
                return np.zeros(0, np.int64)
            try:
                values: NDArray[np.int64] = self._rle.decode(cursor, size, signed=False)
            except Malformed as error:
                if error.rule in _CUT_SHORT:
                    error.rule = WORDS
                raise
            left = cursor.fail(surplus(size), rule=WORDS) if cursor.remaining else None
        if left is not None:
            self.surplus_lengths = self._breach(left, StreamKind.LENGTH)
        return values

    def words(self, size: int) -> ByteArrays:
        """Return the dictionary of `size` entries, which has no positions."""
        lengths = self.dictionary_lengths(size)
        empty = not lengths.any()
        cursor = self.raw(StreamKind.DICTIONARY_DATA, size, optional=empty, positioned=False)
        left: list[Malformed] = []
        with self.locating(StreamKind.DICTIONARY_DATA):
            words = string.dictionary(lengths, cursor, left.append)
        if self.surplus_lengths is None:  # otherwise the entries beyond the size have these bytes
            for error in left:
                self._breach(error, StreamKind.DICTIONARY_DATA)
        return words

    @property
    def _rle(self) -> ModuleType:
        """The decoder of runs: version 2 for short decimals of version 1.9999 in every encoding."""
        node, version = self.node, self.stripe.tail.version
        is_short = is_decimal64(node.kind, node.precision, version)
        return rle_v2 if is_short or self.encoding in V2_KINDS else rle_v1

    def raw(self, kind: StreamKind, count: int, *, optional: bool = False, positioned: bool = True) -> Cursor:
        """Return a cursor over the bytes of a stream of `count` values.

        An `optional` stream may be missing, and then has no bytes.
        """
        extras = 0 if positioned else None
        with self._reading(kind, count, extras, optional=optional) as (cursor, _):
            return Cursor(b"", base=self.stripe.offset) if cursor is None else cursor

    def start(self, kind: StreamKind) -> int | None:
        """Return the offset of a stream's first byte, in the terms of errors within `locating`."""
        stream = self.stripe.stream(self.node.id, kind)
        return None if stream is None else stream.data_base

    def _breach(self, error: Malformed, kind: StreamKind) -> Malformed:
        """Give an error in a stream that decoding does not stop at, and its place, to the stripe."""
        try:
            with self.locating(kind):
                raise error
        except Malformed as located_error:
            error = located_error.with_traceback(None)  # whose frames would keep the file's bytes
        self.stripe.breach(error)
        return error

    @contextmanager
    def locating(self, kind: StreamKind) -> Iterator[None]:
        """Add the stream to the path of an error that passes through, and locate it in the file."""
        stream = self.stripe.stream(self.node.id, kind)
        with located(*self.where, kind.name):
            if stream is None:
                yield
            else:
                with stream.decoding():
                    yield

    def require(self, kind: StreamKind, count: int) -> None:
        """Check that a stream of `count` values, of which some have bytes, is there (ORC-STRIPE-012)."""
        if not self.has(kind):
            with self.locating(kind):
                raise self._missing(kind, count)

    def _missing(self, kind: StreamKind, count: int) -> Malformed:
        message = f"{count} values, but no {kind.name}"
        return Malformed(message, offset=self.stripe.footer_offset, rule="ORC-STRIPE-012")

    def finish(self) -> None:
        """Check that all positions were used."""
        if self.positions is not None:
            self.positions.finish()

    def fail(self, message: str, rule: str) -> Malformed:
        """Build (not raise) an error of the whole column."""
        return Malformed(message, offset=self.stripe.offset, rule=rule, path=self.where)

    def check(self, count: int) -> int:
        """Return `count`, a declared number of values, if the limits allow it."""
        if count > self.limits.values:
            message = f"{count} values; the limit is {self.limits.values}"
            raise LimitExceeded(message, offset=self.stripe.offset, path=self.where)
        return count

    def _ends_early(self, stream: Stream | None) -> bool:
        """Return whether a stream cannot hold as many values as the limit, so that its decoder fails."""
        return stream is not None and _MOST_IN_A_BYTE * len(stream.data) <= self.limits.values

    @contextmanager
    def _reading(
        self, kind: StreamKind, count: int, extras: int | None, *, optional: bool = False
    ) -> Iterator[tuple[Cursor | None, tuple[int, ...]]]:
        """Open a stream at its position; yield a cursor, and the `extras` numbers of the position."""
        stream = self.stripe.stream(self.node.id, kind)
        at, skips = 0, (0,) * (extras or 0)
        with self.locating(kind):
            if stream is None and count and not optional:
                raise self._missing(kind, count)
            is_beyond = count > self.limits.values and not self._ends_early(stream)
        if is_beyond:
            self.check(count)
        with self.locating(kind):
            if self.positions is not None and extras is not None:
                at = self.positions.place(stream, compressed=self.compressed)
                skips = self.positions.within(extras)
            cursor = None
            if stream is not None and count:
                cursor = Cursor(stream.data, base=stream.data_base)
                cursor.pos = at
            yield cursor, skips
