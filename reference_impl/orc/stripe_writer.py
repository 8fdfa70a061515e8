"""Writing a stripe: its streams, indexes first, in the order of the plan, and its footer ("Stripes").

    ROW_INDEX and BLOOM_FILTER streams | PRESENT, DATA, LENGTH, … streams | StripeFooter

Each stream is compressed separately. Streams of encrypted columns follow the others of their area.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle
from typing import NamedTuple

from reference_impl.errors import UsageError
from reference_impl.orc import bloom, calendars, masks, statistics, statistics_writer
from reference_impl.orc.column_encodings import is_decimal64
from reference_impl.orc.column_writer import ColumnWriter, Raw
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import Bloom, FilePlan, Order, Row
from reference_impl.orc.schema import (
    BloomFilter,
    BloomFilterIndex,
    ColumnEncoding,
    RowIndex,
    RowIndexEntry,
    Stream,
    StreamKind,
    StripeEncryptionVariant,
    StripeFooter,
    TypeKind,
)
from reference_impl.orc.shred import Entries, shred
from reference_impl.orc.statistics import Summary
from reference_impl.orc.tamper import Place
from reference_impl.orc.write_context import Context
from reference_impl.wire.table import Struct


class Stored(NamedTuple):
    """A stream as it is stored in the file."""

    place: Place
    kind: StreamKind
    data: bytes


class StripeColumn:
    """A column of a stripe, of the encrypted variant `variant` unless that is None."""

    def __init__(self, context: Context, stripe: int, entries: Entries, variant: int | None = None) -> None:
        self.context = context
        self.tamper = context.tamper
        self.entries = entries
        self.node = entries.node
        self.layout = context.plan.column(stripe, self.node.id)
        self.place = Place(stripe, self.node.id, variant=variant)
        self.summary = statistics.merge(self.node.kind, ())
        self.encoding = ColumnEncoding()
        self.index: list[Stored] = []
        self.data: list[Stored] = []

    @property
    def _is_decimal64(self) -> bool:
        """Whether values are decimals that are stored as integers."""
        return is_decimal64(self.node.kind, self.node.precision, self.context.plan.version)

    @property
    def _clock(self) -> Callable[[int], int]:
        """Moves seconds of the wall clock of the stripe's writer to UTC."""
        return self.context.clock(self.place.stripe or 0)

    @property
    def on_disk(self) -> int:
        """The size of its data streams."""
        return sum(len(stream.data) for stream in self.data)

    def write(self) -> None:
        """Build the streams; raises UsageError."""
        writer = ColumnWriter(
            self.entries,
            self.layout,
            self.place.stripe or 0,
            self.tamper,
            self._clock,
            is_decimal64=self._is_decimal64,
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
        """Frame and store a stream; return its part of each row group's positions."""
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
        if place.variant is not None and self.context.sealing is not None:
            stripe, column = place.stripe or 0, place.column
            data = self.context.sealing.stream(stripe, place.variant, column, kind, data)
            data = self.tamper.sealed(place, data)
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
        writer = statistics_writer.Writer(self.node, self._clock)
        entries = []
        for group, summary in enumerate(groups):
            numbers = () if wanted.empty_first and group == 0 else positions[group]
            message = None
            if wanted.statistics is not None:
                message = self.tamper.statistics(self.place, group, writer.make(wanted.statistics, summary))
            entries.append(
                RowIndexEntry(positions=self.tamper.positions(self.place, group, numbers), statistics=message)
            )
        index = self.tamper.row_index(self.place, RowIndex(entry=tuple(entries)))
        self._add_index(StreamKind.ROW_INDEX, index)

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
        if self._is_decimal64:
            raise UsageError(
                "Bloom filters of decimals of at most 18 digits are not defined in version 1.9999"
            )
        self.encoding.bloom_encoding = wanted.encoding
        if wanted.original:
            self._bloom(wanted, StreamKind.BLOOM_FILTER)
        if wanted.utf8:
            self._bloom(wanted, StreamKind.BLOOM_FILTER_UTF8)

    def _bloom(self, wanted: Bloom, kind: StreamKind) -> None:
        utf8 = kind is StreamKind.BLOOM_FILTER_UTF8
        # bloom_encoding 1 means UTC, and holds for the newer stream only (ORC-135)
        local = self.node.kind is TypeKind.TIMESTAMP and not (utf8 and wanted.encoding == 1)
        filters = []
        for group in range(len(self.entries.groups)):
            values = [value for value in self.entries.of_group(group) if value is not None]
            if local:
                values = [(self._clock(seconds), nanos) for seconds, nanos in values]
            hashes = [bloom.hash_of(self.node.kind, value, self._scale) for value in values]
            bits = bloom.build(hashes, wanted.words, wanted.hashes)
            if utf8:
                raw = b"".join(word.to_bytes(8, "little") for word in bits)
                filters.append(BloomFilter(num_hash_functions=wanted.hashes, utf8bitset=raw))
            else:
                filters.append(BloomFilter(num_hash_functions=wanted.hashes, bitset=tuple(bits)))
        place = self.place._replace(kind=kind)
        index = self.tamper.bloom(place, BloomFilterIndex(bloom_filter=tuple(filters)))
        self._add_index(kind, index)


@dataclass
class WrittenStripe:
    """A stripe, with summary and data size of each column by encrypted variant (or None) and type id."""

    rows: int
    index: bytes
    data: bytes
    footer: bytes
    columns: dict[tuple[int | None, int], tuple[Summary, int]]


def write_stripe(
    context: Context, number: int, rows: Sequence[Row], masked: Sequence[Row] | None
) -> WrittenStripe:
    """Write the streams and the footer of a stripe; raises UsageError.

    `masked` are the rows of the unencrypted columns; if None, the masks are applied to `rows`.
    """
    changed = context.tamper.rows(number, list(rows))
    wanted, plain_rows = context.plan.encryption, changed
    if wanted is not None:
        plain_rows = masks.masked(context.root, changed, wanted) if masked is None else list(masked)
        if len(plain_rows) != len(changed):
            raise UsageError(f"{len(plain_rows)} masked rows for {len(changed)}")
    plain, *sealed = variants = list(_written(context, number, plain_rows, changed))
    index, *hidden_index = (_ordered(context.plan, [each.index for each in columns]) for columns in variants)
    data, *hidden_data = (_ordered(context.plan, [each.data for each in columns]) for columns in variants)
    (zone,) = context.plan.timezones([number])
    footer = StripeFooter(
        streams=(
            *_infos(index),
            *_room(StreamKind.ENCRYPTED_INDEX, hidden_index),
            *_infos(data),
            *_room(StreamKind.ENCRYPTED_DATA, hidden_data),
        ),
        columns=tuple(column.encoding for column in plain),
        writer_timezone=zone,
        encryption=tuple(
            StripeEncryptionVariant(
                streams=(*_infos(first), *_infos(second)),
                encoding=tuple(column.encoding for column in columns),
            )
            for columns, first, second in zip(sealed, hidden_index, hidden_data, strict=True)
        ),
    )
    message = context.message(context.tamper.stripe_footer(number, footer))
    stored = context.tamper.stripe_footer_bytes(number, context.framed(context.plan.tail_chunks, message))
    by_place = {
        (column.place.variant, column.node.id): (column.summary, column.on_disk)
        for column in chain.from_iterable(variants)
    }
    streams = _joined([index, *hidden_index]), _joined([data, *hidden_data])
    return WrittenStripe(len(changed), *streams, stored, by_place)


def _written(
    context: Context, number: int, plain: Sequence[Row], rows: Sequence[Row]
) -> Iterator[list[StripeColumn]]:
    """Yield the columns without encryption, then those of each variant."""
    parts: list[tuple[int | None, list[Entries]]] = [(None, _shredded(context, plain))]
    if context.sealing is not None:
        columns = _shredded(context, rows)
        tops = enumerate(context.sealing.nodes)
        parts += [(variant, columns[node.id : node.max_id + 1]) for variant, node in tops]
    for variant, entries in parts:
        written = [StripeColumn(context, number, each, variant) for each in entries]
        for column in written:
            column.write()
        yield written


def _shredded(context: Context, rows: Sequence[Row]) -> list[Entries]:
    """Return the entries of all columns, with days of the calendar that the file names."""
    columns = shred(context.root, rows, context.plan.row_index_stride)
    if context.hybrid:
        for column in columns:
            if column.node.kind in calendars.DATED:
                column.values[:] = [calendars.stored(column.node.kind, value) for value in column.values]
    return columns


def _infos(streams: list[Stored]) -> tuple[Stream, ...]:
    return tuple(
        Stream(kind=stream.kind, column=stream.place.column, length=len(stream.data)) for stream in streams
    )


def _room(kind: StreamKind, streams: list[list[Stored]]) -> tuple[Stream, ...]:
    """Return the placeholder of encrypted streams, none where there are none."""
    length = sum(len(stream.data) for each in streams for stream in each)
    return (Stream(kind=kind, length=length),) if length else ()


def _joined(streams: list[list[Stored]]) -> bytes:
    return b"".join(stream.data for each in streams for stream in each)


def _ordered(plan: FilePlan, by_column: Iterable[list[Stored]]) -> list[Stored]:
    """Return the streams of columns in the order of the plan."""
    streams = list(chain.from_iterable(by_column))
    if plan.order is Order.REVERSED:
        streams.reverse()
    elif plan.order is Order.KINDS:
        streams = sorted(streams, key=lambda stream: stream.kind)
    if not plan.stream_ranks:
        return streams
    ranked = zip(cycle(plan.stream_ranks), streams, strict=False)
    return [stream for _, stream in sorted(ranked, key=lambda pair: pair[0])]
