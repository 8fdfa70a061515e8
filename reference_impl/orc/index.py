"""Row indexes, Bloom filters, and positions (ORCv1.md, "Indexes").

A row index has one entry per row group: `rowIndexStride` rows of the stripe, for nested columns as well. The
positions of an entry are the places in the column's streams where the group begins, stream after stream:

    chunk               of compressed streams: the place of its header in the stream
    byte                in that chunk's bytes; without compression, in the stream
    values              already consumed of the run that begins there, of streams of runs
    bits                already consumed of the current byte, of streams of booleans

An empty list in the first entry means zeros (files written before ORC-569).
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.errors import BreachHandler, Malformed, located, refuse, within
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, wanted_streams
from reference_impl.orc.framing import Stream
from reference_impl.orc.schema import BloomFilterIndex, EncodingKind, RowIndex, StreamKind, TypeKind
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.tail import read_message
from reference_impl.orc.types import BINARIES, STRINGS

_EXTRAS = {TypeKind.BOOLEAN: 2, TypeKind.FLOAT: 0, TypeKind.DOUBLE: 0}  # numbers behind the place in DATA
_RAW = (*STRINGS, *BINARIES, TypeKind.DECIMAL)  # whose DATA is no runs
LONGEST_RUN = 512  # values of a run of integers of version 2; all others are shorter
BLOOM_KINDS = (StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)


def group_count(rows: int, stride: int) -> int:
    """Return the number of row groups of a stripe; 0 where there are no indexes."""
    return -(-rows // stride) if stride else 0


def positioned(
    kind: TypeKind, encoding: EncodingKind, *, present: bool, is_decimal64: bool
) -> Iterator[tuple[StreamKind, int]]:
    """Yield the streams of a column that have positions, and how many numbers follow the place.

    `present`: the column has a PRESENT stream. `is_decimal64`: its decimals are stored as integers.
    """
    if present:
        yield StreamKind.PRESENT, 2
    only_integers = encoding in DICTIONARY_KINDS or is_decimal64
    for stream in (StreamKind.DATA,) if only_integers else wanted_streams(kind, encoding):
        if stream is not StreamKind.DATA or only_integers:
            yield stream, 1
        else:
            yield stream, _EXTRAS.get(kind, 0 if kind in _RAW else 1)


def stride_error(stride: int | None, offset: int) -> Malformed:
    """Return the error of a row index in a file without row groups."""
    message = f"rowIndexStride is {stride or 0}, and there is a row index"
    return Malformed(message, offset=offset, rule="ORC-FILE-012")


def row_index(
    stripe: Stripe, column: int, *, keep_spans: bool = False, breach: BreachHandler = refuse
) -> RowIndex | None:
    """Read the row index of a column, None if it has none.

    An index without row groups, or with another number of entries, goes to `breach`, and is not used
    (ORC-FILE-012, ORC-INDEX-001).
    """
    stream = stripe.stream(column, StreamKind.ROW_INDEX)
    if stream is None or not len(stream.raw):
        return None
    where = (f"stripes[{stripe.number}]", f"column {column}", "ROW_INDEX")
    with located(*where), stream.decoding():
        index = read_message(RowIndex, stream, keep_spans=keep_spans)
    error = _misfit(index, stripe, stream.base)
    if error is None:
        return index
    with located(*where):
        within(breach, *where)(error)
    return None


def _misfit(index: RowIndex, stripe: Stripe, offset: int) -> Malformed | None:
    """Return the error of an index that does not fit the rows of its stripe, None if it fits."""
    stride = stripe.tail.footer.row_index_stride or 0
    if index.entry and not stride:
        return stride_error(stride, offset)
    if len(index.entry) == group_count(stripe.rows, stride):
        return None
    message = f"{len(index.entry)} entries for {stripe.rows} rows, in groups of {stride}"
    return Malformed(message, offset=offset, rule="ORC-INDEX-001")


def bloom_filters(
    stripe: Stripe, column: int, *, keep_spans: bool = False
) -> dict[StreamKind, BloomFilterIndex]:
    """Read the Bloom filters of a column by kind of stream, without checking them."""
    out = {}
    for kind in BLOOM_KINDS:
        stream = stripe.stream(column, kind)
        if stream is not None:
            with located(f"stripes[{stripe.number}]", f"column {column}", kind.name), stream.decoding():
                out[kind] = read_message(BloomFilterIndex, stream, keep_spans=keep_spans)
    return out


class Positions:
    """The positions of one entry, taken one after the other; `first`: of the first row group."""

    def __init__(self, numbers: tuple[int, ...], where: str, offset: int, *, first: bool = False) -> None:
        self.numbers = numbers
        self.first = first
        self.where = where
        self.offset = offset
        self.at = 0

    def take(self, count: int) -> tuple[int, ...]:
        """Return the next `count` numbers. Raises Malformed (ORC-INDEX-002) if fewer are left."""
        if self.first and not self.numbers:
            return (0,) * count
        taken = self.numbers[self.at : self.at + count]
        if len(taken) < count:
            raise self._fail(f"{len(self.numbers)} positions are too few")
        self.at += count
        return taken

    def place(self, stream: Stream | None, *, compressed: bool) -> int:
        """Return the place in a stream's bytes; a missing stream has positions too, and the place 0."""
        numbers = self.take(2 if compressed else 1)
        if stream is None:
            return 0
        return stream.locate(*numbers) if compressed else stream.locate(0, *numbers)

    def within(self, count: int) -> tuple[int, ...]:
        """Return how many values of a run to skip, and (if `count` is 2) how many bits of a byte."""
        taken = self.take(count)
        self.check(taken)
        return taken

    def check(self, taken: tuple[int, ...]) -> None:
        """Refuse more values or bits than a run or a byte holds; raises Malformed (ORC-INDEX-003)."""
        if any(number > most for number, most in zip(taken, (LONGEST_RUN, 7), strict=False)):
            raise self._fail(f"{taken} values and bits consumed of a run", "ORC-INDEX-003")

    def finish(self) -> None:
        """Check that no numbers are left; raises Malformed (ORC-INDEX-002)."""
        if self.at < len(self.numbers):
            raise self._fail(f"{len(self.numbers) - self.at} of {len(self.numbers)} positions are left over")

    def _fail(self, message: str, rule: str = "ORC-INDEX-002") -> Malformed:
        return Malformed(message, offset=self.offset, rule=rule, path=(self.where,))
