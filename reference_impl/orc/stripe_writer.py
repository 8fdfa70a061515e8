"""Writing a stripe: its streams, indexes first, in the order of the plan, and its footer ("Stripes").

    ROW_INDEX and BLOOM_FILTER streams | PRESENT, DATA, LENGTH, … streams | StripeFooter

Each stream is compressed by itself. Streams of encrypted columns stand behind the others of their area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from reference_impl.errors import UsageError
from reference_impl.orc import calendars, masks
from reference_impl.orc.plan import FilePlan, Order, Row
from reference_impl.orc.schema import (
    Stream,
    StreamKind,
    StripeEncryptionVariant,
    StripeFooter,
)
from reference_impl.orc.shred import Entries, shred
from reference_impl.orc.statistics import Summary
from reference_impl.orc.stripe_column import Stored, StripeColumn
from reference_impl.orc.write_context import Context


@dataclass
class WrittenStripe:
    """A stripe, with the summary and the data size of each column for the tail.

    `sealed` has both for the columns of each encrypted variant, by type id.
    """

    rows: int
    index: bytes
    data: bytes
    footer: bytes
    summaries: list[Summary]
    on_disk: list[int]
    sealed: list[dict[int, tuple[Summary, int]]]


def write_stripe(
    context: Context, number: int, rows: Sequence[Row], masked: Sequence[Row] | None = None
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
    writers = _written(context, number, plain_rows)
    sealed = _sealed(context, number, changed)
    index = _ordered(context.plan, [stream for writer in writers for stream in writer.index])
    data = _ordered(context.plan, [stream for writer in writers for stream in writer.data])
    hidden_index = [
        _ordered(context.plan, [stream for writer in each for stream in writer.index]) for each in sealed
    ]
    hidden_data = [
        _ordered(context.plan, [stream for writer in each for stream in writer.data]) for each in sealed
    ]
    footer = StripeFooter(
        streams=(
            *_infos(index),
            *_room(StreamKind.ENCRYPTED_INDEX, hidden_index),
            *_infos(data),
            *_room(StreamKind.ENCRYPTED_DATA, hidden_data),
        ),
        columns=tuple(writer.encoding for writer in writers),
        writer_timezone=context.plan.writer_timezone,
        encryption=tuple(
            StripeEncryptionVariant(
                streams=(*_infos(first), *_infos(second)), encoding=tuple(writer.encoding for writer in each)
            )
            for each, first, second in zip(sealed, hidden_index, hidden_data, strict=True)
        ),
    )
    message = context.message(context.tamper.stripe_footer(number, footer))
    stored = context.tamper.stripe_footer_bytes(number, context.framed(context.plan.tail_chunks, message))
    return WrittenStripe(
        len(changed),
        _joined([index, *hidden_index]),
        _joined([data, *hidden_data]),
        stored,
        [writer.summary for writer in writers],
        [writer.on_disk for writer in writers],
        [{writer.node.id: (writer.summary, writer.on_disk) for writer in each} for each in sealed],
    )


def _written(context: Context, number: int, rows: Sequence[Row]) -> list[StripeColumn]:
    """Write all columns."""
    columns = _shredded(context, rows)
    writers = [StripeColumn(context, number, entries) for entries in columns]
    for writer in writers:
        writer.write()
    return writers


def _sealed(context: Context, number: int, rows: Sequence[Row]) -> list[list[StripeColumn]]:
    """Write the columns of each variant."""
    if context.sealing is None:
        return []
    columns = _shredded(context, rows)
    out = []
    for variant, node in enumerate(context.sealing.nodes):
        own = columns[node.id : node.max_id + 1]
        out.append([StripeColumn(context, number, entries, variant) for entries in own])
        for writer in out[-1]:
            writer.write()
    return out


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


def _ordered(plan: FilePlan, streams: list[Stored]) -> list[Stored]:
    """Put streams, which are sorted by column, into the order of the plan."""
    if plan.order is Order.REVERSED:
        streams.reverse()
    elif plan.order is Order.KINDS:
        streams = sorted(streams, key=lambda stream: stream.kind)
    if not plan.stream_ranks:
        return streams
    ranked = zip(cycle(plan.stream_ranks), streams, strict=False)
    return [stream for _, stream in sorted(ranked, key=lambda pair: pair[0])]
