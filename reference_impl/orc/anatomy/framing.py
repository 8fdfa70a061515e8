"""Changes of compression, with row indexes whose positions follow the streams.

A position of a compressed stream names a chunk by the place of its header; in other chunks, the same
byte has another position ("Row Group Index").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy.parts import Anatomy, Message, S, StreamPart, StripePart
from reference_impl.orc.column_encodings import is_decimal64
from reference_impl.orc.framing import DEFAULT_BLOCK_SIZE, MAX_BLOCK_SIZE, Stream, open_stream
from reference_impl.orc.framing_writer import Framed
from reference_impl.orc.index import positioned
from reference_impl.orc.schema import CompressionKind, EncodingKind, RowIndex, RowIndexEntry, StreamKind
from reference_impl.wire import protobuf


def with_codec(
    anatomy: Anatomy, codec: CompressionKind, block_size: int | None = None, sizes: Sequence[int] = ()
) -> Anatomy:
    """Return the file in another codec, block size (default: unchanged) or with other chunk sizes.

    Positions of row indexes are computed anew; a row index is dropped where they cannot be. A stream that
    does not decompress and a message that could not be read stay as they are.
    """
    block = block_size or (anatomy.block_size if 1 <= anatomy.block_size <= MAX_BLOCK_SIZE else None)
    block = block or DEFAULT_BLOCK_SIZE
    declared = None if anatomy.end.compression_block_size is None and block == DEFAULT_BLOCK_SIZE else block
    end = replace(anatomy.end, compression=codec, compression_block_size=declared)
    unknown = tuple(each for each in end.unknown if each[0] != 2)
    new = replace(
        anatomy,
        codec=codec,
        block_size=block,
        postscript=replace(anatomy.postscript, value=replace(end, unknown=unknown)),
    )
    move = _Move(anatomy, new, tuple(sizes))
    return replace(
        new,
        stripes=tuple(map(move.stripe, anatomy.stripes)),
        metadata=move.message(anatomy.metadata),
        footer=move.message(anatomy.footer),
    )


class _Move:
    """Moves bytes from the framing of one file into the framing of another."""

    def __init__(self, old: Anatomy, new: Anatomy, sizes: tuple[int, ...]) -> None:
        self.old = old
        self.new = new
        self.sizes = sizes

    def stored(self, stored: bytes) -> bytes:
        data = self.old.opened(stored)
        return stored if data is None else self.new.framed(data, self.sizes)

    def message(self, message: Message[S]) -> Message[S]:
        return replace(message, stored=self.stored(message.stored))

    def stripe(self, stripe: StripePart) -> StripePart:
        streams: list[StreamPart] = []
        framed: dict[tuple[int, StreamKind], tuple[Stream, Framed]] = {}
        for part in stripe.streams:
            if part.kind is StreamKind.ROW_INDEX:
                continue
            stream = self.stream(part)
            try:
                moved = self.new.frame(bytes(stream.data), self.sizes)
            except ReferenceError_:
                continue
            if part.kind is not None:
                framed[part.column, part.kind] = (stream, moved)
        for part in stripe.streams:
            if part.kind is StreamKind.ROW_INDEX:
                index = self.index(stripe, part, framed)
                if index is not None:
                    streams.append(replace(part, stored=self.new.framed(protobuf.encode(index), self.sizes)))
            elif part.kind is not None and (part.column, part.kind) in framed:
                streams.append(replace(part, stored=framed[part.column, part.kind][1].data))
            else:
                streams.append(replace(part, stored=self.stored(part.stored)))
        return replace(stripe, streams=tuple(streams), footer=self.message(stripe.footer))

    def stream(self, part: StreamPart) -> Stream:
        old = self.old
        return open_stream(memoryview(part.stored), old.codec, old.block_size, 0, old.limits)

    def index(
        self,
        stripe: StripePart,
        part: StreamPart,
        framed: dict[tuple[int, StreamKind], tuple[Stream, Framed]],
    ) -> RowIndex | None:
        """Return a row index with the positions of the new framing, None if the old ones do not fit."""
        data = self.old.opened(part.stored)
        types, columns = self.old.tail.types, stripe.footer.value.columns if stripe.footer.value else ()
        if data is None or part.column >= min(len(types), len(columns)):
            return None
        type_, postscript = types[part.column], self.old.postscript.value
        encoding = columns[part.column].kind or EncodingKind.DIRECT
        if type_.kind is None or postscript is None:
            return None
        present = stripe.find(part.column, StreamKind.PRESENT) is not None
        is_short = is_decimal64(type_.kind, type_.precision, postscript.version)
        streams = list(positioned(type_.kind, encoding, present=present, is_decimal64=is_short))
        try:
            index = protobuf.decode(RowIndex, data)
            return replace(
                index, entry=tuple(self.entry(each, part.column, streams, framed) for each in index.entry)
            )
        except (ReferenceError_, _MisfitError):
            return None

    def entry(
        self,
        entry: RowIndexEntry,
        column: int,
        streams: list[tuple[StreamKind, int]],
        framed: dict[tuple[int, StreamKind], tuple[Stream, Framed]],
    ) -> RowIndexEntry:
        if not entry.positions:
            return entry
        places = 1 if self.old.codec is CompressionKind.NONE else 2
        if len(entry.positions) != sum(places + extras for _, extras in streams):
            raise _MisfitError
        out: list[int] = []
        at = 0
        for kind, extras in streams:
            place = entry.positions[at : at + places]
            at += places
            framing = framed.get((column, kind))
            if framing is None:  # an empty stream that is not there; its positions are zeros
                out += (0,) * (1 if self.new.codec is CompressionKind.NONE else 2)
            else:
                old, new = framing
                out += new.position(old.locate(*((0, *place) if places == 1 else place)))
            out += entry.positions[at : at + extras]
            at += extras
        return replace(entry, positions=tuple(out))


class _MisfitError(Exception):
    """An entry has too few or too many positions."""


def without_entry_statistics(anatomy: Anatomy) -> Anatomy:
    """Return the file without statistics of row groups; an index that cannot be read stays as it is."""
    return with_row_indexes(
        anatomy,
        lambda index: replace(index, entry=tuple(replace(each, statistics=None) for each in index.entry)),
    )


def with_row_indexes(anatomy: Anatomy, change: Callable[[RowIndex], RowIndex]) -> Anatomy:
    """Return the file with all readable row indexes changed."""

    def index(part: StreamPart) -> StreamPart:
        data = anatomy.opened(part.stored) if part.kind is StreamKind.ROW_INDEX and part.stored else None
        if data is None:
            return part
        try:
            old = protobuf.decode(RowIndex, data)
        except ReferenceError_:
            return part
        new = change(old)
        return part if new == old else replace(part, stored=anatomy.framed(protobuf.encode(new)))

    stripes = tuple(replace(stripe, streams=tuple(map(index, stripe.streams))) for stripe in anatomy.stripes)
    return replace(anatomy, stripes=stripes)
