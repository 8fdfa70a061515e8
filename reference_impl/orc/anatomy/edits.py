"""Edits of a file: functions that return a changed anatomy, with all seals as they were.

Statistics of the file do not hold for fewer stripes, so dropping a stripe drops them. Where
a stream's framing changes, the positions of the row index are computed anew, and an index whose positions did
not fit before is dropped. Where a stream's values change, `with_stream` drops the row index of its column,
unless `keep_index` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from reference_impl.errors import UsageError
from reference_impl.orc.anatomy import framing
from reference_impl.orc.anatomy.parts import Anatomy, Message, S, StreamPart, StripePart
from reference_impl.orc.index import BLOOM_KINDS
from reference_impl.orc.schema import INDEX_KINDS, Footer, StreamKind, StripeFooter, TypeKind
from reference_impl.orc.types import build
from reference_impl.wire.table import Struct

T = TypeVar("T")
with_codec = framing.with_codec


def changed(message: Message[S], change: Callable[[S], S]) -> Message[S]:
    """Return a message with a changed value; a message that could not be read is unchanged."""
    return message if message.value is None else replace(message, value=change(message.value))


def with_footer(anatomy: Anatomy, change: Callable[[Footer], Footer]) -> Anatomy:
    """Return the file with a change made to its footer."""
    return replace(anatomy, footer=changed(anatomy.footer, change))


def with_stripe(anatomy: Anatomy, number: int, stripe: StripePart) -> Anatomy:
    """Return the file with a stripe replaced. Raises UsageError for a stripe that is not there."""
    _check(number, len(anatomy.stripes), "stripe")
    stripes = (*anatomy.stripes[:number], stripe, *anatomy.stripes[number + 1 :])
    return replace(anatomy, stripes=stripes)


def with_stripes(anatomy: Anatomy, numbers: Collection[int]) -> Anatomy:
    """Return the file with these stripes only, in their order, and without statistics of the file.

    The gap before a dropped stripe is dropped too. Raises UsageError for a stripe that is not there.
    """
    for number in numbers:
        _check(number, len(anatomy.stripes), "stripe")
    remaining = [number for number in range(len(anatomy.stripes)) if number in numbers]
    if len(remaining) == len(anatomy.stripes):
        return anatomy
    metadata = changed(
        anatomy.metadata, lambda value: replace(value, stripe_stats=_picked(value.stripe_stats, remaining))
    )
    smaller = replace(
        anatomy, stripes=tuple(anatomy.stripes[number] for number in remaining), metadata=metadata
    )
    return with_footer(smaller, lambda footer: replace(footer, statistics=()))


def without_stripe(anatomy: Anatomy, number: int) -> Anatomy:
    """Return the file without a stripe; see `with_stripes`."""
    _check(number, len(anatomy.stripes), "stripe")
    return with_stripes(anatomy, set(range(len(anatomy.stripes))) - {number})


def columns(anatomy: Anatomy) -> list[int]:
    """Return the columns that can be dropped: fields of structs, by type id.

    Raises Malformed or LimitExceeded if the types are no tree.
    """
    nodes = build(anatomy.tail.types).walk()
    return [node.id for node in nodes if node.parent is not None and node.parent.kind is TypeKind.STRUCT]


def without_column(anatomy: Anatomy, column: int) -> Anatomy:
    """Return the file without a field of a struct, with all types below the field and all their parts.

    Types, streams, encodings and statistics behind the field are renumbered. Raises UsageError for a column
    that is no field of a struct, Malformed or LimitExceeded if the types are no tree.
    """
    node = next((node for node in build(anatomy.tail.types).walk() if node.id == column), None)
    if node is None or node.parent is None or node.parent.kind is not TypeKind.STRUCT:
        raise UsageError(f"there is no field of a struct that is column {column}")
    place = node.parent.children.index(node)
    cut = _Cut(node.parent.id, place, column, node.max_id + 1, len(anatomy.tail.types))
    return replace(
        anatomy,
        stripes=tuple(cut.stripe(stripe) for stripe in anatomy.stripes),
        footer=changed(anatomy.footer, cut.footer),
        metadata=changed(
            anatomy.metadata,
            lambda value: replace(
                value,
                stripe_stats=tuple(
                    replace(each, col_stats=cut.items(each.col_stats)) for each in value.stripe_stats
                ),
            ),
        ),
    )


class _Cut:
    """Removes the columns `start:stop` from lists of `total` columns."""

    def __init__(self, parent: int, place: int, start: int, stop: int, total: int) -> None:
        self.parent = parent
        self.place = place
        self.start = start
        self.stop = stop
        self.total = total

    def items(self, items: tuple[S, ...]) -> tuple[S, ...]:
        return (*items[: self.start], *items[self.stop :])

    def moved(self, column: int) -> int:
        return column - (self.stop - self.start) if column >= self.stop else column

    def footer(self, footer: Footer) -> Footer:
        types = list(footer.types)
        parent = types[self.parent]
        types[self.parent] = replace(
            parent,
            subtypes=_without(parent.subtypes, self.place),
            field_names=_without(parent.field_names, self.place),
        )
        remaining = [
            replace(type_, subtypes=tuple(map(self.moved, type_.subtypes)))
            for type_ in self.items(tuple(types))
        ]
        return replace(footer, types=tuple(remaining), statistics=self.items(footer.statistics))

    def stripe(self, stripe: StripePart) -> StripePart:
        def cut(footer: StripeFooter) -> StripeFooter:
            return replace(footer, columns=self.items(footer.columns))

        streams = tuple(
            replace(part, info=replace(part.info, column=self.moved(part.column)))
            if part.column >= self.stop
            else part
            for part in stripe.streams
            if not self.start <= part.column < self.stop
        )
        return replace(stripe, streams=streams, footer=changed(stripe.footer, cut))


def without_statistics(
    anatomy: Anatomy, *, file: bool = True, stripes: bool = True, row_groups: bool = True
) -> Anatomy:
    """Return the file without statistics: of the file, of its stripes, of the entries of row indexes."""
    out = anatomy
    if file:
        out = with_footer(out, lambda footer: replace(footer, statistics=()))
    if stripes:
        metadata = changed(out.metadata, lambda value: replace(value, stripe_stats=()))
        out = replace(out, metadata=metadata)
    return framing.without_entry_statistics(out) if row_groups else out


def without_streams(anatomy: Anatomy, wanted: Callable[[StreamPart], bool]) -> Anatomy:
    """Return the file without the streams for which `wanted` is false."""
    stripes = tuple(
        replace(stripe, streams=tuple(filter(wanted, stripe.streams))) for stripe in anatomy.stripes
    )
    return replace(anatomy, stripes=stripes)


def without_blooms(anatomy: Anatomy) -> Anatomy:
    """Return the file without Bloom filters."""
    return without_streams(anatomy, lambda stream: stream.kind not in BLOOM_KINDS)


def without_indexes(anatomy: Anatomy) -> Anatomy:
    """Return the file without row indexes and Bloom filters; its rowIndexStride is 0."""
    out = without_streams(anatomy, lambda stream: stream.kind not in INDEX_KINDS)
    return with_footer(out, lambda footer: replace(footer, row_index_stride=footer.row_index_stride and 0))


def without_row_index(anatomy: Anatomy, number: int, column: int) -> Anatomy:
    """Return the file without the row index of one column of one stripe."""
    _check(number, len(anatomy.stripes), "stripe")
    stripe = anatomy.stripes[number]
    gone = (column, StreamKind.ROW_INDEX)
    streams = tuple(part for part in stripe.streams if (part.column, part.kind) != gone)
    return with_stripe(anatomy, number, replace(stripe, streams=streams))


def without_user_metadata(anatomy: Anatomy) -> Anatomy:
    """Return the file without user metadata."""
    return with_footer(anatomy, lambda footer: replace(footer, metadata=()))


def without_unknown(anatomy: Anatomy) -> Anatomy:
    """Return the file without unknown fields of its messages."""

    def known(value: S) -> S:
        fields: dict[str, Any] = {
            name: tuple(known(each) if isinstance(each, Struct) else each for each in item)
            if isinstance(item, tuple)
            else known(item)
            for name in value.__dataclass_fields__
            if isinstance(item := getattr(value, name), (tuple, Struct)) and name not in ("span", "unknown")
        }
        return replace(value, **fields, unknown=())

    stripes = tuple(
        replace(
            stripe,
            info=known(stripe.info),
            footer=changed(stripe.footer, known),
            streams=tuple(replace(part, info=known(part.info)) for part in stripe.streams),
        )
        for stripe in anatomy.stripes
    )
    return replace(
        anatomy,
        stripes=stripes,
        metadata=changed(anatomy.metadata, known),
        footer=changed(anatomy.footer, known),
        postscript=changed(anatomy.postscript, known),
    )


def without_gaps(anatomy: Anatomy) -> Anatomy:
    """Return the file without bytes that belong to no part; encrypted stripe statistics belong to none."""
    stripes = tuple(
        replace(stripe, gap=b"", rest=b"" if stripe.footer.value else stripe.rest)
        for stripe in anatomy.stripes
    )
    gap = anatomy.gap if anatomy.end.stripe_statistics_length else b""
    return replace(anatomy, stripes=stripes, gap=gap)


def with_stream(
    anatomy: Anatomy, number: int, place: int, data: bytes, *, keep_index: bool = False
) -> Anatomy:
    """Return the file with other bytes (not yet framed) in a stream, and without the column's row index.

    `keep_index` leaves that index as it is. Raises UsageError for a stream that is not there.
    """
    return with_stored(anatomy, number, place, anatomy.framed(data), keep_index=keep_index)


def with_stored(anatomy: Anatomy, number: int, place: int, stored: bytes, *, keep_index: bool) -> Anatomy:
    """As `with_stream`, with bytes that are framed already."""
    _check(number, len(anatomy.stripes), "stripe")
    stripe = anatomy.stripes[number]
    _check(place, len(stripe.streams), "stream")
    part = stripe.streams[place]
    streams = (*stripe.streams[:place], replace(part, stored=stored), *stripe.streams[place + 1 :])
    edited = with_stripe(anatomy, number, replace(stripe, streams=streams))
    return edited if keep_index or part.index else without_row_index(edited, number, part.column)


def mended(anatomy: Anatomy) -> Anatomy:
    """Return the file with all its seals right: the slips of the original file are removed."""
    stripes = tuple(
        replace(
            stripe,
            slips=type(stripe.slips)() if stripe.footer.value else stripe.slips,
            streams=tuple(replace(part, slip=0) for part in stripe.streams),
        )
        for stripe in anatomy.stripes
    )
    return replace(anatomy, stripes=stripes, slips=type(anatomy.slips)())


def _picked(items: tuple[T, ...], numbers: list[int]) -> tuple[T, ...]:
    return tuple(items[number] for number in numbers if number < len(items))


def _without(items: tuple[T, ...], place: int) -> tuple[T, ...]:
    return (*items[:place], *items[place + 1 :])


def _check(number: int, count: int, what: str) -> None:
    if not 0 <= number < count:
        raise UsageError(f"there is no {what} {number}; there are {count}")
