"""Mutations that move, copy or remove parts of files: streams, stripes, footers, columns.

An operation returns the changed parts, whose seals are right, or None if it is not possible. A part of a file
in another codec is compressed again, so that its contents reach the reader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from random import Random

from reference_impl.compression import has_lzo
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import Anatomy, StreamPart, edits
from reference_impl.orc.schema import INDEX_KINDS, CompressionKind, StreamKind

Operation = Callable[[Anatomy, tuple[Anatomy, ...], Random], Anatomy | None]

_COPIES = (1, 1, 2, 30)
_K = CompressionKind
_CODECS = (_K.NONE, _K.ZLIB, _K.SNAPPY, _K.LZ4, _K.ZSTD) * 3 + (_K.BROTLI, *([_K.LZO] if has_lzo() else ()))
_MOST_MOVED = 1 << 20  # bytes of a file that is compressed again


def donor(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy:
    """Choose a file to take parts from, one of the others or this file, in the codec of this file."""
    chosen = random.choice((parts, *others, *others))
    if (chosen.codec, chosen.block_size) == (parts.codec, parts.block_size):
        return chosen
    return edits.with_codec(chosen, parts.codec, parts.block_size)


def _stripe(parts: Anatomy, random: Random) -> int | None:
    """Choose a stripe with streams."""
    numbers = [number for number, stripe in enumerate(parts.stripes) if stripe.streams]
    return random.choice(numbers) if numbers else None


def _with_streams(parts: Anatomy, number: int, streams: tuple[StreamPart, ...]) -> Anatomy:
    return edits.with_stripe(parts, number, replace(parts.stripes[number], streams=streams))


def splice_stream(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Replace the bytes of a stream by those of another stream, preferably of the same kind."""
    number = _stripe(parts, random)
    if number is None:
        return None
    place = random.randrange(len(parts.stripes[number].streams))
    mine = parts.stripes[number].streams[place]
    candidates = [stream for _, _, stream in donor(parts, others, random).all_streams()]
    alike = [stream for stream in candidates if stream.kind is mine.kind and stream.stored != mine.stored]
    if alike and random.randrange(4):
        candidates = alike
    if not candidates:
        return None
    keep = bool(random.randrange(2))
    return edits.with_stored(parts, number, place, random.choice(candidates).stored, keep_index=keep)


def insert_stream(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Insert a copy of another stream."""
    number = _stripe(parts, random)
    candidates = [stream for _, _, stream in donor(parts, others, random).all_streams()]
    if number is None or not candidates:
        return None
    streams = list(parts.stripes[number].streams)
    streams.insert(random.randrange(len(streams) + 1), random.choice(candidates))
    return _with_streams(parts, number, tuple(streams))


def _on_streams(change: Callable[[list[StreamPart], Random], None]) -> Operation:
    """Return the operation that changes the list of streams of a stripe in place."""

    @wraps(change)
    def operation(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
        number = _stripe(parts, random)
        if number is None:
            return None
        streams = list(parts.stripes[number].streams)
        change(streams, random)
        return _with_streams(parts, number, tuple(streams))

    return operation


@_on_streams
def drop_stream(streams: list[StreamPart], random: Random) -> None:
    """Remove a stream."""
    del streams[random.randrange(len(streams))]


@_on_streams
def reorder_streams(streams: list[StreamPart], random: Random) -> None:
    """Shuffle the streams: mostly within index and data, which is legal."""
    random.shuffle(streams)
    if random.randrange(4):
        streams.sort(key=lambda stream: not stream.index)


@_on_streams
def relabel_stream(streams: list[StreamPart], random: Random) -> None:
    """Give a stream another kind or another column."""
    place = random.randrange(len(streams))
    part = streams[place]
    info = part.info
    if random.randrange(2):
        info = replace(info, column=random.choice(streams).column if random.randrange(4) else 1 << 31)
    else:
        info = replace(info, kind=random.choice(list(StreamKind)))
    index = info.kind in INDEX_KINDS if random.randrange(4) else part.index
    streams[place] = replace(part, info=info, index=index)


def splice_stripe(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Insert copies of a stripe."""
    candidates = donor(parts, others, random).stripes
    if not candidates:
        return None
    stripes = list(parts.stripes)
    place = random.randrange(len(stripes) + 1)
    stripes[place:place] = [random.choice(candidates)] * random.choice(_COPIES)
    return replace(parts, stripes=tuple(stripes))


def drop_stripe(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Remove a stripe, with or without its statistics."""
    if not parts.stripes:
        return None
    number = random.randrange(len(parts.stripes))
    if random.randrange(2):
        return edits.without_stripe(parts, number)
    return replace(parts, stripes=(*parts.stripes[:number], *parts.stripes[number + 1 :]))


def splice_stripe_footer(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Give a stripe the footer of another stripe, which does not fit its streams."""
    number = _stripe(parts, random)
    candidates = [stripe for stripe in donor(parts, others, random).stripes if stripe.footer.value]
    if number is None or not candidates:
        return None
    stripe, other = parts.stripes[number], random.choice(candidates)
    if random.randrange(2):  # unchanged: its lengths are those of other streams
        footer = replace(other.footer, raw=parts.opened(other.footer.stored))
        return edits.with_stripe(parts, number, replace(stripe, footer=footer))
    streams = tuple(
        replace(mine, info=theirs.info) for mine, theirs in zip(stripe.streams, other.streams, strict=False)
    )
    return edits.with_stripe(parts, number, replace(stripe, footer=other.footer, streams=streams))


def splice_footer(parts: Anatomy, others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Give the file the types, the statistics or the whole footer of another file."""
    theirs = donor(parts, others, random)
    if theirs is parts:
        return None
    kind = random.randrange(4)
    if kind == 0:
        return replace(parts, footer=replace(parts.footer, value=theirs.tail))
    if kind == 1:
        return replace(parts, metadata=theirs.metadata)
    name = "types" if kind == 2 else "statistics"
    return edits.with_footer(parts, lambda footer: replace(footer, **{name: getattr(theirs.tail, name)}))


def change_rows(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Change the number of rows of a stripe; that of the file is adapted."""
    if not parts.stripes:
        return None
    number = random.randrange(len(parts.stripes))
    stripe = parts.stripes[number]
    rows = random.choice((0, 1, stripe.rows + 1, stripe.rows - 1, stripe.rows * 2, 100_000, 1 << 40))
    info = replace(stripe.info, number_of_rows=max(0, rows))
    return edits.with_stripe(parts, number, replace(stripe, info=info))


def drop_column(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Remove a column with all its parts, or only its type, so that all later columns are shifted."""
    try:
        columns = edits.columns(parts)
    except ReferenceError_:
        return None
    if not columns:
        return None
    shorter = edits.without_column(parts, random.choice(columns))
    if random.randrange(4):
        return shorter
    return replace(shorter, stripes=parts.stripes)


def drop_optional(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Remove optional parts: statistics, indexes, filters, metadata or gaps."""
    names = ("statistics", "indexes", "blooms", "user_metadata", "gaps")
    changed: Anatomy = getattr(edits, f"without_{random.choice(names)}")(parts)
    return changed


def change_codec(parts: Anatomy, _others: tuple[Anatomy, ...], random: Random) -> Anatomy | None:
    """Change the codec or the block size of the file; row indexes are adapted."""
    if sum(len(stream.stored) for _, _, stream in parts.all_streams()) > _MOST_MOVED:
        return None
    block = random.choice((None, 1 << 18, 1 << 10, 100))
    return edits.with_codec(parts, random.choice(_CODECS), block)


OPERATIONS: dict[str, Operation] = {
    operation.__name__.replace("_", " "): operation
    for operation in (
        *(splice_stream, insert_stream, drop_stream, reorder_streams, relabel_stream, splice_stripe),
        *(drop_stripe, splice_stripe_footer, splice_footer, change_rows, drop_column, drop_optional),
        change_codec,
    )
}
