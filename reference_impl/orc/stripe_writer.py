"""A stripe: its streams, indexes first, in the order of the plan, and its footer ("Stripes").

    ROW_INDEX and BLOOM_FILTER streams | PRESENT, DATA, LENGTH, … streams | StripeFooter

All of them are compressed by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

from reference_impl.errors import UsageError
from reference_impl.orc import bloom, statistics, statistics_writer
from reference_impl.orc.column_writer import ColumnWriter
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import Order
from reference_impl.orc.schema import (
    BloomFilter,
    BloomFilterIndex,
    ColumnEncoding,
    ColumnStatistics,
    RowIndex,
    RowIndexEntry,
    Stream,
    StreamKind,
    StripeFooter,
    TypeKind,
)
from reference_impl.orc.shred import shred
from reference_impl.orc.tamper import Place
from reference_impl.orc.unknown import with_unknown
from reference_impl.orc.zone_writer import clock
from reference_impl.wire import protobuf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reference_impl.orc.column_writer import Raw
    from reference_impl.orc.plan import Bloom, Chunks, Column, FilePlan, Row
    from reference_impl.orc.shred import Entries
    from reference_impl.orc.statistics import Summary
    from reference_impl.orc.tamper import Tamper
    from reference_impl.orc.types import TypeNode
    from reference_impl.wire.table import Struct

INDEXES = (StreamKind.ROW_INDEX, StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)
_NANOS = 10**9


class Stored(NamedTuple):
    """A stream as it stands in the file."""

    place: Place
    kind: StreamKind
    data: bytes


@dataclass
class WrittenStripe:
    """A stripe, and what the tail has to say of it: of each column what is true, and bytes of its data."""

    rows: int
    index: bytes
    data: bytes
    footer: bytes
    summaries: list[Summary]
    on_disk: list[int]


@dataclass
class Context:
    """What all parts of a file are written with."""

    plan: FilePlan
    tamper: Tamper
    root: TypeNode
    instant: Callable[[int], int] = field(init=False)

    def __post_init__(self) -> None:
        self.instant = clock(self.plan.writer_timezone)

    def message(self, value: Struct) -> bytes:
        """Answer a message as bytes."""
        if self.plan.unknown_fields:
            value = with_unknown(value)
        return protobuf.encode(value, unpacked=self.plan.unpacked)

    def framed(self, chunks: Chunks, data: bytes) -> bytes:
        """Answer bytes as compression chunks."""
        return frame(self.plan.compression, chunks, self.plan.block_size, data).data

    def statistics(
        self, node: TypeNode, wanted: Column, summary: Summary, place: Place, on_disk: int
    ) -> ColumnStatistics:
        """Answer the statistics of a stripe or file, empty ones where none are wanted."""
        writer = statistics_writer.Writer(node, self.instant)
        layout = wanted.statistics
        made = writer.make(layout, summary, on_disk) if layout else ColumnStatistics()
        return self.tamper.statistics(place, None, made)


def write_stripe(context: Context, number: int, rows: Sequence[Row]) -> WrittenStripe:
    """Write the streams and the footer of a stripe; raises UsageError."""
    changed = context.tamper.rows(number, list(rows))
    columns = shred(context.root, changed, context.plan.row_index_stride)
    writers = [_Column(context, number, entries) for entries in columns]
    for writer in writers:
        writer.write()
    index = _ordered(context.plan, [stream for writer in writers for stream in writer.index])
    data = _ordered(context.plan, [stream for writer in writers for stream in writer.data])
    footer = StripeFooter(
        streams=tuple(
            Stream(kind=stream.kind, column=stream.place.column, length=len(stream.data))
            for stream in (*index, *data)
        ),
        columns=tuple(writer.encoding for writer in writers),
        writer_timezone=context.plan.writer_timezone,
    )
    made = context.message(context.tamper.stripe_footer(number, footer))
    stored = context.tamper.stripe_footer_bytes(number, context.framed(context.plan.tail_chunks, made))
    return WrittenStripe(
        len(changed),
        b"".join(stream.data for stream in index),
        b"".join(stream.data for stream in data),
        stored,
        [writer.summary for writer in writers],
        [sum(len(stream.data) for stream in writer.data) for writer in writers],
    )


def _ordered(plan: FilePlan, streams: list[Stored]) -> list[Stored]:
    """Put streams, which come by column, into the order of the plan."""
    if plan.order is Order.REVERSED:
        streams.reverse()
    elif plan.order is Order.KINDS:
        streams = sorted(streams, key=lambda stream: stream.kind)
    if not plan.stream_ranks:
        return streams
    ranked = zip(cycle(plan.stream_ranks), streams, strict=False)
    return [stream for _, stream in sorted(ranked, key=lambda pair: pair[0])]


class _Column:
    """One column of the stripe: its streams, its indexes, and what is true of it."""

    def __init__(self, context: Context, stripe: int, entries: Entries) -> None:
        self.context = context
        self.tamper = context.tamper
        self.entries = entries
        self.node = entries.node
        self.layout = context.plan.column(stripe, self.node.id)
        self.place = Place(stripe, self.node.id)
        self.summary = statistics.merge(self.node.kind, ())
        self.encoding = ColumnEncoding()
        self.index: list[Stored] = []
        self.data: list[Stored] = []

    def write(self) -> None:
        writer = ColumnWriter(
            self.entries, self.layout, self.place.stripe or 0, self.tamper, self.context.instant
        )
        raws = writer.streams()
        self.encoding = ColumnEncoding(kind=writer.encoding(), dictionary_size=writer.dictionary_size)
        positions: list[tuple[int, ...]] = [()] * len(self.entries.groups)
        for raw in raws:
            for group, position in enumerate(self._store(raw)):
                positions[group] += position
        groups = [self._summary(group) for group in range(len(self.entries.groups))]
        self.summary = statistics.merge(self.node.kind, groups)
        if self.context.plan.row_index_stride:
            self._row_index(positions, groups)
            self._blooms()
        elif self.layout.bloom is not None:
            raise UsageError("Bloom filters without row groups")

    def _store(self, raw: Raw) -> list[tuple[int, ...]]:
        """Frame a stream; answer its part of each row group's positions."""
        place = self.place._replace(kind=raw.kind)
        plan = self.context.plan
        chunks = self.layout.chunks or plan.chunks
        framed = frame(plan.compression, chunks, plan.block_size, raw.data)
        data = framed.data
        changed = self.tamper.stream(place, raw.data)
        if changed != raw.data:
            data = frame(plan.compression, chunks, plan.block_size, changed).data
        self._add(self.data, raw.kind, data)
        return [framed.position(mark[0]) + mark[1:] for mark in raw.marks or ()]

    def _add(self, streams: list[Stored], kind: StreamKind, data: bytes) -> None:
        place = self.place._replace(kind=kind)
        data = self.tamper.stored(place, data)
        if data or self.layout.empty_streams:
            streams.append(Stored(place, kind, data))

    def _summary(self, group: int) -> Summary:
        values = self.entries.of_group(group)
        return statistics.summarize(self.node.kind, values, scale=self._scale)

    @property
    def _scale(self) -> int:
        return self.node.scale if self.node.kind is TypeKind.DECIMAL else 0

    def _row_index(self, positions: list[tuple[int, ...]], groups: list[Summary]) -> None:
        wanted = self.layout.index
        if wanted is None:
            return
        writer = statistics_writer.Writer(self.node, self.context.instant)
        entries = []
        for group, summary in enumerate(groups):
            told = () if wanted.empty_first and group == 0 else positions[group]
            found = None
            if wanted.statistics is not None:
                found = self.tamper.statistics(self.place, group, writer.make(wanted.statistics, summary))
            entries.append(
                RowIndexEntry(positions=self.tamper.positions(self.place, group, told), statistics=found)
            )
        made = self.tamper.row_index(self.place, RowIndex(entry=tuple(entries)))
        self._add_index(StreamKind.ROW_INDEX, made)

    def _add_index(self, kind: StreamKind, message: Struct | None) -> None:
        if message is not None:
            data = self.tamper.stream(self.place._replace(kind=kind), self.context.message(message))
            chunks = self.layout.chunks or self.context.plan.chunks
            self._add(self.index, kind, self.context.framed(chunks, data))

    def _blooms(self) -> None:
        wanted = self.layout.bloom
        if wanted is None:
            return
        if wanted.words < 1 or wanted.hashes < 1 or self.node.kind not in bloom.KINDS:
            raise UsageError(f"{wanted} of {self.node.kind.name}")
        self.encoding.bloom_encoding = wanted.encoding
        if wanted.original:
            self._bloom(wanted, StreamKind.BLOOM_FILTER)
        if wanted.utf8:
            self._bloom(wanted, StreamKind.BLOOM_FILTER_UTF8)

    def _bloom(self, wanted: Bloom, kind: StreamKind) -> None:
        utf8 = kind is StreamKind.BLOOM_FILTER_UTF8
        # "UTC" is what bloom_encoding 1 stands for, and only for the newer stream (ORC-135)
        local = self.node.kind is TypeKind.TIMESTAMP and not (utf8 and wanted.encoding == 1)
        filters = []
        for group in range(len(self.entries.groups)):
            values = [value for value in self.entries.of_group(group) if value is not None]
            if local:
                values = [(self.context.instant(seconds), nanos) for seconds, nanos in values]
            hashes = [bloom.hash_of(self.node.kind, value, self._scale) for value in values]
            bits = bloom.build(hashes, wanted.words, wanted.hashes)
            if utf8:
                raw = b"".join(word.to_bytes(8, "little") for word in bits)
                filters.append(BloomFilter(num_hash_functions=wanted.hashes, utf8bitset=raw))
            else:
                filters.append(BloomFilter(num_hash_functions=wanted.hashes, bitset=tuple(bits)))
        place = self.place._replace(kind=kind)
        made = self.tamper.bloom(place, BloomFilterIndex(bloom_filter=tuple(filters)))
        self._add_index(kind, made)
