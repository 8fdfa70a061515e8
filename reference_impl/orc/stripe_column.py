"""Writing a column of a stripe: its streams, framed and encrypted, its indexes and its statistics."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.errors import UsageError
from reference_impl.orc import bloom, statistics, statistics_writer
from reference_impl.orc.column_writer import ColumnWriter, Raw
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import Bloom
from reference_impl.orc.schema import (
    BloomFilter,
    BloomFilterIndex,
    ColumnEncoding,
    RowIndex,
    RowIndexEntry,
    StreamKind,
    TypeKind,
)
from reference_impl.orc.shred import Entries
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
    def on_disk(self) -> int:
        """The size of its data streams."""
        return sum(len(stream.data) for stream in self.data)

    def write(self) -> None:
        """Build the streams; raises UsageError."""
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
        writer = statistics_writer.Writer(self.node, self.context.instant)
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
                values = [(self.context.instant(seconds), nanos) for seconds, nanos in values]
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
