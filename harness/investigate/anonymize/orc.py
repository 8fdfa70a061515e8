"""ORC files with other names and values, changed stream by stream.

Streams keep their order, chunks their uncompressed sizes, and runs their kinds, lengths and places. PRESENT,
LENGTH, dictionary ids, scales and nanoseconds stay. Positions of row indexes are moved with the runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from harness.investigate.anonymize import drafts
from harness.investigate.anonymize.orc_columns import BLOOMS, MOMENTS, Column
from harness.investigate.anonymize.orc_statistics import Sums
from harness.investigate.anonymize.orc_streams import Changed, Source, changed, sources
from reference_impl.errors import ReferenceError_, Unsupported
from reference_impl.orc.anatomy import Anatomy, StreamPart, StripePart, assemble, dissect
from reference_impl.orc.column_encodings import is_decimal64
from reference_impl.orc.framing import open_stream
from reference_impl.orc.index import positioned
from reference_impl.orc.schema import (
    CompressionKind,
    EncodingKind,
    Footer,
    RowIndex,
    RowIndexEntry,
    StreamKind,
    Type,
)
from reference_impl.wire import protobuf

_KNOWN = ("hive.", "pandas", "presto", "trino", "spark", "org.apache.spark.", "writer.", "iceberg.")


def paths(footer: Footer) -> list[tuple[str, ...]]:
    """Return the path of each type by field names; a child without a name has its index."""
    paths_by_type: list[tuple[str, ...]] = [()] * len(footer.types)
    for number, type_ in enumerate(footer.types):
        for at, child in enumerate(type_.subtypes):
            name = type_.field_names[at] if at < len(type_.field_names) else str(at)
            if number < child < len(paths_by_type):
                paths_by_type[child] = (*paths_by_type[number], name)
    return paths_by_type


def anonymize(
    data: bytes, random: Random, wanted: dict[tuple[str, ...], set[Any]]
) -> tuple[bytes, drafts.Names]:
    """Return the file with other names and values, and the maps from the old to the new ones.

    `wanted` are constants of queries, by the path of their column, which are mapped too. Raises Unsupported,
    with a line, for parts that are not anonymized, and Malformed for a file that cannot be read.
    """
    return drafts.finished(Draft(data, wanted), (), random)


class Draft:
    """A file whose values are collected, to be written once its columns are closed; raises as `anonymize`."""

    def __init__(self, data: bytes, wanted: dict[tuple[str, ...], set[Any]]) -> None:
        self._anatomy = anatomy = dissect(data)
        if anatomy.footer.value is None or anatomy.postscript.value is None or anatomy.tail.encryption:
            raise Unsupported("a tail that is encrypted, or cannot be read, is not anonymized")
        named = paths(anatomy.tail)
        self.columns = [Column(type_, path) for type_, path in zip(anatomy.tail.types, named, strict=True)]
        self.names = [name for type_ in anatomy.tail.types for name in type_.field_names]
        for column in self.columns:
            column.values |= wanted.get(column.path, set())
        self._work = _Work(anatomy, self.columns)

    def finished(self, names: dict[str, str], _: Random) -> bytes:
        """Return the file with other values, by the maps of its columns, and names."""
        anatomy, work = self._anatomy, self._work
        new_anatomy = replace(
            anatomy,
            stripes=tuple(work.stripe(number) for number in range(len(anatomy.stripes))),
            gap=bytes(len(anatomy.gap)),
            footer=replace(anatomy.footer, value=work.footer(names)),
            metadata=replace(anatomy.metadata, value=work.metadata()),
        )
        return assemble(new_anatomy)


class _Work:
    """A file that is changed: the values of its streams are collected first, then parts are written."""

    def __init__(self, anatomy: Anatomy, columns: list[Column]) -> None:
        self.anatomy = anatomy
        self.columns = columns
        self.sums = Sums(columns)
        self._sources: list[dict[int, Source]] = []
        for number, stripe in enumerate(anatomy.stripes):
            if stripe.footer.value is None or not stripe.placed or stripe.rest:
                raise Unsupported(f"stripe {number} cannot be read, and is not anonymized")
            self._check(stripe)
            by_column = sources(anatomy, stripe, columns)
            self._sources.append(by_column)
            for at, source in by_column.items():
                columns[at].values.update(source.values)
                self.sums.add(at, number, source.values)
        self._collect_bounds()

    def _check(self, stripe: StripePart) -> None:
        zone = stripe.footer.value.writer_timezone if stripe.footer.value else None
        if any(column.type.kind in MOMENTS for column in self.columns) and zone not in {None, "UTC", "GMT"}:
            raise Unsupported(f"timestamps of a writer in {zone} are not anonymized")
        for part in stripe.streams:
            if part.kind in BLOOMS:
                raise Unsupported(f"column {part.column}: Bloom filters of ORC are not anonymized")
            if part.column >= len(self.columns) or part.kind is None:
                raise Unsupported(f"an unknown stream of column {part.column} is not anonymized")

    def _collect_bounds(self) -> None:
        """Collect all bounds."""

        def note(column: Column) -> Any:
            def noted(value: Any) -> Any:
                column.values.add(value)
                return value

            return noted

        for at, statistics in self._statistics():
            self.columns[at].bounds(statistics, note(self.columns[at]))

    def _statistics(self) -> Iterator[tuple[int, Any]]:
        tail = self.anatomy.tail
        several = [tail.statistics]
        if self.anatomy.metadata.value is not None:
            several += [
                stripe_statistics.col_stats for stripe_statistics in self.anatomy.metadata.value.stripe_stats
            ]
        elif self.anatomy.metadata.stored:
            raise Unsupported("metadata that cannot be read are not anonymized")
        for some in several:
            yield from zip(range(len(self.columns)), some, strict=False)
        for stripe in self.anatomy.stripes:
            for part in stripe.streams:
                if part.kind is StreamKind.ROW_INDEX:
                    for entry in self._index(part).entry:
                        if entry.statistics is not None:
                            yield part.column, entry.statistics

    def _index(self, part: StreamPart) -> RowIndex:
        data = self.anatomy.opened(part.stored)
        try:
            return protobuf.decode(RowIndex, data or b"")
        except ReferenceError_ as error:
            raise Unsupported(f"column {part.column}: a row index that cannot be read: {error}") from error

    def footer(self, words: dict[str, str]) -> Footer:
        """Return the footer with other names and statistics."""
        tail = self.anatomy.tail
        columns = range(len(self.columns))
        return replace(
            tail,
            types=tuple(_type(entry, words) for entry in tail.types),
            metadata=tuple(
                replace(entry, value=b"", name=entry.name if (entry.name or "").startswith(_KNOWN) else "x")
                for entry in tail.metadata
            ),
            statistics=tuple(
                self.sums.other(at, entry, None, None) if at in columns else entry
                for at, entry in enumerate(tail.statistics)
            ),
        )

    def metadata(self) -> Any:
        """Return the statistics of stripes."""
        value = self.anatomy.metadata.value
        if value is None:
            return None
        return replace(
            value,
            stripe_stats=tuple(
                replace(
                    stripe_statistics,
                    col_stats=tuple(
                        self.sums.other(at, each, number, None) if at < len(self.columns) else each
                        for at, each in enumerate(stripe_statistics.col_stats)
                    ),
                )
                for number, stripe_statistics in enumerate(value.stripe_stats)
            ),
        )

    def stripe(self, number: int) -> StripePart:
        """Return a stripe with other values."""
        stripe = self.anatomy.stripes[number]
        new_streams: dict[tuple[int, StreamKind | None], Changed] = {}
        for at, source in self._sources[number].items():
            new_stream = changed(self.anatomy, source, self.columns[at])
            new_streams[at, source.part.kind] = new_stream
        streams = []
        for part in stripe.streams:
            if part.kind is StreamKind.ROW_INDEX:
                streams.append(self._indexed(number, stripe, part, new_streams))
            elif (part.column, part.kind) in new_streams:
                streams.append(replace(part, stored=new_streams[part.column, part.kind].framed.data))
            else:
                streams.append(part)
        return replace(stripe, streams=tuple(streams), gap=bytes(len(stripe.gap)))

    def _indexed(
        self,
        number: int,
        stripe: StripePart,
        part: StreamPart,
        new_streams: dict[tuple[int, StreamKind | None], Changed],
    ) -> StreamPart:
        index, column = self._index(part), self.columns[part.column]
        data = next((stream for (at, _), stream in new_streams.items() if at == part.column), None)
        entries, firsts = [], []
        for at, entry in enumerate(index.entry):
            moved, first = self._entry(stripe, part.column, entry, data)
            entries.append(moved)
            firsts.append(first if at else 0)
        if data is not None and data.source.by_value:
            ends = [*firsts[1:], len(data.source.values)]
        else:
            firsts, ends = [], []
        new = []
        for at, entry in enumerate(entries):
            if entry.statistics is None or column.stays:
                new.append(entry)
                continue
            span = (firsts[at] or 0, ends[at] or 0) if firsts else None
            statistics = self.sums.other(part.column, entry.statistics, number, span)
            new.append(replace(entry, statistics=statistics))
        stored = self.anatomy.framed(protobuf.encode(replace(index, entry=tuple(new))))
        return replace(part, stored=stored)

    def _entry(
        self, stripe: StripePart, column: int, entry: RowIndexEntry, data: Changed | None
    ) -> tuple[RowIndexEntry, int | None]:
        """Return an entry with its new position in a changed stream, and the index of its first value."""
        footer = stripe.footer.value
        if data is None or not entry.positions or footer is None:
            return entry, None
        type_ = self.columns[column].type
        encoding = footer.columns[column].kind or EncodingKind.DIRECT
        assert type_.kind is not None
        is_short = is_decimal64(type_.kind, type_.precision, self.anatomy.end.version)
        present = stripe.find(column, StreamKind.PRESENT) is not None
        places = 1 if self.anatomy.codec is CompressionKind.NONE else 2
        out, at, first = list(entry.positions), 0, None
        for stream, extras in positioned(type_.kind, encoding, present=present, is_decimal64=is_short):
            place = entry.positions[at : at + places]
            if stream is data.source.part.kind:
                if len(place) != places:
                    raise Unsupported(f"column {column}: too few positions are not anonymized")
                old = self._stream(data.source.part).locate(*((0, *place) if places == 1 else place))
                moved, before = data.moved(old)
                out[at : at + places] = data.framed.position(moved)
                skip = entry.positions[at + places] if extras and len(entry.positions) > at + places else 0
                first = before + (skip if extras else 0)
            at += places + extras
        return replace(entry, positions=tuple(out)), first

    def _stream(self, part: StreamPart) -> Any:
        own = self.anatomy
        return open_stream(memoryview(part.stored), own.codec, own.block_size, 0, own.limits)


def _type(type_: Type, words: dict[str, str]) -> Type:
    return replace(
        type_,
        field_names=tuple(words[name] for name in type_.field_names),
        attributes=tuple(
            each if (each.key or "").startswith(_KNOWN) else replace(each, key="x", value="")
            for each in type_.attributes
        ),
    )
