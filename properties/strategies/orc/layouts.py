"""Layouts: all physical choices of a column that are legal for its type.

In each file most choices have their default, so that the choice that breaks a reader can be identified; the
choices that have not differ from file to file.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from properties.strategies.chances import all_but_one_in, choice, one_in
from properties.strategies.orc import values
from properties.strategies.orc.schemas import Shape
from reference_impl.orc import bloom
from reference_impl.orc.encodings.runs import V1_KINDS, V2_KINDS, Run, RunKind
from reference_impl.orc.plan import (
    Bloom,
    Chunks,
    Column,
    Dictionary,
    DictionaryOrder,
    Empty,
    FilePlan,
    Index,
    Original,
    Present,
    Statistics,
)
from reference_impl.orc.schema import CompressionKind, TypeKind
from reference_impl.orc.statistics import FLOATS, GEOSPATIAL
from reference_impl.orc.types import STRINGS

BYTES = (TypeKind.BOOLEAN, TypeKind.BYTE, TypeKind.UNION)  # their DATA is in byte run length encoding
_LENGTHS = (None, None, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 64, 127, 128, 129, 130, 131, 255, 256, 511, 512)
_WIDER = (0, 0, 0, 0, 1, 2, 5, 24)
_SIZES = (1, 2, 3, 5, 7, 10, 16, 33, 64, 100, 257, 1000, 4096)
_TRUNCATE = (0, 0, 0, 1024, 1024, 64, 16, 1, 2, 5)
_TIMES = ((True, True, False), (True, True, False), (True, False, False), (True, True, True))


@st.composite
def columns(draw: st.DrawFn, shape: Shape) -> Column:
    """Return a layout for a column; `files.plan` adapts the layout to a file."""
    if not all_but_one_in(draw, 8):
        return Column()
    rle = choice(draw, [2, 2, 2, 1])
    kind = shape.kind
    column = Column(
        rle=rle,
        dictionary=_dictionary(draw, shape) if kind in STRINGS and one_in(draw, 2) else None,
        present=choice(draw, [Present.NEEDED, Present.NEEDED, Present.ALWAYS]),
        index=_index(draw, shape),
        statistics=_statistics(draw, shape) if all_but_one_in(draw, 24) else None,
        empty_streams=not one_in(draw, 10),
        padding=one_in(draw, 4),
    )
    column = _with_runs(draw, column, V1_KINDS if kind in BYTES else _kinds(rle))
    if kind in bloom.KINDS and column.index is not None and one_in(draw, 3):
        column = replace(column, bloom=_bloom(draw))
    return replace(column, chunks=chunks(draw)) if one_in(draw, 5) else column


def silence(file: FilePlan) -> str:
    """Return why a reader may refuse the chunks of a plan's file, "" if it must not.

    What its streams are is seen in the file: `corpora.build.silences`.
    """
    if file.compression is CompressionKind.NONE:
        return ""  # there are no chunks
    layouts = [*file.columns, *(layout for _, _, layout in file.overrides)]
    cuts = (file.chunks, file.tail_chunks, *(layout.chunks for layout in layouts))
    hollow = any(cut is not None and cut.empty is not Empty.NOWHERE for cut in cuts)
    return "a chunk of no bytes breaks ORC-COMP-005, a SHOULD" if hollow else ""


def chunks(draw: st.DrawFn) -> Chunks:
    """Return how streams are cut into chunks; the sizes may exceed the block size of a file."""
    sizes = draw(st.lists(st.sampled_from(_SIZES), max_size=4)) if draw(st.booleans()) else []
    level = choice(draw, [None, None, 1, 9])
    empty = choice(draw, tuple(Empty)[1:]) if one_in(draw, 12) else Empty.NOWHERE
    return Chunks(tuple(sizes), choice(draw, [Original.NEEDED, *Original]), level, empty)


def _kinds(rle: int) -> tuple[RunKind, ...]:
    return V1_KINDS if rle == 1 else V2_KINDS


def _with_runs(draw: st.DrawFn, column: Column, data: tuple[RunKind, ...]) -> Column:
    """Choose runs for each stream; runs of a stream that the column has not got have no effect."""
    if one_in(draw, 3):
        column = replace(column, present_runs=_runs(draw, V1_KINDS))
    if draw(st.booleans()):
        column = replace(column, data_runs=_runs(draw, data))
    numbers = _kinds(column.rle)
    if one_in(draw, 3):
        column = replace(column, length_runs=_runs(draw, numbers), secondary_runs=_runs(draw, numbers))
    return column


def _runs(draw: st.DrawFn, kinds: tuple[RunKind, ...]) -> tuple[Run, ...]:
    """Return a few runs, which a stream repeats in turn."""
    count = choice(draw, [1, 1, 2, 3, 5])
    return tuple(
        Run(choice(draw, kinds[1:] + kinds), choice(draw, _LENGTHS), choice(draw, _WIDER))
        for _ in range(count)
    )


def _dictionary(draw: st.DrawFn, shape: Shape) -> Dictionary:
    unused: tuple[bytes, ...] = ()
    if one_in(draw, 4):
        unused = tuple(draw(st.lists(values.domain(shape.type).edge, min_size=1, max_size=3)))
    order = choice(draw, [DictionaryOrder.SORTED, DictionaryOrder.SORTED, *DictionaryOrder])
    return Dictionary(order, unused, duplicates=one_in(draw, 10))


def _index(draw: st.DrawFn, shape: Shape) -> Index | None:
    """Return an index, or None: only "each primitive column" must have one."""
    if shape.children and one_in(draw, 20):
        return None
    statistics = _statistics(draw, shape) if all_but_one_in(draw, 24) else None
    return Index(statistics, empty_first=one_in(draw, 6))


def _statistics(draw: st.DrawFn, shape: Shape) -> Statistics:
    """Return a form of statistics; bounds are exact, because the specification requires "the minimum"."""
    statistics = Statistics(
        count=not one_in(draw, 120),
        has_null=not one_in(draw, 8),
        typed=not one_in(draw, 30),
        bounds=not one_in(draw, 80),
        sum=not one_in(draw, 6),
        bytes_on_disk=one_in(draw, 6),
        geospatial=shape.kind in GEOSPATIAL and draw(st.booleans()),
    )
    if shape.kind in FLOATS:
        statistics = replace(statistics, inward=one_in(draw, 4))
    if shape.kind in bloom.TIMES:
        statistics = timed(statistics, *choice(draw, _TIMES))
    return replace(statistics, truncate=choice(draw, _TRUNCATE)) if shape.kind in STRINGS else statistics


def timed(statistics: Statistics, utc: bool, nanos: bool, local: bool) -> Statistics:
    """Return statistics with these forms of timestamp bounds."""
    return replace(statistics, utc=utc, nanos=nanos, local=local)


def _bloom(draw: st.DrawFn) -> Bloom:
    utf8, original = choice(draw, [(True, False), (True, False), (True, True), (False, True)])
    return Bloom(
        words=choice(draw, [1, 2, 4, 32, 128]),
        hashes=choice(draw, [3, 1, 2, 7]),
        utf8=utf8,
        original=original,
        encoding=choice(draw, [1, 1, 1, None]),
    )
