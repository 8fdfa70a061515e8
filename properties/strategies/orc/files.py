"""Choices of a file that are not layouts of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from properties.strategies.chances import all_but_one_in, choice, one_in
from properties.strategies.orc import layouts
from properties.strategies.orc.schemas import Shape
from properties.strategies.orc.writers import WRITERS, Traits, fitted, limited
from properties.strategies.sheet import SIZES, cut
from reference_impl.errors import UsageError
from reference_impl.orc.calendars import CUTOVER, is_hybrid, proleptic
from reference_impl.orc.encodings import timestamp
from reference_impl.orc.plan import BLOCK_SIZE, Chunks, Column, FilePlan, Order
from reference_impl.orc.schema import CalendarKind, CompressionKind, TypeKind
from reference_impl.orc.zones import clock

MAX_STRIPES = 6
STRIDES = (10_000, 10_000, 10_000, 1000, 1000, 100, 50, 33, 20, 10, 8, 7, 3, 1, 0)
ZONES = (
    *["UTC"] * 6,
    *("America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "America/Los_Angeles", "GMT"),
    *("Europe/Dublin", "Asia/Kathmandu", "Africa/Monrovia", "America/Sao_Paulo"),
    # Local mean times with seconds, a day left out or lived twice, the greatest offsets, two hours.
    *("Europe/Amsterdam", "Asia/Manila", "Pacific/Apia", "America/Juneau", "Pacific/Kiritimati"),
    *("Etc/GMT+12", "Antarctica/Troll", "Africa/Casablanca"),
)
_K = CompressionKind
_CODECS = [_K.NONE] * 10 + [_K.ZLIB] * 8 + [_K.SNAPPY] * 6 + [_K.ZSTD] * 6 + [_K.LZ4] * 4
_CODECS += [_K.LZO, _K.BROTLI]  # few readers know these
_BLOCKS = (BLOCK_SIZE, BLOCK_SIZE, BLOCK_SIZE, 65_536, 4096, 1000, 256, 100, 32, 7, 1, (1 << 23) - 1)
_CALENDARS = [CalendarKind.PROLEPTIC_GREGORIAN] * 6 + [None, *CalendarKind]
_WHOLE = Chunks()
_FIRST_HYBRID = int(proleptic(np.array([-(1 << 31)]))[0])  # the first DATE of 32 bits in a hybrid calendar


@dataclass(frozen=True)
class FileChoices:
    """The choices of a file; numbers are taken modulo the number of candidates.

    `plain`: all defaults, here and for the columns. `table` selects the rows, `layouts` the layout of each
    column; `override` is a column of a stripe with the next layout, as (stripe, type id). `zone` and
    `calendar` apply if all timestamps can be stored in them; `other_zone` is that of every second stripe.
    `size`: rows of a stripe; `empty`: the place of empty stripes (`sheet.cut`). `first`: the file is of
    version 0.11.
    """

    plain: bool = False
    table: int = 0
    layouts: int = 0
    override: tuple[int, int] | None = None
    writer: Traits = WRITERS[0]
    first: bool = False
    size: int | None = None
    empty: int | None = None
    reverse: bool = False
    stride: int = STRIDES[0]
    compression: CompressionKind = CompressionKind.NONE
    block_size: int = BLOCK_SIZE
    block_size_absent: bool = False
    chunks: Chunks = _WHOLE
    tail_chunks: Chunks = _WHOLE
    order: Order = Order.COLUMNS
    ranks: tuple[int, ...] = ()
    gap: int = 0
    zone: str | None = "UTC"
    other_zone: str | None = None
    calendar: CalendarKind | None = CalendarKind.PROLEPTIC_GREGORIAN
    file_statistics: bool = True
    stripe_statistics: bool = True
    unpacked: bool = False


@st.composite
def files(draw: st.DrawFn) -> FileChoices:
    """Return the choices of a file; one file in ten is plain."""
    table = draw(st.integers(0, 2))
    if not all_but_one_in(draw, 10):
        return FileChoices(plain=True, table=table)
    pair = st.tuples(st.integers(0, MAX_STRIPES - 1), st.integers(0, 15))
    return FileChoices(
        table=table,
        layouts=draw(st.integers(0, 11)),
        override=draw(pair) if one_in(draw, 5) else None,
        writer=choice(draw, WRITERS),
        first=one_in(draw, 12),
        size=choice(draw, SIZES),
        empty=draw(st.integers(0, 40)) if one_in(draw, 15) else None,
        reverse=one_in(draw, 4),
        stride=choice(draw, STRIDES),
        compression=choice(draw, _CODECS),
        block_size=choice(draw, _BLOCKS),
        block_size_absent=one_in(draw, 12),
        chunks=layouts.chunks(draw) if one_in(draw, 4) else _WHOLE,
        tail_chunks=layouts.chunks(draw) if one_in(draw, 8) else _WHOLE,
        order=choice(draw, [Order.COLUMNS, Order.COLUMNS, *Order]),
        ranks=tuple(draw(st.lists(st.integers(0, 3), min_size=2, max_size=5))) if one_in(draw, 8) else (),
        gap=choice(draw, [1, 7, 4096]) if one_in(draw, 12) else 0,
        zone=None if one_in(draw, 16) else choice(draw, ZONES),
        other_zone=choice(draw, ZONES) if one_in(draw, 6) else None,
        calendar=choice(draw, _CALENDARS),
        file_statistics=not one_in(draw, 16),
        stripe_statistics=not one_in(draw, 16),
        unpacked=one_in(draw, 10),
    )


def plan(base: FilePlan, choices: FileChoices, root: Shape, options: Sequence[Sequence[Column]]) -> FilePlan:
    """Return the plan of a file: `base` has its types and rows, `found` some layouts for each type."""
    if choices.plain:
        return base
    compressed = choices.compression is not CompressionKind.NONE
    rows = len(base.rows)
    block_size = max(choices.block_size, rows // 8)
    absent = choices.block_size_absent and not (compressed and block_size != BLOCK_SIZE)
    stripes = cut(choices.size, choices.empty, rows, MAX_STRIPES, reverse=choices.reverse)
    built = replace(
        base,
        stripes=stripes,
        row_index_stride=choices.stride,
        compression=choices.compression,
        block_size=block_size,
        block_size_absent=absent,
        chunks=limited(choices.chunks, block_size, rows),
        tail_chunks=limited(choices.tail_chunks, block_size, rows),
        order=choices.order,
        stream_ranks=choices.ranks,
        gap=choices.gap,
        version=(0, 11) if choices.first else (0, 12),
        writer=choices.writer.writer,
        writer_version=choices.writer.version,
        software_version=choices.writer.software,
        file_statistics=choices.file_statistics,
        stripe_statistics=choices.stripe_statistics,
        unpacked=choices.unpacked,
    )
    built = _timed(built, choices, root)
    shapes = list(root.walk())

    def layout(column: int, turn: int) -> Column:
        some = options[column]
        chosen = some[(choices.layouts + turn) % len(some)]
        return fitted(chosen, shapes[column].kind, built, choices.writer)

    columns = tuple(layout(column, 0) for column in range(len(shapes)))
    if choices.override is None or not stripes:
        return replace(built, columns=columns)
    column = choices.override[1] % len(shapes)
    overrides = ((choices.override[0] % len(stripes), column, layout(column, 1)),)
    return replace(built, columns=columns, overrides=overrides)


def _timed(base: FilePlan, choices: FileChoices, root: Shape) -> FilePlan:
    """Return a plan with zone and calendar: UTC and proleptic if the chosen ones cannot store its values."""
    clocks = {value for row in base.rows for value in _of(root, row, TypeKind.TIMESTAMP)}
    zone = choices.zone
    if zone is None and any(shape.kind is TypeKind.TIMESTAMP for shape in root.walk()):
        zone = "UTC"
    if zone is not None and not all(_storable(zone, *value) for value in clocks):
        zone = "UTC"
    other = choices.other_zone
    both = (zone, other) if other and all(_storable(other, *value) for value in clocks) else ()
    days = {value for row in base.rows for value in _of(root, row, TypeKind.DATE)}
    is_far = min(days, default=0) < _FIRST_HYBRID
    days |= {seconds // 86_400 for seconds, _ in clocks}
    lacking = is_far or not days.isdisjoint(range(CUTOVER - 10, CUTOVER))
    hybrid = is_hybrid(choices.calendar, base.writer)
    calendar = CalendarKind.PROLEPTIC_GREGORIAN if hybrid and lacking else choices.calendar
    return replace(base, writer_timezone=zone, stripe_timezones=both, calendar=calendar)


def _storable(zone: str, seconds: int, nanos: int) -> bool:
    """Return whether a zone's clock shows a wall-clock time, and ORC can store that time."""
    try:
        timestamp.stored(clock(zone)(seconds), nanos)
    except UsageError:
        return False
    return True


def _of(shape: Shape, value: Any, kind: TypeKind) -> Iterator[Any]:
    """Yield the values of a type kind inside of a value."""
    if value is None:
        return
    if shape.kind is kind:
        yield value
    elif shape.kind is TypeKind.STRUCT:
        for child, inner in zip(shape.children, value, strict=True):
            yield from _of(child, inner, kind)
    elif shape.kind is TypeKind.UNION:
        yield from _of(shape.children[value[0]], value[1], kind)
    elif shape.kind is TypeKind.LIST:
        for inner in value:
            yield from _of(shape.children[0], inner, kind)
    elif shape.kind is TypeKind.MAP:
        for pair in value:
            for child, inner in zip(shape.children, pair, strict=True):
                yield from _of(child, inner, kind)
